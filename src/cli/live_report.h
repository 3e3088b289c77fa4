// cli/live_report.h: tells a person on stderr what a run does, while it does it.
#pragma once

#include <vector>

#include "service/run.h"
#include "service/watch_notes.h"

namespace pale::cli {

// Lines for stderr; false: they would disturb now, and were not written.
bool tell_person(const std::string& lines, service::Telling telling);

// What would disturb waits for the end: if a program has the terminal for itself, or if nobody reads.
class LiveReport final : public sandbox::Onlooker {
 public:
  bool tell_now(const sandbox::WatchedScope& scope, const Boundary& boundary,
                const sandbox::Sighting& sighting) override;
  void hear(const sandbox::WatchedScope& scope, const Boundary& boundary, const sandbox::Sighting& sighting,
            bool told) override;

  const std::vector<sandbox::Sighting>& heard() const noexcept { return notes_.heard(); }
  // The summary of a run that is over, which is written down if there is something to tell.
  void conclude(const service::Request& request, const service::RunOutcome& outcome) const;

 private:
  service::WatchNotes notes_;
};

}  // namespace pale::cli
