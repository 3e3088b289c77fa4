// service/ref_report.h: what became of the refs that a run with a scope moved, as the keeper says it (refs/check.h), and of what git
// would run on the host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pale::service {

struct RefFinding {
  std::string ref;
  std::string wrong;   // outside, removed, odd, kept, no_commit, unchecked
  std::string now;     // the object it names, if there is one
  std::string commit;  // the one that touches the paths; else empty
  std::string subject;
  std::vector<std::string> paths;  // the first few
  std::string kept;                // the ref under which it is kept, if it was refused
};

// A rebase that the run left behind, and that runs a command when the user goes on with it.
struct TodoFinding {
  std::string path;     // below the project
  std::string command;  // the line; empty: it cannot be read
  std::string kept;     // where it is now, if it was moved aside
};

struct RefReport {
  bool strict = false;  // what is found was refused, and put back
  std::uint64_t moved = 0;
  std::vector<RefFinding> refs;
  std::vector<std::string> staged;  // paths outside, in the index
  std::vector<TodoFinding> todos;
  std::string unchecked;  // why nothing is known; else empty
  std::string unmended;   // why not all is as it was; else empty

  bool is_clean() const noexcept {
    return refs.empty() && staged.empty() && todos.empty() && unchecked.empty() && unmended.empty();
  }
};

Result<RefReport> parse_ref_report(std::string_view json);

// For people, a line each.
std::vector<std::string> lines_of(const RefReport& report);

}  // namespace pale::service
