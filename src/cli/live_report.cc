#include "cli/live_report.h"

#include "cli/console.h"
#include "service/watch_record.h"
#include "service/watch_report.h"
#include "sys/event.h"
#include "sys/terminal.h"

namespace pale::cli {
namespace {

constexpr std::size_t kSurelyTaken = 4096;  // bytes, by a pipe that has room at all
constexpr int kErrors = 2;

// A line written now would stand amid what a full-screen program paints; or the write would wait for a reader.
bool may_write_now() {
  if (sys::is_raw(kErrors)) return false;
  sys::Ready errors{.descriptor = kErrors, .wish = sys::Wish::Write};
  return sys::wait_ready({&errors, 1}, 0) && errors.writable;
}

}  // namespace

bool tell_person(const std::string& lines, service::Telling telling) {
  if (telling == service::Telling::IfItMay && !may_write_now()) return false;
  print_beside(lines);
  return true;
}

bool LiveReport::tell_now(const sandbox::WatchedScope& scope, const Boundary& boundary,
                          const sandbox::Sighting& sighting) {
  const std::string block = notes_.next_block(scope, boundary, sighting);
  if (block.empty()) return true;
  if (block.size() > kSurelyTaken || !may_write_now()) {
    notes_.take_back();
    return false;
  }
  print_beside(block);
  return true;
}

void LiveReport::hear(const sandbox::WatchedScope& scope, const Boundary& boundary, const sandbox::Sighting& sighting,
                      bool told) {
  notes_.keep(scope, boundary, sighting);
  if (!told) print_beside(notes_.next_block(scope, boundary, sighting));
}

void LiveReport::conclude(const service::Request& request, const service::RunOutcome& outcome) const {
  if (!outcome.why_unwatched.empty()) print_note("not watched: " + outcome.why_unwatched);
  if (!outcome.watched || !outcome.why_unwatched.empty()) return;
  const auto summary = service::summary_of(
      *outcome.watched, outcome.root, notes_.heard(), outcome.stage,
      outcome.stage_has_folders ? service::StageHolds::FoldersToo : service::StageHolds::OutsideOnly);
  print_beside(summary.text);
  if (outcome.result.saw_more) print_note("there was more than is kept; what is listed is the beginning");
  for (const std::string& hint : summary.hints) print_hint(hint);
  if (const auto recorded = service::record_run(request, outcome, notes_.notes()); !recorded)
    print_note("this is not written down: " + recorded.error().sentence());
}

}  // namespace pale::cli
