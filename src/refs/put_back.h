// refs/put_back.h: refs as they were: by their files, since what must be mended may be nothing that git can read.
#pragma once

#include "refs/judge.h"

namespace pale::refs {

// Of each verdict the object is kept below kRefused, under a name with the time in it that no other has, and the ref is as it was
// before, or gone; with it a worktree that is new. Looks afterwards whether that is so.
Status put_back(const Path& git_directory, const std::vector<Ref>& before, std::vector<Verdict>& verdicts,
                const std::string& time);

}  // namespace pale::refs
