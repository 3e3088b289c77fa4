// proxy/passage.h: one connection from inside, and what it is led to.
#pragma once

#include <memory>
#include <optional>

#include "network/visit.h"
#include "proxy/asio.h"
#include "proxy/exchange.h"
#include "proxy/http_head.h"
#include "proxy/server.h"

namespace pale::proxy {

// What is awaited here is given no temporary that has to be destroyed: g++ 12 does that twice.
class Passage : public std::enable_shared_from_this<Passage> {
 public:
  Passage(Server& server, tcp::socket client);
  ~Passage();
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

  // As somebody who knows a proxy: HTTP or SOCKS.
  Async<> through_proxy();
  // To an address that stands in for a host.
  Async<> through_port();
  // With a key, to its host.
  Async<> through_door();

  // From the clock.
  void look_at_time();
  void close();
  // It is over: whatever is open is told of.
  void conclude();

  // Bytes went to the host, or came from it; false: they were too many.
  bool count_sent(std::uint64_t bytes) { return count(visit_.sent, bytes); }
  bool count_received(std::uint64_t bytes) { return count(visit_.received, bytes); }
  void touch() noexcept { touched_ = server_.now(); }

 private:
  enum class Opened { Yes, Blocked, Failed };
  enum class After { Again, Over };

  // To a host, if it may be reached; visit_ says why not. `way` as the log has it.
  Async<Opened> open(const std::string& asked, std::uint16_t port, std::string_view way);
  Async<Opened> connect(const std::vector<network::Endpoint>& endpoints);
  Opened refuse(Ruling ruling);
  Opened fail_with(std::string reason);
  bool count(std::uint64_t& counter, std::uint64_t bytes);
  void end_visit();
  // Of a connection that was kept for the next request: the host has ended it meanwhile.
  bool is_stale();

  Async<> speak_socks();
  Async<> speak_http();
  Async<> tunnel_after_connect(const RequestHead& head);
  Async<After> forward(const RequestHead& head, const AbsoluteTarget& target);
  Async<> answer(int status, std::string_view reason, const std::string& why);
  Async<> answer_refusal();

  // Once it is open: by what is spoken there.
  Async<> carry_on();
  Async<> carry_tls();
  Async<> carry_http();
  Async<> carry_unknown();
  Async<bool> check_hello();
  Async<> relay();

  Async<After> exchange(const RequestHead& head, const std::string& path);
  template <typename Host>
  Sides<Host> sides_with(Host& host) {
    return {client_,
            from_client_,
            host,
            from_host_,
            [this] { close(); },
            [this](std::uint64_t bytes) { return count_sent(bytes); },
            [this](std::uint64_t bytes) { return count_received(bytes); }};
  }

  Server& server_;
  tcp::socket client_;
  tcp::socket host_;
  Inlet from_client_;
  Inlet from_host_;
  network::Visit visit_;
  bool visiting_ = false;   // visit_ is under way
  bool announced_ = false;  // and has been told of
  std::uint64_t began_ = 0;
  std::uint64_t* of_host_ = nullptr;
  std::uint64_t touched_ = 0;
  bool opening_ = true;  // nothing has been agreed upon yet
};

}  // namespace pale::proxy
