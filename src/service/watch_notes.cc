#include "service/watch_notes.h"

#include "service/watch_report.h"
#include "session/event.h"

namespace pale::service {
namespace {

using sandbox::Act;
using sandbox::Sighting;

constexpr std::size_t kMostBlocks = 1000;
constexpr std::size_t kMostNotes = 1000;

}  // namespace

std::optional<WatchNote> note_of(const sandbox::WatchedScope& scope, const Boundary& boundary,
                                 const Sighting& sighting) {
  WatchNote note{WatchNote::Kind::Refused, std::string(to_text(sighting.act)), sighting.path, {}};
  switch (sighting.kind) {
    case Sighting::Kind::Blocked:
      note.rule = std::string(session::kOutsideFolders) + folder_list(scope, boundary.workspace(), ",");
      return note;
    case Sighting::Kind::Denied: {
      const auto path = Path::parse(sighting.path);
      if (!path) return std::nullopt;
      const auto verdict = explain(boundary, *path, operation_of(sighting.act));
      note.rule = verdict.rule + " (" + verdict.origin + ")";
      return note;
    }
    case Sighting::Kind::Outside:
      if (sighting.act == Act::Read || sighting.act == Act::Execute) return std::nullopt;
      note.kind = WatchNote::Kind::Outside;
      return note;
    case Sighting::Kind::Used:
    case Sighting::Kind::Reached: break;
  }
  return std::nullopt;
}

std::string WatchNotes::next_block(const sandbox::WatchedScope& scope, const Boundary& boundary,
                                   const Sighting& sighting) {
  if (blocks_ > kMostBlocks) return {};
  std::string block = block_of(scope, boundary, sighting);
  if (block.empty() || ++blocks_ <= kMostBlocks) return block;
  return "pale: there is more; the end will tell\n";
}

void WatchNotes::keep(const sandbox::WatchedScope& scope, const Boundary& boundary, const Sighting& sighting) {
  heard_.push_back(sighting);
  if (scope.mode == sandbox::WatchedScope::Mode::Whole || notes_.size() == kMostNotes) return;
  if (auto note = note_of(scope, boundary, sighting)) notes_.push_back(std::move(*note));
}

}  // namespace pale::service
