// service/broker.h: calls workers, for the user and for workers; outside of every boundary. Each worker that may call others has a
// socket of its own inside its sandbox: what comes out of it is that worker's wish, whatever it says. A part of somebody's loop.
#pragma once

#include <expected>
#include <memory>

#include "service/call_record.h"
#include "service/worker_call.h"
#include "service/worker_ground.h"

namespace pale::service {

// What came of a call that no worker made.
struct CallEnd {
  std::uint64_t call = 0;
  worker::CallAnswer answer;
};

class Broker {
 public:
  Broker(const ProjectWorkers& all, const WorkerGround& ground, const Caller& caller, CallRecord& record)
      : all_(all), ground_(ground), caller_(caller), record_(record) {}

  std::uint64_t ask_seconds = 300;  // how long a question waits
  // Told of each question that waits for an answer: `pale approve ID`.
  void (*notice)(const session::Question& question) = nullptr;

  // From outside, with the project's zones. Its answer goes to `output`, or comes with its end if that is -1. What is asked about
  // it and those below it waits in the queue and, if `terminal`, is shown on the terminal.
  using Begun = std::expected<std::uint64_t, worker::Refusal>;
  Begun call(worker::CallRequest request, int output, Asking::Terminal terminal);
  // With all below it: it is asked first, and ended a moment later.
  void end(std::uint64_t number);

  // What waits for an answer, each with the call from outside because of which it is asked; and an answer that came another way.
  struct Open {
    std::uint64_t call;
    const session::Question* question;
  };
  std::vector<Open> questions() const;
  void answer(const std::string& question, const session::Decision& decision);

  bool is_idle() const noexcept { return calls_.empty(); }
  void add_waits(std::vector<sys::Ready>& waits) const;
  std::int64_t time_left() const noexcept;
  // Never waits. Returns those calls from outside that are over.
  Result<std::vector<CallEnd>> look();

 private:
  using Agreed = std::expected<CallTerms, worker::Refusal>;
  Agreed agree(worker::CallRequest request, const WorkerCall* caller) const;
  std::expected<void, worker::Refusal> check_limits(const std::string& name, const WorkerCall* caller) const;
  Begun start(worker::CallRequest request, WorkerCall* caller, int output, Asking::Terminal terminal);
  Begun try_to_start(worker::CallRequest request, const WorkerCall* caller, int output, Asking::Terminal terminal);
  std::expected<void, worker::Refusal> begin(WorkerCall& call);
  Status begin_in_sandbox(WorkerCall& call, const WorkerCall* caller);
  Status ask(WorkerCall& call, std::vector<std::string> folders);
  Result<bool> hear_answer(WorkerCall& call);

  Result<bool> look_after(WorkerCall& call);
  void serve(WorkerCall& call, Visitor& visitor);
  static void tell(Visitor& visitor);
  static bool hear(Visitor& visitor);
  bool take_line(WorkerCall& call, Visitor& visitor);
  Status keep_receipt(WorkerCall& call);
  Status finish(WorkerCall& call, worker::CallAnswer answer, std::vector<CallEnd>& ends);
  WorkerCall* find(std::uint64_t number) const noexcept;
  void end_below(std::uint64_t number);

  const ProjectWorkers& all_;
  const WorkerGround& ground_;
  const Caller& caller_;
  CallRecord& record_;
  std::vector<std::unique_ptr<WorkerCall>> calls_;  // a caller before those it calls
  std::uint64_t last_ = 0;
};

}  // namespace pale::service
