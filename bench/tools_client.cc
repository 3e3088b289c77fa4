// tools_client: a client of an MCP server on its pipes, for bench/tools.py: small, so that what is measured is the server.
//
//   tools_client first TIMES FILE SERVER…
//     Starts the server so many times. Writes for each the nanoseconds until it has answered a read_text_file of FILE.
//   tools_client calls SECONDS FILE SERVER…
//     Starts it once and reads FILE, one call after another. Writes how many calls a second that were; then the process that it
//     started; and waits for the end of its own input, so that the server can be weighed.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

class Server {
 public:
  explicit Server(char** words) {
    int input[2], output[2];
    if (pipe(input) != 0 || pipe(output) != 0) fail("pipe");
    pid_ = vfork();
    if (pid_ == 0) {
      dup2(input[0], 0);
      dup2(output[1], 1);
      for (const int fd : {input[0], input[1], output[0], output[1]}) close(fd);
      execv(words[0], words);
      _exit(127);
    }
    close(input[0]);
    close(output[1]);
    to_ = input[1];
    from_ = output[0];
  }
  ~Server() {
    close(to_);
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
    close(from_);
  }

  int pid() const { return pid_; }
  void send(const std::string& line) const {
    if (write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) fail("write");
  }
  // One line; whether it says what was asked for.
  bool receive(const char* wanted) {
    std::size_t length = 0;
    while (length == 0 || buffer_[length - 1] != '\n') {
      const ssize_t got = read(from_, buffer_ + length, sizeof buffer_ - length);
      if (got <= 0) fail("read");
      length += static_cast<std::size_t>(got);
    }
    return memmem(buffer_, length, wanted, std::strlen(wanted)) != nullptr;
  }
  void open() {
    send(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},)"
         R"("clientInfo":{"name":"bench","version":"1"}}})"
         "\n");
    if (!receive("protocolVersion")) fail("initialize");
    send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
  }
  void call(const std::string& file) {
    send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_text_file","arguments":{"path":")" +
         file + "\"}}}\n");
    if (!receive("the-first-words")) fail("read_text_file");
  }

 private:
  pid_t pid_;
  int to_, from_;
  char buffer_[1 << 16];
};

void measure_first(int times, const std::string& file, char** words) {
  for (int i = 0; i < times; ++i) {
    const auto begin = Clock::now();
    Server server(words);
    server.open();
    server.call(file);
    std::printf("%lld\n", static_cast<long long>((Clock::now() - begin) / std::chrono::nanoseconds(1)));
  }
}

void measure_calls(int seconds, const std::string& file, char** words) {
  Server server(words);
  server.open();
  for (int i = 0; i < 1000; ++i) server.call(file);
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::seconds(seconds);
  long calls = 0;
  for (; Clock::now() < end; ++calls) server.call(file);
  std::printf("%f\n%d\n", static_cast<double>(calls) / std::chrono::duration<double>(Clock::now() - begin).count(),
              server.pid());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const std::string mode = argv[1];
  if (mode == "first") measure_first(std::atoi(argv[2]), argv[3], argv + 4);
  if (mode == "calls") measure_calls(std::atoi(argv[2]), argv[3], argv + 4);
}
