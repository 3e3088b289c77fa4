// mcp/http_stream.h: what is said in answer to one HTTP request: a single JSON text, or events as they come.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "mcp/outlet.h"

namespace pale::mcp {

// Filled by a call, emptied by the connection that is attached to it. In the older era a client that lost its connection comes back
// for the rest, so what was said is kept for a while.
class Stream final : public Outlet {
 public:
  struct Settings {
    std::uint64_t number = 0;  // within its session
    bool resumable = false;    // events have ids, and are kept
    bool primed = false;       // the first event has nothing but an id, so that even an empty stream can be resumed
    bool may_stream = true;    // the client takes events
    std::size_t most = std::size_t{8} << 20;  // bytes that are kept, or wait for the client
  };
  explicit Stream(const Settings& settings) : settings_(settings) {}

  void send(std::string message) override;
  void finish(std::string response, Verdict verdict) override;
  void abandon() override;
  void part() override;
  bool is_behind() const noexcept override { return unsent_ > kMuchUnsent; }

  // The newest connection has the stream; one before it is told, by no longer being attached.
  std::uint64_t attach(std::function<void()> wake);
  void detach(std::uint64_t attachment);
  bool is_attached(std::uint64_t attachment) const noexcept { return attached_ && attachment == attachment_; }
  bool is_attached() const noexcept { return attached_; }

  // Until it streams, the answer may still be one text.
  bool is_streaming() const noexcept { return streaming_; }
  bool may_stream() const noexcept { return settings_.may_stream; }
  void begin_streaming();
  const std::string& whole() const noexcept { return whole_; }
  Verdict verdict() const noexcept { return verdict_; }

  bool is_over() const noexcept { return over_; }      // nothing more will be said
  bool is_parted() const noexcept { return parted_; }  // not to this connection
  // Events from the cursor on, which moves behind them. Those that are no longer there are left out; the response always is.
  std::string take(std::uint64_t& cursor);

  std::uint64_t number() const noexcept { return settings_.number; }
  // Nobody will come for it: over, and not attached for the second time somebody looks.
  bool is_forgotten() noexcept {
    if (!over_ || attached_) return false;
    return !streaming_ || std::exchange(seen_over_, true);
  }

 private:
  void add(const std::string& data, const char* more = "");
  void wake() const {
    if (wake_) wake_();
  }

  Settings settings_;
  struct Event {
    std::uint64_t number;
    std::string text;
  };
  std::deque<Event> events_;
  std::size_t kept_ = 0;    // bytes in them
  std::size_t unsent_ = 0;  // bytes of those that nobody took yet
  std::uint64_t next_ = 0;
  std::string whole_;
  Verdict verdict_ = Verdict::Answered;
  bool streaming_ = false;
  bool over_ = false;
  bool parted_ = false;
  bool attached_ = false;
  bool seen_over_ = false;
  std::uint64_t attachment_ = 0;
  std::function<void()> wake_;
};

// "12.3": the third event of the twelfth stream of a session.
struct EventId {
  std::uint64_t stream = 0;
  std::uint64_t event = 0;
};
std::optional<EventId> parse_event_id(std::string_view text);

}  // namespace pale::mcp
