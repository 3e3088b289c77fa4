#include "tools/minder.h"

#include <fcntl.h>

#include <csignal>

#include "sys/event.h"
#include "sys/file.h"
#include "sys/landlock.h"

namespace pale::tools {
namespace {

constexpr int kFirstOwnDescriptor = 3;
constexpr std::int64_t kGraceMs = 1000;
constexpr std::string_view kUsualPath = "/usr/local/bin:/usr/bin:/bin";

struct Birth {
  const JobRequest& request;
  const sys::LandlockRules* apart;
  int input;
  int output;
  std::vector<char*> argv;
  std::string_view path;
  int error = 0;
};

// Shares memory with the minder until its exec.
int become_command(void* argument) {
  auto& birth = *static_cast<Birth*>(argument);
  (void)sys::new_session();
  Status done = sys::place_descriptor(birth.input, 0);
  for (const int stream : {1, 2}) {
    if (done) done = sys::place_descriptor(birth.output, stream);
  }
  if (done) done = sys::seal_descriptors(kFirstOwnDescriptor);
  if (done && birth.apart != nullptr) done = birth.apart->enforce();
  if (!done) {
    birth.error = done.error().number;
    return 1;
  }
  (void)sys::block_signals(0);
  birth.error =
      sys::execute_from_path(birth.request.command.front(), birth.argv.data(), birth.request.envp, birth.path);
  return 1;
}

// The boundary is the same for the tools and for a command, and so is the user. A Landlock domain of its own, which denies
// nothing else, keeps the command from the memory, the descriptors and, from ABI 6 on, the life of those who serve the tools: it
// cannot answer in their name.
Result<std::optional<sys::LandlockRules>> rules_apart() {
  const int abi = sys::landlock_abi();
  if (abi == 0) return std::nullopt;
  PALE_TRY(rules, sys::LandlockRules::make(abi, sys::LandlockTcp::Free));
  PALE_CHECK(rules.allow("/", sys::LandlockAccess::Write));
  return rules;
}

Result<sys::Pid> start_command(const JobRequest& request, const sys::Fd& output, int& error) {
  PALE_CHECK(sys::change_directory(request.directory));
  PALE_TRY(nothing, sys::open_at(sys::kAbsolute, "/dev/null", O_RDONLY));
  PALE_TRY(apart, rules_apart());
  Birth birth{request, apart ? &*apart : nullptr, nothing.borrow(), output.borrow()};
  for (const std::string& word : request.command) birth.argv.push_back(const_cast<char*>(word.c_str()));
  birth.argv.push_back(nullptr);
  const std::string_view path = variable_in(request.envp, "PATH");
  birth.path = path.empty() ? kUsualPath : path;
  PALE_TRY(pid, sys::spawn_sharing_memory(become_command, &birth, sys::Descriptors::Own));
  error = birth.error;
  return pid;
}

class Minder {
 public:
  Minder(const sys::Fd& line, sys::Fd signals, sys::Pid command)
      : line_(line), signals_(std::move(signals)), command_(command) {}

  [[noreturn]] void attend() {
    for (;;) {
      const bool terminated = wait(sys::kForever);
      if (ended_) discharge();
      if (terminated) terminate();
    }
  }

 private:
  // Whether it is told to end the command.
  bool wait(std::int64_t milliseconds) {
    sys::Ready ready = {signals_.borrow()};
    (void)sys::wait_ready({&ready, 1}, milliseconds);
    bool terminated = false;
    while (ready.readable) {
      const auto signal = sys::next_signal(signals_);
      if (!signal) break;
      if (signal->number == SIGCHLD) reap();
      terminated |= signal->number == SIGTERM;
    }
    return terminated;
  }

  void reap() {
    for (;;) {
      const auto child = sys::wait_any(sys::WaitMode::Poll);
      if (!child || child->pid == 0) return;
      if (child->pid != command_ || !sys::has_exited(child->status)) continue;
      ended_ = true;
      said_.status = child->status;
    }
  }

  [[noreturn]] void terminate() {
    (void)sys::send_signal(-command_, SIGTERM);
    const std::int64_t end = sys::monotonic_ms() + kGraceMs;
    for (std::int64_t now = sys::monotonic_ms(); !ended_ && now < end; now = sys::monotonic_ms()) (void)wait(end - now);
    if (!ended_) said_.status = SIGKILL;
    sys::end_descendants();
    discharge();
  }

  [[noreturn]] void discharge() {
    (void)sys::write_all(line_.borrow(), {reinterpret_cast<const char*>(&said_), sizeof said_});
    sys::exit_now(0);
  }

  const sys::Fd& line_;
  sys::Fd signals_;
  sys::Pid command_;
  bool ended_ = false;
  Discharge said_;
};

[[noreturn]] void give_up(const sys::Fd& line, int number) {
  const Discharge said{0, number};
  (void)sys::write_all(line.borrow(), {reinterpret_cast<const char*>(&said), sizeof said});
  sys::exit_now(0);
}

}  // namespace

void mind(const JobRequest& request, const sys::Fd& line, sys::Fd output) {
  (void)sys::block_signals(sys::kAllSignals);
  Status ready = sys::die_with_parent();
  if (ready) ready = sys::adopt_orphans();
  if (!ready) give_up(line, ready.error().number);
  auto signals = sys::open_signals(sys::kAllSignals);
  if (!signals) give_up(line, signals.error().number);
  int error = 0;
  const auto command = start_command(request, output, error);
  if (!command) give_up(line, command.error().number);
  if (error != 0) give_up(line, error);
  output.reset();
  Minder(line, std::move(*signals), *command).attend();
}

}  // namespace pale::tools
