// worker/worker_file.h: a .worker file as a value: what a worker is called, what it is told, and what it asks for. What it gets
// is another matter. Touches no disk.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "boundary/boundary.h"
#include "project/settings.h"

namespace pale::worker {

using project::Approval;
using project::ZoneApproval;

struct ZoneRequest {
  std::string name;
  Access access = Access::Write;
  ZoneApproval approval;
  bool operator==(const ZoneRequest&) const = default;
};

// The old form, which brings its folder along.
struct PathRequest {
  std::string name;
  std::optional<Path> root;  // relative to where the project's zones lie; nothing: all of that
  Access access = Access::Read;
  std::optional<std::vector<std::string>> suffixes;  // nothing: every file; an empty list: none
  bool operator==(const PathRequest&) const = default;
};

// Zones or paths, never both, and at least one of them.
struct Sandbox {
  std::vector<ZoneRequest> zones;
  std::vector<PathRequest> paths;
  bool operator==(const Sandbox&) const = default;
};

// A key that is known, and does nothing here: "toolsets.filesystem".
struct OtherKey {
  std::string key;
  std::size_t line = 0;
  bool operator==(const OtherKey&) const = default;
};

struct WorkerFile {
  std::string name;
  std::string description;
  std::string instructions;        // without the blank lines around it; may be empty
  std::optional<Sandbox> sandbox;  // nothing: a pure function, for which no file exists
  std::vector<std::string> run;    // empty: the project's agent, with the instructions as its prompt
  std::vector<std::string> allowed_workers;
  bool locked = false;
  std::vector<OtherKey> other;
  bool operator==(const WorkerFile&) const = default;
};

// YAML between two lines of "---", then the instructions. Before the first line only blank lines and comments may stand.
// What is wrong is said with `file`, the line, and what would be right.
Result<WorkerFile> parse_worker(std::string_view text, const std::string& file);

}  // namespace pale::worker
