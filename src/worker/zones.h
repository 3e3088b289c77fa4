// worker/zones.h: the zones of a project: named folders, what may be done in each, and how far workers may hand on what they
// have. A value; touches no disk.
#pragma once

#include "worker/declaration.h"

namespace pale::worker {

// Zones appear at /<name>. These stand there already, or would be taken for what stands there on every other system.
inline constexpr std::string_view kReservedNames[] = {"usr", "bin",  "sbin", "lib",   "lib32", "lib64", "libx32", "etc",
                                                      "dev", "proc", "tmp",  "run",   "home",  "var",   "root",   "sys",
                                                      "opt", "srv",  "mnt",  "media", "boot",  "nix",   "snap"};

struct Zone {
  std::string name;
  Path folder;  // on the host
  Access access;
  ZoneApproval approval;
  std::string where;
  std::string narrowed_by;  // why it is less than what was declared; empty: it is not
  bool operator==(const Zone&) const = default;
};

struct Zones {
  std::string file;  // what says so, for people
  SandboxMode mode = SandboxMode::Direct;
  Path base = Path::root();  // all of them lie in it
  ApprovalMode approval = ApprovalMode::Manual;
  bool approval_said = false;         // by the project or the user; else it is what is usual
  std::uint64_t max_depth = 5;        // calls from the first worker down to the deepest
  std::uint64_t max_calls = 100;      // below the first, all together
  std::uint64_t call_seconds = 1800;  // that each may take
  std::vector<Zone> zones;
  // Without zones, what may be done below `base` by a worker that brings its folder along (sandbox.paths).
  Access without_zones = Access::Write;
  std::vector<Protection> protections;  // stay as they are, whatever the zone around them allows
};

// What the user says; it counts before what the project says, and that before what is usual.
struct Overrides {
  std::optional<SandboxMode> mode;
  std::optional<std::string> root;
  std::optional<ApprovalMode> approval;
  std::optional<std::uint64_t> max_depth;
};

// Of a project at `root`. Refuses a path that is empty, absolute or leads out of where zones lie; a name that is none, or that
// the sandbox has at its own root; two zones in one another of which one allows what the other does not.
Result<Zones> make_zones(const Declaration& declaration, const Overrides& overrides, const Path& root);

// No zone allows more than `most`; because of `why`.
void narrow_all(Zones& zones, Access most, const std::string& why);
// What lies in something protected stays as it is.
void protect(Zones& zones, std::vector<Protection> protections);
const Protection* protection_of(const Zones& zones, const Path& folder) noexcept;
bool is_reserved(std::string_view name) noexcept;

// "ro", "rw", as files write them; "list" for what only shows names.
std::string_view mode_text(Access access) noexcept;

}  // namespace pale::worker
