// tools/leave.h: whether a call may go on: at once, once somebody allows it, or not at all; and how that is said. What a tool may do
// at all, the kernel decides.
#pragma once

#include "tools/tool.h"

namespace pale::tools {

struct Leave {
  Consent consent = Consent::Free;
  Change change;     // if it is asked about
  std::string rule;  // "zone data (.pale/project.toml:4) asks before each write"
};

// An error if a rule blocks it, the boundary does not allow it, or what it would change cannot be told.
Result<Leave> leave_for(const Call& call, const Tool& tool);

// Somebody said no, or nobody said anything.
Error no_leave(const Workplace& place, const Leave& leave, const std::string& why);

// "zone data (.pale/project.toml:4) asks before each write"
std::string rule_text(const Approvals& approvals, const Effect& effect, Consent consent);

// What of it is asked about, and what is not: sentences.
std::string asked_places(const Workplace& place);

}  // namespace pale::tools
