// mcp/http_service.h: what is answered to which HTTP request. Knows no sockets (mcp/http.cc).
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "mcp/http.h"
#include "mcp/http_sessions.h"
#include "mcp/rate.h"

namespace pale::mcp {

// An answer that comes as it is made.
struct Streaming {
  std::shared_ptr<Stream> stream;
  std::uint64_t cursor = 0;          // the first event to send
  std::shared_ptr<Peer> peer;        // newer era: whoever hangs up cancels
  std::shared_ptr<Session> session;  // older era: whoever hangs up may come back
  std::vector<std::pair<std::string, std::string>> headers;
  std::string owner;
};

class HttpService {
 public:
  HttpService(Loop& loop, Server& server, const HttpOptions& options);

  // Before the body is read: nothing, if it may be. Says who asks.
  std::optional<HttpReply> vet(HttpRequest& request);
  // A route of the owner's that is asked for.
  const Route* route(const HttpRequest& request) const;
  bool has_path(const HttpRequest& request) const { return request.path == options_.path; }
  std::variant<HttpReply, Streaming> answer(const HttpRequest& request);
  // To be asked again after that time.
  HttpReply refuse_busy(const HttpRequest& request, const std::string& sentence,
                        std::chrono::seconds wait = std::chrono::seconds(1)) const;
  // A response to a request with a stream was given, or will never be.
  void end(const Streaming& streaming);

  void sweep();
  void end_streams();  // those that would never end by themselves
  void cancel_all();
  bool is_idle();

 private:
  using Outcome = std::variant<HttpReply, Streaming>;
  HttpReply refuse(const HttpRequest& request, int status, const std::string& sentence) const;
  std::optional<HttpReply> check_caller(HttpRequest& request, const Route* asked);
  std::optional<HttpReply> check_token(HttpRequest& request);
  std::optional<HttpReply> check_rate(const HttpRequest& request);
  Outcome dispatch(const HttpRequest& request);
  Outcome post(const HttpRequest& request);
  Outcome post_newer(const HttpRequest& request, Message message);
  Outcome post_older(const HttpRequest& request, Message message);
  Outcome initialize(const HttpRequest& request, Message message);
  Outcome get(const HttpRequest& request);
  HttpReply remove(const HttpRequest& request);
  std::shared_ptr<Session> session_of(const HttpRequest& request);
  Stream::Settings settings_for(const HttpRequest& request) const;

  Loop& loop_;
  Server& server_;
  const HttpOptions& options_;
  Sessions sessions_;
  Rate rate_;
  std::map<std::string, std::size_t> open_;  // answers under way, by principal
};

// An error that is no answer to a message.
HttpReply refusal(int status, const std::string& sentence);

}  // namespace pale::mcp
