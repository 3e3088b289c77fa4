#include "cli/live_report.h"

#include "cli/console.h"
#include "service/watch_report.h"
#include "sys/event.h"
#include "sys/terminal.h"

namespace pale::cli {
namespace {

constexpr std::size_t kMostBlocks = 1000;
constexpr std::size_t kSurelyTaken = 4096;  // bytes, by a pipe that has room at all
constexpr int kErrors = 2;

// A line written now would stand amid what a full-screen program paints; or the write would wait for a reader.
bool may_write_now() {
  if (sys::is_raw(kErrors)) return false;
  sys::Ready errors{.descriptor = kErrors, .wish = sys::Wish::Write};
  return sys::wait_ready({&errors, 1}, 0) && errors.writable;
}

}  // namespace

std::string LiveReport::next_block(const sandbox::WatchedScope& scope, const Boundary& boundary,
                                   const sandbox::Sighting& sighting) {
  if (blocks_ > kMostBlocks) return {};
  std::string block = service::block_of(scope, boundary, sighting);
  if (block.empty() || ++blocks_ <= kMostBlocks) return block;
  return "pale: there is more; the end will tell\n";
}

bool LiveReport::tell_now(const sandbox::WatchedScope& scope, const Boundary& boundary,
                          const sandbox::Sighting& sighting) {
  const std::string block = next_block(scope, boundary, sighting);
  if (block.empty()) return true;
  if (block.size() > kSurelyTaken || !may_write_now()) {
    --blocks_;
    return false;
  }
  print_beside(block);
  return true;
}

void LiveReport::hear(const sandbox::WatchedScope& scope, const Boundary& boundary, const sandbox::Sighting& sighting,
                      bool told) {
  heard_.push_back(sighting);
  if (!told) print_beside(next_block(scope, boundary, sighting));
}

void LiveReport::conclude(const service::RunOutcome& outcome) const {
  if (!outcome.why_unwatched.empty()) print_note("not watched: " + outcome.why_unwatched);
  if (!outcome.watched || !outcome.why_unwatched.empty()) return;
  const auto summary = service::summary_of(*outcome.watched, outcome.root, heard_, outcome.stage);
  print_beside(summary.text);
  if (outcome.result.saw_more) print_note("there was more than is kept; what is listed is the beginning");
  for (const std::string& hint : summary.hints) print_hint(hint);
}

}  // namespace pale::cli
