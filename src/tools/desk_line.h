// tools/desk_line.h: the tools' end of the line to the desk. It never waits.
#pragma once

#include <string>
#include <vector>

#include "sys/event.h"
#include "sys/fd.h"
#include "tools/desk.h"
#include "tools/lines.h"

namespace pale::tools {

class DeskLine {
 public:
  // Not open: there is no desk.
  explicit DeskLine(sys::Fd socket = sys::Fd(-1)) : socket_(std::move(socket)), lines_(kMostDeskLine) {}

  bool is_open() const noexcept { return socket_.is_open(); }
  void say(const ToDesk& said);
  // Sends what could not be sent yet, and takes what is there.
  std::vector<FromDesk> hear();
  void add_waits(std::vector<sys::Ready>& waits) const;

 private:
  void send();

  sys::Fd socket_;
  Lines lines_;
  std::string unsent_;
};

}  // namespace pale::tools
