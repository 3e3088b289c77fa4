#include "project/resolver.h"
#include "service/approvals.h"
#include "service/prepare.h"
#include "studio/works.h"

namespace pale::studio {
namespace {

Json question_json(const session::Question& question) {
  const bool is_diff = question.details.find("\n@@ ") != std::string::npos || question.details.starts_with("--- ");
  return {{"id", question.id},
          {"asked", iso(question.asked_ms)},
          {"asker", sane(question.asker)},
          {"operation", sane(question.summary)},
          {"content", sane(question.details)},
          {"content_kind", is_diff ? "diff" : "text"},
          {"digest", question.digest},
          {"expires", iso(question.expires_ms)}};
}

Result<Path> root_of(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(around, service::surroundings_of(caller));
  PALE_TRY(resolved, project::resolve({.root = {}, .id = asked.project}, around));
  return resolved.project.root();
}

}  // namespace

Answer list_approvals(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(pale_home, service::pale_home_of(caller));
  PALE_TRY(root, root_of(asked, caller));
  PALE_TRY(questions, service::waiting_questions(pale_home));
  Json approvals = Json::array();
  for (const session::Question& question : questions) {
    if (question.project == root.text()) approvals.push_back(question_json(question));
  }
  return Json{{"approvals", std::move(approvals)}};
}

Answer answer_approval(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(pale_home, service::pale_home_of(caller));
  PALE_TRY(root, root_of(asked, caller));
  const auto question = service::find_waiting_question(pale_home, asked.id);
  if (!question || question->project != root.text())
    return refuse(Fault(404, "not_found", "no such question waits in this project: " + asked.id, "GET /approvals"));
  // The person must have seen what is asked now.
  if (question->digest != asked.said("digest"))
    return refuse(Fault(409, "conflict", "this is another question than the one that was shown", "GET /approvals"));
  const auto verdict = asked.said("decision") == "approve" ? session::Verdict::Approved : session::Verdict::Denied;
  const auto decided = service::answer_question(pale_home, asked.id, verdict, question->digest);
  if (!decided) {
    Fault fault(decided.error());
    fault.status = 409;
    fault.code = "conflict";
    return refuse(std::move(fault));
  }
  return Json{{"decision", std::string(to_text(decided->verdict))}, {"by", decided->by}};
}

}  // namespace pale::studio
