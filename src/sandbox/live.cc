#include "sandbox/live.h"

#include <csignal>

#include "sys/message.h"

namespace pale::sandbox {

Result<LiveSandbox> LiveSandbox::start(const SandboxRequest& request) {
  PALE_TRY(made, Outside::make(request));
  auto outside = std::make_unique<Outside>(std::move(made));
  PALE_TRY(line, sys::make_message_pair());
  const sys::SignalSet caller_signals = sys::block_signals(sys::kAllSignals);
  const Status started =
      outside->start(nullptr, TerminalUse::Apart, caller_signals, std::move(line.second), line.first);
  LiveSandbox sandbox(std::move(outside), std::move(line.first));
  Status ready = started ? sandbox.wait_until_ready() : started;
  if (ready) return sandbox;
  auto ended = sandbox.end();
  return std::unexpected(ended ? std::move(ready).error() : std::move(ended).error());
}

Status LiveSandbox::wait_until_ready() {
  PALE_TRY(received, sys::receive_message(line_, sys::Waiting::Yes));
  if (received.message) return {};
  if (outside_->shared().failed) return fail(outside_->setup_error(outside_->shared().error.get()));
  return fail(ErrorKind::System, "the sandbox was killed while it was built", "");
}

Result<LiveSandbox::Heard> LiveSandbox::next_news() {
  PALE_TRY(received, sys::receive_message(line_, sys::Waiting::No));
  if (!received.message) return Heard{std::nullopt, received.closed};
  PALE_TRY(news, parse_news(received.message->text));
  return Heard{std::move(news), false};
}

Status LiveSandbox::order(const Order& order, std::span<const int> descriptors) {
  const std::string text = to_text(order);
  if (text.size() > sys::kMostMessage)
    return fail(ErrorKind::Usage, "the command is too long", "", "put it into a file of the workspace and run that");
  PALE_TRY(sent, sys::send_message(line_, text, descriptors, sys::Waiting::Yes));
  return sent ? Status{} : fail(ErrorKind::System, "the sandbox does not listen", "");
}

Status LiveSandbox::begin(const Command& command, const Streams& streams) {
  const std::array<int, 3> descriptors = {streams.input.borrow(), streams.output.borrow(), streams.errors.borrow()};
  return order({Order::Kind::Run, command}, descriptors);
}

Status LiveSandbox::terminate_command() { return order({Order::Kind::Signal, {}, SIGTERM}, {}); }

Status LiveSandbox::stop_command() { return order({Order::Kind::Stop}, {}); }

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
