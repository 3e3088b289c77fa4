#include "service/tool_watch.h"

#include "sys/file.h"
#include "tools/blocked.h"

namespace pale::service {

Result<std::unique_ptr<ToolWatch>> ToolWatch::make(sandbox::Onlooker& other) {
  PALE_TRY(pipe, sys::open_pipe());
  PALE_CHECK(sys::set_nonblocking(pipe.read_end));
  PALE_CHECK(sys::set_nonblocking(pipe.write_end));
  return std::make_unique<ToolWatch>(other, std::move(pipe));
}

// Where the pipe is full, the tools have enough to tell.
void ToolWatch::tried(const sandbox::Sighting& sighting) {
  const std::string message = tools::to_message({std::string(to_text(sighting.act)), sighting.path});
  if (!message.empty()) (void)sys::write_all(pipe_.write_end.borrow(), message);
}

}  // namespace pale::service
