// scope/prd.h: prd.json, the stories a loop works through, as a value. Touches no disk.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "scope/mode.h"

namespace pale::scope {

constexpr std::int64_t kLowestPriority = std::numeric_limits<std::int64_t>::max();

struct Story {
  std::string id;  // fit to be shown: one line, no control characters
  std::string title;
  std::int64_t priority = kLowestPriority;  // 1 comes before 2
  std::vector<std::string> dependencies;    // ids of stories in the same file; they form no cycle
  bool passes = false;
  std::optional<std::vector<std::string>> file_scope;  // nothing: to be inferred; an empty list: no file
  std::string notes;
  bool operator==(const Story&) const = default;
};

struct Workspace {
  std::vector<std::string> folders;  // as written; empty if the file names none
  Mode mode = Mode::Permissive;
  bool operator==(const Workspace&) const = default;
};

struct Parallelization {
  bool enabled = false;
  std::optional<std::uint64_t> max_workers;  // above zero
  bool operator==(const Parallelization&) const = default;
};

struct Prd {
  std::string project;
  std::string branch_name;
  std::string description;
  std::optional<Workspace> workspace;
  Parallelization parallelization;
  std::vector<Story> stories;  // in the file's order
  bool operator==(const Prd&) const = default;
};

// A key that is null is as if it was not there; an unknown one belongs to somebody else. What is wrong is said with `file`, the
// story and the key.
Result<Prd> parse_prd(std::string_view text, const std::string& file);

}  // namespace pale::scope
