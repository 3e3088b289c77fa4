#include "tools/calls.h"

#include <algorithm>

#include "tools/toolbox.h"

namespace pale::tools {
namespace {

constexpr std::size_t kMostRunning = 32;
constexpr std::int64_t kSoonMs = 100;        // while commands run: progress is told
constexpr std::int64_t kHeartbeatMs = 5000;  // while somebody is waited for: that it goes on
constexpr std::string_view kAllow = "Pale asks: may this be done?\n\n";

std::string as_json(const JsonValue& value) {
  JsonWriter out;
  write_json(out, value);
  return out.text();
}

std::string as_json(std::string_view text) {
  JsonWriter out;
  out.value(text);
  return out.text();
}

// What the client shows its user, who says yes or no, and nothing else.
std::string elicitation(const Running& running) {
  JsonWriter out;
  out.begin_object().field("message", std::string(kAllow) + running.page);
  out.key("requestedSchema").json(R"({"type":"object","properties":{}})").end_object();
  return out.text();
}

std::string request_id(const std::string& question) { return as_json("approve-" + question); }

}  // namespace

void Calls::answer(const Running& running, const Result<Answer>& result) {
  const Origin& origin = running.origin;
  if (origin.id.empty()) return;
  if (result) return replies_.tool(origin.id, origin.era, *result);
  replies_.tool(origin.id, origin.era, running.tool->name, result.error());
}

// --- beginning --------------------------------------------------------------------------------------------------------

void Calls::call(const Message& message, Origin origin) {
  const JsonValue* name = message.params.find("name");
  const Tool* tool = name != nullptr && name->text() != nullptr ? find_tool(*name->text(), place_) : nullptr;
  if (tool == nullptr) {
    const std::string called = name != nullptr && name->text() != nullptr ? *name->text() : "";
    return replies_.fault({kInvalidParams, why_missing(called, place_), {}, origin.id});
  }
  const JsonValue* given = message.params.find("arguments");
  const JsonValue none;
  const auto arguments = Arguments::check(given != nullptr ? *given : none, tool->parameters);
  if (!arguments && !origin.told_to_model)
    return replies_.fault(
        {kInvalidParams, std::string(tool->name) + ": " + arguments.error().sentence(), {}, origin.id});
  if (!arguments) return replies_.tool(origin.id, origin.era, tool->name, arguments.error());
  if (message.params.find("requestState") != nullptr)
    return resume(message, std::move(origin), *tool, given != nullptr ? *given : none);
  // What a tool that only looks has to say is its answer, not its progress.
  if (tool->hints.read_only) origin.progress_token.clear();
  const Call call{place_, *arguments};
  if (const Status accepted = check_accepted(call, *tool); !accepted)
    return replies_.tool(origin.id, origin.era, tool->name, accepted.error());
  auto leave = leave_for(call, *tool);
  if (!leave) return replies_.tool(origin.id, origin.era, tool->name, leave.error());
  auto running = std::make_unique<Running>(Running{std::move(origin), tool});
  if (leave->consent == Consent::Free && tool->answer != nullptr) return answer(*running, tool->answer(call));
  if (leave->consent == Consent::Ask) running->leave = std::make_unique<Leave>(std::move(*leave));
  if (given != nullptr) running->arguments = *given;
  begin(std::move(running), call);
}

void Calls::begin(std::unique_ptr<Running> running, const Call& call) {
  // Clients that did not come back.
  if (running_.size() >= kMostRunning)
    std::erase_if(running_, [](const auto& each) { return each->settled.has_value(); });
  if (running_.size() >= kMostRunning)
    return answer(*running, fail(ErrorKind::Refused, "too many calls are under way already", ""));
  if (running->leave && !desk_.is_open())
    return answer(*running, fail(no_leave(place_, *running->leave, "there is nobody here who could be asked")));
  if (running->leave) {
    ask(*running);
  } else if (perform(*running, call) == Fate::Over) {
    return;
  }
  running_.push_back(std::move(running));
}

Calls::Fate Calls::perform(Running& running, const Call& call) {
  const Tool& tool = *running.tool;
  if (tool.answer != nullptr) {
    answer(running, tool.answer(call));
    return Fate::Over;
  }
  if (tool.start != nullptr) {
    auto job = tool.start(call);
    if (job) running.job = std::make_unique<Job>(std::move(*job));
    if (!job) answer(running, fail(job.error()));
    return job ? Fate::GoesOn : Fate::Over;
  }
  auto errand = tool.errand(call);
  if (errand && !desk_.is_open()) errand = fail(ErrorKind::System, "Pale outside, which calls workers, is gone", "");
  if (!errand) {
    answer(running, fail(errand.error()));
    return Fate::Over;
  }
  errand->number = running.number = ++last_;
  desk_.say(*errand);
  return Fate::GoesOn;
}

Calls::Fate Calls::perform_allowed(Running& running) {
  const Leave leave = std::move(*running.leave);
  running.leave.reset();
  running.number = 0;
  const auto arguments = Arguments::check(running.arguments, running.tool->parameters);
  return perform(running, {place_, *arguments, &leave.change});
}

// --- asking -----------------------------------------------------------------------------------------------------------

void Calls::ask(Running& running) {
  running.number = ++last_;
  desk_.say({.kind = ToDesk::Kind::Ask,
             .number = running.number,
             .summary = running.leave->change.summary,
             .details = running.leave->change.details});
}

void Calls::elicit(Running& running) {
  if (!running.origin.elicits || running.origin.id.empty() || running.elicited == running.question) return;
  running.elicited = running.question;
  running.answered = false;
  if (running.origin.era == Era::Older) {
    replies_.unsent += print_request(request_id(running.question), "elicitation/create", elicitation(running));
    return;
  }
  const std::string request = R"({"method":"elicitation/create","params":)" + elicitation(running) + "}";
  replies_.input_required(running.origin.id, running.question, request, std::to_string(running.number));
  running.origin.id.clear();
}

// In the newer era: the same call once more, with what its user said.
void Calls::resume(const Message& message, Origin origin, const Tool& tool, const JsonValue& arguments) {
  const std::string* state = message.params.find("requestState")->text();
  const auto found = std::ranges::find_if(running_, [&](const auto& running) {
    return state != nullptr && running->origin.id.empty() && !running->job &&
           std::to_string(running->number) == *state && running->tool == &tool &&
           as_json(running->arguments) == as_json(arguments);
  });
  if (origin.era != Era::Newer || found == running_.end())
    return replies_.fault(
        {kInvalidParams, "requestState is not what was given out for this call, or too old", {}, origin.id});
  Running& running = **found;
  running.origin = std::move(origin);
  if (const auto settled = std::exchange(running.settled, std::nullopt)) {
    if (settle(running, *settled) == Fate::Over) running_.erase(found);
    return;
  }
  const JsonValue* responses = message.params.find("inputResponses");
  const JsonValue* said = responses != nullptr ? responses->find(running.elicited) : nullptr;
  if (said != nullptr) take_answer(running, *said);
  elicit(running);  // Meanwhile something else may be asked.
}

void Calls::take_answer(Running& running, const JsonValue& said) {
  const JsonValue* action = said.find("action");
  const bool approved = action != nullptr && action->text() != nullptr && *action->text() == "accept";
  running.answered = true;
  desk_.say({.kind = ToDesk::Kind::Answer, .number = running.number, .approved = approved});
}

void Calls::take_response(const Message& message) {
  for (const auto& running : running_) {
    if (running->elicited.empty() || running->answered || message.id != request_id(running->elicited)) continue;
    // A client that cannot ask after all: it still waits for `pale approve`.
    if (!message.result.is_null()) take_answer(*running, message.result);
  }
}

// Decided elsewhere, or nobody waits for it: the client need not ask any more.
void Calls::take_back(const Running& running) {
  if (running.elicited.empty() || running.answered || running.origin.era != Era::Older) return;
  JsonWriter params;
  params.begin_object().key("requestId").json(request_id(running.elicited)).end_object();
  replies_.unsent += print_notification("notifications/cancelled", params.text());
}

// --- what the desk says -----------------------------------------------------------------------------------------------

Calls::Fate Calls::settle(Running& running, const FromDesk& said) {
  if (said.kind == FromDesk::Kind::Decided && said.approved && running.leave) return perform_allowed(running);
  answer(running, running.leave ? Result<Answer>(fail(no_leave(place_, *running.leave, said.sentence)))
                                : running.tool->told(said));
  return Fate::Over;
}

Calls::Fate Calls::hear(Running& running, const FromDesk& said) {
  if (said.kind == FromDesk::Kind::Waits) {
    running.question = said.question;
    running.page = said.page;
    running.told_ms = 0;
    elicit(running);
    return Fate::GoesOn;
  }
  const bool about_worker = !running.leave && said.kind == FromDesk::Kind::Decided;
  if (said.kind == FromDesk::Kind::Decided) {
    take_back(running);
    running.question.clear();
    running.told_ms = 0;
  }
  if (about_worker) return Fate::GoesOn;
  if (running.origin.id.empty()) {
    running.settled = said;
    return Fate::GoesOn;
  }
  return settle(running, said);
}

void Calls::hear_desk() {
  const bool was_open = desk_.is_open();
  for (const FromDesk& said : desk_.hear()) {
    const auto found = std::ranges::find_if(
        running_, [&](const auto& running) { return running != nullptr && running->number == said.number; });
    if (found != running_.end() && hear(**found, said) == Fate::Over) found->reset();
  }
  std::erase(running_, nullptr);
  if (!was_open || desk_.is_open()) return;
  // Nothing is allowed by somebody who is gone.
  FromDesk gone{.kind = FromDesk::Kind::Decided, .sentence = "Pale outside, which asks, is gone"};
  for (auto& running : running_) {
    if (running->number == 0 || running->settled) continue;
    gone.kind = running->leave ? FromDesk::Kind::Decided : FromDesk::Kind::Answered;
    gone.code = running->leave ? "" : "WORKER_FAILED";
    gone.number = running->number;
    if (hear(*running, gone) == Fate::Over) running.reset();
  }
  std::erase(running_, nullptr);
}

// --- while they are under way -----------------------------------------------------------------------------------------

bool Calls::is_under_way(const std::string& id) const {
  return std::ranges::any_of(running_, [&](const auto& running) { return running->origin.id == id; });
}

bool Calls::is_awaited() const noexcept {
  return std::ranges::any_of(running_, [](const auto& running) { return !running->origin.id.empty(); });
}

// Clients cancel finished requests, too.
void Calls::cancel(const std::string& id) {
  for (auto& running : running_) {
    if (id.empty() || running->origin.id != id) continue;
    running->origin.id.clear();
    running->origin.progress_token.clear();
    if (running->job) {
      running->job->end();
      continue;
    }
    take_back(*running);
    desk_.say({.kind = ToDesk::Kind::Withdraw, .number = running->number});
    running.reset();
  }
  std::erase(running_, nullptr);
}

void Calls::add_waits(std::vector<sys::Ready>& waits) const {
  bool at_the_desk = false;
  for (const auto& running : running_) {
    at_the_desk |= !running->job;
    if (!running->job) continue;
    waits.push_back({running->job->line().borrow()});
    if (running->job->output().is_open()) waits.push_back({running->job->output().borrow()});
  }
  if (at_the_desk) desk_.add_waits(waits);
}

std::int64_t Calls::patience(std::int64_t now_ms) const noexcept {
  std::int64_t least = kHeartbeatMs;
  for (const auto& running : running_) {
    if (running->job) least = std::min({least, kSoonMs, running->job->deadline_ms() - now_ms});
  }
  return std::max<std::int64_t>(0, least);
}

void Calls::look_after(std::int64_t now_ms) {
  for (auto& running : running_) {
    if (running->job && look_after_job(*running, now_ms) == Fate::Over) running.reset();
  }
  std::erase(running_, nullptr);
  hear_desk();
  for (const auto& running : running_) {
    if (!running->job) tell_waiting(*running, now_ms);
  }
}

Calls::Fate Calls::look_after_job(Running& running, std::int64_t now_ms) {
  Job& job = *running.job;
  job.take_output();
  tell_output(running, now_ms);
  if (now_ms >= job.deadline_ms()) job.time_out();
  const auto end = job.take_end();
  if (!end) return Fate::GoesOn;
  answer(running, running.tool->finish(job, *end));
  return Fate::Over;
}

void Calls::tell_output(Running& running, std::int64_t now_ms) {
  if (running.origin.progress_token.empty() || now_ms < running.told_ms + kSoonMs) return;
  const std::string news = running.job->written().news();
  if (!news.empty()) tell(running, now_ms, running.times_told + running.job->written().size(), as_text(news));
}

void Calls::tell_waiting(Running& running, std::int64_t now_ms) {
  if (running.origin.progress_token.empty() || running.origin.id.empty()) return;
  if (running.told_ms != 0 && now_ms < running.told_ms + kHeartbeatMs) return;
  if (running.question.empty() && running.leave) return;  // It is about to be asked.
  tell(running, now_ms, ++running.times_told,
       running.question.empty() ? std::string("The worker works.")
                                : "Somebody must allow this: pale approve " + running.question);
}

void Calls::tell(Running& running, std::int64_t now_ms, std::uint64_t progress, std::string_view message) {
  running.told_ms = now_ms;
  JsonWriter params;
  params.begin_object().key("progressToken").json(running.origin.progress_token);
  params.field("progress", progress).field("message", message).end_object();
  replies_.unsent += print_notification("notifications/progress", params.text());
}

}  // namespace pale::tools
