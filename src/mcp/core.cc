#include "mcp/core.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "mcp/running.h"
#include "mcp/schema.h"

namespace pale::mcp {
namespace {

namespace asio = boost::asio;

Running& running(Call& call) { return static_cast<Running&>(call); }

// Which notifications a subscription of the newer era asks for by which name.
constexpr std::pair<const char*, const char*> kTopics[] = {
    {"toolsListChanged", "notifications/tools/list_changed"},
    {"promptsListChanged", "notifications/prompts/list_changed"},
    {"resourcesListChanged", "notifications/resources/list_changed"},
};

class Subscription final : public Listener {
 public:
  Subscription(Server& server, Outlet& outlet, Json id, const Json& wanted)
      : server_(server), outlet_(outlet), id_(std::move(id)) {
    for (const auto& [topic, method] : kTopics) {
      if (wanted.value(topic, Json()) == true) topics_.emplace_back(topic, method);
    }
    server_.listen(*this);
  }
  ~Subscription() override { server_.unlisten(*this); }

  void acknowledge() {
    Json agreed = Json::object();
    for (const auto& [topic, method] : topics_) agreed[topic] = true;
    tell("notifications/subscriptions/acknowledged", Json{{"notifications", std::move(agreed)}});
  }
  void hear(const std::string& method, const Json& params) override {
    const bool asked_for = std::ranges::any_of(topics_, [&](const auto& topic) { return topic.second == method; });
    if (asked_for) tell(method, params);
  }

 private:
  void tell(const std::string& method, Json params) {
    params["_meta"][kMetaSubscription] = id_;
    outlet_.send(print_notification(method, params));
  }

  Server& server_;
  Outlet& outlet_;
  Json id_;
  std::vector<std::pair<std::string, std::string>> topics_;
};

Json result_of(ToolResult result) {
  Json json{{"content", std::move(result.content)}};
  if (result.structured_content) json["structuredContent"] = std::move(*result.structured_content);
  if (result.is_error) json["isError"] = true;
  return json;
}

}  // namespace

Json Running::initialize() {
  const Json version = params_.value("protocolVersion", Json());
  if (!version.is_string()) throw Fault{kInvalidParams, "protocolVersion is missing, a text"};
  if (!params_.value("capabilities", Json::object()).is_object()) {
    throw Fault{kInvalidParams, "capabilities must be an object"};
  }
  // A version that is not known gets the newest of this era, and the client decides.
  const auto* known = std::ranges::find(kOlderVersions, version.get<std::string>());
  peer_->version_ = known != std::end(kOlderVersions) ? *known : std::end(kOlderVersions)[-1];
  peer_->capabilities_ = params_.value("capabilities", Json::object());
  Json result{{"protocolVersion", peer_->version_},
              {"capabilities", peer_->server_.capabilities()},
              {"serverInfo", peer_->server_.identity()}};
  if (!peer_->server_.about().instructions.empty()) result["instructions"] = peer_->server_.about().instructions;
  return result;
}

Json Running::discover() const {
  Json result{{"supportedVersions", Json::array({kNewerVersion})}, {"capabilities", peer_->server_.capabilities()}};
  if (!peer_->server_.about().instructions.empty()) result["instructions"] = peer_->server_.about().instructions;
  return result;
}

Json Running::set_level() {
  if (!peer_->server_.capabilities().contains("logging")) throw Fault{kMethodNotFound, "nothing is logged here"};
  const Json level = params_.value("level", Json());
  const auto named = level.is_string() ? level_named(level.get<std::string>()) : std::nullopt;
  if (!named)
    throw Fault{kInvalidParams, "level: must be debug, info, notice, warning, error, critical, alert or emergency"};
  peer_->level_ = named;
  return Json::object();
}

asio::awaitable<Json> Running::call_tool() {
  const Json name = params_.value("name", Json());
  if (!name.is_string()) throw Fault{kInvalidParams, "name is missing, a text"};
  tool_ = peer_->server_.find(name.get<std::string>(), principal_);
  if (!tool_) throw Fault{kInvalidParams, "there is no tool \"" + name.get<std::string>() + "\""};
  arguments_ = params_.value("arguments", Json::object());
  if (arguments_.is_null()) arguments_ = Json::object();
  if (const auto wrong = check_schema(tool_->input_schema, arguments_)) {
    const std::string sentence = tool_->name + ": " + *wrong;
    // Since 2025-11-25 it is the model that is told, which can do better the next time.
    if (era_ == Era::Older && peer_->version_ == "2025-06-18") throw Fault{kInvalidParams, sentence};
    co_return result_of(ToolResult::error(sentence));
  }
  ToolResult result = co_await tool_->handler(*this);
  co_return result_of(std::move(result));
}

asio::awaitable<Json> Running::listen() {
  const Json wanted = params_.value("notifications", Json());
  if (!wanted.is_object()) throw Fault{kInvalidParams, "notifications is missing, an object"};
  Subscription subscription(peer_->server_, *outlet_, id_, wanted);
  subscription.acknowledge();
  // Until it is cancelled.
  asio::steady_timer forever(peer_->loop_.executor(), asio::steady_timer::time_point::max());
  co_await forever.async_wait(asio::use_awaitable);
  co_return Json::object();
}

std::vector<Method> core_methods() {
  using Async = asio::awaitable<Json>;
  std::vector<Method> methods;
  methods.push_back(
      {"initialize", Eras::Older, Caching::None, [](Call& call) -> Async { co_return running(call).initialize(); }});
  methods.push_back({"ping", Eras::Older, Caching::None, [](Call&) -> Async { co_return Json::object(); }});
  methods.push_back({"logging/setLevel", Eras::Older, Caching::None,
                     [](Call& call) -> Async { co_return running(call).set_level(); }});
  methods.push_back({"server/discover", Eras::Newer, Caching::Private,
                     [](Call& call) -> Async { co_return running(call).discover(); }});
  methods.push_back(
      {"tools/call", Eras::Both, Caching::None, [](Call& call) -> Async { return running(call).call_tool(); }});
  methods.push_back(
      {"subscriptions/listen", Eras::Newer, Caching::None, [](Call& call) -> Async { return running(call).listen(); }});
  return methods;
}

}  // namespace pale::mcp
