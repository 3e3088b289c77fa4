// service/ref_check.h: git is no way around a scope. The refs of a repository are noted before a run that is about some folders
// and may commit, and checked after it. Both is done by the keeper, inside the boundary of that very run: what is read there an
// agent has written.
#pragma once

#include <memory>

#include "service/prepare.h"
#include "service/ref_report.h"

namespace pale::service {

class RefCheck {
 public:
  // Nothing, for a run without folders, or one that cannot write to a repository. First it settles what runs that were killed did
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

}  // namespace pale::service
