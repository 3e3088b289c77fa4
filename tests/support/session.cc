#include "support/session.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <utility>

namespace pale::test {
namespace {

constexpr int kPatienceMs = 30'000;  // Decides nothing but when a test that hangs is given up.

winsize to_winsize(WindowSize size) { return {size.rows, size.columns, 0, 0}; }

void close_once(int& fd) {
  if (fd >= 0) close(std::exchange(fd, -1));
}

}  // namespace

Session::Session(const Process& process, Line line) {
  if (line == Line::Terminal) {
    const winsize size = to_winsize({});
    pid_ = forkpty(&out_, nullptr, nullptr, &size);
    if (pid_ == 0) execute(process);
    if (pid_ < 0) throw std::runtime_error("forkpty");
    fcntl(out_, F_SETFD, FD_CLOEXEC);
    in_ = out_;
    return;
  }
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  pid_ = fork();
  if (pid_ == 0) {
    setpgid(0, 0);
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(out[1], 2);
    execute(process);
  }
  close(in[0]);
  close(out[1]);
  in_ = in[1];
  out_ = out[0];
}

Session::~Session() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (in_ != out_) close_once(in_);
  close_once(out_);
}

void Session::type(std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = write(in_, text.data(), text.size());
    if (wrote <= 0) {
      ADD_FAILURE() << "nobody reads what is typed";
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void Session::close_input() {
  if (in_ != out_) close_once(in_);
}

Session::Reading Session::read_more() {
  pollfd ready = {out_, POLLIN, 0};
  if (poll(&ready, 1, kPatienceMs) <= 0) return Reading::TimedOut;
  char buffer[65536];
  const ssize_t got = read(out_, buffer, sizeof buffer);
  if (got <= 0) return Reading::Closed;  // A terminal that nobody has open any more gives EIO.
  text_.append(buffer, static_cast<std::size_t>(got));
  return Reading::More;
}

void Session::expect(std::string_view text) {
  while (!given_up_) {
    const std::size_t found = text_.find(text, expected_);
    if (found != std::string::npos) {
      expected_ = found + text.size();
      return;
    }
    if (read_more() != Reading::More) {
      ADD_FAILURE() << "\"" << text << "\" never came; this did:\n" << text_.substr(expected_);
      given_up_ = true;
    }
  }
}

void Session::send_signal(int number) const { EXPECT_EQ(kill(pid_, number), 0); }

void Session::resize(WindowSize size) const {
  const winsize wanted = to_winsize(size);
  EXPECT_EQ(ioctl(out_, TIOCSWINSZ, &wanted), 0);
}

termios Session::modes() const {
  termios modes = {};
  EXPECT_EQ(tcgetattr(out_, &modes), 0);
  return modes;
}

Finished Session::finish() {
  Reading last = given_up_ ? Reading::TimedOut : Reading::More;
  while (last == Reading::More) last = read_more();
  if (last == Reading::TimedOut) {
    ADD_FAILURE() << "it does not end; so far:\n" << text_;
    kill(pid_, SIGKILL);
    given_up_ = true;
  }
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), text_, {}};
}

std::vector<pid_t> descendants_of(pid_t pid) {
  std::vector<pid_t> all = {pid};
  for (std::size_t at = 0; at < all.size(); ++at) {
    const std::string process = std::to_string(all[at]);
    std::ifstream children("/proc/" + process + "/task/" + process + "/children");
    for (pid_t child = 0; children >> child;) all.push_back(child);
  }
  all.erase(all.begin());
  return all;
}

char state_of(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(stat), {}};
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= text.size() ? '?' : text[name_end + 2];
}

}  // namespace pale::test
