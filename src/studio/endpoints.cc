#include "studio/endpoints.h"

#include <algorithm>
#include <map>

#include "studio/assets.h"
#include "studio/request.h"
#include "studio/works.h"

namespace pale::studio {
namespace {

constexpr auto kGate = About::Nothing;
constexpr auto kOf = About::Project;

constexpr Endpoint kEndpoints[] = {
    {"GET", "/openapi.json", Need::Read, kGate, Say(say_document)},
    {"GET", "/me", Need::Read, kGate, Own::Me},
    {"POST", "/logout", Need::Read, kGate, Own::Leave},
    {"GET", "/projects", Need::Read, kGate, Work(list_projects)},
    {"POST", "/projects", Need::Manage, kGate, Work(make_project)},
    {"POST", "/projects/import", Need::Manage, kGate, Work(import_project)},
    {"PUT", "/projects/default", Need::Manage, kGate, Work(choose_default)},
    {"DELETE", "/projects/{id}", Need::Manage, kGate, Work(forget_project)},
    {"GET", "/overview", Need::Read, kOf, Look(count_overview)},
    {"GET", "/boundary", Need::Read, kOf, Work(show_boundary)},
    {"GET", "/boundary/tree", Need::Read, kOf, Work(show_areas)},
    {"GET", "/boundary/explain", Need::Read, kOf, Work(explain_place)},
    {"POST", "/boundary/what-if", Need::Read, kOf, Work(try_manifest)},
    {"GET", "/manifest", Need::Read, kOf, Work(show_manifest)},
    {"PUT", "/manifest", Need::Write, kOf, Work(replace_manifest)},
    {"GET", "/agents", Need::Read, kOf, Work(list_agents)},
    {"GET", "/sessions", Need::Read, kOf, Look(list_sessions)},
    {"POST", "/sessions", Need::Write, kOf, Work(start_task)},
    {"GET", "/sessions/{id}", Need::Read, kOf, Look(show_session)},
    {"GET", "/sessions/{id}/events", Need::Read, kOf, Look(list_events)},
    {"GET", "/sessions/{id}/stream", Need::Read, kOf, Stream::Session},
    {"POST", "/sessions/{id}/input", Need::Write, kOf, Work(give_input)},
    {"POST", "/sessions/{id}/stop", Need::Write, kOf, Work(stop_session)},
    {"GET", "/stream", Need::Read, kOf, Stream::Project},
    {"GET", "/accesses", Need::Read, kOf, Look(list_accesses)},
    {"POST", "/accesses/propose", Need::Read, kOf, Work(propose_change)},
    {"GET", "/stages", Need::Read, kOf, Work(list_stages)},
    {"GET", "/stages/{id}", Need::Read, kOf, Work(show_stage)},
    {"GET", "/stages/{id}/diff", Need::Read, kOf, Work(show_diff)},
    {"GET", "/stages/{id}/conflict", Need::Read, kOf, Work(show_conflict)},
    {"POST", "/stages/{id}/apply", Need::Write, kOf, Work(apply_stage)},
    {"POST", "/stages/{id}/discard", Need::Write, kOf, Work(discard_stage)},
    {"POST", "/stages/{id}/undo", Need::Write, kOf, Work(undo_stage)},
    {"GET", "/workers", Need::Read, kOf, Work(list_workers)},
    {"GET", "/workers/calls", Need::Read, kOf, Look(list_calls)},
    {"GET", "/approvals", Need::Read, kOf, Work(list_approvals)},
    {"POST", "/approvals/{id}", Need::Write, kOf, Work(answer_approval)},
    {"GET", "/loop", Need::Read, kOf, Work(show_loop)},
};

// Whether a path is the one of a table's line; what stands for {id} is written to `id`.
bool matches(std::string_view pattern, std::string_view path, std::string& id) {
  const std::size_t open = pattern.find("{id}");
  if (open == std::string_view::npos) return pattern == path;
  const std::string_view behind = pattern.substr(open + 4);
  if (path.size() <= open + behind.size() || !path.starts_with(pattern.substr(0, open)) || !path.ends_with(behind))
    return false;
  const std::string_view middle = path.substr(open, path.size() - open - behind.size());
  if (middle.find('/') != std::string_view::npos) return false;
  const auto decoded = decode(middle, Plus::Itself);
  if (!decoded) return false;
  id = *decoded;
  return true;
}

const Json& document() {
  static const Json kDocument = Json::parse(openapi_text());
  return kDocument;
}

}  // namespace

std::span<const Endpoint> endpoints() { return kEndpoints; }

Found find_endpoint(std::string_view method, std::string_view path) {
  Found found;
  for (const Endpoint& endpoint : kEndpoints) {
    std::string id;
    if (!matches(endpoint.path, path, id)) continue;
    if (endpoint.method == method) return {&endpoint, std::move(id), false};
    found.other_method = true;
  }
  return found;
}

const Endpoint* find_endpoint(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kEndpoints, [&](const Endpoint& each) { return name_of(each) == name; });
  return found == std::end(kEndpoints) ? nullptr : found;
}

std::string name_of(const Endpoint& endpoint) {
  return std::string(endpoint.method) + " " + std::string(endpoint.path);
}

const Json& body_schema(const Endpoint& endpoint) {
  static const Json kNone;
  std::string method(endpoint.method);
  for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
  const Json& described = document().at("paths").at(std::string(endpoint.path)).at(method);
  if (!described.contains("requestBody")) return kNone;
  const Json& schema = described.at("requestBody").at("content").at("application/json").at("schema");
  const std::string name = schema.at("$ref").get<std::string>();
  return document().at("components").at("schemas").at(name.substr(name.rfind('/') + 1));
}

}  // namespace pale::studio
