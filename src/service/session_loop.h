// service/session_loop.h: the life of a session, from when its sandbox stands until it is over: clients, commands, time.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "service/disk_use.h"
#include "service/session_run.h"
#include "session/about.h"
#include "session/journal.h"
#include "sys/event.h"

namespace pale::service {

struct SessionClock {
  std::int64_t idle_ms;                     // without a client and a command
  std::optional<std::int64_t> deadline_ms;  // of its life
};

class SessionLoop {
 public:
  SessionLoop(sandbox::LiveSandbox& sandbox, session::Journal& journal, sys::Fd listener, Path start, DiskWatch disk,
              SessionClock clock, sandbox::Neighbour* neighbour)
      : sandbox_(sandbox),
        journal_(journal),
        listener_(std::move(listener)),
        start_(std::move(start)),
        disk_(std::move(disk)),
        clock_(clock),
        neighbour_(neighbour) {}

  // Until somebody ends it, or its time is over, or the sandbox is gone. Why it is over, as the journal says it.
  Result<std::string> run();
  // Afterwards: whoever asked for it.
  void tell_ended();

 private:
  struct Client {
    std::uint64_t number;
    sys::Fd socket;
    std::deque<std::string> unsent;
    std::size_t unsent_bytes = 0;
    bool gone = false;
    bool deaf = false;    // it hung up; what it said before counts, and is told nothing
    bool asked = false;   // for a command: what it says further is about that one
    bool brief = false;   // is told nothing but output and end
    bool leaves = false;  // when everything is sent
    bool waits_for_end = false;
  };

  Status turn();
  std::int64_t time_left() const;
  Status watch_clock();
  Status watch_disk();

  Status accept_clients();
  Status listen_to(Client& client);
  Status answer(Client& client, const session::Ask& ask);
  Status begin_run(Client& client, const session::Ask& ask);
  static void tell(Client& client, const session::Tell& tell);
  static void send_some(Client& client);
  static void stop_telling(Client& client, int number);
  bool is_meant(const Client& client, session::Ask::Kind kind) const;
  Client* client_of_run();

  Status hear_sandbox();
  Status take(const sandbox::News& news);
  Status finish_run(int exit_code);
  Status read_output(OutputPipe& output);
  // As many of them as were waited for.
  Status read_outputs(std::span<const sys::Ready> states);
  Status pass_output(OutputPipe& output, std::string data);
  Status not_started(const sandbox::News& news);
  void stop_run(const char* ending);
  bool output_waits();

  sandbox::LiveSandbox& sandbox_;
  session::Journal& journal_;
  sys::Fd listener_;
  sys::Fd signals_;
  Path start_;
  DiskWatch disk_;
  std::optional<std::uint64_t> disk_told_;  // after which command that the limit was passed in the background
  SessionClock clock_;
  sandbox::Neighbour* neighbour_;  // null: there is none
  std::vector<Client> clients_;
  std::uint64_t last_client_ = 0;
  std::optional<Running> running_;
  std::uint64_t last_run_ = 0;
  std::vector<OutputPipe> outputs_;
  std::int64_t idle_since_ms_ = 0;
  std::string over_;  // why; empty: it goes on
};

}  // namespace pale::service
