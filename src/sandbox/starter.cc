#include "sandbox/starter.h"

#include <array>
#include <cerrno>
#include <csignal>

#include "sandbox/order.h"
#include "sys/event.h"
#include "sys/message.h"

namespace pale::sandbox {
namespace {

constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;

class Life {
 public:
  Life(const Standing& standing, sys::Fd line) : confinement_(standing.confinement()), line_(std::move(line)) {}

  Status confine(const sys::Fd& parent) {
    PALE_CHECK(sys::die_with_parent());
    if (!confine_self(confinement_)) return fail(confinement_.shared.error.get());
    const std::array<int, 1> listener = {confinement_.listener.borrow()};
    const std::size_t count = confinement_.listener.is_open() ? 1 : 0;
    PALE_CHECK(sys::send_message(parent, "confined", {listener.data(), count}, sys::Waiting::Yes));
    return keep_only_line();
  }

  Status serve() {
    for (;;) {
      PALE_TRY(received, sys::receive_message(line_, sys::Waiting::Yes));
      if (!received.message) return {};
      PALE_TRY(order, parse_order(received.message->text));
      if (received.message->descriptors.size() != 3)
        return fail(ErrorKind::System, "a command came without its descriptors", "");
      PALE_CHECK(run(order.command, received.message->descriptors));
    }
  }

 private:
  // Nothing of the first process's stays open here.
  Status keep_only_line() {
    constexpr int kPlace = 3;
    PALE_CHECK(sys::place_descriptor(line_.borrow(), kPlace));
    if (line_.borrow() != kPlace) line_ = sys::Fd(kPlace);
    (void)confinement_.listener.release();
    sys::close_from(kPlace + 1);
    return sys::seal_descriptors(kPlace);
  }

  // The host is not to be woken by the end of the outputs before it hears of the command's: they stay open here until then.
  Status run(const Command& command, const std::vector<sys::Fd>& streams) {
    Shared& shared = confinement_.shared;
    Started& last = shared.last;
    shared.exec_error = 0;
    last.pid = 0;
    last.over = false;
    last.at = sys::ticks_since_boot();
    ++last.number;
    const auto pid = start_confined(confinement_, command, streams);
    const int number = pid ? shared.exec_error : pid.error().number;
    if (number != 0) say({.kind = News::Kind::NotBegun, .number = number, .path = pid ? "" : pid.error().subject});
    int code = number == ENOENT ? kNotFound : kNotExecutable;
    if (pid) {
      if (last.unwanted == last.number) (void)sys::send_signal(-*pid, SIGTERM);
      // Until it is told it is not taken: if this process is killed on the way, the first one still finds it.
      PALE_TRY(ended, sys::wait_for_end(*pid));
      if (number == 0) code = ended;
    }
    say({.kind = News::Kind::Exit, .number = code, .run = last.number});
    last.over = true;
    sys::let_others_run();  // What is left to do here is nothing that anybody waits for.
    if (pid) PALE_CHECK(sys::wait_for(*pid));
    return {};
  }

  void say(const News& news) const { (void)sys::send_message(line_, to_text(news), {}, sys::Waiting::Yes); }

  Confinement confinement_;
  sys::Fd line_;
};

}  // namespace

Result<Starter> make_starter(const Standing& standing) {
  PALE_TRY(line, sys::make_message_pair());
  PALE_TRY(birth, sys::make_message_pair());
  PALE_TRY(child, sys::fork_into(0));
  if (child.pid == 0) {
    Life life(standing, std::move(line.second));
    birth.first.reset();
    line.first.reset();
    const bool good = life.confine(birth.second) && life.serve();
    sys::exit_now(good ? 0 : 1);
  }
  birth.second.reset();
  PALE_TRY(received, sys::receive_message(birth.first, sys::Waiting::Yes));
  if (!received.message && standing.shared.failed) return fail(standing.shared.error.get());
  if (!received.message) return fail(ErrorKind::System, "a process was killed while it was confined", "");
  Starter starter{child.pid, {}, std::move(line.first)};
  if (!received.message->descriptors.empty()) starter.listener = std::move(received.message->descriptors.front());
  return starter;
}

}  // namespace pale::sandbox
