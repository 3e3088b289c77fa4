#include "mcp/http_stream.h"

#include "base/text.h"

namespace pale::mcp {
namespace {

// How long a client should wait before it comes back, in milliseconds.
constexpr const char* kRetry = "retry: 1000\n";

}  // namespace

void Stream::begin_streaming() {
  if (streaming_) return;
  streaming_ = true;
  if (settings_.primed) add("", kRetry);
}

void Stream::add(const std::string& data, const char* more) {
  std::string text;
  if (settings_.resumable) text = "id: " + std::to_string(settings_.number) + "." + std::to_string(next_) + "\n";
  text += more;
  text += "data: " + data + "\n\n";
  kept_ += text.size();
  unsent_ += text.size();
  events_.push_back({next_++, std::move(text)});
  while (kept_ > settings_.most && events_.size() > 1) {
    kept_ -= events_.front().text.size();
    events_.pop_front();
  }
  wake();
}

void Stream::send(std::string message) {
  if (over_ || !settings_.may_stream) return;
  begin_streaming();
  add(message);
}

void Stream::finish(std::string response, Verdict verdict) {
  if (over_) return;
  over_ = true;
  verdict_ = verdict;
  if (streaming_) return add(response);
  whole_ = std::move(response);
  wake();
}

void Stream::abandon() {
  over_ = true;
  streaming_ = true;
  wake();
}

void Stream::part() {
  if (!settings_.resumable || !settings_.may_stream) return;
  begin_streaming();
  parted_ = true;
  wake();
}

std::uint64_t Stream::attach(std::function<void()> wake) {
  const auto before = std::move(wake_);
  wake_ = std::move(wake);
  attached_ = true;
  // A call may part before anybody was attached: it starts at once.
  if (attachment_++ > 0) parted_ = false;
  if (before) before();
  return attachment_;
}

void Stream::detach(std::uint64_t attachment) {
  if (!is_attached(attachment)) return;
  attached_ = false;
  wake_ = nullptr;
}

std::string Stream::take(std::uint64_t& cursor) {
  std::string text;
  for (const Event& event : events_) {
    if (event.number >= cursor) text += event.text;
  }
  cursor = next_;
  unsent_ = 0;
  if (!settings_.resumable) {
    events_.clear();
    kept_ = 0;
  }
  return text;
}

std::optional<EventId> parse_event_id(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto stream = parse_number(text.substr(0, dot));
  const auto event = parse_number(text.substr(dot + 1));
  if (!stream || !event) return std::nullopt;
  return EventId{*stream, *event};
}

}  // namespace pale::mcp
