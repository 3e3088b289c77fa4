// cli/live_report.h: tells a person on stderr what a run does, while it does it.
#pragma once

#include <string>
#include <vector>

#include "service/run.h"

namespace pale::cli {

// What would disturb waits for the end: if a program has the terminal for itself, or if nobody reads.
class LiveReport final : public sandbox::Onlooker {
 public:
  bool tell_now(const sandbox::WatchedScope& scope, const Boundary& boundary,
                const sandbox::Sighting& sighting) override;
  void hear(const sandbox::WatchedScope& scope, const Boundary& boundary, const sandbox::Sighting& sighting,
            bool told) override;

  const std::vector<sandbox::Sighting>& heard() const noexcept { return heard_; }
  // The summary of a run that is over.
  void conclude(const service::RunOutcome& outcome) const;

 private:
  // One more; empty: there is nothing to say, or were too many.
  std::string next_block(const sandbox::WatchedScope& scope, const Boundary& boundary,
                         const sandbox::Sighting& sighting);

  std::vector<sandbox::Sighting> heard_;
  std::size_t blocks_ = 0;
};

}  // namespace pale::cli
