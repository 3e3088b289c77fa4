#include "sandbox/serve.h"

#include <fcntl.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <vector>

#include "sandbox/offspring.h"
#include "sandbox/order.h"
#include "sys/file.h"
#include "sys/message.h"

namespace pale::sandbox {
namespace {

constexpr int kNotFound = 127;
constexpr std::size_t kMostWatches = 100;  // of commands that left something running
constexpr std::size_t kMostTold = 4096;    // things seen, for each command
constexpr std::size_t kMostToldBytes = 256UL << 10U;

void say(const sys::Fd& host, const News& news) { (void)sys::send_message(host, to_text(news), {}, sys::Waiting::Yes); }

// Tells the host each thing once a command; and of a flood, that there is more.
class Reporter final : public Witness {
 public:
  Reporter(const Boundary& boundary, const sys::Fd& host) : boundary_(boundary), host_(host) {}

  void begin() {
    told_.clear();
    bytes_ = 0;
  }
  void denied(const Path& path, Operation operation) override {
    if (!is_new(News::Kind::Denied, path, operation)) return;
    const Verdict verdict = explain(boundary_, path, operation);
    say(host_, {News::Kind::Denied, 0, path.text(), std::string(pale::to_text(operation)),
                verdict.rule + " (" + verdict.origin + ")"});
  }
  void changes(const Path& path, Operation operation) override {
    if (!boundary_.workspace().covers(path) || !is_new(News::Kind::Changed, path, operation)) return;
    say(host_, {News::Kind::Changed, 0, path.text(), std::string(pale::to_text(operation)), {}});
  }

 private:
  bool is_new(News::Kind kind, const Path& path, Operation operation) {
    if (told_.size() >= kMostTold || bytes_ >= kMostToldBytes) return false;
    std::string thing = std::to_string(static_cast<int>(kind)) + std::string(pale::to_text(operation)) + path.text();
    const auto place = std::ranges::lower_bound(told_, thing);
    if (place != told_.end() && *place == thing) return false;
    told_.insert(place, std::move(thing));
    bytes_ += path.text().size();
    if (told_.size() == kMostTold || bytes_ >= kMostToldBytes) {
      say(host_, {kind, 0, {}, "more", {}});
      return false;
    }
    return true;
  }

  const Boundary& boundary_;
  const sys::Fd& host_;
  std::vector<std::string> told_;  // sorted
  std::size_t bytes_ = 0;
};

class Service {
 public:
  explicit Service(Standing& standing)
      : standing_(standing), reporter_(standing.launch.boundary, standing.supervisor) {}

  Status serve() {
    PALE_TRY(null, sys::open_at(sys::kAbsolute, "/dev/null", O_RDWR));
    null_ = std::move(null);
    PALE_CHECK(free_standard_descriptors());
    const Command nothing{{}, standing_.launch.boundary.workspace()};
    Confinement confinement = standing_.confinement_for(nothing, TerminalUse::Apart);
    PALE_CHECK(rehearse(confinement));
    standing_.shared.started = true;  // From here on an error is no longer one of setting up.
    say(standing_.supervisor, {News::Kind::Ready});
    while (!done_ && !standing_.shared.contained) PALE_CHECK(turn());
    return {};
  }

 private:
  // The commands' own take these places for as long as it takes to start them.
  Status free_standard_descriptors() const {
    for (int number = 0; number < 3; ++number) PALE_CHECK(sys::place_descriptor(null_.borrow(), number));
    return {};
  }

  Status turn() {
    std::vector<sys::Ready> ready = {{standing_.signals.borrow()}, {standing_.supervisor.borrow()}};
    for (const auto& watch : watches_) ready.push_back({watch->listener().borrow()});
    PALE_CHECK(sys::wait_ready(ready, sys::kForever));
    for (std::size_t at = 0; at < watches_.size(); ++at) {
      if (ready[at + 2].readable) PALE_CHECK(watches_[at]->answer_next());
      if (ready[at + 2].closed) watches_[at]->end();
    }
    std::erase_if(watches_, [](const auto& watch) { return !watch->listener().is_open(); });
    if (ready[0].readable) PALE_CHECK(take_signals());
    if (ready[1].readable) return take_order();
    done_ |= ready[1].closed;
    return {};
  }

