#include "studio/manifest.h"

#include "base/sha256.h"
#include "base/text.h"
#include "project/manifest.h"
#include "project/root.h"
#include "stage/patch.h"
#include "sys/file.h"

namespace pale::studio {
namespace {

constexpr std::size_t kMostManifest = 1UL << 20U;

// The number behind a word; 0 if there is none.
std::uint64_t number_behind(const std::string& text, std::string_view word) {
  const std::size_t found = text.find(word);
  if (found == std::string::npos) return 0;
  const std::size_t at = found + word.size();
  const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
  const auto number = parse_number(text.substr(at, end - at));
  return number ? *number : 0;
}

}  // namespace

std::string digest_of(const std::string& text) { return Sha256().add(text).hex(); }

Result<ManifestText> read_manifest_text(const Path& root) {
  ManifestText manifest{root / project::kManifestPlace, {}, {}, false};
  PALE_TRY(info, sys::file_info(sys::kAbsolute, manifest.file.c_str()));
  if (info.kind == sys::FileKind::Missing) return manifest;
  PALE_TRY(text, sys::read_file(sys::kAbsolute, manifest.file.c_str(), kMostManifest));
  manifest.digest = digest_of(text);
  manifest.text = std::move(text);
  manifest.exists = true;
  return manifest;
}

service::Request request_for(const Asked& asked) {
  service::Request request;
  request.project.id = asked.project;
  return request;
}

Result<project::Resolved> resolve_project(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(around, service::surroundings_of(caller));
  return project::resolve({.root = {}, .id = asked.project}, around);
}

Result<project::Resolved> with_manifest(project::Resolved resolved, const std::string& text) {
  const Path root = resolved.project.root();
  const Path file = root / project::kManifestPlace;
  PALE_TRY(manifest, project::parse_manifest({file.text(), std::string(project::kManifestPlace), text}, root));
  resolved.manifest = std::move(manifest);
  return resolved;
}

// Its own may be broken: what counts is where the project lies.
Result<service::Prepared> prepare_with(const Asked& asked, const service::Caller& caller, const std::string& text) {
  PALE_TRY(around, service::surroundings_of(caller));
  PALE_TRY(entry, project::Registry::find_in_file(around.pale_home, asked.project));
  if (!entry) return project::no_such_project(asked.project);
  PALE_TRY(root, project::resolve_root(entry->root.text(), around));
  PALE_TRY(plain, project::Project::make({asked.project, asked.project, root.path, project::WorkspaceType::Manifest, 0,
                                          root.path / project::kManifestPlace}));
  PALE_TRY(resolved,
           with_manifest({std::move(plain), std::nullopt, project::Reason::IdFlag, root.through_link, {}}, text));
  return service::prepare_imagined(request_for(asked), caller, std::move(resolved));
}

Json problem_of(const Error& error) {
  const std::string sentence = error.sentence();
  return {{"line", number_behind(sentence, ": line ")},
          {"column", number_behind(sentence, ", column ")},
          {"message", sane(sentence)},
          {"hint", sane(error.hint)}};
}

std::string diff_between(const std::string& before, const std::string& after) {
  const stage::Version was{before.empty() ? stage::VersionKind::Missing : stage::VersionKind::File, 0644, before};
  return stage::patch_of(project::kManifestPlace, was, {stage::VersionKind::File, 0644, after});
}

}  // namespace pale::studio
