// mcp/peer.h: one client: what the older era remembers of it, and the requests that are being answered.
// The newer era remembers nothing, so there a peer may be made for each request; what they share is the answering.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "mcp/loop.h"
#include "mcp/message.h"
#include "mcp/outlet.h"
#include "mcp/server.h"

namespace pale::mcp {

class Running;

enum class Era { Older, Newer };
// A request of the newer era says so in its _meta.
Era era_of(const Message& message);

class Peer : public std::enable_shared_from_this<Peer>, public Listener {
 public:
  Peer(Loop& loop, Server& server, std::size_t most_running);
  ~Peer() override;

  // Takes one message; whatever comes of a request goes to its outlet, which others do not need.
  void receive(Message message, Era era, const Principal& principal, std::shared_ptr<Outlet> outlet);
  void cancel_all();
  void cancel_subscriptions();  // which would never end by themselves
  std::size_t running() const noexcept { return running_.size(); }
  bool is_initialized() const noexcept { return !version_.empty(); }
  const std::string& version() const noexcept { return version_; }
  // Called when the last running request has ended.
  void when_idle(std::function<void()> callback);

  // For messages of the older era that belong to no request.
  void set_general_outlet(std::shared_ptr<Outlet> outlet) { general_ = std::move(outlet); }
  void hear(const std::string& method, const Json& params) override;

 private:
  friend class Running;
  void start(Message message, Era era, const Principal& principal, std::shared_ptr<Outlet> outlet);
  void take_notification(const Message& message);
  void ended(const Running& call);

  Loop& loop_;
  Server& server_;
  std::size_t most_running_;
  std::map<std::string, std::weak_ptr<Running>> running_;  // by their ids as JSON; their coroutines keep them
  std::shared_ptr<Outlet> general_;
  std::function<void()> idle_;

  // Of the older era: what `initialize` and logging/setLevel said.
  std::string version_;
  Json capabilities_ = Json::object();
  std::optional<Level> level_;

  // Questions to the client, by the ids given to them.
  struct Question;
  std::map<std::int64_t, Question*> questions_;
  std::int64_t last_question_ = 0;
};

}  // namespace pale::mcp
