#include "service/desk_loop.h"

#include <algorithm>
#include <array>

#include "service/tool_workers.h"
#include "sys/file.h"

namespace pale::service {
namespace {

using session::Decision;
using session::Verdict;
using tools::FromDesk;
using tools::ToDesk;
using worker::Code;
using worker::Refusal;

constexpr std::string_view kAsker = "pale mcp";
constexpr std::string_view kGone = "whoever wanted it, who is gone";
constexpr std::size_t kMostAsked = 64;
constexpr std::size_t kMostSummary = 4096;
constexpr std::int64_t kCrowdedMs = 500;  // between looks at those that could not be waited for
constexpr std::int64_t kLastMs = 5000;    // for workers, to end when they are told to
constexpr std::size_t kPiece = 65536;

std::string why_not(const session::Question& question, const Decision& decision) {
  if (decision.verdict == Verdict::TimedOut) return "nobody answered question " + question.id + " in time";
  return "denied by " + decision.by;
}

FromDesk no_leave(std::uint64_t number, std::string why) {
  return {.kind = FromDesk::Kind::Decided, .number = number, .sentence = std::move(why)};
}

}  // namespace

DeskLoop::DeskLoop(sys::Fd line, const Prepared& prepared, const Request& request, const Caller& caller,
                   const sandbox::Observed& tools)
    : line_(std::move(line)),
      prepared_(prepared),
      request_(request),
      caller_(caller),
      tools_(tools),
      pale_home_(Path::literal(prepared.pale_home)),
      lines_(tools::kMostDeskLine) {}

// --- the line ---------------------------------------------------------------------------------------------------------

void DeskLoop::run() {
  while (line_.is_open()) {
    wait();
    read();
    look_after_questions();
    look_after_workers();
    send();
  }
  clear();
}

void DeskLoop::wait() {
  std::vector<sys::Ready> waits = {{line_.borrow()}};
  if (!unsent_.empty()) waits.push_back({.descriptor = line_.borrow(), .wish = sys::Wish::Write});
  std::int64_t least = sys::kForever;
  const auto shorten = [&](std::int64_t left) {
    if (left != sys::kForever) least = least == sys::kForever ? left : std::min(least, left);
  };
  for (const Asked& asked : asked_) {
    asked.asking.add_waits(waits);
    shorten(asked.asking.time_left(now_ms()));
  }
  if (workers_) {
    workers_->broker.add_waits(waits);
    shorten(workers_->broker.time_left());
  }
  if (waits.size() > sys::kMostReady) {
    waits.resize(sys::kMostReady);
    shorten(kCrowdedMs);
  }
  if (!sys::wait_ready(waits, least)) line_.reset();
}

void DeskLoop::read() {
  std::vector<char> buffer(kPiece);
  while (line_.is_open()) {
    const auto got = sys::try_read(line_, buffer);
    if (got && !*got) return;
    const std::size_t size = got ? got->value_or(0) : 0;
    if (size == 0) return line_.reset();
    lines_.feed(
        {buffer.data(), size},
        [&](std::string_view text) {
          if (const auto said = tools::parse_to_desk(text)) take(*said);
        },
        [&] { line_.reset(); });
  }
}

void DeskLoop::take(const ToDesk& said) {
  switch (said.kind) {
    case ToDesk::Kind::Ask: return ask(said);
    case ToDesk::Kind::Answer: return answer(said);
    case ToDesk::Kind::Call: return call(said);
    case ToDesk::Kind::Withdraw: return withdraw(said.number);
  }
}

void DeskLoop::say(const FromDesk& said) { unsent_ += to_line(said); }

void DeskLoop::send() {
  while (line_.is_open() && !unsent_.empty()) {
    const auto sent = sys::try_write(line_, unsent_);
    if (!sent) return line_.reset();
    if (!*sent) return;
    unsent_.erase(0, **sent);
  }
}

// --- questions --------------------------------------------------------------------------------------------------------

Result<session::Question> DeskLoop::question_of(const ToDesk& said) const {
  PALE_TRY(id, make_question_id());
  session::Question question;
  question.id = std::move(id);
  question.project = prepared_.root().text();
  question.asker = kAsker;
  question.summary = said.summary.substr(0, kMostSummary);
  question.details = said.details;
  question.digest = digest_of(question);
  question.asked_ms = now_ms();
  question.expires_ms = question.asked_ms + static_cast<std::int64_t>(request_.tools.ask_seconds) * 1000;
  return question;
}

void DeskLoop::ask(const ToDesk& said) {
  if (asked_.size() >= kMostAsked) return say(no_leave(said.number, "too much is asked about already"));
  const auto question = question_of(said);
  if (!question) return say(no_leave(said.number, question.error().sentence()));
  // What a person did not see, he did not allow.
  if (to_json(*question).size() > session::kMostQuestion)
    return say(
        no_leave(said.number, "it is too long for anybody to be shown, and so to allow; do it in smaller parts"));
  auto asking = Asking::begin(pale_home_, *question, Asking::Terminal::No);
  if (!asking) return say(no_leave(said.number, "nobody can be asked: " + asking.error().sentence()));
  asked_.push_back({said.number, std::move(*asking)});
  say({.kind = FromDesk::Kind::Waits,
       .number = said.number,
       .question = question->id,
       .page = session::to_page(*question)});
  if (request_.tools.notice != nullptr) request_.tools.notice(*question);
}

void DeskLoop::look_after_questions() {
  std::erase_if(asked_, [&](Asked& asked) {
    const auto decision = asked.asking.look(now_ms());
    if (!decision) {
      say(no_leave(asked.number, decision.error().sentence()));
      return true;
    }
    if (*decision) settle(asked, **decision);
    return decision->has_value();
  });
}

// Nothing that is not written down was allowed.
void DeskLoop::settle(const Asked& asked, const Decision& decision) {
  const session::Question& question = asked.asking.question();
  const auto recorded = record_decision(pale_home_, question, decision);
  if (!recorded) return say(no_leave(asked.number, "it cannot be recorded: " + recorded.error().sentence()));
  if (decision.verdict != Verdict::Approved) return say(no_leave(asked.number, why_not(question, decision)));
  say({.kind = FromDesk::Kind::Decided, .number = asked.number, .approved = true});
}

// By way of the client. If somebody was faster, what he said counts.
void DeskLoop::answer(const ToDesk& said) {
  const Decision decision{said.approved ? Verdict::Approved : Verdict::Denied, "client", now_ms()};
  for (Asked& asked : asked_) {
    if (asked.number == said.number) (void)asked.asking.decide(decision);
  }
  for (const Called& called : called_) {
    if (called.number == said.number && !called.question.empty()) workers_->broker.answer(called.question, decision);
  }
}

void DeskLoop::withdraw(std::uint64_t number) {
  for (Asked& asked : asked_) {
    if (asked.number == number) (void)asked.asking.decide({Verdict::Denied, std::string(kGone), now_ms()});
  }
  for (const Called& called : called_) {
    if (called.number == number) workers_->broker.end(called.call);
  }
}

// --- workers ----------------------------------------------------------------------------------------------------------

Status DeskLoop::hire() {
  if (workers_) return {};
  if (!prepared_.tools.workers) return fail(ErrorKind::NotFound, "there are no workers here", "");
  const ProjectWorkers& all = *prepared_.tools.workers;
  PALE_TRY(ground, ground_for_tools(all, prepared_.boundary, tools_, caller_));
  PALE_TRY(record, CallRecord::begin(pale_home_, all.resolved.project.id(), {.kind = "tools"}));
  workers_ = std::make_unique<Workers>(all, std::move(ground), std::move(record), caller_);
  workers_->broker.notice = request_.tools.notice;
  workers_->broker.ask_seconds = request_.tools.ask_seconds;
  return {};
}

void DeskLoop::refuse(std::uint64_t number, const Refusal& refusal) {
  say({.kind = FromDesk::Kind::Answered,
       .number = number,
       .exit_code = 1,
       .code = std::string(to_text(refusal.code)),
       .sentence = refusal.sentence,
       .hint = refusal.hint});
}

void DeskLoop::call(const ToDesk& said) {
  if (const auto hired = hire(); !hired)
    return refuse(said.number, {Code::WorkerFailed, said.worker, hired.error().sentence(), hired.error().hint});
  // As `pale worker call` has it: with a file that is wrong, nobody knows who is meant.
  for (const Error& problem : prepared_.tools.workers->found.problems)
    return refuse(said.number, {Code::InvalidRequest, said.worker, problem.sentence(), problem.hint});
  const auto begun = workers_->broker.call({said.worker, said.input, said.instructions}, -1, Asking::Terminal::No);
  if (!begun) return refuse(said.number, begun.error());
  called_.push_back({said.number, *begun, {}});
}

void DeskLoop::look_after_workers() {
  if (!workers_) return;
  tell_of_questions();
  const auto ends = workers_->broker.look();
  if (!ends) return line_.reset();  // Nobody knows what runs any more: all of it ends.
  for (const CallEnd& end : *ends) {
    const auto called = std::ranges::find(called_, end.call, &Called::call);
    if (called == called_.end()) continue;
    FromDesk said{.kind = FromDesk::Kind::Answered, .number = called->number};
    said.answer = end.answer.answer;
    said.exit_code = end.answer.exit_code & 0xff;
    if (end.answer.refusal) {
      said.code = to_text(end.answer.refusal->code);
      said.sentence = end.answer.refusal->sentence;
      said.hint = end.answer.refusal->hint;
    }
    say(said);
    called_.erase(called);
  }
  tell_of_questions();
}

void DeskLoop::tell_of_questions() {
  const auto open = workers_->broker.questions();
  for (Called& called : called_) {
    const auto found = std::ranges::find(open, called.call, &Broker::Open::call);
    const std::string now = found != open.end() ? found->question->id : std::string();
    if (now == called.question) continue;
    if (!called.question.empty()) say({.kind = FromDesk::Kind::Decided, .number = called.number});
    called.question = now;
    if (found == open.end()) continue;
    say({.kind = FromDesk::Kind::Waits,
         .number = called.number,
         .question = now,
         .page = session::to_page(*found->question)});
  }
}

// --- the end ----------------------------------------------------------------------------------------------------------

void DeskLoop::clear() {
  for (Asked& asked : asked_) {
    const Decision decision = asked.asking.decide({Verdict::Denied, std::string(kGone), now_ms()});
    (void)record_decision(pale_home_, asked.asking.question(), decision);
  }
  asked_.clear();
  if (!workers_) return;
  for (const Called& called : called_) workers_->broker.end(called.call);
  const std::int64_t last = sys::monotonic_ms() + kLastMs;
  while (workers_->broker.look() && !workers_->broker.is_idle() && sys::monotonic_ms() < last) {
    std::vector<sys::Ready> waits;
    workers_->broker.add_waits(waits);
    waits.resize(std::min(waits.size(), sys::kMostReady));
    const std::int64_t left = workers_->broker.time_left();
    (void)sys::wait_ready(waits, left == sys::kForever ? kCrowdedMs : std::min(left, kCrowdedMs));
  }
  (void)workers_->record.end("ended");
  workers_.reset();
}

}  // namespace pale::service
