#include "service/story_watch.h"

#include <algorithm>

#include "service/watch_report.h"
#include "sys/file.h"

namespace pale::service {
namespace {

constexpr int kErrors = 2;
constexpr std::ptrdiff_t kMostPassedOn = 20;

void write_down(const std::string& text) { (void)sys::write_all(kErrors, text); }

}  // namespace

bool StoryWatch::tell_now(const sandbox::WatchedScope& scope, const Boundary& boundary,
                          const sandbox::Sighting& sighting) {
  write_down(notes_.next_block(scope, boundary, sighting));
  return true;
}

void StoryWatch::hear(const sandbox::WatchedScope& scope, const Boundary& boundary, const sandbox::Sighting& sighting,
                      bool /*told*/) {
  notes_.keep(scope, boundary, sighting);
}

void StoryWatch::conclude(const RunOutcome& outcome, ForkedResult& result) const {
  if (!outcome.why_unwatched.empty()) write_down("pale: not watched: " + outcome.why_unwatched + "\n");
  if (!outcome.watched || !outcome.why_unwatched.empty()) return;
  write_down(summary_of(*outcome.watched, outcome.root, notes_.heard(), outcome.stage).text);
  const std::vector<WatchNote>& all = notes_.notes();
  const auto passed_on = std::min<std::ptrdiff_t>(std::ssize(all), kMostPassedOn);
  result.notes.assign(all.begin(), all.begin() + passed_on);
  result.more_notes = all.size() - result.notes.size();
}

}  // namespace pale::service
