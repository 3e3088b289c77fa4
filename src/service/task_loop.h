// service/task_loop.h: the life of a task from its start to its end: what it writes, what it is refused, what it is given.
#pragma once

#include <deque>
#include <vector>

#include "service/call_record.h"
#include "service/task_board.h"
#include "session/message.h"
#include "sys/event.h"

namespace pale::service {

// Of the run, this side.
struct TaskEnds {
  sys::Child child;
  sys::Fd input;
  sys::Fd output;
  sys::Fd errors;
};

class TaskLoop {
 public:
  TaskLoop(CallRecord& record, TaskBoard& board, TaskEnds ends, sys::Fd listener, Path receipt)
      : record_(record),
        board_(board),
        ends_(std::move(ends)),
        listener_(std::move(listener)),
        receipt_(std::move(receipt)) {}

  // Until the run is over and all that it wrote is written down.
  Status run();
  // Afterwards: whoever asked for its end.
  void tell_ended();

 private:
  struct Client {
    sys::Fd socket;
    bool gone = false;
    bool waits_for_end = false;
  };

  Status turn();
  Status take_output(sys::Fd& from, const char* stream);
  Status take_notes();
  Status take_receipt();
  Status accept_clients();
  Status listen_to(Client& client);
  Status answer(Client& client, const session::Ask& ask);
  void give_input();
  void ask_to_end();
  static void tell(Client& client, const session::Tell& tell);

  CallRecord& record_;
  TaskBoard& board_;
  TaskEnds ends_;
  sys::Fd listener_;
  Path receipt_;
  std::vector<Client> clients_;
  std::string unsent_;
  bool last_input_ = false;
  bool over_ = false;
  bool cancelled_ = false;
  bool has_receipt_ = false;
  std::int64_t kill_at_ms_ = 0;  // 0: nobody asked for its end
};

}  // namespace pale::service
