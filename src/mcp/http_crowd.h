// mcp/http_crowd.h: the connections of one server, and who has how many of them: nobody is kept out because somebody else has all.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>

namespace pale::mcp {

class Connection {
 public:
  using Time = std::chrono::steady_clock::time_point;
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;
  virtual bool is_busy() const noexcept = 0;  // with a request
  // Whose request was the last one; empty: of a stranger, or none came yet.
  virtual const std::string& owner() const noexcept = 0;
  // Since when it waits for a request that is let in. Nothing: it answers one, or is closed already.
  virtual std::optional<Time> rests_since() const noexcept = 0;
  virtual void close() = 0;
  virtual void cancel() = 0;  // what it waits for
  virtual void end_subscriptions() = 0;
};

class Crowd {
 public:
  explicit Crowd(std::size_t most) : most_(most) {}

  void add(Connection& connection) { all_.insert(&connection); }
  void remove(Connection& connection) { all_.erase(&connection); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  // Whether one more may come. Of too many, whoever has most loses the one that rested longest; if none rests, nobody may.
  bool has_room();
  // Whether somebody may have one more: up to half of all, and beyond that in the place of one of his own that rests.
  bool has_room_for(const std::string& owner);

 private:
  bool close_longest_resting(const std::string& owner);

  std::size_t most_;
  std::set<Connection*> all_;
};

}  // namespace pale::mcp
