// plan/plan.h: a Boundary and the facts of this machine, made into ordered steps, or a refusal. Pure; golden-tested.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/path.h"
#include "boundary/boundary.h"
#include "plan/filter.h"
#include "plan/gate.h"

namespace pale::plan {

enum class Backend { Namespaces, Landlock };

enum class Kind { Missing, File, Directory, Symlink, Other };

// What stands at a host path; looked at once, before planning. The steps look again as they act.
struct PathFact {
  Path path;
  Kind kind;
  bool has_other_names = false;  // a file with several hard links
};

struct Link {
  Path path;
  std::string target;
};

// Everything a plan depends on beside the boundary.
struct Facts {
  std::vector<PathFact> paths;     // sources of grants; protections with what lies above them; matches of globs
  std::vector<Link> system_links;  // "/bin" → "usr/bin" and the like
  int landlock_abi = 0;
  bool listener_taken = false;    // a sandbox around this one has the tree's only seccomp listener
  bool only_loopback = false;     // the network around is nothing but loopback
  std::optional<Boundary> outer;  // the boundary around this one, if Pale made it
  std::string terminal;           // host path of the caller's terminal, shown as /dev/console; empty without one

  Kind kind_of(const Path& path) const noexcept;
};

enum class StepKind {
  Directory,  // make a directory
  File,       // make an empty file
  Link,       // make a symlink
  Device,     // show the host's device node `source`
  Seal,       // what is mounted so far becomes read-only
  Scratch,    // an empty filesystem in memory, which becomes read-only in the end
  Private,    // show the scratch directory `source`, writable, at `target`
  Bind,       // show `source` of the host at `target`
  Overlay,    // show `source` of the host at `target`, beneath `layers` of which the first takes all changes
  Terminals,  // a devpts of its own
  Processes,  // a proc of its own
  Reopen,     // mount a part of an overlay on itself, writable
  Pin,        // mount a directory on itself: it can no longer be renamed or removed
  Protect,    // mount what is there on itself, read-only
  Hide,       // mount an empty thing nobody may open over what is there
};

struct Step {
  StepKind kind;
  Path target;
  std::string source;            // Bind, Device: host path; Private: scratch path; Link: its text; Scratch: how many
                                 // bytes it holds at most, if anything is said of that
  Access access = Access::Read;  // Bind, Overlay
  std::vector<Path> layers;      // Overlay
  bool operator==(const Step&) const = default;
};

struct LandlockRule {
  Path path;
  Access access;  // not None
  Removal removal = Removal::Allowed;
  bool operator==(const LandlockRule&) const = default;
};

// A mount that must be there when the steps are done; the last one at a target counts.
struct ExpectedMount {
  Path target;
  bool read_only;
  bool no_devices;
  bool overlay = false;  // of that type and no other
};

struct Plan {
  Backend backend = Backend::Namespaces;
  std::vector<Step> skeleton;  // directories, files and links the new root consists of; the same for the next run
  std::vector<Step> steps;     // what is done with them each time
  std::vector<LandlockRule> landlock;  // empty: this kernel's Landlock is too old to be of use
  int landlock_abi = 0;
  bool own_network = true;
  Gate gate;  // with Network::Allow
  Watching watching = Watching::Creating;
  Reporting reporting = Reporting::Nothing;
  Sockets sockets = Sockets::Families;
  FilterProgram filter;
  bool has_listener() const noexcept { return watching != Watching::Nothing || reporting != Reporting::Nothing; }
  std::vector<ExpectedMount> mounts;
  std::vector<std::string_view> refused;  // what the filter does not let through in place of namespaces
  std::vector<std::string> weaker;        // guards that rest on less than they could, by the user's explicit choice
};

enum class Weakening { Refused, Accepted };
inline constexpr std::string_view kWeakFlag = "--unsafe-weak-protection";  // accepts it

// What cannot be reported here, since the boundary around this one has the only listener, is not: that guards nothing.
Result<Plan> make_plan(const Boundary& boundary, const Facts& facts, Backend backend, Weakening weakening,
                       Reporting reporting = Reporting::Nothing);

// One line a step, for people and golden files.
std::string to_text(const Plan& plan);
std::string_view to_text(Backend backend) noexcept;

inline constexpr std::string_view kDevices[] = {"null", "zero", "full", "urandom", "tty"};
inline constexpr std::string_view kKeysFile = "/proc/keys";
inline constexpr std::string_view kBoundaryFile = "/run/pale/boundary.json";
inline constexpr std::string_view kBrokerSocket = "/run/pale/broker";  // only in sandboxes that have one

}  // namespace pale::plan
