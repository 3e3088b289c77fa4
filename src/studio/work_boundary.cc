#include <algorithm>

#include "base/text.h"
#include "boundary/rule.h"
#include "service/explain.h"
#include "studio/areas.h"
#include "studio/manifest.h"
#include "studio/works.h"
#include "sys/file.h"

namespace pale::studio {
namespace {

constexpr std::size_t kUsualDepth = 2;
constexpr std::size_t kMostDepth = 6;

// "workspace, trust workspace (.pale/project.toml:13)": where it stands, if it says so.
Json origin_json(const std::string& text) {
  Json origin = {{"kind", "other"}, {"text", sane(text)}};
  const std::size_t place = text.find(project::kManifestPlace);
  if (place != std::string::npos) {
    origin["kind"] = "manifest";
    origin["file"] = std::string(project::kManifestPlace);
    const std::size_t colon = place + project::kManifestPlace.size();
    const std::size_t end = std::min(text.find_first_not_of("0123456789", colon + 1), text.size());
    const auto line = colon < text.size() && text[colon] == ':' ? parse_number(text.substr(colon + 1, end - colon - 1))
                                                                : std::nullopt;
    if (line) origin["line"] = *line;
    return origin;
  }
  if (text == "default" || text == "workers") origin["kind"] = "default";
  if (text == "system" || text == "private home") origin["kind"] = "system";
  if (text.starts_with("config") || text.find("config.toml") != std::string::npos) origin["kind"] = "user";
  if (text.starts_with("--")) origin["kind"] = "flag";
  if (text.starts_with("workspace")) origin["kind"] = "workspace";
  return origin;
}

Json rule_json(const Path& path, Access access, const std::string& state, const Rule& rule) {
  return {{"path", sane(path.text())},
          {"access", std::string(to_text(access))},
          {"state", state},
          {"rule", sane(rule.text)},
          {"origin", origin_json(rule.origin)}};
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string message_of(Operation operation, const Verdict& verdict) {
  const std::string what(to_text(operation));
  switch (verdict.outcome) {
    case Outcome::Allowed: return what + " is allowed";
    case Outcome::NotFound: return what + " fails: nothing of it exists inside";
    case Outcome::Denied: return what + " fails: Permission denied";
    case Outcome::Listed: return what + " fails for files; a directory can be listed";
    case Outcome::ReadOnly: break;
  }
  return what + " fails: Read-only file system";
}

std::size_t depth_of(std::uint64_t wanted) { return std::clamp<std::size_t>(wanted, 1, kMostDepth); }

}  // namespace

Answer show_boundary(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(prepared, service::prepare(request_for(asked), caller));
  PALE_TRY(manifest, read_manifest_text(prepared.root()));
  const Boundary& boundary = prepared.boundary;
  Json rules = Json::array();
  for (const Grant& grant : boundary.grants())
    rules.push_back(rule_json(grant.path, grant.access, state_at(boundary, grant.path), rule_of(grant)));
  for (const Protection& protection : boundary.protections())
    rules.push_back(rule_json(protection.path, Access::Read, "protected", rule_of(protection)));
  const Limits& limits = boundary.limits();
  return Json{
      {"root", sane(prepared.root().text())},
      {"rules", std::move(rules)},
      {"network", std::string(to_text(boundary.network()))},
      {"limits",
       {{"memory", or_null(limits.memory)}, {"pids", or_null(limits.pids)}, {"seconds", or_null(limits.seconds)}}},
      {"trust", std::string(project::level_of(prepared.terms.trust.value).name)},
      {"backend", std::string(plan::to_text(prepared.plan.backend))},
      {"weaker", prepared.plan.weaker},
      {"manifest", {{"path", sane(manifest.file.text())}, {"exists", manifest.exists}}}};
}

Answer show_areas(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(prepared, service::prepare(request_for(asked), caller));
  return areas_of(prepared.boundary, prepared.root(), asked.text("path"),
                  depth_of(asked.number("depth", kUsualDepth, kMostDepth)));
}

Answer explain_place(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(prepared, service::prepare(request_for(asked), caller));
  PALE_TRY(explained, service::explain_path(prepared, asked.text("path")));
  Json operations = Json::array();
  for (const auto& [operation, verdict] : explained.verdicts) {
    const std::string name = operation == Operation::Remove ? "delete" : std::string(to_text(operation));
    operations.push_back({{"operation", name},
                          {"allowed", verdict.allowed()},
                          {"outcome", std::string(to_text(verdict.outcome))},
                          {"rule", sane(verdict.rule)},
                          {"origin", origin_json(verdict.origin)},
                          {"message", message_of(operation, verdict)}});
  }
  return Json{{"path", sane(explained.path.text())}, {"operations", std::move(operations)}};
}

Answer try_manifest(const Asked& asked, const service::Caller& caller) {
  const auto imagined = prepare_with(asked, caller, asked.said("manifest"));
  if (!imagined)
    return Json{
        {"problems", Json::array({problem_of(imagined.error())})}, {"tree", nullptr}, {"changed", Json::array()}};
  const auto depth = asked.body.value("depth", static_cast<std::int64_t>(kUsualDepth));
  Answer tree = areas_of(imagined->boundary, imagined->root(), asked.said("path"),
                         depth_of(static_cast<std::uint64_t>(std::max<std::int64_t>(depth, 1))));
  if (!tree) return tree;
  const auto now = service::prepare(request_for(asked), caller);
  Json changed = now ? changed_areas(now->boundary, imagined->boundary, imagined->root()) : Json(Json::array());
  return Json{{"problems", Json::array()}, {"tree", std::move(*tree)}, {"changed", std::move(changed)}};
}

Answer show_manifest(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(pale_home, service::pale_home_of(caller));
  PALE_TRY(entry, project::Registry::find_in_file(pale_home, asked.project));
  if (!entry) return refuse(Fault(project::no_such_project(asked.project).error()));
  PALE_TRY(manifest, read_manifest_text(entry->root));
  return Json{{"path", sane(manifest.file.text())},
              {"text", sane(manifest.text)},
              {"digest", manifest.digest},
              {"exists", manifest.exists}};
}

Answer replace_manifest(const Asked& asked, const service::Caller& caller) {
  const std::string text = asked.said("text");
  const auto imagined = prepare_with(asked, caller, text);
  if (!imagined) {
    const Json problem = problem_of(imagined.error());
    return refuse(Fault(422, "broken_manifest", imagined.error().sentence(), imagined.error().hint,
                        {{"problems", Json::array({problem})}}));
  }
  const Path root = imagined->root();
  PALE_TRY(manifest, read_manifest_text(root));
  if (manifest.digest != asked.said("digest"))
    return refuse(
        Fault(409, "conflict", "the manifest was changed meanwhile", "read it again and make your change there"));
  PALE_CHECK(sys::make_directories(manifest.file.parent().text(), 0755));
  PALE_CHECK(sys::replace_file(manifest.file.text(), text, 0644, sys::Durability::OfDisk));
  return show_manifest(asked, caller);
}

}  // namespace pale::studio
