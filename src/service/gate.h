// service/gate.h: the proxy of one sandbox, as its owner sees it: a process outside that is started for it, tells of each connection,
// and ends with it.
#pragma once

#include <memory>

#include "network/settings.h"
#include "network/visit.h"
#include "sandbox/outside.h"
#include "service/request.h"

namespace pale::service {

// Whoever is told of connections.
class VisitListener {
 public:
  VisitListener() = default;
  VisitListener(const VisitListener&) = delete;
  VisitListener& operator=(const VisitListener&) = delete;
  virtual ~VisitListener() = default;
  virtual Status visited(const network::Visit& visit) = 0;
};

class Gate final : public sandbox::Neighbour {
 public:
  // It waits for the sockets of a sandbox that is started next, with `sockets()` as its gate_line.
  static Result<std::unique_ptr<Gate>> open(const network::Settings& settings, const Caller& caller,
                                            VisitListener& listener);
  ~Gate() override;

  const sys::Fd& sockets() const noexcept { return sockets_; }
  // Once the sandbox is started: nobody else has an end of it then.
  void let_go_of_sockets() { sockets_.reset(); }

  const sys::Fd& line() const override { return line_; }
  Status hear() override;
  // Nothing inside runs any more: what there was is told of, and the proxy gone.
  Status close();

 private:
  Gate(sys::Fd sockets, sys::Fd line, sys::Pid process, VisitListener& listener)
      : sockets_(std::move(sockets)), line_(std::move(line)), process_(process), listener_(listener) {}

  sys::Fd sockets_;
  sys::Fd line_;
  sys::Pid process_;
  VisitListener& listener_;
};

}  // namespace pale::service
