#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/console.h"
#include "cli/program.h"
#include "service/approvals.h"
#include "service/prepare.h"

namespace pale::cli {
namespace {

using session::Decided;
using session::Question;
using session::Verdict;

constexpr Option kJson = {"--json", "", "print as JSON"};
constexpr Option kList[] = {{"--log", "[N]", "what was decided, the last N; usually 20"}, kJson};
constexpr Option kApprove[] = {{"--yes", "", "do not ask"}, kJson};
constexpr Option kDeny[] = {kJson};

constexpr std::size_t kUsualLog = 20;
constexpr std::size_t kMostLog = 100'000;

struct ApprovalCall {
  Arguments arguments;
  Path pale_home;
  Format format = Format::Text;

  static Result<ApprovalCall> parse(std::string_view name, const CommandLine& line, std::size_t most) {
    PALE_TRY(arguments, parse_for(name, line, 0, most));
    PALE_TRY(pale_home, service::pale_home_of({line.argv, line.envp}));
    const Format format = arguments.has("--json") ? Format::Json : Format::Text;
    return ApprovalCall{std::move(arguments), std::move(pale_home), format};
  }
};

// --- lists ------------------------------------------------------------------------------------------------------------

std::string waiting_lines(const std::vector<Question>& questions) {
  std::size_t width = 3;
  for (const Question& question : questions) width = std::max(width, printable(question.asker).size());
  std::string text = padded("ID", 10) + padded("WHO", width + 2) + padded("ASKED", 16) + padded("UNTIL", 22) + "WHAT\n";
  for (const Question& question : questions) {
    text += padded(question.id, 10) + padded(printable(question.asker), width + 2) +
            padded(time_ago(question.asked_ms / 1000, service::now_ms() / 1000), 16) +
            padded(to_iso(question.expires_ms / 1000), 22) + printable(question.summary) + "\n";
  }
  return text;
}

std::string waiting_json(const std::vector<Question>& questions) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).key("questions").begin_array();
  for (const Question& question : questions) out.json(to_json(question));
  out.end_array().end_object();
  return out.text() + "\n";
}

std::string decided_lines(const std::vector<Decided>& decisions) {
  std::string text = padded("ID", 10) + padded("DECIDED", 22) + padded("VERDICT", 11) + padded("BY", 20) + "WHAT\n";
  for (const auto& [question, decision] : decisions) {
    text += padded(question.id, 10) + padded(to_iso(decision.at_ms / 1000), 22) +
            padded(std::string(to_text(decision.verdict)), 11) + padded(printable(decision.by), 20) +
            printable(question.asker) + ": " + printable(question.summary) + "\n";
  }
  return text;
}

std::string decided_json(const service::DecisionsRead& read) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).key("decisions").begin_array();
  for (const auto& [question, decision] : read.decisions) {
    out.begin_object().key("question").json(to_json(question));
    out.key("decision").json(to_json(decision)).end_object();
  }
  out.end_array().field("unreadable", read.unreadable).end_object();
  return out.text() + "\n";
}

Result<std::size_t> length_of_log(const Arguments& arguments) {
  const std::string given = arguments.value("--log");
  if (given.empty()) return kUsualLog;
  const auto number = parse_number(given);
  if (number && *number != 0 && *number <= kMostLog) return *number;
  return fail(ErrorKind::Usage, "not a value for --log:", given, "pale approvals --log 20");
}

Status show_log(const ApprovalCall& call) {
  PALE_TRY(most, length_of_log(call.arguments));
  PALE_TRY(read, service::newest_decisions(call.pale_home, most));
  if (call.format == Format::Json) {
    print(decided_json(read));
    return {};
  }
  if (read.unreadable != 0)
    print_note(std::to_string(read.unreadable) + " of these lines cannot be read: PALE_HOME/approvals/log.jsonl");
  if (read.decisions.empty()) print_note("nothing was decided yet");
  if (!read.decisions.empty()) print(decided_lines(read.decisions));
  return {};
}

Status show_waiting(const ApprovalCall& call) {
  PALE_TRY(questions, service::waiting_questions(call.pale_home));
  if (call.format == Format::Json) {
    print(waiting_json(questions));
  } else if (questions.empty()) {
    print_note("nothing waits for an answer");
  } else {
    print(waiting_lines(questions));
  }
  return {};
}

// --- answers ----------------------------------------------------------------------------------------------------------

// The one of that id, or the only one.
Result<Question> meant(const ApprovalCall& call, std::string_view command) {
  if (!call.arguments.operands.empty())
    return service::find_waiting_question(call.pale_home, call.arguments.operands.front());
  PALE_TRY(questions, service::waiting_questions(call.pale_home));
  if (questions.size() == 1) return std::move(questions.front());
  if (questions.empty()) return fail(ErrorKind::NotFound, "nothing waits for an answer", "", "pale approvals --log");
  Error several{ErrorKind::Usage, 0, "several questions wait: which of them?", "", {}};
  for (const Question& question : questions)
    several.other_hints.push_back("pale " + std::string(command) + " " + question.id + "  # " + question.asker + ": " +
                                  question.summary);
  several.hint = std::move(several.other_hints.front());
  several.other_hints.erase(several.other_hints.begin());
  return fail(std::move(several));
}

// Where the prompt goes: a page on stdout might be in a file, and the person would say yes to what he does not see.
Status may_approve(const ApprovalCall& call, const Question& question) {
  const bool yes = call.arguments.has("--yes");
  if (!yes || call.format == Format::Text) print_beside(to_page(question));
  if (yes || confirm("Allow?")) return {};
  return fail(Error{ErrorKind::Refused, 0, "nobody has allowed it; it still waits:", question.id,
                    "pale approve " + question.id + " --yes"}
                  .or_hint("pale deny " + question.id));
}

Status answer(const ApprovalCall& call, std::string_view command, Verdict verdict) {
  PALE_TRY(question, meant(call, command));
  if (verdict == Verdict::Approved) PALE_CHECK(may_approve(call, question));
  PALE_TRY(decision, service::answer_question(call.pale_home, question.id, verdict, question.digest));
  if (call.format == Format::Json) {
    JsonWriter out;
    out.begin_object().field("schemaVersion", 1).key("question").json(to_json(question));
    out.key("decision").json(to_json(decision)).end_object();
    print(out.text() + "\n");
  } else {
    print((verdict == Verdict::Approved ? "Approved " : "Denied ") + question.id + ": " + printable(question.summary) +
          "\n");
  }
  return {};
}

int answer_command(std::string_view command, const CommandLine& line, Verdict verdict) {
  const auto call = ApprovalCall::parse(command, line, 1);
  if (!call) return fail_with(call.error(), Format::Text);
  const auto done = answer(*call, command, verdict);
  return done ? 0 : fail_with(done.error(), call->format);
}

}  // namespace

std::span<const Option> approvals_options() { return kList; }
std::span<const Option> approve_options() { return kApprove; }
std::span<const Option> deny_options() { return kDeny; }

int approvals_command(const CommandLine& line) {
  const auto call = ApprovalCall::parse("approvals", line, 0);
  if (!call) return fail_with(call.error(), Format::Text);
  const auto shown = call->arguments.has("--log") ? show_log(*call) : show_waiting(*call);
  return shown ? 0 : fail_with(shown.error(), call->format);
}

int approve_command(const CommandLine& line) { return answer_command("approve", line, Verdict::Approved); }
int deny_command(const CommandLine& line) { return answer_command("deny", line, Verdict::Denied); }

}  // namespace pale::cli
