// mcp/server.h: what is offered, and the answers of the protocol. Knows no transport, and no state of a client (mcp/peer.h).
//
// Two eras are spoken at once. The older (2025-06-18, 2025-11-25) opens with `initialize` and remembers the client. The newer
// (2026-07-28) remembers nothing: each request says in its _meta which version it speaks and what its client can do.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/json.h"
#include "mcp/message.h"
#include "mcp/seal.h"
#include "mcp/tool.h"

namespace pale::mcp {

inline constexpr std::string_view kOlderVersions[] = {"2025-06-18", "2025-11-25"};
inline constexpr std::string_view kNewerVersion = "2026-07-28";

struct About {
  std::string name;
  std::string title;
  std::string version;
  std::string instructions;
};

// A method beside those of the core. It answers with its result, or throws a Fault.
enum class Eras { Older, Newer, Both };
enum class Caching { None, Private };  // whether the newer era's hints for caches belong to the result
struct Method {
  std::string name;
  Eras eras = Eras::Both;
  Caching caching = Caching::None;
  std::function<boost::asio::awaitable<Json>(Call&)> answer;
};

// Receives what all clients are told; see Server::announce.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void hear(const std::string& method, const Json& params) = 0;
};

class Server {
 public:
  explicit Server(About about);
  Server(const Server&) = delete;  // its methods refer to it
  Server& operator=(const Server&) = delete;

  // Listed in the order in which they were added. A tool of the same name is replaced.
  void add(Tool tool);
  void add(Method method);
  // What the server says of itself beside tools: {"prompts": {}}.
  void declare(const Json& capabilities);

  // Who sees which tools. One that is not seen cannot be called, and is denied like one that does not exist.
  std::function<bool(const Principal&, const Tool&)> visible;

  // Tells every client that listens: notifications/tools/list_changed and the like.
  void announce(const std::string& method, const Json& params = Json::object());

  // For transports and peers.
  const About& about() const noexcept { return about_; }
  const Json& capabilities() const noexcept { return capabilities_; }
  Json identity() const;  // an Implementation
  const Seal& seal() const noexcept { return seal_; }
  std::shared_ptr<const Tool> find(std::string_view name, const Principal& principal) const;
  std::shared_ptr<const Method> method(std::string_view name, bool newer) const;
  void listen(Listener& listener) { listeners_.push_back(&listener); }
  void unlisten(Listener& listener) { std::erase(listeners_, &listener); }

 private:
  Json list_tools(const Principal& principal) const;

  About about_;
  Json capabilities_ = Json::object({{"tools", Json::object()}});
  std::vector<std::shared_ptr<const Tool>> tools_;
  std::map<std::string, std::shared_ptr<const Method>, std::less<>> methods_;
  std::vector<Listener*> listeners_;
  Seal seal_;
};

}  // namespace pale::mcp
