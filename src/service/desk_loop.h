// service/desk_loop.h: what the desk does (service/desk.h): questions of tools, and workers that they want called.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/broker.h"
#include "service/prepare.h"
#include "tools/desk.h"
#include "tools/lines.h"

namespace pale::service {

class DeskLoop {
 public:
  DeskLoop(sys::Fd line, const Prepared& prepared, const Request& request, const Caller& caller,
           const sandbox::Observed& tools);
  // Until nobody is at the other end.
  void run();

 private:
  struct Asked {
    std::uint64_t number;
    Asking asking;
  };
  // Made with the first call.
  struct Workers {
    WorkerGround ground;
    CallRecord record;
    Broker broker;
    Workers(const ProjectWorkers& all, WorkerGround the_ground, CallRecord the_record, const Caller& caller)
        : ground(std::move(the_ground)), record(std::move(the_record)), broker(all, ground, caller, record) {}
  };
  struct Called {
    std::uint64_t number;
    std::uint64_t call;    // the broker's number
    std::string question;  // that the tools were told of
  };

  void read();
  void take(const tools::ToDesk& said);
  void say(const tools::FromDesk& said);
  void send();
  void wait();

  void ask(const tools::ToDesk& said);
  Result<session::Question> question_of(const tools::ToDesk& said) const;
  void look_after_questions();
  void settle(const Asked& asked, const session::Decision& decision);

  void call(const tools::ToDesk& said);
  Status hire();
  void refuse(std::uint64_t number, const worker::Refusal& refusal);
  void look_after_workers();
  void tell_of_questions();

  void answer(const tools::ToDesk& said);
  void withdraw(std::uint64_t number);
  void clear();

  sys::Fd line_;
  const Prepared& prepared_;
  const Request& request_;
  const Caller& caller_;
  const sandbox::Observed& tools_;  // before they say anything
  Path pale_home_;
  tools::Lines lines_;
  std::string unsent_;
  std::vector<Asked> asked_;
  std::vector<Called> called_;
  std::unique_ptr<Workers> workers_;
};

}  // namespace pale::service
