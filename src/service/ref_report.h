// service/ref_report.h: what became of the refs that a run about some folders moved, as the keeper says it (refs/check.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pale::service {

struct RefFinding {
  std::string ref;
  std::string wrong;   // outside, removed, odd, no_commit, unchecked
  std::string commit;  // the one that touches the paths; else empty
  std::string subject;
  std::vector<std::string> paths;  // the first few
  std::string kept;                // the ref under which it is kept, if it was refused
};

struct RefReport {
  bool strict = false;  // what is found was refused, and put back
  std::uint64_t moved = 0;
  std::vector<RefFinding> refs;
  std::vector<std::string> staged;  // paths outside, in the index
  std::string unchecked;            // why nothing is known; else empty
  std::string unmended;             // why not all is as it was; else empty

  bool is_clean() const noexcept { return refs.empty() && staged.empty() && unchecked.empty() && unmended.empty(); }
};

Result<RefReport> parse_ref_report(std::string_view json);

// For people, a line each.
std::vector<std::string> lines_of(const RefReport& report);

}  // namespace pale::service
