#include "tools/serve.h"

#include <algorithm>
#include <array>

#include "sys/event.h"
#include "sys/file.h"
#include "tools/conversation.h"
#include "tools/lines.h"

namespace pale::tools {
namespace {

// What a pipe takes at once, if it takes anything: writing no more than this never waits for the reader.
constexpr std::size_t kAtOnce = 4096;
constexpr std::size_t kMostUnsent = 8UL << 20U;  // beyond that, nothing more is read
constexpr std::int64_t kSoonMs = 100;            // while calls run: progress is told

class Service {
 public:
  Service(const Workplace& place, std::string_view version, Streams streams)
      : conversation_(place, version), streams_(streams), lines_(kMostBytes) {}

  Status run() {
    while (!over_) {
      if (conversation_.is_idle() && conversation_.unsent.empty()) {
        read();  // and wait for it
      } else {
        PALE_CHECK(wait());
      }
    }
    return flush();
  }

 private:
  Status wait() {
    waits_.clear();
    waits_.push_back({.descriptor = streams_.output, .wish = sys::Wish::Write});
    waits_.push_back({streams_.input});
    // A negative number is waited for by nobody.
    if (conversation_.unsent.empty()) waits_[0].descriptor = -1;
    if (conversation_.unsent.size() > kMostUnsent) waits_[1].descriptor = -1;
    conversation_.add_waits(waits_);
    PALE_CHECK(sys::wait_ready(waits_, conversation_.is_idle() ? sys::kForever : patience()));
    if (waits_[0].closed) return fail(ErrorKind::System, "nobody reads the answers", "");
    if (waits_[0].writable) PALE_CHECK(write());
    if (waits_[1].readable || waits_[1].closed) read();
    if (!conversation_.is_idle()) conversation_.look_after_calls(sys::monotonic_ms());
    return {};
  }

  std::int64_t patience() const {
    const std::int64_t left = conversation_.next_ms() - sys::monotonic_ms();
    return std::clamp<std::int64_t>(left, 0, kSoonMs);
  }

  void read() {
    const std::size_t got = sys::read_some(streams_.input, buffer_);
    over_ |= got == 0;
    lines_.feed(
        {buffer_.data(), got}, [&](std::string_view line) { conversation_.take(line); },
        [&] { conversation_.take_too_long(); });
  }

  Status write() {
    const std::string_view part = std::string_view(conversation_.unsent).substr(sent_, kAtOnce);
    PALE_CHECK(sys::write_all(streams_.output, part));
    sent_ += part.size();
    if (sent_ < conversation_.unsent.size()) return {};
    conversation_.unsent.clear();
    sent_ = 0;
    return {};
  }

  // Who closed the one end may still read at the other.
  Status flush() const { return sys::write_all(streams_.output, std::string_view(conversation_.unsent).substr(sent_)); }

  Conversation conversation_;
  Streams streams_;
  Lines lines_;
  std::vector<sys::Ready> waits_;
  std::array<char, 65536> buffer_ = {};
  std::size_t sent_ = 0;
  bool over_ = false;
};

}  // namespace

Status serve(const Workplace& place, std::string_view version, Streams streams) {
  const auto service = std::make_unique<Service>(place, version, streams);
  return service->run();
}

}  // namespace pale::tools
