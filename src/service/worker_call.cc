#include "service/worker_call.h"

#include <array>
#include <cerrno>

#include "sys/file.h"
#include "sys/message.h"
#include "sys/terminal.h"

namespace pale::service {
namespace {

constexpr std::size_t kMostVisitors = 8;
constexpr std::size_t kPiece = 16384;

using worker::CallAnswer;
using worker::Code;

std::string exec_sentence(const worker::WorkerFile& file, int number) {
  const std::string program = file.run.empty() ? "its agent" : "'" + file.run.front() + "'";
  return number == ENOENT ? "There is no " + program + " inside for worker '" + file.name + "'"
                          : "Worker '" + file.name + "' cannot execute " + program + ": " + errno_text(number);
}

}  // namespace

Result<sys::Fd> WorkerCall::stand_in_for(int stream) {
  if (!sys::is_terminal(stream)) return sys::Fd();
  PALE_TRY(pipe, sys::open_pipe());
  PALE_CHECK(sys::set_nonblocking(pipe.read_end));
  relays_.push_back({std::move(pipe.read_end), stream, {}});
  return std::move(pipe.write_end);
}

Status WorkerCall::begin(std::unique_ptr<const SideGround> ground, const WorkerTask& task, const std::string& pale_home,
                         const Caller& caller, sandbox::Within within, const project::NetworkConfig& network) {
  began_ms_ = sys::monotonic_ms();
  PALE_TRY(memory, sys::make_memory_file("input", task.input));
  // Another opening of it: at its beginning.
  PALE_TRY(input, sys::open_at(sys::kAbsolute, ("/proc/self/fd/" + std::to_string(memory.borrow())).c_str(), O_RDONLY));
  PALE_TRY(answers, sys::open_pipe());
  PALE_TRY(line, sys::make_message_pair());
  constexpr int kErrors = 2;
  PALE_TRY(shown, stand_in_for(output));
  PALE_TRY(errors, stand_in_for(kErrors));
  SideRequest request{pale_home, caller, task.command, input.borrow()};
  if (output < 0) request.output = answers.write_end.borrow();
  if (output >= 0) request.output = shown.is_open() ? shown.borrow() : output;
  if (errors.is_open()) request.errors = errors.borrow();
  request.broker_line = file().allowed_workers.empty() ? nullptr : &line.second;
  request.within = std::move(within);
  if (!ground->plan.gate.listeners.empty()) {
    PALE_TRY(gate, Gate::open(proxy_settings(ground->boundary, network, false), caller, visits_));
    gate_ = std::move(gate);
    request.gate_line = &gate_->sockets();
  }
  PALE_TRY(run, SideRun::start(std::move(ground), request));
  run_ = std::make_unique<SideRun>(std::move(run));
  if (gate_) gate_->let_go_of_sockets();
  if (request.broker_line != nullptr) line_ = std::move(line.first);
  if (output < 0) {
    PALE_CHECK(sys::set_nonblocking(answers.read_end));
    answers_ = std::move(answers.read_end);
  }
  return {};
}

void WorkerCall::add_waits(std::vector<sys::Ready>& waits) const {
  if (asking) asking->add_waits(waits);
  if (run_) waits.push_back({run_->over().borrow()});
  if (gate_ && gate_->line().is_open()) waits.push_back({gate_->line().borrow()});
  for (const sys::Fd* fd : {&line_, &answers_}) {
    if (fd->is_open()) waits.push_back({fd->borrow()});
  }
  if (door_.is_open() && visitors.size() < kMostVisitors) waits.push_back({door_.borrow()});
  for (const Relay& relay : relays_) {
    if (relay.from.is_open()) waits.push_back({relay.from.borrow()});
  }
  for (const auto& visitor : visitors) {
    sys::Wish wish = visitor->is_busy() ? sys::Wish::End : sys::Wish::Read;
    if (!visitor->unsent.empty()) wish = sys::Wish::Write;
    waits.push_back({.descriptor = visitor->socket.borrow(), .wish = wish});
  }
}

Result<bool> WorkerCall::look() {
  if (!run_) return false;
  PALE_CHECK(let_in());
  sys::Ready over = {run_->over().borrow()};
  PALE_CHECK(sys::wait_ready({&over, 1}, 0));
  // Once it is over, nothing is written any more: what is there now is all.
  take_answer();
  if (gate_) PALE_CHECK(over.readable ? gate_->close() : gate_->hear());
  for (Relay& each : relays_) relay(each);
  return over.readable;
}

Status WorkerCall::let_in() {
  if (line_.is_open()) {
    PALE_TRY(received, sys::receive_message(line_, sys::Waiting::No));
    if (received.message && !received.message->descriptors.empty())
      door_ = std::move(received.message->descriptors.front());
    if (received.message || received.closed) line_.reset();
  }
  while (door_.is_open() && visitors.size() < kMostVisitors) {
    PALE_TRY(next, sys::accept_next(door_));
    if (!next) break;
    visitors.push_back(std::make_unique<Visitor>(std::move(*next)));
  }
  return {};
}

void WorkerCall::take_answer() {
  std::array<char, kPiece> buffer;
  while (answers_.is_open() && !too_long_) {
    const auto got = sys::try_read(answers_, buffer);
    if (got && !*got) return;
    const std::size_t size = got ? got->value_or(0) : 0;
    if (size == 0) return answers_.reset();
    answer_.append(buffer.data(), size);
    too_long_ = answer_.size() > worker::kMostAnswer;
  }
  if (!too_long_ || !answers_.is_open()) return;
  answers_.reset();
  end();
}

void WorkerCall::relay(Relay& relay) {
  std::array<char, kPiece> buffer;
  while (relay.from.is_open()) {
    const auto got = sys::try_read(relay.from, buffer);
    if (got && !*got) return;
    const std::size_t size = got ? got->value_or(0) : 0;
    (void)sys::write_all(relay.to, size > 0 ? relay.lines.add({buffer.data(), size}) : relay.lines.finish());
    if (size == 0) relay.from.reset();
  }
}

CallAnswer WorkerCall::finish() {
  const auto result = run_->finish();
  CallAnswer answer{std::move(answer_), 1, std::nullopt};
  const auto refuse = [&](Code code, std::string sentence, std::string hint) {
    answer.refusal = {code, file().name, std::move(sentence), std::move(hint)};
  };
  const std::string who = "Worker '" + file().name + "' ";
  if (!result) {
    ending_ = "failed";
    refuse(Code::WorkerFailed, who + "was not started: " + result.error().sentence(), result.error().hint);
    return answer;
  }
  answer.exit_code = result->exit_code;
  if (ends_by_ms != 0) {
    ending_ = "cancelled";
    refuse(Code::WorkerFailed, who + "was ended before it had answered", "");
  } else if (too_long_) {
    ending_ = "failed";
    answer.answer.clear();
    refuse(Code::AnswerTooLong, who + "answered more than " + std::to_string(worker::kMostAnswer) + " bytes",
           "let it write that into a zone, and answer with the name of the file");
  } else if (result->exec_error != 0) {
    answer.exit_code = result->exec_error == ENOENT || result->exec_error == ENOTDIR ? 127 : 126;
    refuse(Code::WorkerFailed, exec_sentence(file(), result->exec_error), "pale worker show " + file().name);
  } else if (result->ending == sandbox::Ending::TimedOut) {
    ending_ = "timed_out";
    refuse(Code::TimedOut, who + "took longer than it may",
           std::string(caller_ != 0 ? "[delegation] timeout" : "[limits] time") + " in the project's manifest");
  } else if (result->ending == sandbox::Ending::Contained) {
    ending_ = "failed";
    answer.exit_code = 3;
    refuse(Code::WorkerFailed, who + "was ended: a protected path appeared", "");
  } else if (answer.exit_code != 0) {
    refuse(Code::WorkerFailed, who + "ended with exit code " + std::to_string(answer.exit_code), "");
  }
  return answer;
}

std::int64_t WorkerCall::milliseconds() const noexcept { return sys::monotonic_ms() - began_ms_; }

void WorkerCall::ask_to_end() const {
  if (run_) run_->ask_to_end();
}
void WorkerCall::end() const {
  if (run_) run_->end();
}

}  // namespace pale::service
