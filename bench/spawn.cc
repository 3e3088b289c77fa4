// spawn: runs commands and writes how long each took, as lines of "NAME NANOSECONDS" on its output.
//
//   spawn turns ROUNDS ::: NAME COMMAND… [::: NAME COMMAND…]…
//     Every round runs each command once, in an order drawn anew, so that a slow moment of the machine, and what one
//     command leaves behind for the kernel to tidy up, falls on all of them alike. A sample is one run.
//   spawn together WORKERS RUNS PASSES ::: NAME COMMAND… [::: NAME COMMAND…]…
//     Every pass takes each command in turn: WORKERS processes side by side start it RUNS times in all. A sample is the
//     time of all of these.
//
// A command has no input, its output goes nowhere, and one that does not exit with 0 ends everything. One whose first word is
// session:SOCKET is not started here: the session of Pale behind that socket is asked for it, over one connection for all runs.
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int kWarmUp = 3;
constexpr std::string_view kSession = "session:";

struct Command {
  const char* name;
  char** argv;
  int session = -1;  // connected with it; else none
};

struct Sample {
  const char* name;
  int64_t nanoseconds;
};

[[noreturn]] void die(const char* what, const char* subject) {
  fprintf(stderr, "spawn: %s %s\n", what, subject);
  exit(1);
}

int64_t now() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

void expect_success(pid_t pid, const char* name) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) die("cannot wait for", name);
  if (status != 0) die(WIFEXITED(status) ? "did not exit with 0:" : "was killed:", name);
}

int connected(const char* path) {
  sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
  if (std::string_view(path).copy(address.sun_path, sizeof(address.sun_path) - 1) != std::string_view(path).size())
    die("too long for a socket:", path);
  const int line = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (connect(line, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) die("cannot connect to", path);
  return line;
}

// The words hold nothing that JSON would have to escape.
int64_t time_of_asking(const Command& command) {
  std::string ask = R"({"ask":"run","last":true,"command":[)";
  for (char** word = command.argv + 1; *word != nullptr; ++word)
    ask += (word == command.argv + 1 ? "\"" : ",\"") + std::string(*word) + '"';
  ask += "]}";
  std::string told(1 << 17, '\0');
  const int64_t start = now();
  if (send(command.session, ask.data(), ask.size(), 0) < 0) die("cannot ask for", command.name);
  for (;;) {
    const ssize_t got = recv(command.session, told.data(), told.size(), 0);
    const std::string_view text(told.data(), got < 0 ? 0 : static_cast<size_t>(got));
    if (text.empty() || text.contains(R"("tell":"failed")")) die("was not run:", command.name);
    if (!text.contains(R"("tell":"exit")")) continue;
    if (!text.contains(R"("exit_code":0)")) die("did not exit with 0:", command.name);
    return now() - start;
  }
}

int64_t time_of_one(const Command& command) {
  if (command.session >= 0) return time_of_asking(command);
  pid_t pid = 0;
  const int64_t start = now();
  if (posix_spawn(&pid, command.argv[0], nullptr, nullptr, command.argv, environ) != 0)
    die("cannot start", command.argv[0]);
  expect_success(pid, command.name);
  return now() - start;
}

int64_t time_of_many(const Command& command, int workers, int runs) {
  std::vector<pid_t> pids;
  const int64_t start = now();
  for (int worker = 0; worker < workers; ++worker) {
    const pid_t pid = fork();
    if (pid < 0) die("cannot fork for", command.name);
    if (pid == 0) {
      for (int run = worker; run < runs; run += workers) time_of_one(command);
      _exit(0);
    }
    pids.push_back(pid);
  }
  for (const pid_t pid : pids) expect_success(pid, command.name);
  return now() - start;
}

std::vector<Sample> take_turns(std::vector<Command> commands, int rounds) {
  std::mt19937 random;  // the same orders in every run
  std::vector<Sample> samples;
  for (int round = -std::min(kWarmUp, rounds / 8); round < rounds; ++round) {
    std::shuffle(commands.begin(), commands.end(), random);
    for (const Command& command : commands) {
      const int64_t time = time_of_one(command);
      if (round >= 0) samples.push_back({command.name, time});
    }
  }
  return samples;
}

std::vector<Sample> run_together(const std::vector<Command>& commands, int workers, int runs, int passes) {
  std::vector<Sample> samples;
  for (const Command& command : commands) time_of_many(command, workers, workers * kWarmUp);
  for (int pass = 0; pass < passes; ++pass) {
    for (const Command& command : commands) samples.push_back({command.name, time_of_many(command, workers, runs)});
  }
  return samples;
}

// The commands after each ":::", which becomes the null pointer that ends the one before.
std::vector<Command> commands_of(char** argument) {
  std::vector<Command> commands;
  while (*argument != nullptr) {
    if (std::string_view(*argument) == ":::") {
      *argument = nullptr;
      if (argument[1] == nullptr || argument[2] == nullptr) die("a name and a command must follow", ":::");
      commands.push_back({argument[1], argument + 2});
      const std::string_view first = argument[2];
      if (first.starts_with(kSession)) commands.back().session = connected(argument[2] + kSession.size());
    }
    ++argument;
  }
  if (commands.empty()) die("there is no command after", ":::");
  return commands;
}

int number(const char* text) {
  char* end = nullptr;
  const long value = strtol(text, &end, 10);
  if (*end != '\0' || value < 1 || value > 1'000'000) die("not a number above 0:", text);
  return static_cast<int>(value);
}

// Leaves the commands /dev/null as input and output; the samples go where the output was.
FILE* take_output() {
  const int samples = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (samples < 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0) {
    die("cannot open", "/dev/null");
  }
  return fdopen(samples, "w");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  const int numbers = mode == "turns" ? 1 : mode == "together" ? 3 : 0;
  if (numbers == 0 || argc < 2 + numbers)
    die("usage:", "spawn turns ROUNDS ::: … | spawn together WORKERS RUNS PASSES ::: …");

  FILE* output = take_output();
  const std::vector<Command> commands = commands_of(argv + 2 + numbers);
  const std::vector<Sample> samples = mode == "turns"
                                          ? take_turns(commands, number(argv[2]))
                                          : run_together(commands, number(argv[2]), number(argv[3]), number(argv[4]));
  for (const Sample& sample : samples)
    fprintf(output, "%s %lld\n", sample.name, static_cast<long long>(sample.nanoseconds));
  return fclose(output) == 0 ? 0 : 1;
}
