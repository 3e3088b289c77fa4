#include "sandbox/serve.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <vector>

#include "sandbox/offspring.h"
#include "sandbox/order.h"
#include "sandbox/starter.h"
#include "sys/file.h"
#include "sys/message.h"

namespace pale::sandbox {
namespace {

constexpr int kKilled = 128 + SIGKILL;
constexpr std::size_t kMostTold = 4096;  // denials, and as many changes, for each command
constexpr std::size_t kMostToldBytes = 256UL << 10U;

void say(const sys::Fd& host, const News& news) { (void)sys::send_message(host, to_text(news), {}, sys::Waiting::Yes); }

// Tells the host each thing once a command; and of a flood, that there is more.
class Reporter final : public Witness {
 public:
  Reporter(const Boundary& boundary, const Started& last, const sys::Fd& host)
      : boundary_(boundary), last_(last), host_(host) {}

  void saw(const Path& path, Act act, Found /*found*/, bool refused) override {
    if (refused) {
      denied(path, act);
    } else if (act != Act::Read && boundary_.workspace().covers(path) &&
               is_new(changes_, News::Kind::Changed, path, act)) {
      say(host_, {News::Kind::Changed, 0, 0, path.text(), std::string(to_text(act)), {}});
    }
  }
  bool cares_for(std::string_view /*written*/) const override { return false; }
  bool cares_for(const Path& /*path*/) const override { return false; }
  void connects(const std::string& /*address*/) override {}

 private:
  void denied(const Path& path, Act act) {
    if (!is_new(denials_, News::Kind::Denied, path, act)) return;
    Verdict verdict = explain(boundary_, path, operation_of(act));
    // A directory could be made there: what lies beneath it is protected, and nothing else may take its place.
    if (verdict.allowed()) verdict = explain(boundary_, path, Operation::Rename);
    say(host_,
        {News::Kind::Denied, 0, 0, path.text(), std::string(to_text(act)), verdict.rule + " (" + verdict.origin + ")"});
  }

  // Apart, so that nobody hides what he was refused behind what he may do.
  struct Told {
    std::vector<std::string> things;  // sorted
    std::size_t bytes = 0;
    bool is_full() const noexcept { return things.size() >= kMostTold || bytes >= kMostToldBytes; }
  };

  bool is_new(Told& told, News::Kind kind, const Path& path, Act act) {
    if (number_ != last_.number) {
      number_ = last_.number;
      denials_ = {};
      changes_ = {};
    }
    if (told.is_full()) return false;
    std::string thing = std::string(to_text(act)) + path.text();
    const auto place = std::ranges::lower_bound(told.things, thing);
    if (place != told.things.end() && *place == thing) return false;
    told.things.insert(place, std::move(thing));
    told.bytes += path.text().size();
    if (told.is_full()) {
      say(host_, {kind, 0, 0, {}, "more", {}});
      return false;
    }
    return true;
  }

  const Boundary& boundary_;
  const Started& last_;
  const sys::Fd& host_;
  std::uint32_t number_ = 0;  // of the command they are told of
  Told denials_;
  Told changes_;
};

class Service {
 public:
  explicit Service(Standing& standing)
      : standing_(standing),
        last_(standing.shared.last),
        reporter_(standing.launch.boundary, last_, standing.supervisor) {}

  Status serve() {
    PALE_CHECK(leave_standard_descriptors());
    PALE_CHECK(make_ready());
    standing_.shared.started = true;  // From here on an error is no longer one of setting up.
    while (!done_ && !standing_.shared.contained) PALE_CHECK(turn());
    return {};
  }

 private:
  // The starter has them too, and each command gets its own.
  static Status leave_standard_descriptors() {
    PALE_TRY(null, sys::open_at(sys::kAbsolute, "/dev/null", O_RDWR));
    for (int number = 0; number < 3; ++number) PALE_CHECK(sys::place_descriptor(null.borrow(), number));
    return {};
  }

  Status make_ready() {
    PALE_TRY(starter, make_starter(standing_));
    starter_ = starter.pid;
    watch_.reset();
    if (starter.listener.is_open()) {
      sys::speed_up_listener(starter.listener);
      watch_ = std::make_unique<Watch>(standing_.launch.boundary, standing_.launch.plan, std::move(starter.listener),
                                       standing_.launch.staged, &reporter_);
    }
    const std::array<int, 1> line = {starter.line.borrow()};
    const News news{News::Kind::Ready, static_cast<int>(last_.number.load())};
    PALE_CHECK(sys::send_message(standing_.supervisor, to_text(news), line, sys::Waiting::Yes));
    return {};
  }

  Status turn() {
    std::array<sys::Ready, 3> ready = {sys::Ready{standing_.signals.borrow()},
                                       sys::Ready{standing_.supervisor.borrow()},
                                       sys::Ready{watch_ ? watch_->listener().borrow() : -1}};
    PALE_CHECK(sys::wait_ready(ready, sys::kForever));
    if (ready[2].readable) {
      PALE_CHECK(standing_.prepare_answer());
      if (standing_.shared.contained) return {};
      PALE_CHECK(watch_->answer_next());
    }
    if (ready[2].closed) watch_.reset();
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
    if (starter_ == 0) PALE_CHECK(replace_starter());
    tell_of_orphan();
    if (!look) return {};
    PALE_TRY(breach, standing_.appearances.check());
    standing_.shared.contained |= breach;
    return {};
  }

  void reap() {
    for (;;) {
      const auto child = sys::wait_any(sys::WaitMode::Poll);
      if (!child || child->pid == 0) return;
      if (sys::has_stopped(child->status)) continue;
      if (child->pid == starter_) starter_ = 0;
      if (child->pid == last_.pid) orphan_code_ = sys::exit_code_of(child->status);
    }
  }

  // A command may have killed it: nobody keeps a process from signalling its parent. What it started is this process's now.
  Status replace_starter() {
    if (!orphan_code_ && (last_.pid == 0 || !sys::may_signal(last_.pid))) orphan_code_ = kKilled;
    return make_ready();
  }

  // The command, if it ended without its starter. After that was replaced: the host may have the next order at hand.
  void tell_of_orphan() {
    if (!orphan_code_) return;
    if (last_.number != 0 && !last_.over.exchange(true))
      say(standing_.supervisor, {.kind = News::Kind::Exit, .number = *orphan_code_, .run = last_.number});
    orphan_code_.reset();
  }

  Status take_order() {
    PALE_TRY(received, sys::receive_message(standing_.supervisor, sys::Waiting::No));
    done_ |= received.closed;
    if (!received.message) return {};
    PALE_TRY(order, parse_order(received.message->text));
    if (order.kind == Order::Kind::Stop) {
      if (last_.pid != 0) end_offspring(last_.pid, last_.at);
      return {};
    }
    if (order.kind == Order::Kind::StopAll) {
      end_everyone_but(starter_);
      say(standing_.supervisor, {News::Kind::Stopped});
      return {};
    }
    // The starter looks at this once it has begun the command: one of both sees it.
    last_.unwanted = order.number;
    if (last_.number == order.number && last_.pid != 0 && !last_.over) (void)sys::send_signal(-last_.pid, order.signal);
    return {};
  }

  Standing& standing_;
  Started& last_;
  Reporter reporter_;
  std::unique_ptr<Watch> watch_;
  sys::Pid starter_ = 0;  // 0: it ended
  std::optional<int> orphan_code_;
  bool done_ = false;
};

}  // namespace

Status serve_commands(Standing& standing) { return Service(standing).serve(); }

}  // namespace pale::sandbox
