#include "service/loop_scopes.h"

#include "base/text.h"

namespace pale::service {
namespace {

std::string workspace_line(std::string_view text) { return "[WORKSPACE] " + printable(text) + "\n"; }

std::string beginning(const scope::Folders& folders, scope::Mode mode) {
  std::string text = workspace_line("Initialized workspace manager") +
                     workspace_line("  Folders: " + folders.listed()) +
                     workspace_line("  Mode: " + std::string(scope::to_text(mode))) +
                     workspace_line("  Repo Root: " + folders.root.text());
  for (const scope::Folder& folder : folders.all) text += workspace_line("Validated workspace folder: " + folder.name);
  return text + workspace_line("All workspace folders validated") +
         "[INFO] Workspace sandboxing: Enabled (mode: " + std::string(scope::to_text(mode)) + ")\n";
}

}  // namespace

Result<LoopScopes> LoopScopes::begin(const Path& root, const std::vector<std::string>& names, scope::Mode mode,
                                     const Path& prd, LoopScreen& screen) {
  scope::Folders folders{root, {}};
  for (const std::string& name : names) {
    auto folder = find_folder(root, name);
    // A manifest may name single files beside them.
    if (!folder && folder.error().operation.find("is not a directory") != std::string::npos) continue;
    if (!folder) return fail(std::move(folder).error());
    folders.all.push_back(std::move(*folder));
  }
  LoopScopes scopes(prd, std::move(folders));
  if (scopes.folders_.all.empty()) return scopes;
  screen.print(beginning(scopes.folders_, mode));
  PALE_CHECK(scopes.infer(screen, true));
  return scopes;
}

Status LoopScopes::infer(LoopScreen& screen, bool first) const {
  PALE_TRY(file, PrdFile::open(prd_.text()));
  PALE_TRY(changed, infer_file_scopes(file, folders_));
  if (changed.empty() && !first) return {};
  std::string text = workspace_line("Auto-inferring fileScope from workspace...");
  for (const std::string& id : changed) text += workspace_line("Setting fileScope for story " + id);
  screen.print(text + workspace_line("Updated fileScope for " + std::to_string(changed.size()) + " stories"));
  return {};
}

Status LoopScopes::infer_again(LoopScreen& screen) const {
  return folders_.all.empty() ? Status() : infer(screen, false);
}

bool LoopScopes::is_inferred(const scope::Story& story) const {
  if (!story.file_scope || folders_.all.empty()) return false;
  std::vector<scope::FolderContent> names;
  for (const scope::Folder& folder : folders_.all) names.push_back({std::string(folders_.root.below(folder.path)), {}});
  return scope::is_inferred(*story.file_scope, names);
}

}  // namespace pale::service
