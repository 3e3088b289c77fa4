#include "studio/feed.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "studio/session_events.h"

namespace pale::studio {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

constexpr auto kLookPause = std::chrono::milliseconds(200);
constexpr auto kRest = std::chrono::milliseconds(1000);  // while nobody listens
constexpr auto kKeepAlive = std::chrono::seconds(15);
constexpr std::size_t kEventsAtOnce = 500;
constexpr std::size_t kBytesAtOnce = 256UL << 10U;
constexpr const char* kWhats[] = {"sessions", "accesses", "approvals", "stages", "manifest", "loop"};

}  // namespace

// Whoever listens to the Hub.
class Feed : public mcp::EventSource {
 public:
  Feed(Hub& hub, std::string project, std::string session)
      : hub_(hub), key_(std::move(project), std::move(session)), timer_(hub.loop().executor()) {
    hub_.watched_[key_].feeds.insert(this);
  }
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;
  ~Feed() override {
    const auto watched = hub_.watched_.find(key_);
    watched->second.feeds.erase(this);
    if (watched->second.feeds.empty()) hub_.watched_.erase(watched);
  }
  void end() override {
    ended_ = true;
    timer_.cancel();
  }
  virtual void hear(const std::set<std::string>& what) = 0;

 protected:
  // False when nothing came for a while.
  awaitable<bool> wait() {
    timer_.expires_after(kKeepAlive);
    boost::system::error_code woken;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    co_return static_cast<bool>(woken);
  }
  void wake() { timer_.cancel(); }
  bool has_ended() const noexcept { return ended_; }
  Hub& hub() noexcept { return hub_; }
  const std::string& project() const noexcept { return key_.first; }
  const std::string& session() const noexcept { return key_.second; }

 private:
  Hub& hub_;
  std::pair<std::string, std::string> key_;
  asio::steady_timer timer_;
  bool ended_ = false;
};

namespace {

class ProjectFeed final : public Feed {
 public:
  ProjectFeed(Hub& hub, std::string project)
      : Feed(hub, std::move(project), {}), changed_(std::begin(kWhats), std::end(kWhats)) {}

  awaitable<std::optional<std::string>> next() override {
    if (changed_.empty() && !has_ended()) co_await wait();
    if (has_ended()) co_return std::nullopt;
    if (changed_.empty()) co_return "";
    const Json data = {{"what", std::exchange(changed_, {})}};
    co_return "event: changed\ndata: " + data.dump() + "\n\n";
  }
  void hear(const std::set<std::string>& what) override {
    changed_.insert(what.begin(), what.end());
    wake();
  }

 private:
  std::set<std::string> changed_;  // and not yet said: never more than there are names
};

class SessionFeed final : public Feed {
 public:
  SessionFeed(Hub& hub, std::string project, std::string session, std::uint64_t after)
      : Feed(hub, std::move(project), std::move(session)), after_(after) {}

  awaitable<std::optional<std::string>> next() override {
    while (!has_ended() && !over_) {
      news_ = false;
      std::string text;
      co_await hub().loop().run_on_pool([&] { text = read(); });
      if (!text.empty()) co_return text;
      if (news_ || has_ended()) continue;
      const bool woken = co_await wait();
      if (!woken) co_return "";
    }
    co_return std::nullopt;
  }
  void hear(const std::set<std::string>& /*what*/) override {
    news_ = true;
    wake();
  }

 private:
  // What came since the last time, as events.
  std::string read() {
    const auto place = hub().records().project(project());
    if (!place) return over("the project is gone");
    history::EventFilter filter;
    filter.after = after_;
    filter.limit = kEventsAtOnce;
    filter.bytes = kBytesAtOnce;
    const auto page = hub().records().events(*place, session(), filter);
    if (!page) return over(page.error().sentence());
    std::string text;
    for (const session::Event& event : page->events) {
      const Json json = to_json(event);
      text += "id: " + std::to_string(event.number) + "\nevent: " + json.at("kind").get<std::string>() +
              "\ndata: " + json.dump() + "\n\n";
    }
    after_ = page->last;
    return page->over ? text + over("ended") : text;
  }
  std::string over(const std::string& why) {
    over_ = true;
    return "event: over\ndata: " + Json{{"why", sane(why)}}.dump() + "\n\n";
  }

  std::uint64_t after_;
  bool over_ = false;
  bool news_ = false;
};

}  // namespace

std::shared_ptr<mcp::EventSource> Hub::project(const std::string& project) {
  return std::make_shared<ProjectFeed>(*this, project);
}

std::shared_ptr<mcp::EventSource> Hub::session(const std::string& project, const std::string& session,
                                               std::uint64_t after) {
  return std::make_shared<SessionFeed>(*this, project, session, after);
}

void Hub::compare(const Key& key, Records::Signs signs, std::uint64_t last) {
  const auto found = watched_.find(key);
  if (found == watched_.end()) return;  // whoever listened is gone
  Watched& watched = found->second;
  std::set<std::string> changed;
  for (const auto& [what, sign] : signs) {
    const auto before = watched.signs.find(what);
    if (before == watched.signs.end() || before->second != sign) changed.insert(what);
  }
  if (last != watched.last) changed.insert("events");
  watched.signs = std::move(signs);
  watched.last = last;
  // At the first look, too: a feed has said everything when it began, and something may have come since.
  if (changed.empty()) return;
  for (Feed* feed : watched.feeds) feed->hear(changed);
}

awaitable<void> Hub::look_once() {
  std::vector<Key> keys;
  for (const auto& [key, watched] : watched_) keys.push_back(key);
  for (const Key& key : keys) {
    Records::Signs signs;
    std::uint64_t last = 0;
    co_await loop_.run_on_pool([&] {
      if (key.second.empty()) {
        signs = records_.signs_of(key.first);
      } else {
        last = records_.last_event(key.first, key.second);
      }
    });
    compare(key, std::move(signs), last);
  }
}

awaitable<void> Hub::look() {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    timer.expires_after(watched_.empty() ? kRest : kLookPause);
    co_await timer.async_wait(asio::use_awaitable);
    co_await look_once();
  }
}

}  // namespace pale::studio
