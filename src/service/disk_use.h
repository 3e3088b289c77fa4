// service/disk_use.h: how much room directories take, and whether a session keeps to what it has of it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/path.h"

namespace pale::service {

struct DiskUse {
  std::uint64_t bytes = 0;
  bool whole = true;  // false: something cannot be looked into, or lies too deep
};
// No link is followed. A file that has no name any more is not seen, even if somebody has it open.
DiskUse disk_use(const std::vector<Path>& directories);

class DiskWatch {
 public:
  DiskWatch(std::vector<Path> counted, std::optional<std::uint64_t> most)
      : counted_(std::move(counted)), most_(most), room_(most.value_or(0)) {}

  // When to look again; nothing: there is no limit.
  std::optional<std::int64_t> due_ms() const noexcept { return most_ ? std::optional(next_ms_) : std::nullopt; }
  // Whether to look before a command begins, so that it is not blamed for what is there; then it does.
  bool is_stale() const noexcept;
  void begin() noexcept;
  // A command has ended. What it leaves is the fault of nobody who comes after it.
  void settle() noexcept;
  // Looks. Whether somebody who runs now passes the limit; where there was more before him already, whether he adds to it.
  enum class Who { ACommand, NoCommand };
  bool is_passed(Who runs);

 private:
  std::vector<Path> counted_;
  std::optional<std::uint64_t> most_;
  std::uint64_t room_;  // most_, or what was there before
  std::int64_t next_ms_ = 0;
  std::int64_t last_ms_ = 0;
  std::int64_t earliest_ms_ = 0;  // looking takes but a part of the time
  bool settling_ = true;
  bool closed_ = false;  // the look before could not see all of it, either
};

}  // namespace pale::service
