// service/stage_diff.h: a stage's changes as patches, and in pieces that can be taken one by one.
#pragma once

#include "base/hunk.h"
#include "service/stages.h"
#include "stage/patch.h"

namespace pale::service {

// One change as a patch, or, if it is in conflict, its three versions as comments: a patch that went over the project's own
// change would lose it.
struct FileDiff {
  const stage::Change* change;
  std::string patch;
  stage::LineCount lines;
};

// Of all that a patch can hold: directories have none.
Result<std::vector<FileDiff>> diff_changes(const Stages& stages, const stage::Stage& stage,
                                           const stage::ChangeSet& changes);
// With colours, and harmless.
std::string for_terminal(std::string_view patch);

// A text file's change, hunk by hunk.
class HunkedFile {
 public:
  // Nothing if it cannot be taken apart: it is new, gone, binary, renamed, or no file.
  static Result<std::optional<HunkedFile>> open(const stage::View& view, const stage::Change& change);

  std::size_t size() const noexcept { return hunks_.size(); }
  std::string text(std::size_t at) const;
  // The project's contents with these hunks only.
  std::string with(const std::vector<std::size_t>& chosen) const;

 private:
  std::string before_;
  std::string after_;
  std::vector<Hunk> hunks_;
};

}  // namespace pale::service
