// service/ref_check.h: git is no way around a scope. A repository is noted before a run that has a scope and may commit, and read
// again after it. If anything is not as it was, the keeper checks it, inside the boundary of that very run: what it reads an agent
// has written, and much of it. The note is made of few files without a library, beneath the repository and through no link
// (git/read.h): it is on the way of a start.
#pragma once

#include <memory>

#include "service/prepare.h"
#include "service/ref_report.h"

namespace pale::service {

class RefCheck {
 public:
  // Nothing, for a run without folders and patterns, or one that cannot write to a repository. First it settles what runs that were killed did
  // to it; what comes of that is added to `earlier`.
  static Result<std::optional<RefCheck>> begin(const Prepared& prepared, const Request& request, const Caller& caller,
                                               std::vector<RefReport>& earlier);

  // Once nothing of the run is left. That it cannot be checked is part of the report.
  RefReport end(const Prepared& prepared, const Caller& caller);

 private:
  RefCheck(Path file, sys::Fd note, plan::Weakening weakening, bool strict)
      : file_(std::move(file)), note_(std::move(note)), weakening_(weakening), strict_(strict) {}

  Path file_;
  sys::Fd note_;  // locked for as long as the run lives
  plan::Weakening weakening_;
  bool strict_;
};

// What runs noted that were killed before they were checked: checked now. If wanted, also those that live: they are looked at, and
// nothing is put back.
enum class Notes { OfKilled, All };
Result<std::vector<RefReport>> check_notes(const Prepared& prepared, const Request& request, const Caller& caller,
                                           Notes which);

// This program, inside: a repository that only a stage shows as a run would see it, as the text of a snapshot (git/note.h).
inline constexpr std::string_view kNoteCommand = "refs-note";
Result<std::string> note_repository(const std::string& git_directory);

}  // namespace pale::service
