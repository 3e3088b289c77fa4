// worker/share.h: what a worker gets of what its caller has: exactly what it asks for, or a refusal; never more. Pure.
#pragma once

#include "worker/zones.h"

namespace pale::worker {

// As programs that call workers know them.
enum class Code {
  ZoneAccessDenied,
  PermissionEscalation,
  NotFound,
  NotAllowed,      // its caller does not name it in allowed_workers
  Locked,          // it is called as it is written, or not at all
  DepthExceeded,   // calls end there
  TooManyCalls,    // below one that the user called, or at once
  ApprovalDenied,  // by whoever was asked, or because nobody answered
  TimedOut,
  WorkerFailed,  // it ran, and ended with another exit code than 0, or could not be started
  AnswerTooLong,
  InvalidRequest,
};
std::string_view to_text(Code code) noexcept;  // "ZONE_ACCESS_DENIED"
Code code_of(std::string_view text) noexcept;  // InvalidRequest for what is none

struct Refusal {
  Code code;
  std::string about;  // the zone or the worker
  std::string sentence;
  std::string hint;
  bool operator==(const Refusal&) const = default;
};

// One folder that somebody has, and appears at /<name> for him.
struct Held {
  std::string name;
  Path folder;
  Access access;
  ZoneApproval approval;
  // File tools accept no other files; nothing: all. The kernel knows no suffixes.
  std::optional<std::vector<std::string>> suffixes;
  std::string narrowed_by;  // why it is less than what was asked for; empty: it is not
  bool operator==(const Held&) const = default;
};

enum class Holder { Project, Worker };
struct Holding {
  Holder holder = Holder::Project;
  std::vector<Held> folders;
};

// The project's own: the ceiling of whoever is called first.
Holding offered_by(const Zones& zones);

struct Share {
  std::vector<Held> gets;     // nothing if something is refused: then it is not called at all
  std::vector<Refusal> lost;  // what it asked for, and its caller does not have
  bool operator==(const Share&) const = default;
};

// A worker that asks for nothing gets nothing, and is a pure function. For a folder that it brings along, the caller must have
// one around it. `zones`: the project's.
Share share_of(const Holding& caller, const WorkerFile& worker, const Zones& zones);

}  // namespace pale::worker
