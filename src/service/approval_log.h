// service/approval_log.h: PALE_HOME/approvals/log.jsonl: every question that was decided, and how, one line each.
#pragma once

#include <vector>

#include "base/path.h"
#include "session/question.h"

namespace pale::service {

// With all that the person saw. One write: a kill loses this one at most.
Status record_decision(const Path& pale_home, const session::Question& question, const session::Decision& decision);

struct DecisionsRead {
  std::vector<session::Decided> decisions;  // the newest last
  std::size_t unreadable = 0;               // lines among them that are none
};
Result<DecisionsRead> newest_decisions(const Path& pale_home, std::size_t most);

}  // namespace pale::service
