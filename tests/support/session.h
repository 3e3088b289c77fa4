// tests/support/session.h: a process that is talked to while it runs, through pipes or on a terminal of its own.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/host.h"

namespace pale::test {

enum class Line {
  Pipes,     // one for its input, one for both its outputs
  Terminal,  // it leads a session and its terminal is the other end of this one
};

struct WindowSize {
  unsigned short rows = 24;
  unsigned short columns = 80;
};

class Session {
 public:
  Session(const Process& process, Line line);
  ~Session();  // ends it if it still runs
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  pid_t pid() const { return pid_; }
  void type(std::string_view text);
  void close_input();
  // Waits until `text` has been written, after what was expected before; that it never is fails the test.
  void expect(std::string_view text);
  void send_signal(int number) const;
  void resize(WindowSize size) const;
  termios modes() const;  // of the terminal
  // Waits for the end; `out` is all it wrote.
  Finished finish();

 private:
  enum class Reading { More, Closed, TimedOut };
  Reading read_more();

  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string text_;
  std::size_t expected_ = 0;
  bool given_up_ = false;  // One thing that never came is enough; what follows would only wait for more.
};

// The processes that descend from one, parents first.
std::vector<pid_t> descendants_of(pid_t pid);
// 'R', 'S', 'T', 'Z'…; '?' if there is none.
char state_of(pid_t pid);

}  // namespace pale::test
