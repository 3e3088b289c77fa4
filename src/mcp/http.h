// mcp/http.h: serving many clients by HTTP, on one thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "mcp/loop.h"
#include "mcp/message.h"
#include "mcp/server.h"

namespace pale::mcp {

struct HttpRequest {
  std::string method;
  std::string path;                                          // without the query
  std::string query;                                         // what stands behind '?'
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  std::optional<Principal> principal;  // none on an open route
  boost::asio::ip::address local;      // of this machine, to which it came

  std::string_view header(std::string_view name) const;  // the first of that name; empty if there is none
};

// An answer that goes on: server-sent events, as they come. One connection reads it, on the loop's thread, and asks for more only
// when its client has taken what there was: nothing piles up for one that is slow.
class EventSource {
 public:
  EventSource() = default;
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;
  virtual ~EventSource() = default;
  // Events as text; empty: none came for a while, which is said to the client. Nothing: there will be no more.
  virtual boost::asio::awaitable<std::optional<std::string>> next() = 0;
  // The client is gone, or the server goes: next() comes back soon.
  virtual void end() = 0;
};

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::shared_ptr<EventSource> events;  // instead of a body
};

// A further place beside the protocol's. Host and Origin have been checked, and the token unless it is open to all.
struct Route {
  enum class Access { Token, Open };
  std::string method;
  std::string path;  // exact; or with '*' at the end, whatever begins so
  Access access = Access::Token;
  // Before the body is read, of a place that knows others than holders of tokens: a refusal, or nothing.
  std::function<std::optional<HttpReply>(HttpRequest&)> vet;
  std::function<boost::asio::awaitable<HttpReply>(const HttpRequest&)> answer;
};

struct HttpLimits {
  std::size_t header_bytes = 16 << 10;
  std::size_t connections = 1024;
  std::size_t sessions = 2000;                // of the older era; the longest unused one makes room
  std::size_t calls_per_principal = 512;      // and streams, at a time
  std::size_t calls_per_session = 64;         // at a time
  std::size_t unsent = std::size_t{8} << 20;  // bytes of a stream that its client does not read
  double requests_per_second = 2000;          // of one principal, on average
  double burst = 4000;
  std::chrono::milliseconds header_time{10'000};  // to send a request's header, once it has begun
  std::chrono::milliseconds body_time{30'000};
  std::chrono::milliseconds write_time{30'000};
  std::chrono::milliseconds idle_time{75'000};  // between two requests on a connection
  std::chrono::milliseconds patience{2'000};    // an answer that takes longer becomes a stream, kept alive
  std::chrono::milliseconds keep_alive{15'000};
  std::chrono::milliseconds session_time{1'800'000};  // unused
};

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any
  std::string path = "/mcp";
  // Who holds a token; none: refused. Without this hook everybody is `anonymous`.
  std::function<std::optional<Principal>(std::string_view token)> authenticate;
  Principal anonymous;
  std::vector<std::string> hosts;  // names beside localhost and its addresses under which clients may reach the server
  std::vector<std::string> origins;  // pages beside the server's own that may call it: "https://studio.example"
  std::vector<Route> routes;
  // A refusal in the words of the place that was asked for; nothing: in the protocol's.
  std::function<std::optional<HttpReply>(const HttpRequest&, int status, const std::string& sentence)> refusal;
  Bounds bounds;
  HttpLimits limits;
  std::chrono::milliseconds grace{5'000};  // for calls to finish when the server stops; then they are cancelled
  std::function<void(std::uint16_t port)> started;
  // Called once with what stops the server from any thread, before `started`.
  std::function<void(std::function<void()> stop)> stopper;
};

// Returns after SIGTERM, SIGINT or the stopper; calls have finished or were cancelled, streams are closed.
Status serve_http(Loop& loop, Server& server, const HttpOptions& options);

}  // namespace pale::mcp