  Status take_signals() {
    bool look = false;
    while (const auto signal = sys::next_signal(standing_.signals)) {
      if (signal->number == SIGCHLD) reap();
      look |= signal->number == sys::kDirectorySignal || signal->number == SIGIO;
    }
    if (!look) return {};
    PALE_TRY(breach, standing_.appearances.check());
    standing_.shared.contained |= breach;
    return {};
  }

  void reap() {
    for (;;) {
      const auto child = sys::wait_any(sys::WaitMode::Poll);
      if (!child || child->pid == 0) return;
      if (child->pid != command_ || sys::has_stopped(child->status)) continue;
      command_ = 0;
      say(standing_.supervisor, {News::Kind::Exit, sys::exit_code_of(child->status)});
    }
  }

  Status take_order() {
    PALE_TRY(received, sys::receive_message(standing_.supervisor, sys::Waiting::No));
    done_ |= received.closed;
    if (!received.message) return {};
    PALE_TRY(order, parse_order(received.message->text));
    if (order.kind == Order::Kind::Run) return begin(order.command, received.message->descriptors);
    if (order.kind == Order::Kind::Stop) {
      if (last_ != 0) end_offspring(last_, started_at_);
    } else if (command_ != 0) {
      (void)sys::send_signal(-command_, order.signal);
    }
    return {};
  }

  Status begin(const Command& command, const std::vector<sys::Fd>& descriptors) {
    if (descriptors.size() != 3) return fail(ErrorKind::System, "a command came without its descriptors", "");
    for (int number = 0; number < 3; ++number)
      PALE_CHECK(sys::place_descriptor(descriptors[static_cast<std::size_t>(number)].borrow(), number));
    standing_.shared.exec_error = 0;
    reporter_.begin();
    Confinement confinement = standing_.confinement_for(command, TerminalUse::Apart);
    started_at_ = sys::ticks_since_boot();
    auto pid = start_command(confinement);
    PALE_CHECK(free_standard_descriptors());
    // A directory that is not there, or not any more, is the order's fault, not the sandbox's.
    if (!pid && pid.error().operation == "go to") {
      standing_.shared.failed = false;
      say(standing_.supervisor, {News::Kind::NotBegun, pid.error().number});
      say(standing_.supervisor, {News::Kind::Exit, kNotFound});
      return {};
    }
    if (!pid) return std::unexpected(std::move(pid).error());
    command_ = last_ = *pid;
    if (standing_.shared.exec_error != 0)
      say(standing_.supervisor, {News::Kind::NotBegun, standing_.shared.exec_error});
    keep_watch(std::move(confinement.listener));
    return {};
  }

  void keep_watch(sys::Fd listener) {
    if (!listener.is_open()) return;
    sys::speed_up_listener(listener);
    // Whoever is still behind the oldest gets no answers any more, and with that no file that it would create.
    if (watches_.size() >= kMostWatches) watches_.erase(watches_.begin());
    watches_.push_back(
        std::make_unique<Watch>(standing_.launch.boundary, std::move(listener), standing_.launch.staged, &reporter_));
  }

  Standing& standing_;
  Reporter reporter_;
  sys::Fd null_;
  std::vector<std::unique_ptr<Watch>> watches_;
  sys::Pid command_ = 0;  // 0: none runs
  sys::Pid last_ = 0;     // it, or the one before
  std::uint64_t started_at_ = 0;
  bool done_ = false;
};

}  // namespace

Status serve_commands(Standing& standing) { return Service(standing).serve(); }

}  // namespace pale::sandbox
