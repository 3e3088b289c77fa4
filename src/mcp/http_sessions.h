// mcp/http_sessions.h: clients of the older era over HTTP, who come back by the name of their session.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "mcp/http_stream.h"
#include "mcp/peer.h"

namespace pale::mcp {

class Session {
 public:
  using Time = std::chrono::steady_clock::time_point;
  Session(std::string id, std::string owner, std::shared_ptr<Peer> peer)
      : id_(std::move(id)), owner_(std::move(owner)), peer_(std::move(peer)) {}

  const std::string& id() const noexcept { return id_; }
  const std::string& owner() const noexcept { return owner_; }  // the principal's name: a session's name is no key
  Peer& peer() noexcept { return *peer_; }

  std::shared_ptr<Stream> open_stream(Stream::Settings settings);
  // The one for messages that belong to no request. There is one at a time.
  std::shared_ptr<Stream> open_general_stream(const Stream::Settings& settings);
  std::shared_ptr<Stream> find_stream(std::uint64_t number) const;
  void forget(const Stream& stream) { streams_.erase(stream.number()); }
  void end_general_stream();
  void sweep();

  bool is_used() const;
  Time last_used() const noexcept { return last_used_; }
  void touch(Time now) noexcept { last_used_ = now; }

 private:
  std::string id_;
  std::string owner_;
  std::shared_ptr<Peer> peer_;
  std::map<std::uint64_t, std::shared_ptr<Stream>> streams_;
  std::shared_ptr<Stream> general_;
  std::uint64_t next_stream_ = 1;
  Time last_used_{};
};

class Sessions {
 public:
  Sessions(std::size_t most, std::chrono::milliseconds unused) : most_(most), unused_(unused) {}

  // Nothing, if all are in use.
  std::shared_ptr<Session> open(const std::string& owner, std::shared_ptr<Peer> peer, Session::Time now);
  std::shared_ptr<Session> find(const std::string& id, const std::string& owner, Session::Time now);
  void close(const std::string& id);
  void sweep(Session::Time now);
  std::size_t size() const noexcept { return sessions_.size(); }

  template <typename Do>
  void for_each(Do&& what) {
    for (auto& [id, session] : sessions_) what(*session);
  }

 private:
  bool make_room(const std::string& owner);

  std::size_t most_;
  std::chrono::milliseconds unused_;
  std::map<std::string, std::shared_ptr<Session>> sessions_;
};

}  // namespace pale::mcp
