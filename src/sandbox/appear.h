// sandbox/appear.h: the second guard behind the watch. A hostile program can race an answer "continue"; the name it makes is
// noticed here as it appears.
#pragma once

#include <optional>
#include <vector>

#include "boundary/boundary.h"
#include "plan/plan.h"
#include "sys/fd.h"

namespace pale::sandbox {

// Inside: notices changes in the directories that hold protected and hidden names.
class Appearances {
 public:
  Appearances(const Boundary& boundary, const plan::Facts& facts, plan::Backend backend)
      : boundary_(boundary), facts_(facts), backend_(backend) {}

  // Whether no directory that would hold something protected is there: what holds them all is the command's own, and open.
  bool can_wait() const;
  // What was missing when this was planned must stay so; what was protected must stay mounted read-only.
  Status start();
  bool has_started() const noexcept { return !directories_.empty(); }
  // After a signal of a directory. True: a protected path exists that did not, and the run must end.
  Result<bool> check();

 private:
  enum class Rule {
    Protected,
    Hidden,
    Above
  };  // Above: a directory or nothing, since something beneath it is protected
  struct Guarded {
    Path path;
    Match match;
    Rule rule;
    bool present = false;
    std::vector<std::string> matches;  // Glob: the names there at the start
  };

  Status watch_directories();
  Result<bool> check(Guarded& guarded);
  bool was_there(const Grant& grant, const Path& path) const;
  std::vector<std::string> matches_before(const Grant& grant, const Path& pattern) const;
  Result<bool> check_glob(const Guarded& guarded);

  const Boundary& boundary_;
  const plan::Facts& facts_;
  plan::Backend backend_;
  std::vector<Guarded> guarded_;
  std::vector<std::pair<Path, sys::Fd>> directories_;
};

// Outside: the same paths on the host, for the last look after the run and for the next command after a kill.
enum class Absence {
  Whole,    // nothing may stand there
  Glob,     // nothing that matches, but for the names known from before
  Passage,  // nothing but a directory, since something beneath it is protected
};
struct MissingPath {
  Path root;             // host path of the grant it lies in
  std::string relative;  // below it
  Absence absence = Absence::Whole;
  std::vector<std::string> known;  // Glob
};
std::vector<MissingPath> missing_paths(const Boundary& boundary, const plan::Facts& facts);

struct Swept {
  std::vector<Path> moved;     // where each was
  std::optional<Error> error;  // of the first path that could not be looked at, or not be cleared
};
// Moves what has appeared at such paths into `quarantine`, never following a symlink. Looks at each, whatever became of another,
// and into what this user's program has closed to him.
Swept sweep(const std::vector<MissingPath>& missing, const std::string& quarantine);

}  // namespace pale::sandbox
