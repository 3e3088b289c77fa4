#include "sandbox/live.h"

#include <csignal>

namespace pale::sandbox {
namespace {

constexpr std::int64_t kPatienceMs = 10'000;
constexpr int kKilled = 128 + SIGKILL;

}  // namespace

Result<LiveSandbox> LiveSandbox::start(const SandboxRequest& request) {
  PALE_TRY(made, Outside::make(request));
  auto outside = std::make_unique<Outside>(std::move(made));
  PALE_TRY(line, sys::make_message_pair());
  const sys::SignalSet caller_signals = sys::block_signals(sys::kAllSignals);
  const Status started = outside->start(nullptr, TerminalUse::None, caller_signals, std::move(line.second), line.first);
  LiveSandbox sandbox(std::move(outside), std::move(line.first));
  Status ready = started ? sandbox.wait_until_ready() : started;
  if (ready) return sandbox;
  auto ended = sandbox.end();
  return std::unexpected(ended ? std::move(ready).error() : std::move(ended).error());
}

Status LiveSandbox::wait_until_ready() {
  PALE_TRY(received, sys::receive_message(line_, sys::Waiting::Yes));
  if (received.message) {
    PALE_CHECK(take_news(std::move(*received.message)));
    return {};
  }
  if (outside_->shared().failed) return fail(outside_->setup_error(outside_->shared().error.get()));
  return fail(ErrorKind::System, "the sandbox was killed while it was built", "");
}

// What is only for this side is no news.
Result<std::optional<News>> LiveSandbox::take_news(sys::Message message) {
  PALE_TRY(news, parse_news(message.text));
  // Of one command its starter and, if that was killed, the first process may both have told.
  if (news.kind == News::Kind::Exit && news.run != begun_) return std::nullopt;
  if (news.kind == News::Kind::Stopped) {
    stopping_ = false;
    return std::nullopt;
  }
  if (news.kind != News::Kind::Ready) return news;
  if (message.descriptors.empty()) return fail(ErrorKind::System, "the sandbox came without a line to its starter", "");
  starter_line_ = std::move(message.descriptors.front());
  // The one before was killed, and with it went the order that it had not read yet.
  if (static_cast<std::uint32_t>(news.number) < begun_) return News{News::Kind::Exit, kKilled, begun_};
  return std::nullopt;
}

Status LiveSandbox::wait_until_free() {
  while (!starter_line_.is_open() || stopping_) {
    sys::Ready ready = {line_.borrow()};
    PALE_CHECK(sys::wait_ready({&ready, 1}, kPatienceMs));
    PALE_TRY(received, sys::receive_message(line_, sys::Waiting::No));
    if (!received.message) return fail(ErrorKind::System, "the sandbox does not listen", "");
    PALE_TRY(news, take_news(std::move(*received.message)));
    if (news) unheard_.push_back(std::move(*news));
  }
  return {};
}

// First what the first process says: what it saw of a command, it saw before that ended.
Result<LiveSandbox::Heard> LiveSandbox::next_news() {
  if (!unheard_.empty()) {
    Heard heard{std::move(unheard_.front()), false};
    unheard_.erase(unheard_.begin());
    return heard;
  }
  for (;;) {
    PALE_TRY(received, sys::receive_message(line_, sys::Waiting::No));
    if (!received.message && received.closed) return Heard{std::nullopt, true};
    if (!received.message) break;
    PALE_TRY(news, take_news(std::move(*received.message)));
    if (news) return Heard{std::move(news), false};
  }
  if (!starter_line_.is_open()) return Heard{};
  PALE_TRY(received, sys::receive_message(starter_line_, sys::Waiting::No));
  if (received.closed) starter_line_.reset();  // There will be another.
  if (!received.message) return Heard{};
  PALE_TRY(news, take_news(std::move(*received.message)));
  return Heard{std::move(news), false};
}

Status LiveSandbox::order(const sys::Fd& line, const Order& order, std::span<const int> descriptors) {
  const std::string text = to_text(order);
  if (text.size() > sys::kMostMessage)
    return fail(ErrorKind::Usage, "the command is too long", "", "put it into a file of the workspace and run that");
  PALE_TRY(sent, sys::send_message(line, text, descriptors, sys::Waiting::Yes));
  return sent ? Status{} : fail(ErrorKind::System, "the sandbox does not listen", "");
}

Status LiveSandbox::begin(const Command& command, const Streams& streams) {
  const std::array<int, 3> descriptors = {streams.input.borrow(), streams.output.borrow(), streams.errors.borrow()};
  PALE_CHECK(wait_until_free());
  PALE_CHECK(order(starter_line_, {Order::Kind::Run, command}, descriptors));
  ++begun_;
  return {};
}

Status LiveSandbox::terminate_command() {
  return order(line_, {.kind = Order::Kind::Signal, .signal = SIGTERM, .number = begun_}, {});
}

Status LiveSandbox::stop_command() { return order(line_, {Order::Kind::Stop}, {}); }

Status LiveSandbox::stop_all() {
  stopping_ = true;
  return order(line_, {Order::Kind::StopAll}, {});
}

std::string LiveSandbox::receipt() const {
  const SandboxRequest& request = outside_->request();
  return receipt_json(request.boundary, request.plan, outside_->shared().observed, outside_->limits().guards);
}

Result<RunResult> LiveSandbox::end() {
  line_.reset();  // Its first process ends everyone, and itself, when nobody is at the other end.
  if (outside_->init().pid != 0) (void)sys::wait_for(outside_->init().pid);
  auto result = outside_->conclude(Ending::Exited);
  outside_->take_apart();
  return result;
}

}  // namespace pale::sandbox
