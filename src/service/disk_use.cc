#include "service/disk_use.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "sys/event.h"
#include "sys/file.h"

namespace pale::service {
namespace {

constexpr int kDeepest = 200;  // each is an open descriptor
constexpr std::int64_t kPauseMs = 1000;
constexpr std::int64_t kRestMs = 5000;  // without a command
constexpr std::int64_t kShare = 20;     // looking takes at most this part of the time

class Count {
 public:
  DiskUse use() const noexcept { return use_; }

  void add(int parent, const char* name, int depth) {
    const auto directory = sys::open_at(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!directory) return could_not(directory.error().number);
    const auto entries = sys::list_directory(*directory);
    if (!entries) return could_not(entries.error().number);
    for (const sys::Entry& entry : *entries) {
      const auto info = sys::file_info(directory->borrow(), entry.name.c_str());
      if (!info) could_not(info.error().number);
      if (info) use_.bytes += info->blocks * 512;
      if (entry.kind != sys::FileKind::Directory) continue;
      if (depth == kDeepest)
        use_.whole = false;
      else
        add(directory->borrow(), entry.name.c_str(), depth + 1);
    }
  }

 private:
  // What went, or became something else, meanwhile takes no room.
  void could_not(int number) noexcept { use_.whole &= number == ENOENT || number == ENOTDIR || number == ELOOP; }

  DiskUse use_;
};

}  // namespace

DiskUse disk_use(const std::vector<Path>& directories) {
  Count count;
  for (const Path& path : directories) count.add(sys::kAbsolute, path.c_str(), 0);
  return count.use();
}

bool DiskWatch::is_stale() const noexcept {
  return most_ && sys::monotonic_ms() >= std::max(earliest_ms_, last_ms_ + kPauseMs);
}

void DiskWatch::begin() noexcept {
  next_ms_ = std::min(next_ms_, sys::monotonic_ms() + kPauseMs);
  closed_ = false;
}

void DiskWatch::settle() noexcept {
  settling_ = true;
  next_ms_ = std::min(next_ms_, earliest_ms_);
}

bool DiskWatch::is_passed(Who runs) {
  const std::int64_t began = sys::monotonic_ms();
  const DiskUse use = disk_use(counted_);
  const std::int64_t ended = sys::monotonic_ms();
  last_ms_ = ended;
  earliest_ms_ = ended + (ended - began) * kShare;
  next_ms_ = std::max(earliest_ms_, ended + (runs == Who::ACommand ? kPauseMs : kRestMs));
  // A command may have come to clean up what cannot be looked into.
  const bool closed = !use.whole && (std::exchange(closed_, true) || runs == Who::NoCommand);
  const bool passed = closed || use.bytes > room_;
  const bool before = std::exchange(settling_, false) && runs == Who::NoCommand;
  if (runs == Who::NoCommand || !passed) room_ = std::max(most_.value_or(0), use.whole ? use.bytes : 0);
  return passed && !before;
}

}  // namespace pale::service
