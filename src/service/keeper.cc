#include "service/keeper.h"

#include "sys/file.h"
#include "sys/process.h"

namespace pale::service {
namespace {

Result<sys::Fd> place_keeper() {
  PALE_TRY(self, sys::open_program());
  PALE_CHECK(sys::place_descriptor(self.borrow(), kProgramDescriptor));
  if (self.borrow() == kProgramDescriptor) (void)self.release();
  const std::span<const char> image = keeper_image();
  return sys::make_memory_file("pale", {image.data(), image.size()});
}

}  // namespace

Error become_keeper(char** argv, char** envp) {
  sys::close_from(kProgramDescriptor);
  auto keeper = place_keeper();
  if (!keeper) return std::move(keeper).error();
  const long result = sys::execute(*keeper, argv, envp);
  return Error{ErrorKind::System, static_cast<int>(-result), "start the keeper", "from memory",
               "sysctl vm.memfd_noexec=0, or mount /proc"};
}

}  // namespace pale::service
