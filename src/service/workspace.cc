#include "service/workspace.h"

#include "scope/folders.h"

namespace pale::service {
namespace {

using project::Said;
using project::Scope;
using project::Settings;

constexpr const char* kFolders = "WORKSPACE_FOLDERS";
constexpr const char* kMode = "WORKSPACE_MODE";
constexpr const char* kEnabled = "WORKSPACE_ENABLED";

Scope scope_of(scope::Mode mode) { return mode == scope::Mode::Strict ? Scope::Strict : Scope::Permissive; }

std::unexpected<Error> bad_variable(const char* name, const std::string& value, const std::string& hint) {
  return fail(ErrorKind::Usage, "not a value for " + std::string(name) + ":", value, hint);
}

Result<bool> is_enabled(const Caller& caller) {
  const std::string value = caller.variable(kEnabled);
  if (value.empty() || value == "true" || value == "1") return true;
  if (value == "false" || value == "0") return false;
  return bad_variable(kEnabled, value, "export WORKSPACE_ENABLED=true, or =false");
}

Result<std::vector<Said<Path>>> paths_of(const std::vector<std::string>& names, const std::string& where,
                                         const Path& root) {
  std::vector<Said<Path>> paths;
  for (const std::string& name : names) {
    auto below = scope::name_below(root, name);
    if (!below) {
      Error error = std::move(below).error();
      error.operation = where + ": " + error.operation;
      return fail(std::move(error));
    }
    paths.push_back({root / *below, where});
  }
  return paths;
}

// What is shown of it, whoever said it.
void declare(Settings& settings, const Path& root) {
  std::erase_if(settings.declared, [](const project::Declared& word) { return word.key == "workspace.folders"; });
  if (settings.folders.empty()) return;
  std::string listed;
  for (const auto& folder : settings.folders)
    listed += (listed.empty() ? "" : ", ") + std::string(root.below(folder.value));
  settings.declared.push_back({"workspace.folders", listed, settings.folders.front().where});
}

Result<Settings> narrowed(const Settings& settings, const Said<scope::Workspace>& stories, const Path& root) {
  Settings by;
  PALE_TRY(folders, paths_of(stories.value.folders, stories.where, root));
  by.folders = std::move(folders);
  // Permissive is what it is where nothing is said: no wish for more than the manifest allows.
  if (stories.value.mode == scope::Mode::Strict) by.scope = Said<Scope>{Scope::Strict, stories.where};
  return narrow(settings, by);
}

}  // namespace

Result<WorkspaceRequest> with_variables(WorkspaceRequest by_flags, const Caller& caller) {
  WorkspaceRequest wanted = std::move(by_flags);
  PALE_TRY(enabled, is_enabled(caller));
  if (!enabled && !wanted.off && !wanted.folders) wanted.off = Said<bool>{true, kEnabled};
  const std::string folders = caller.variable(kFolders);
  if (!folders.empty() && enabled && !wanted.folders) {
    auto names = scope::split_folders(folders);
    if (!names) return bad_variable(kFolders, folders, "export WORKSPACE_FOLDERS=lib,src");
    wanted.folders = Said<std::vector<std::string>>{std::move(*names), kFolders};
  }
  const std::string word = caller.variable(kMode);
  if (word.empty()) return wanted;
  const auto mode = scope::parse_mode(word);
  if (!mode) return bad_variable(kMode, word, "export WORKSPACE_MODE=strict, or =permissive");
  if (!wanted.mode) wanted.mode = Said<Scope>{scope_of(*mode), kMode};
  return wanted;
}

Result<Settings> choose_workspace(Settings settings, const WorkspaceRequest& wanted, const Path& root) {
  if (wanted.of_stories && !wanted.off) {
    Said<scope::Workspace> stories = *wanted.of_stories;
    if (wanted.folders) stories.value.folders.clear();
    PALE_TRY(narrower, narrowed(settings, stories, root));
    settings = std::move(narrower);
  }
  if (wanted.off && wanted.off->value) {
    settings.folders.clear();
    settings.scope.reset();
  }
  if (wanted.folders) {
    PALE_TRY(folders, paths_of(wanted.folders->value, wanted.folders->where, root));
    settings.folders = std::move(folders);
  }
  // A variable that is set for all projects says nothing of one that has no folders.
  const bool about_nothing = wanted.mode && wanted.mode->where == kMode && settings.folders.empty();
  if (wanted.mode && !about_nothing) settings.scope = wanted.mode;
  declare(settings, root);
  return settings;
}

bool is_strict(const Settings& settings) {
  return settings.scope && settings.scope->value == Scope::Strict && !settings.folders.empty();
}

}  // namespace pale::service
