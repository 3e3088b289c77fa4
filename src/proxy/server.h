// proxy/server.h: the proxy of one sandbox: what all of its connections share. One thread; it ends with whom it works for.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <memory>
#include <unordered_set>
#include <vector>

#include "network/visit.h"
#include "plan/gate.h"
#include "proxy/policy.h"
#include "proxy/resolver.h"
#include "proxy/tally.h"
#include "sys/fd.h"

namespace pale::proxy {

class Passage;

// A key with what it says: the only place where that is.
struct LoadedKey {
  network::Key key;
  std::string value;  // of the header; empty: it could not be read
  std::string why;    // then
};

class Server {
 public:
  Server(const network::Settings& wanted, std::vector<LoadedKey> loaded, std::string_view certificates, sys::Fd line);

  const network::Settings settings;
  const std::vector<LoadedKey> keys;
  asio::io_context context{1};
  Policy policy;
  Tally tally;
  Resolver resolver;
  asio::ssl::context tls;  // trusts what the system does, and what the user has added

  // Answers at a socket that was made inside.
  void serve(plan::Listener::Kind kind, sys::Fd listener);
  // Until the owner is gone, or has said that it is over; then everybody is told of what was open.
  void run();

  void report(const network::Visit& visit);
  // Counts seconds, while there is anybody.
  std::uint64_t now() const noexcept { return ticks_; }
  void enter(Passage& passage);
  void leave(Passage& passage) { passages_.erase(&passage); }

 private:
  Async<> accept(tcp::acceptor listener, plan::Listener::Kind kind);
  Async<> wait_for_room();
  Async<> answer_datagrams(udp::socket socket);
  Async<> answer_stream(tcp::socket socket);
  std::string answer_name(std::string_view message);
  Async<> watch_owner();
  void tick();
  void send_reports();
  void send_last_reports();

  sys::Fd line_;
  asio::posix::stream_descriptor owner_;
  asio::steady_timer clock_;
  asio::steady_timer again_;
  std::uint64_t ticks_ = 1;
  bool ticking_ = false;
  std::unordered_set<Passage*> passages_;
  std::size_t name_streams_ = 0;
  std::unordered_set<std::string> blocked_names_;
  std::deque<std::string> unsent_;
  bool waits_ = false;
};

}  // namespace pale::proxy
