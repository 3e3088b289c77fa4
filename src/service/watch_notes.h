// service/watch_notes.h: what is kept of a watched run: blocks to show, up to an end; what was seen, and what of it is written down.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/sighting.h"

namespace pale::service {

// As it is written down.
struct WatchNote {
  enum class Kind : std::uint8_t {
    Refused,  // by the scope, or another rule of the boundary
    Outside,  // changed outside the folders, and let
  } kind = Kind::Refused;
  std::string operation;
  std::string path;  // inside; any bytes
  std::string rule;  // Refused: who said so

  bool operator==(const WatchNote&) const = default;
};

// Nothing, if it is nothing to be kept.
std::optional<WatchNote> note_of(const sandbox::WatchedScope& scope, const Boundary& boundary,
                                 const sandbox::Sighting& sighting);

class WatchNotes {
 public:
  // One more to show; empty: there is nothing to say, or were too many.
  std::string next_block(const sandbox::WatchedScope& scope, const Boundary& boundary,
                         const sandbox::Sighting& sighting);
  // The last block was not shown, and will come again.
  void take_back() noexcept { --blocks_; }

  void keep(const sandbox::WatchedScope& scope, const Boundary& boundary, const sandbox::Sighting& sighting);

  const std::vector<sandbox::Sighting>& heard() const noexcept { return heard_; }
  // The first thousand.
  const std::vector<WatchNote>& notes() const noexcept { return notes_; }

 private:
  std::vector<sandbox::Sighting> heard_;
  std::vector<WatchNote> notes_;
  std::size_t blocks_ = 0;
};

}  // namespace pale::service
