// tools/tool.h: one thing that an agent may call. What it may do is not decided here: it runs inside the boundary.
#pragma once

#include <span>
#include <string_view>

#include "boundary/boundary.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "tools/accepted.h"
#include "tools/answer.h"
#include "tools/blocked.h"
#include "tools/change.h"
#include "tools/desk.h"
#include "tools/job.h"
#include "tools/parameters.h"

namespace pale::tools {

// What of the project a tool needs, in the order of what a level of trust allows. A tool that needs more is not there.
enum class Power {
  List,   // names and attributes
  Read,   // contents
  Write,  // changes
  Run,    // commands
};
std::string_view to_text(Power power) noexcept;

// Where tools work. Paths are relative to the workspace, or absolute; the kernel says which of them exist.
struct Workplace {
  const Boundary& boundary;
  Power power;
  sys::Fd root;  // the workspace
  char* const* envp;
  std::span<const char> searcher;  // the program that searches contents, for it needs a library
  Approvals approvals;             // what is asked about first
  std::string workers;             // those that can be called, in words; empty: none
  Blocked* blocked = nullptr;      // what a watch tells of commands; null: there is none
  Accepted accepted;               // which files are taken, where not all are

  std::string_view variable(std::string_view name) const;  // empty if it is not set
};
Result<Workplace> enter(const Boundary& boundary, Power power, char* const* envp);

struct Call {
  const Workplace& place;
  const Arguments& arguments;
  const Change* allowed = nullptr;  // by somebody who was asked: this, and nothing else

  int root() const noexcept { return place.root.borrow(); }
};

// As the protocol's answers call it.
std::string_view to_text(sys::FileKind kind) noexcept;

struct Hints {  // for clients, which may ask before they call; what is not said they take for the worst
  bool read_only = false;
  bool destructive = true;
  bool idempotent = false;
  bool open_world = false;
};
inline constexpr Hints kOnlyLooks = {.read_only = true, .destructive = false, .idempotent = true};

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::span<const Parameter> parameters;
  std::string_view output_schema;  // JSON
  Hints hints;
  Power needs;
  // An answer at once; or a process, and what its end means; or something for the desk, and what its answer means.
  Result<Answer> (*answer)(const Call& call) = nullptr;
  Result<Job> (*start)(const Call& call) = nullptr;
  Result<Answer> (*finish)(Job& job, const JobEnd& end) = nullptr;
  Result<ToDesk> (*errand)(const Call& call) = nullptr;
  Result<Answer> (*told)(const FromDesk& said) = nullptr;
  // What it would change, if somebody may want to be asked about that.
  Result<Change> (*change)(const Call& call) = nullptr;
};

}  // namespace pale::tools
