#include "service/broker.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "service/call_question.h"
#include "sys/event.h"
#include "sys/file.h"

namespace pale::service {
namespace {

using worker::CallAnswer;
using worker::CallRequest;
using worker::Code;
using worker::Refusal;

constexpr std::size_t kMostAtOnce = 16;
constexpr std::int64_t kGraceMs = 2000;
constexpr std::size_t kPiece = 65536;

std::unexpected<Refusal> refuse(Code code, std::string about, std::string sentence, std::string hint = {}) {
  return std::unexpected(Refusal{code, std::move(about), std::move(sentence), std::move(hint)});
}

std::unexpected<Refusal> refuse(Code code, const std::string& worker, const Error& error) {
  return refuse(code, worker, "Worker '" + worker + "' was not called: " + error.sentence(), error.hint);
}

constexpr int kRefused = 3;

CallAnswer no_answer(Refusal refusal) { return {{}, kRefused, std::move(refusal)}; }

std::string not_allowed_hint(const std::string& name, const worker::Worker& caller) {
  const auto& allowed = caller.file.allowed_workers;
  const std::vector<std::string_view> names(allowed.begin(), allowed.end());
  if (const auto close = nearest(name, names)) return "did you mean " + std::string(*close) + "?";
  return "toolsets: {workers: {allowed_workers: [" + name + "]}} in " + caller.path;
}

}  // namespace

// --- what may be called -----------------------------------------------------------------------------------------------

std::expected<void, Refusal> Broker::check_limits(const std::string& name, const WorkerCall* caller) const {
  if (caller == nullptr) return {};
  const auto& allowed = caller->file().allowed_workers;
  // First of all: what it may not call, it is not to know of.
  if (std::ranges::find(allowed, name) == allowed.end())
    return refuse(Code::NotAllowed, name, "Worker '" + caller->file().name + "' may not call '" + name + "'",
                  not_allowed_hint(name, *caller->terms().worker));
  if (caller->terms().depth >= all_.zones.max_depth)
    return refuse(Code::DepthExceeded, name, "Calls end at depth " + std::to_string(all_.zones.max_depth),
                  "[delegation] max_depth in the project's manifest");
  if (find(caller->terms().first)->below >= all_.zones.max_calls)
    return refuse(Code::TooManyCalls, name, "There were " + std::to_string(all_.zones.max_calls) + " calls already",
                  "[delegation] max_calls in the project's manifest");
  if (calls_.size() >= kMostAtOnce)
    return refuse(Code::TooManyCalls, name, std::to_string(kMostAtOnce) + " workers run at once already",
                  "wait for one to end");
  return {};
}

Broker::Agreed Broker::agree(CallRequest request, const WorkerCall* caller) const {
  if (auto limited = check_limits(request.worker, caller); !limited) return std::unexpected(std::move(limited).error());
  const auto& workers = all_.found.workers;
  const auto found =
      std::ranges::find_if(workers, [&](const worker::Worker& each) { return each.file.name == request.worker; });
  if (found == workers.end())
    return refuse(Code::NotFound, request.worker, "There is no worker '" + request.worker + "'", "pale worker list");
  if (found->file.locked && !request.instructions.empty())
    return refuse(Code::Locked, request.worker, "Worker '" + request.worker + "' is locked, and takes no instructions",
                  "leave them out; its input is free");
  const worker::Holding holding = caller != nullptr ? caller->terms().holding : ground_.offered;
  worker::Share share = worker::share_of(holding, found->file, all_.zones);
  if (!share.lost.empty()) return std::unexpected(std::move(share.lost.front()));
  const Boundary& above = caller != nullptr ? caller->run().boundary() : ground_.ceiling;
  const auto seconds = caller != nullptr ? std::optional(all_.zones.call_seconds) : std::nullopt;
  auto boundary = boundary_of(above, found->file, share.gets, seconds);
  if (!boundary) return refuse(Code::PermissionEscalation, request.worker, boundary.error());
  CallTerms terms;
  terms.worker = &*found;
  terms.chain = caller != nullptr ? caller->terms().chain + "/" + request.worker : request.worker;
  terms.depth = caller != nullptr ? caller->terms().depth + 1 : 0;
  terms.request = std::move(request);
  terms.holding = {worker::Holder::Worker, std::move(share.gets)};
  terms.boundary = std::move(*boundary);
  if (caller != nullptr) terms.agreed = caller->terms().agreed;
  return terms;
}

// --- calling ----------------------------------------------------------------------------------------------------------

Broker::Begun Broker::call(CallRequest request, int output, Asking::Terminal terminal) {
  return start(std::move(request), nullptr, output, terminal);
}

Broker::Begun Broker::start(CallRequest request, WorkerCall* caller, int output, Asking::Terminal terminal) {
  const std::uint64_t caller_number = caller != nullptr ? caller->number() : 0;
  const std::string name = request.worker;
  auto begun = try_to_start(std::move(request), caller, output, terminal);
  if (!begun) (void)record_.refused(caller_number, name, to_text(begun.error().code), begun.error().sentence);
  return begun;
}

Broker::Begun Broker::try_to_start(CallRequest request, const WorkerCall* caller, int output,
                                   Asking::Terminal terminal) {
  const std::string name = request.worker;
  auto terms = agree(std::move(request), caller);
  if (!terms) return std::unexpected(std::move(terms).error());
  std::vector<std::string> folders = to_be_asked(terms->holding, terms->agreed, all_.zones.approval);
  if (!folders.empty() && all_.zones.approval == worker::ApprovalMode::Deny)
    return refuse(Code::ApprovalDenied, name, "Nothing that is asked about is allowed here (auto_deny)",
                  "approval.mode in " + all_.zones.file);
  terms->first = caller != nullptr ? caller->terms().first : last_ + 1;
  if (caller != nullptr) ++find(terms->first)->below;
  auto call = std::make_unique<WorkerCall>(++last_, caller != nullptr ? caller->number() : 0, std::move(*terms));
  call->output = output;
  call->terminal = terminal;
  if (folders.empty()) {
    if (auto begun = begin(*call); !begun) return std::unexpected(std::move(begun).error());
  } else if (auto asked = ask(*call, std::move(folders)); !asked) {
    return refuse(Code::ApprovalDenied, name, asked.error());
  }
  calls_.push_back(std::move(call));
  return calls_.back()->number();
}

std::expected<void, Refusal> Broker::begin(WorkerCall& call) {
  const std::string& name = call.file().name;
  const WorkerCall* caller = find(call.caller());
  // Somebody's leave may come when nobody wants it any more.
  if (call.ends_by_ms != 0 || (call.caller() != 0 && caller == nullptr))
    return refuse(Code::WorkerFailed, name, "Its caller has ended");
  // Its receipt comes before its first command: without one, nobody knows what it has to hand on.
  if (caller != nullptr && !caller->run().stands())
    return refuse(Code::WorkerFailed, name, "Its caller's sandbox was not read back yet");
  for (const worker::Held& held : call.terms().holding.folders) {
    if (auto made = make_zone_folder(all_.resolved.project.root(), held.folder); !made)
      return refuse(Code::ZoneAccessDenied, name, made.error());
  }
  auto begun = begin_in_sandbox(call, caller);
  if (!begun) return refuse(Code::WorkerFailed, name, begun.error());
  return {};
}

Status Broker::begin_in_sandbox(WorkerCall& call, const WorkerCall* caller) {
  PALE_TRY(planned, plan_side_run(std::move(*call.terms().boundary), ground_.links));
  PALE_TRY(task, task_of({call.file(), call.terms().request, call.terms().holding.folders}, ground_.crew));
  PALE_CHECK(call.begin(std::make_unique<const SideGround>(std::move(planned)), task, all_.around.pale_home.text(),
                        caller_, caller != nullptr ? caller->run().as_outer() : ground_.within,
                        all_.terms.network_config));
  // While its sandbox is being made. If it cannot be written down, it is ended.
  return record_.run(call.number(), call.terms().chain, task.words);
}

Status Broker::ask(WorkerCall& call, std::vector<std::string> folders) {
  PALE_CHECK(record_.open());  // Whoever waits for a person is to be seen.
  PALE_TRY(question, question_of(call.terms(), folders, all_, ask_seconds));
  // What a person did not see, he did not allow.
  if (to_json(question).size() > session::kMostQuestion)
    return fail(ErrorKind::Refused, "it is too long for anybody to be shown,", "and so to allow",
                "put the input into a zone, and name the file");
  PALE_TRY(asking, Asking::begin(all_.around.pale_home, std::move(question), call.terminal));
  call.asking.emplace(std::move(asking));
  if (notice != nullptr) notice(call.asking->question());
  for (std::string& folder : folders) call.terms().agreed.push_back(std::move(folder));
  return {};
}

// Whether it may begin; nothing, as long as nobody has said.
Result<bool> Broker::hear_answer(WorkerCall& call) {
  PALE_TRY(decision, call.asking->look(now_ms()));
  if (!decision) return false;
  PALE_CHECK(record_decision(all_.around.pale_home, call.asking->question(), *decision));
  call.asking.reset();
  if (decision->verdict == session::Verdict::Approved) return true;
  const bool late = decision->verdict == session::Verdict::TimedOut;
  return fail(
      ErrorKind::Refused, late ? "nobody answered" : "denied by", late ? "in time" : decision->by,
      late ? "call it again, and then: pale approvals" : "ask them why; approval = {…} of the zone says who is asked");
}

std::vector<Broker::Open> Broker::questions() const {
  std::vector<Open> open;
  for (const auto& call : calls_) {
    if (!call->asking) continue;
    const WorkerCall* first = call.get();
    while (const WorkerCall* caller = find(first->caller())) first = caller;
    open.push_back({first->number(), &call->asking->question()});
  }
  return open;
}

void Broker::answer(const std::string& question, const session::Decision& decision) {
  for (const auto& call : calls_) {
    if (call->asking && call->asking->question().id == question) (void)call->asking->decide(decision);
  }
}

// --- the loop ---------------------------------------------------------------------------------------------------------

void Broker::add_waits(std::vector<sys::Ready>& waits) const {
  for (const auto& call : calls_) call->add_waits(waits);
}

std::int64_t Broker::time_left() const noexcept {
  std::int64_t least = sys::kForever;
  const auto shorten = [&](std::int64_t left) {
    least = least == sys::kForever ? std::max<std::int64_t>(left, 0) : std::clamp<std::int64_t>(left, 0, least);
  };
  for (const auto& call : calls_) {
    if (call->asking) shorten(call->asking->time_left(now_ms()));
    if (call->ends_by_ms != 0) shorten(call->ends_by_ms - sys::monotonic_ms());
  }
  return least;
}

Result<std::vector<CallEnd>> Broker::look() {
  std::vector<CallEnd> ends;
  // By number: those that begin meanwhile come behind.
  for (std::size_t next = 0; next < calls_.size();) {
    const std::size_t at = next++;
    WorkerCall& call = *calls_[at];
    if (call.asking) {
      auto may = hear_answer(call);
      std::expected<void, Refusal> begun;
      if (may && *may) begun = begin(call);
      if (!may) begun = refuse(Code::ApprovalDenied, call.file().name, may.error());
      if (begun) continue;
      PALE_CHECK(finish(call, no_answer(begun.error()), ends));
      calls_[at].reset();
      continue;
    }
    PALE_TRY(over, look_after(call));
    if (!over) continue;
    PALE_CHECK(keep_receipt(call));
    CallAnswer answer = call.finish();
    if (answer.refusal && answer.refusal->hint.empty()) answer.refusal->hint = "pale session show " + record_.session();
    PALE_CHECK(record_.exit(call.number(), answer.exit_code, call.ending(), call.milliseconds()));
    PALE_CHECK(finish(call, std::move(answer), ends));
    calls_[at].reset();
  }
  std::erase(calls_, nullptr);
  return ends;
}

Result<bool> Broker::look_after(WorkerCall& call) {
  PALE_TRY(over, call.look());
  PALE_CHECK(keep_receipt(call));
  for (session::Event& event : call.take_visits()) PALE_CHECK(record_.add(std::move(event)));
  if (call.ends_by_ms != 0 && sys::monotonic_ms() >= call.ends_by_ms) call.end();
  for (const auto& visitor : call.visitors) serve(call, *visitor);
  std::erase_if(call.visitors, [](const auto& visitor) { return !visitor->socket.is_open(); });
  return over;
}

Status Broker::keep_receipt(WorkerCall& call) {
  if (call.receipt_kept || !call.run().stands()) return {};
  call.receipt_kept = true;
  const bool compared = call.caller() != 0 || !ground_.within.mounts.empty();
  return record_.receipt(call.number(), call.run().receipt(compared ? std::optional(call.caller()) : std::nullopt));
}

// --- those who come in through a door ---------------------------------------------------------------------------------

void Broker::serve(WorkerCall& call, Visitor& visitor) {
  sys::Ready line = {.descriptor = visitor.socket.borrow(), .wish = sys::Wish::End};
  if (!sys::wait_ready({&line, 1}, 0) || line.closed) {
    if (visitor.call != 0) end(visitor.call);  // Nobody waits for it any more.
    return visitor.socket.reset();
  }
  // One after another: while one runs, the next waits.
  do {
    tell(visitor);
  } while (visitor.socket.is_open() && !visitor.is_busy() && (take_line(call, visitor) || hear(visitor)));
}

void Broker::tell(Visitor& visitor) {
  while (!visitor.unsent.empty()) {
    const auto sent = sys::try_write(visitor.socket, visitor.unsent);
    if (!sent) return visitor.socket.reset();
    if (!*sent) return;
    visitor.unsent.erase(0, **sent);
  }
}

// True: there is more than before.
bool Broker::hear(Visitor& visitor) {
  std::array<char, kPiece> buffer;
  const auto got = visitor.said_all ? std::optional<std::size_t>(0) : sys::try_read(visitor.socket, buffer).value_or(0);
  if (!got) return false;
  if (*got == 0 && visitor.said_all) visitor.socket.reset();
  if (*got == 0) return !std::exchange(visitor.said_all, true);
  visitor.heard.append(buffer.data(), *got);
  if (visitor.heard.size() <= worker::kMostLine) return true;
  visitor.heard.clear();
  visitor.said_all = true;
  visitor.unsent = to_line(
      no_answer({Code::InvalidRequest, "", "A request has at most " + std::to_string(worker::kMostLine) + " bytes",
                 "put it into a zone, and name the file"}));
  return true;
}

// False: there is no whole line.
bool Broker::take_line(WorkerCall& call, Visitor& visitor) {
  std::size_t end = visitor.heard.find('\n', visitor.searched);
  if (end == std::string::npos) {
    visitor.searched = visitor.heard.size();
    if (!visitor.said_all || visitor.heard.empty()) return false;
    end = visitor.heard.size();  // The last one need not have an end.
  }
  const std::string line = visitor.heard.substr(0, end);
  visitor.heard.erase(0, end + 1);
  visitor.searched = 0;
  auto request = worker::parse_call(line);
  Begun begun = request ? start(std::move(*request), &call, -1, call.terminal)
                        : refuse(Code::InvalidRequest, "", request.error().sentence(), request.error().hint);
  if (begun) visitor.call = *begun;
  if (!begun) visitor.unsent += to_line(no_answer(std::move(begun).error()));
  return true;
}

// --- the end ----------------------------------------------------------------------------------------------------------

Status Broker::finish(WorkerCall& call, CallAnswer answer, std::vector<CallEnd>& ends) {
  end_below(call.number());
  if (!call.has_begun())
    PALE_CHECK(
        record_.refused(call.caller(), call.file().name, to_text(answer.refusal->code), answer.refusal->sentence));
  if (call.caller() == 0) {
    ends.push_back({call.number(), std::move(answer)});
    return {};
  }
  const WorkerCall* caller = find(call.caller());
  if (caller == nullptr) return {};  // It has ended, and this with it.
  for (const auto& visitor : caller->visitors) {
    if (visitor->call != call.number()) continue;
    visitor->call = 0;
    visitor->unsent += to_line(answer);
  }
  return {};
}

WorkerCall* Broker::find(std::uint64_t number) const noexcept {
  const auto found =
      std::ranges::find_if(calls_, [&](const auto& call) { return call != nullptr && call->number() == number; });
  return found == calls_.end() ? nullptr : found->get();
}

void Broker::end(std::uint64_t number) {
  WorkerCall* call = find(number);
  if (call == nullptr) return;
  call->ask_to_end();
  if (call->asking) (void)call->asking->decide({session::Verdict::Denied, "whoever wanted it, who is gone", now_ms()});
  if (call->ends_by_ms == 0) call->ends_by_ms = sys::monotonic_ms() + kGraceMs;
  end_below(number);
}

void Broker::end_below(std::uint64_t number) {
  for (const auto& call : calls_) {
    if (call != nullptr && call->caller() == number) end(call->number());
  }
}

}  // namespace pale::service
