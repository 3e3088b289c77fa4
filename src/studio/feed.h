// studio/feed.h: events for pages: of one session, as its journal grows; and of a project, as something in it changes.
//
// Nobody tells the server of a change: sessions, stages and questions are other processes'. As long as somebody listens, the Hub
// looks, once for all who listen to the same.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "mcp/http.h"
#include "mcp/loop.h"
#include "studio/records.h"

namespace pale::studio {

class Feed;

class Hub {
 public:
  Hub(mcp::Loop& loop, Records& records) : loop_(loop), records_(records) {}

  mcp::Loop& loop() noexcept { return loop_; }
  Records& records() noexcept { return records_; }
  std::shared_ptr<mcp::EventSource> project(const std::string& project);
  std::shared_ptr<mcp::EventSource> session(const std::string& project, const std::string& session,
                                            std::uint64_t after);
  // For as long as the server runs.
  boost::asio::awaitable<void> look();

 private:
  friend class Feed;
  struct Watched {
    std::set<Feed*> feeds;
    Records::Signs signs;
    std::uint64_t last = 0;
  };
  using Key = std::pair<std::string, std::string>;  // project, and session or nothing
  boost::asio::awaitable<void> look_once();
  void compare(const Key& key, Records::Signs signs, std::uint64_t last);

  mcp::Loop& loop_;
  Records& records_;
  std::map<Key, Watched> watched_;
};

}  // namespace pale::studio
