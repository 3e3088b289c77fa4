#include <algorithm>

#include "base/toml_edit.h"
#include "service/explain.h"
#include "studio/areas.h"
#include "studio/manifest.h"
#include "studio/works.h"

namespace pale::studio {
namespace {

using Edit = Result<std::string>;

Operation operation_named(const std::string& name) {
  for (const Operation operation : kOperations) {
    if (to_text(operation) == name) return operation;
  }
  if (name == "delete") return Operation::Remove;
  return name == "link" ? Operation::Create : Operation::Write;
}

std::string relative(const Path& root, const Path& path) { return std::string(root.below(path)); }

bool stands_here(const std::string& where) { return where.starts_with(project::kManifestPlace); }

// The list of what is protected, without what covers the path.
Edit without_protection(const project::Manifest& manifest, const std::string& text, const Path& root,
                        const Path& path) {
  std::vector<std::string> left;
  for (const auto& said : manifest.settings.protections) {
    const Protection rule{said.value.path, said.value.match, {}};
    if (stands_here(said.where) && !rule.covers(path)) left.push_back(relative(root, said.value.path));
  }
  constexpr std::string_view kKeys[] = {"agent", "protected"};
  return toml_set(text, kKeys, toml_list(left));
}

Edit with_folder(const project::Manifest& manifest, const std::string& text, const Path& root, const Path& path) {
  std::vector<std::string> folders;
  for (const auto& said : manifest.settings.folders) folders.push_back(relative(root, said.value));
  const Path parent = path.parent();
  folders.push_back(parent == root ? relative(root, path) : relative(root, parent));
  constexpr std::string_view kKeys[] = {"workspace", "folders"};
  return toml_set(text, kKeys, toml_list(folders));
}

Edit with_trust(const std::string& text) {
  constexpr std::string_view kKeys[] = {"agent", "trust"};
  return toml_set(text, kKeys, toml_text("workspace"));
}

Edit with_zone(const std::string& text, const std::string& zone) {
  const std::string_view keys[] = {"zones", zone, "mode"};
  return toml_set(text, keys, toml_text("rw"));
}

// What could be said otherwise, the least first.
std::vector<Edit> edits_for(const project::Manifest& manifest, const std::string& text, const Path& root,
                            const Path& path) {
  std::vector<Edit> edits;
  if (!manifest.settings.protections.empty()) edits.push_back(without_protection(manifest, text, root, path));
  if (!manifest.settings.folders.empty()) edits.push_back(with_folder(manifest, text, root, path));
  for (const project::Zone& zone : manifest.settings.zones) {
    if (zone.path.covers(path) && zone.access != Access::Write) edits.push_back(with_zone(text, zone.name));
  }
  if (manifest.settings.trust) edits.push_back(with_trust(text));
  return edits;
}

struct Told {
  std::string reason;
  std::string hint;
};

Json impossible(const ManifestText& manifest, const Told& told) {
  return {{"possible", false},        {"reason", sane(told.reason)}, {"manifest", sane(manifest.text)}, {"diff", ""},
          {"changed", Json::array()}, {"digest", manifest.digest},   {"hint", sane(told.hint)}};
}

bool lies_in(const std::vector<project::Said<Path>>& folders, const Path& path) {
  return std::ranges::any_of(folders, [&](const auto& folder) { return folder.value.covers(path); });
}

}  // namespace

Answer propose_change(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(now, service::prepare(request_for(asked), caller));
  const Path& root = now.root();
  PALE_TRY(manifest, read_manifest_text(root));
  PALE_TRY(explained, service::explain_path(now, asked.said("path")));
  const Path& path = explained.path;
  const Operation operation = operation_named(asked.said("operation"));
  const Verdict verdict = explain(now.boundary, path, operation);
  if (!root.covers(path))
    return impossible(
        manifest, {"it lies outside the project, which no manifest can grant: only you can, in your own configuration",
                   std::string("pale config add ") + (operation == Operation::Read ? "ro " : "rw ") + path.text() +
                       " -p " + asked.project});
  const auto& settings = now.resolved.manifest;
  const bool told = settings && !settings->settings.folders.empty() && !lies_in(settings->settings.folders, path);
  if (verdict.allowed() && !told)
    return impossible(manifest, {"the manifest allows it now: a flag or the session's own folders refused it",
                                 "pale explain " + path.text() + " -p " + asked.project});
  if (!manifest.exists || !settings)
    return impossible(manifest,
                      {"the project has no manifest, and what refuses this is no word of one: " + verdict.rule,
                       "pale explain " + path.text() + " -p " + asked.project});
  for (const Edit& edit : edits_for(*settings, manifest.text, root, path)) {
    if (!edit || *edit == manifest.text) continue;
    const auto then = prepare_with(asked, caller, *edit);
    if (!then || !explain(then->boundary, path, operation).allowed()) continue;
    if (told && !lies_in(then->resolved.manifest->settings.folders, path)) continue;
    return Json{{"possible", true},
                {"manifest", sane(*edit)},
                {"diff", sane(diff_between(manifest.text, *edit))},
                {"changed", changed_areas(now.boundary, then->boundary, root)},
                {"digest", manifest.digest},
                {"hint", "PUT /manifest with this text and digest"}};
  }
  return impossible(manifest, {"no change of the manifest allows it: " + verdict.rule + " (" + verdict.origin + ")",
                               "pale explain " + path.text() + " -p " + asked.project});
}

}  // namespace pale::studio
