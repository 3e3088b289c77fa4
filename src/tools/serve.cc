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
constexpr std::int64_t kLastMs = 10'000;         // for calls that still run at the end of the input

class Service {
 public:
  Service(const Workplace& place, std::string_view version, Streams streams, sys::Fd desk)
      : desk_(std::move(desk)), conversation_(place, version, desk_), streams_(streams), lines_(kMostBytes) {}

  Status run() {
    while (!over_) {
      if (calls().is_idle() && unsent().empty()) {
        sys::linger_for(streams_.input);
        read();  // and wait for it
      } else {
        PALE_CHECK(wait());
      }
    }
    const std::int64_t end = sys::monotonic_ms() + kLastMs;
    while (calls().is_awaited() && sys::monotonic_ms() < end) PALE_CHECK(wait());
    return flush();
  }

 private:
  Calls& calls() noexcept { return conversation_.calls(); }
  std::string& unsent() noexcept { return conversation_.unsent(); }

  Status wait() {
    waits_.clear();
    waits_.push_back({.descriptor = streams_.output, .wish = sys::Wish::Write});
    waits_.push_back({streams_.input});
    // A negative number is waited for by nobody.
    if (unsent().empty()) waits_[0] = over_ ? sys::Ready{streams_.output} : sys::Ready{};
    if (over_ || unsent().size() > kMostUnsent) waits_[1].descriptor = -1;
    calls().add_waits(waits_);
    PALE_CHECK(sys::wait_ready(waits_, calls().is_idle() ? sys::kForever : calls().patience(sys::monotonic_ms())));
    if (waits_[0].closed) return fail(ErrorKind::System, "nobody reads the answers", "");
    if (waits_[0].writable) PALE_CHECK(write());
    if (waits_[1].readable || waits_[1].closed) read();
    if (!calls().is_idle()) calls().look_after(sys::monotonic_ms());
    return {};
  }

  void read() {
    const std::size_t got = sys::read_some(streams_.input, buffer_);
    over_ |= got == 0;
    lines_.feed(
        {buffer_.data(), got}, [&](std::string_view line) { conversation_.take(line); },
        [&] { conversation_.take_too_long(); });
  }

  Status write() {
    const std::string_view part = std::string_view(unsent()).substr(sent_, kAtOnce);
    PALE_CHECK(sys::write_all(streams_.output, part));
    sent_ += part.size();
    if (sent_ < unsent().size()) return {};
    unsent().clear();
    sent_ = 0;
    return {};
  }

  // Who closed the one end may still read at the other.
  Status flush() { return sys::write_all(streams_.output, std::string_view(unsent()).substr(sent_)); }

  DeskLine desk_;
  Conversation conversation_;
  Streams streams_;
  Lines lines_;
  std::vector<sys::Ready> waits_;
  std::array<char, 65536> buffer_ = {};
  std::size_t sent_ = 0;
  bool over_ = false;
};

}  // namespace

Status serve(const Workplace& place, std::string_view version, Streams streams, sys::Fd desk) {
  const auto service = std::make_unique<Service>(place, version, streams, std::move(desk));
  return service->run();
}

}  // namespace pale::tools
