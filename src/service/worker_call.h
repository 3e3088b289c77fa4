// service/worker_call.h: one call of a worker under way: its sandbox, its answer, and the door through which it may call others.
#pragma once

#include <memory>
#include <optional>

#include "service/approvals.h"
#include "service/gate.h"
#include "service/network_terms.h"
#include "service/shown_lines.h"
#include "service/side_run.h"
#include "service/visit_record.h"
#include "service/worker_task.h"
#include "worker/call.h"

namespace pale::service {

// One who came in through the door. It asks for one worker after another, and hears of each.
struct Visitor {
  sys::Fd socket;
  std::string heard;
  std::size_t searched = 0;  // so far there is no end of a line in it
  std::string unsent;
  std::uint64_t call = 0;  // the one that it waits for
  bool said_all = false;   // and may still listen

  // While it waits, or does not take what it is told, nothing more is heard of it.
  bool is_busy() const noexcept { return call != 0 || !unsent.empty(); }
};

// What a worker writes for a person at a terminal. It gets none: what is asked there, it could paint over.
struct Relay {
  sys::Fd from;
  int to;
  ShownLines lines;
};

// What is decided of a call before it begins.
struct CallTerms {
  const worker::Worker* worker = nullptr;
  std::string chain;  // who called it, down from the first: "index/summary"
  std::size_t depth = 0;
  std::uint64_t first = 0;  // that one
  worker::CallRequest request;
  worker::Holding holding;
  std::optional<Boundary> boundary;  // until it begins
  std::vector<std::string> agreed;   // folders of which somebody has said that they may be changed
};

class WorkerCall {
 public:
  WorkerCall(std::uint64_t number, std::uint64_t caller, CallTerms terms)
      : number_(number), caller_(caller), terms_(std::move(terms)) {}

  std::uint64_t number() const noexcept { return number_; }
  std::uint64_t caller() const noexcept { return caller_; }  // 0: nobody's worker
  const CallTerms& terms() const noexcept { return terms_; }
  CallTerms& terms() noexcept { return terms_; }
  const worker::WorkerFile& file() const noexcept { return terms_.worker->file; }

  // `within`: its caller's sandbox.
  Status begin(std::unique_ptr<const SideGround> ground, const WorkerTask& task, const std::string& pale_home,
               const Caller& caller, sandbox::Within within, const project::NetworkConfig& network);
  bool has_begun() const noexcept { return run_ != nullptr; }
  const SideRun& run() const noexcept { return *run_; }

  void add_waits(std::vector<sys::Ready>& waits) const;
  // Lets visitors in, and takes what it answers. True: it is over.
  Result<bool> look();
  // Once it is over.
  worker::CallAnswer finish();
  std::string_view ending() const noexcept { return ending_; }  // as session::Event has it
  std::int64_t milliseconds() const noexcept;
  void ask_to_end() const;
  void end() const;

  // What it reaches for in the network, as a record has it; once for each.
  std::vector<session::Event> take_visits() { return std::exchange(visits_.events, {}); }

  std::vector<std::unique_ptr<Visitor>> visitors;
  std::optional<Asking> asking;                      // it waits for somebody's leave
  Asking::Terminal terminal = Asking::Terminal::No;  // whether that is asked there, too, for it and those below it
  std::int64_t ends_by_ms = 0;                       // if it was asked to end: when it is not asked any more
  std::uint64_t below = 0;                           // of the first: how many were called, however deep
  bool receipt_kept = false;
  int output = -1;  // where its answer goes at once; -1: it is kept

 private:
  Status let_in();
  void take_answer();
  // What stands for an output of this process: itself; or, if that is a terminal, a pipe that is relayed to it.
  Result<sys::Fd> stand_in_for(int stream);
  static void relay(Relay& relay);

  std::uint64_t number_;
  std::uint64_t caller_;
  CallTerms terms_;
  struct Visits final : public VisitListener {
    explicit Visits(std::uint64_t number) : call(number) {}
    Status visited(const network::Visit& visit) override {
      if (++told <= kMostVisits) events.push_back(event_of(visit, call));
      return {};
    }
    std::uint64_t call;
    std::size_t told = 0;
    std::vector<session::Event> events;
  };
  Visits visits_{number_};
  std::unique_ptr<Gate> gate_;
  std::unique_ptr<SideRun> run_;  // once it has begun
  sys::Fd line_;
  sys::Fd door_;
  sys::Fd answers_;
  std::vector<Relay> relays_;
  std::string answer_;
  bool too_long_ = false;
  std::string_view ending_ = "exited";
  std::int64_t began_ms_ = 0;
};

}  // namespace pale::service
