// refs/newer.h: the commits that some refs reach and others do not. Pure.
#pragma once

#include <set>

#include "refs/judge.h"

namespace pale::refs {

enum class Care {
  Usual,  // may take for new what an odd clock hides behind something newer
  Whole,  // goes through all of the history
};
// Commits reached from `tips` and from none of `known`.
Result<std::set<std::string>> newer_commits(Objects& objects, const std::set<std::string>& tips,
                                            const std::set<std::string>& known, Care care);

}  // namespace pale::refs
