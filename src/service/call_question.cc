#include "service/call_question.h"

#include <algorithm>

#include "base/text.h"

namespace pale::service {
namespace {

bool asks(const worker::Held& held) {
  return held.access == Access::Write &&
         (held.approval.write.value_or(project::Approval::Ask) == project::Approval::Ask ||
          held.approval.remove.value_or(project::Approval::Ask) == project::Approval::Ask);
}

}  // namespace

std::vector<std::string> to_be_asked(const worker::Holding& holding, const std::vector<std::string>& agreed,
                                     worker::ApprovalMode mode) {
  std::vector<std::string> folders;
  if (mode == worker::ApprovalMode::Auto) return folders;
  for (const worker::Held& held : holding.folders) {
    const bool known = std::ranges::find(agreed, held.folder.text()) != agreed.end();
    if (asks(held) && !known) folders.push_back(held.folder.text());
  }
  return folders;
}

Result<session::Question> question_of(const CallTerms& terms, const std::vector<std::string>& folders,
                                      const ProjectWorkers& all, std::uint64_t seconds) {
  PALE_TRY(id, make_question_id());
  session::Question question;
  question.id = std::move(id);
  question.project = all.resolved.project.root().text();
  question.asker = "worker " + terms.chain;
  question.summary = "run worker " + terms.worker->file.name + ", which may then change ";
  for (const std::string& folder : folders) question.summary += (&folder == &folders.front() ? "" : ", ") + folder;
  question.details = "worker: " + printable(terms.worker->path) + "\n";
  if (!terms.worker->file.run.empty()) {
    question.details += "command:";
    for (const std::string& word : terms.worker->file.run) question.details += " " + printable(shell_word(word));
    question.details += "\n";
  }
  if (!terms.worker->file.instructions.empty())
    question.details += "instructions:\n" + terms.worker->file.instructions + "\n";
  if (!terms.request.instructions.empty())
    question.details += "and, from its caller:\n" + terms.request.instructions + "\n";
  question.details += "input: " + terms.request.input + "\n";
  question.digest = digest_of(question);
  question.asked_ms = now_ms();
  question.expires_ms = question.asked_ms + static_cast<std::int64_t>(seconds) * 1000;
  return question;
}

}  // namespace pale::service
