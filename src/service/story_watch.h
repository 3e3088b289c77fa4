// service/story_watch.h: tells in a story's log what its run does outside the folders, while it does it, and keeps it for the
// records of the loop.
#pragma once

#include "service/forked.h"
#include "service/run.h"
#include "service/watch_notes.h"

namespace pale::service {

// Its outputs are files: a write there waits for nobody.
class StoryWatch final : public sandbox::Onlooker {
 public:
  bool tell_now(const sandbox::WatchedScope& scope, const Boundary& boundary,
                const sandbox::Sighting& sighting) override;
  void hear(const sandbox::WatchedScope& scope, const Boundary& boundary, const sandbox::Sighting& sighting,
            bool told) override;

  // The summary of a run that is over, into its log; and the first notes, for whoever waits for it.
  void conclude(const RunOutcome& outcome, ForkedResult& result) const;

 private:
  WatchNotes notes_;
};

}  // namespace pale::service
