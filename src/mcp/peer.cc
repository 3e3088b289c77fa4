#include "mcp/peer.h"

#include "mcp/questions.h"
#include "mcp/running.h"

namespace pale::mcp {

Era era_of(const Message& message) {
  if (message.method == "server/discover") return Era::Newer;
  const auto meta = message.params.find("_meta");
  if (meta == message.params.end() || !meta->is_object()) return Era::Older;
  return meta->contains(kMetaVersion) ? Era::Newer : Era::Older;
}

Peer::Peer(Loop& loop, Server& server, std::size_t most_running)
    : loop_(loop), server_(server), most_running_(most_running) {
  server_.listen(*this);
}

Peer::~Peer() { server_.unlisten(*this); }

void Peer::receive(Message message, Era era, const Principal& principal, std::shared_ptr<Outlet> outlet) {
  switch (message.kind) {
    case MessageKind::Request: return start(std::move(message), era, principal, std::move(outlet));
    case MessageKind::Notification: return take_notification(message);
    case MessageKind::Response: {
      // An answer to nothing, or the second one to a question, is no news.
      if (!message.id.is_number_integer()) return;
      const auto asked = questions_.find(message.id.get<std::int64_t>());
      if (asked != questions_.end()) asked->second->answer(std::move(message));
    }
  }
}

void Peer::start(Message message, Era era, const Principal& principal, std::shared_ptr<Outlet> outlet) {
  const std::string key = print(message.id);
  const std::string name = message.method;
  auto call = std::make_shared<Running>(shared_from_this(), std::move(message), era, principal, std::move(outlet));
  if (running_.contains(key)) {
    return call->refuse({kInvalidRequest, "a request of this id is being answered"}, Verdict::Malformed);
  }
  if (running_.size() >= most_running_) {
    return call->refuse({kInternalError, "too many requests at a time: there are " + std::to_string(most_running_)},
                        Verdict::Answered);
  }
  if (auto fault = call->check()) return call->refuse(std::move(*fault), Verdict::Malformed);
  auto method = server_.method(name, era == Era::Newer);
  if (!method) return call->refuse({kMethodNotFound, "there is no method \"" + name + "\""}, Verdict::NoMethod);
  running_.emplace(key, call);
  Running::start(call, std::move(method));
}

void Peer::take_notification(const Message& message) {
  if (message.method != "notifications/cancelled") return;
  const auto id = message.params.find("requestId");
  if (id == message.params.end()) return;
  // Clients send it for finished requests too.
  const auto found = running_.find(print(*id));
  if (found == running_.end()) return;
  if (const auto call = found->second.lock()) call->cancel();
}

void Peer::cancel_all() {
  const auto calls = running_;
  for (const auto& [id, running] : calls) {
    if (const auto call = running.lock()) call->cancel();
  }
}

void Peer::cancel_subscriptions() {
  const auto calls = running_;
  for (const auto& [id, running] : calls) {
    const auto call = running.lock();
    if (call && call->is_subscription()) call->cancel();
  }
}

void Peer::ended(const Running& call) {
  running_.erase(print(call.id()));
  if (running_.empty() && idle_) idle_();
}

void Peer::when_idle(std::function<void()> callback) {
  idle_ = std::move(callback);
  if (running_.empty() && idle_) idle_();
}

void Peer::hear(const std::string& method, const Json& params) {
  if (is_initialized() && general_) general_->send(print_notification(method, params));
}

}  // namespace pale::mcp
