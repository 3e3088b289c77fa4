#include "sandbox/sighting.h"

#include <algorithm>

namespace pale::sandbox {
namespace {

// Read by git in every directory it passes, whatever it is asked for.
constexpr std::string_view kReadByGit[] = {".gitignore", ".gitattributes", ".gitmodules"};

bool in_folders(const WatchedScope& scope, const Path& path) {
  return std::ranges::any_of(scope.folders, [&](const Path& folder) { return folder.covers(path); });
}

// Somebody granted a part of the workspace by name.
bool is_granted_apart(const Boundary& boundary, const Path& path) {
  const Grant* grant = boundary.grant_for(path);
  const bool apart = grant != nullptr && grant->path != boundary.workspace();
  return apart && boundary.workspace().covers(grant->path) && grant->access >= Access::Read;
}

// Git's own directory is one thing, for which there is a setting of its own.
constexpr std::string_view kGit = ".git";

bool is_in_git(const Boundary& boundary, const Path& path) {
  const std::string_view below = boundary.workspace().below(path);
  return below.starts_with(kGit) && (below.size() == kGit.size() || below[kGit.size()] == '/');
}

bool is_access(const Attempt& attempt) {
  const bool there = attempt.found != Found::Nothing;
  switch (attempt.act) {
    case Act::Read:
    case Act::Execute: return attempt.found == Found::File;
    case Act::Write:
    case Act::Remove:
    case Act::Rename:
    case Act::Link:
    case Act::Chmod: return there;
    case Act::Create: return true;
    case Act::Connect: break;
  }
  return false;
}

}  // namespace

std::string_view to_text(Act act) noexcept {
  switch (act) {
    case Act::Link: return "link";
    case Act::Connect: return "connect";
    default: return pale::to_text(operation_of(act));
  }
}

Operation operation_of(Act act) noexcept {
  switch (act) {
    case Act::Read:
    case Act::Connect: return Operation::Read;
    case Act::Write: return Operation::Write;
    case Act::Create: return Operation::Create;
    case Act::Remove: return Operation::Remove;
    case Act::Rename:
    case Act::Link: return Operation::Rename;
    case Act::Chmod: return Operation::Chmod;
    case Act::Execute: return Operation::Execute;
  }
  return Operation::Read;
}

bool is_told(const Boundary& boundary, const WatchedScope& scope, const Path& path) {
  return boundary.workspace().covers(path) && path != boundary.workspace() &&
         (scope.mode == WatchedScope::Mode::Whole || !in_folders(scope, path));
}

std::optional<Sighting> judge(const Boundary& boundary, const WatchedScope& scope, const Attempt& attempt) {
  using Kind = Sighting::Kind;
  if (!is_access(attempt) || !boundary.workspace().covers(attempt.path)) return std::nullopt;
  const bool git = is_in_git(boundary, attempt.path);
  // Git tidies up directories that it has emptied, and tries its own as well.
  if (git && attempt.act == Act::Remove && boundary.workspace().below(attempt.path) == kGit) return std::nullopt;
  const bool whole = scope.mode == WatchedScope::Mode::Whole;
  const bool outside = !whole && !in_folders(scope, attempt.path) && !is_granted_apart(boundary, attempt.path);
  const bool allowed = outcome_of(boundary, attempt.path, operation_of(attempt.act)) == Outcome::Allowed;
  const auto told = [&](Kind kind) {
    return Sighting{kind, attempt.act,
                    git && kind != Kind::Denied ? (boundary.workspace() / kGit).text() : attempt.path.text()};
  };
  if (!outside) {
    if (allowed) return whole ? std::optional(told(Kind::Used)) : std::nullopt;
    return told(Kind::Denied);
  }
  if (attempt.act == Act::Read && std::ranges::find(kReadByGit, attempt.path.name()) != std::end(kReadByGit))
    return std::nullopt;
  if (scope.mode == WatchedScope::Mode::Strict) return allowed ? std::nullopt : std::optional(told(Kind::Blocked));
  if (!allowed) return told(Kind::Denied);
  return git ? std::nullopt : std::optional(told(Kind::Outside));
}

}  // namespace pale::sandbox
