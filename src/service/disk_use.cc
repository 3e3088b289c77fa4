#include "service/disk_use.h"

#include <fcntl.h>

#include "sys/file.h"

namespace pale::service {
namespace {

constexpr int kDeepest = 200;

class Count {
 public:
  explicit Count(std::uint64_t most) : most_(most) {}
  bool is_over() const noexcept { return used_ > most_; }

  void add(const sys::Fd& directory, int depth) {
    const auto entries = sys::list_directory(directory);
    if (!entries || depth > kDeepest) return;
    for (const sys::Entry& entry : *entries) {
      if (is_over()) return;
      const auto info = sys::file_info(directory.borrow(), entry.name.c_str());
      if (info) used_ += info->blocks * 512;
      if (entry.kind != sys::FileKind::Directory) continue;
      const auto below = sys::open_at(directory.borrow(), entry.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      if (below) add(*below, depth + 1);
    }
  }

 private:
  std::uint64_t most_;
  std::uint64_t used_ = 0;
};

}  // namespace

bool uses_more_than(const std::vector<Path>& directories, std::uint64_t bytes) {
  Count count(bytes);
  for (const Path& path : directories) {
    const auto directory = sys::open_at(sys::kAbsolute, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (directory) count.add(*directory, 0);
  }
  return count.is_over();
}

}  // namespace pale::service
