// refs/check.h: a repository that was noted before a run (git/note.h), checked after it. Runs inside the run's boundary: what it reads
// an agent has written.
#pragma once

#include <string>
#include <string_view>

namespace pale::refs {

// The answer is JSON. Never fails: that it could not be checked is an answer, too. In strict mode what is refused was put back when this returns, unless
// it is only to look.
enum class Effect { Whole, LookOnly };
std::string check(std::string_view note, Effect effect);

}  // namespace pale::refs
