// service/call_question.h: what is asked before a worker may begin. What a command will write nobody knows beforehand, so leave is
// given to this command, with this input, for these folders: or not at all.
#pragma once

#include "service/worker_call.h"

namespace pale::service {

// The folders that a worker may change and somebody wants to be asked about, but for those where that was done already.
std::vector<std::string> to_be_asked(const worker::Holding& holding, const std::vector<std::string>& agreed,
                                     worker::ApprovalMode mode);

Result<session::Question> question_of(const CallTerms& terms, const std::vector<std::string>& folders,
                                      const ProjectWorkers& all, std::uint64_t seconds);

}  // namespace pale::service
