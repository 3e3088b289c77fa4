#include "mcp/server.h"

#include <algorithm>

#include "mcp/core.h"

namespace pale::mcp {
namespace {

Json describe(const Tool& tool) {
  Json json{{"name", tool.name}};
  if (!tool.title.empty()) json["title"] = tool.title;
  json["description"] = tool.description;
  json["inputSchema"] = tool.input_schema;
  if (!tool.output_schema.is_null()) json["outputSchema"] = tool.output_schema;
  json["annotations"] = Json{{"readOnlyHint", tool.annotations.read_only},
                             {"destructiveHint", tool.annotations.destructive},
                             {"idempotentHint", tool.annotations.idempotent},
                             {"openWorldHint", tool.annotations.open_world}};
  return json;
}

}  // namespace

Server::Server(About about) : about_(std::move(about)) {
  for (Method& core : core_methods()) add(std::move(core));
  add(Method{"tools/list", Eras::Both, Caching::Private,
             [this](Call& call) -> boost::asio::awaitable<Json> { co_return list_tools(call.principal()); }});
}

void Server::add(Tool tool) {
  auto added = std::make_shared<const Tool>(std::move(tool));
  for (auto& known : tools_) {
    if (known->name == added->name) {
      known = std::move(added);
      return;
    }
  }
  tools_.push_back(std::move(added));
}

void Server::add(Method method) {
  std::string name = method.name;
  methods_.insert_or_assign(std::move(name), std::make_shared<const Method>(std::move(method)));
}

void Server::declare(const Json& capabilities) { capabilities_.update(capabilities, true); }

void Server::announce(const std::string& method, const Json& params) {
  // A listener may go away by what it hears.
  const std::vector<Listener*> now = listeners_;
  for (Listener* listener : now) {
    if (std::ranges::find(listeners_, listener) != listeners_.end()) listener->hear(method, params);
  }
}

Json Server::identity() const {
  Json identity{{"name", about_.name}};
  if (!about_.title.empty()) identity["title"] = about_.title;
  identity["version"] = about_.version;
  return identity;
}

std::shared_ptr<const Tool> Server::find(std::string_view name, const Principal& principal) const {
  for (const auto& tool : tools_) {
    if (tool->name == name) return !visible || visible(principal, *tool) ? tool : nullptr;
  }
  return nullptr;
}

std::shared_ptr<const Method> Server::method(std::string_view name, bool newer) const {
  const auto found = methods_.find(name);
  if (found == methods_.end()) return nullptr;
  return found->second->eras == (newer ? Eras::Older : Eras::Newer) ? nullptr : found->second;
}

Json Server::list_tools(const Principal& principal) const {
  Json tools = Json::array();
  for (const auto& tool : tools_) {
    if (!visible || visible(principal, *tool)) tools.push_back(describe(*tool));
  }
  return Json{{"tools", std::move(tools)}};
}

}  // namespace pale::mcp
