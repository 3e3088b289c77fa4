// keeper/session_log.h: events as lines for people. Pure.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "session/event.h"

namespace pale::keeper {

// What commands write arrives in pieces that know nothing of lines; a line is shown when it is whole, or when something else
// happened in that command. Everything from inside is made safe to show.
class LogText {
 public:
  std::string add(const session::Event& event);
  std::string finish();  // what is left of lines that never ended

 private:
  using Stream = std::pair<std::uint64_t, std::string>;  // run, "stdout" or "stderr"
  std::string add_output(const session::Event& event);
  std::string finish_run(std::uint64_t run);

  std::map<Stream, std::string> begun_;
};

}  // namespace pale::keeper
