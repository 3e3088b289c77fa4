#include "service/call_worker.h"

#include <array>
#include <csignal>

#include "base/text.h"
#include "plan/plan.h"
#include "sandbox/survey.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/message.h"

namespace pale::service {
namespace {

constexpr std::size_t kPiece = 65536;
constexpr int kRefused = 3;
constexpr sys::SignalSet kEnding = sys::signal_bit(SIGINT) | sys::signal_bit(SIGTERM) | sys::signal_bit(SIGHUP);

// --- inside -----------------------------------------------------------------------------------------------------------

Result<WorkerCallOutcome> call_by_broker(const WorkerCallRequest& request) {
  PALE_TRY(line, sys::connect_stream(std::string(plan::kBrokerSocket).c_str()));
  PALE_CHECK(
      sys::write_all(line.borrow(), to_line(worker::CallRequest{request.worker, request.input, request.instructions})));
  std::string heard;
  std::array<char, kPiece> buffer;
  while (!heard.ends_with('\n')) {
    const std::size_t got = sys::read_some(line.borrow(), buffer);
    if (got == 0) return fail(ErrorKind::System, "the broker hung up", "");
    heard.append(buffer.data(), got);
  }
  PALE_TRY(answer, worker::parse_answer(heard));
  return WorkerCallOutcome{std::move(answer), {}};
}

// --- outside ----------------------------------------------------------------------------------------------------------

class UsersCall {
 public:
  UsersCall(Broker& broker, const sys::Fd& signals) : broker_(broker), signals_(signals) {}

  // Until nothing runs any more: those that it called and did not wait for are asked to end.
  Result<worker::CallAnswer> wait(std::uint64_t call) {
    worker::CallAnswer answer;
    for (;;) {
      PALE_TRY(ends, broker_.look());
      for (CallEnd& end : ends) answer = std::move(end.answer);
      if (broker_.is_idle()) return answer;
      waits_.clear();
      waits_.push_back({signals_.borrow()});
      broker_.add_waits(waits_);
      PALE_CHECK(sys::wait_ready(waits_, broker_.time_left()));
      while (sys::next_signal(signals_)) broker_.end(call);
    }
  }

 private:
  Broker& broker_;
  const sys::Fd& signals_;
  std::vector<sys::Ready> waits_;
};

Status check_place(const ProjectWorkers& all) {
  PALE_TRY(outer, sandbox::look_around());
  if (outer)
    return fail(ErrorKind::Refused, "workers cannot be called", "inside another boundary",
                "call it outside; a worker that may call others does so by way of " + std::string(plan::kBrokerSocket));
  for (const Error& problem : all.found.problems) return fail(problem);
  return {};
}

Result<std::string> name_of(ProjectWorkers& all, const WorkerCallRequest& request) {
  if (!request.worker.empty()) return find_worker(all, request.worker);
  if (!all.found.entry.empty()) return all.found.entry;
  Error error{ErrorKind::Usage, 0, "which worker? The project has no",
              "index.worker or main.worker where its workers lie", "pale worker call NAME"};
  for (const std::string_view name : kEntryNames) {
    const Path path = all.resolved.project.root() / name;
    const auto info = sys::file_info(sys::kAbsolute, path.c_str());
    if (info && info->kind == sys::FileKind::File)
      error = std::move(error).or_hint("pale worker call " + shell_word(path.text()));
  }
  return fail(std::move(error));
}

// As whoever calls by way of the broker is told.
WorkerCallOutcome not_found(const std::string& worker, const Error& error) {
  return {{{}, kRefused, worker::Refusal{worker::Code::NotFound, worker, error.sentence(), error.hint}}, {}};
}

}  // namespace

bool has_broker() {
  const auto info = sys::file_info(sys::kAbsolute, std::string(plan::kBrokerSocket).c_str());
  return info && info->kind == sys::FileKind::Other;
}

Result<WorkerCallOutcome> call_worker(const WorkerCallRequest& request, const Caller& caller) {
  constexpr int kFirstInherited = 3;
  if (has_broker()) return call_by_broker(request);
  sys::close_from(kFirstInherited);
  PALE_TRY(all, load_workers(request.project, request.overrides, caller));
  auto named = name_of(all, request);
  if (!named && named.error().kind == ErrorKind::NotFound) return not_found(request.worker, named.error());
  PALE_TRY(name, std::move(named));
  PALE_CHECK(check_place(all));
  PALE_TRY(ground, lay_ground(all, caller));
  PALE_TRY(record, CallRecord::later(all.around.pale_home, all.resolved.project.id(), {.kind = "worker"}));
  const sys::SignalSet before = sys::block_signals(kEnding);
  PALE_TRY(signals, sys::open_signals(kEnding));
  Broker broker(all, ground, caller, record);
  broker.notice = request.notice;
  const int output = request.answer == WorkerCallRequest::Answer::AtOnce ? 1 : -1;
  auto call = broker.call({name, request.input, request.instructions}, output, Asking::Terminal::Yes);
  Result<worker::CallAnswer> answer =
      call ? UsersCall(broker, signals).wait(*call) : worker::CallAnswer{{}, kRefused, std::move(call).error()};
  (void)sys::block_signals(before);
  PALE_CHECK(record.end(answer && !answer->refusal ? "ended" : "failed"));
  if (!answer) return std::unexpected(std::move(answer).error());
  return WorkerCallOutcome{std::move(*answer), record.session()};
}

}  // namespace pale::service
