#include "service/watch_report.h"

#include <algorithm>

#include "base/text.h"
#include "base/toml_edit.h"
#include "service/learn.h"

namespace pale::service {
namespace {

using sandbox::Act;
using sandbox::Sighting;
using sandbox::WatchedScope;

constexpr std::size_t kMostListed = 20;
constexpr std::size_t kOperationWidth = 9;

std::string line(std::string_view name, const std::string& value) {
  return "[WORKSPACE]   " + std::string(name) + ": " + value + "\n";
}

std::string about(const Sighting& sighting) {
  return line("File", printable(sighting.path)) + line("Operation", std::string(to_text(sighting.act)));
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

std::string listed(const std::vector<Sighting>& sightings, const Path& root) {
  std::string text;
  for (std::size_t at = 0; at < std::min(sightings.size(), kMostListed); ++at) {
    std::string operation(to_text(sightings[at].act));
    operation.append(kOperationWidth - std::min(operation.size(), kOperationWidth - 1), ' ');
    text += "  " + operation + printable(relative_to(root, sightings[at].path)) + "\n";
  }
  if (sightings.size() > kMostListed) text += "  and " + std::to_string(sightings.size() - kMostListed) + " more\n";
  return text;
}

std::vector<Sighting> of_kind(const std::vector<Sighting>& sightings, Sighting::Kind kind) {
  std::vector<Sighting> chosen;
  std::ranges::copy_if(sightings, std::back_inserter(chosen), [&](const Sighting& each) { return each.kind == kind; });
  return chosen;
}

// Nothing was said of folders: what was changed, and how much was read.
WatchSummary summary_of_all(const Path& root, const std::vector<Sighting>& sightings) {
  std::vector<Sighting> changed = of_kind(sightings, Sighting::Kind::Used);
  const std::size_t all = changed.size();
  std::erase_if(changed, [](const Sighting& each) { return each.act == Act::Read || each.act == Act::Execute; });
  WatchSummary summary;
  summary.text = "pale: in " + printable(root.text()) + ": " + counted(all - changed.size(), "file", "files") +
                 " read or executed, " + counted(changed.size(), "change", "changes") + "\n" + listed(changed, root);
  return summary;
}

// The folders that would have had to be named, too.
std::vector<std::string> missing_folders(const Path& root, std::vector<Sighting> outside) {
  for (Sighting& sighting : outside) sighting.kind = Sighting::Kind::Used;
  // The root itself cannot be named, and git has a setting of its own.
  std::erase_if(outside, [&](const Sighting& each) {
    return each.path == (root / ".git").text() ||
           (needs_directory(each.act) && Path::literal(each.path).parent() == root);
  });
  return learn_from(root, outside).folders;
}

bool is_change(const Sighting& sighting) { return sighting.act != Act::Read && sighting.act != Act::Execute; }

bool lies_in_one(const std::vector<std::string>& folders, const Path& root, const std::string& path) {
  return std::ranges::any_of(folders,
                             [&](const std::string& folder) { return (root / folder).covers(Path::literal(path)); });
}

// `verb`: what the user grants, "rw" or "ro".
void offer_grant(WatchSummary& summary, std::string_view verb, const Path& root,
                 const std::vector<std::string>& folders) {
  std::string words;
  for (const std::string& folder : folders) words += " " + shell_word((root / folder).text());
  if (words.empty()) return;
  summary.hints.push_back("for you alone: pale config add " + std::string(verb) + words + " --project-root " +
                          shell_word(root.text()));
}

// Names at the root, for which no folder would do.
std::string at_the_root(const Path& root, const std::vector<Sighting>& outside) {
  std::string text;
  for (const Sighting& each : outside) {
    const Path path = Path::literal(each.path);
    const std::string name = printable(path.name());
    const bool bare = needs_directory(each.act) && path.parent() == root && name != ".git";
    if (bare && (", " + text + ",").find(", " + name + ",") == std::string::npos)
      text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

std::string drop_hint(const WatchedScope& scope, const Path& root, const std::string& stage, StageHolds holds) {
  if (holds == StageHolds::OutsideOnly) return "to drop it: pale stage discard " + shell_word(stage);
  std::string words;
  for (const Path& folder : scope.folders) words += " " + shell_word(relative_to(root, folder.text()));
  return "to drop it, take over nothing but the folders: pale stage apply " + shell_word(stage) + words;
}

void offer(WatchSummary& summary, const WatchedScope& scope, const Path& root, const std::vector<Sighting>& outside) {
  std::vector<Sighting> changes = outside;
  std::erase_if(changes, [](const Sighting& each) { return !is_change(each); });
  const std::vector<std::string> written = missing_folders(root, changes);
  // What was only read is offered to be read.
  std::vector<Sighting> looks = outside;
  std::erase_if(looks, [&](const Sighting& each) { return is_change(each) || lies_in_one(written, root, each.path); });
  const std::vector<std::string> read = missing_folders(root, looks);
  if (!written.empty() || !read.empty()) {
    std::vector<std::string> folders;
    for (const Path& folder : scope.folders) folders.push_back(relative_to(root, folder.text()));
    for (const auto* more : {&written, &read}) folders.insert(folders.end(), more->begin(), more->end());
    std::string hint = "to allow it for good: folders = " + toml_list(folders);
    if (!read.empty()) hint += ", and protected = " + toml_list(read) + " below [agent],";
    summary.hints.push_back(hint + " in .pale/project.toml");
  }
  offer_grant(summary, "rw", root, written);
  offer_grant(summary, "ro", root, read);
  if (const std::string names = at_the_root(root, outside); !names.empty())
    summary.hints.push_back("names at the project's root cannot be allowed by a folder: " + names);
}

}  // namespace

std::string relative_to(const Path& root, const std::string& path) {
  const auto parsed = Path::parse(path);
  const std::string_view below = parsed ? root.below(*parsed) : std::string_view();
  return below.empty() ? path : std::string(below);
}

std::string folder_list(const WatchedScope& scope, const Path& root, std::string_view between) {
  std::string text;
  for (const Path& folder : scope.folders)
    text += (text.empty() ? "" : std::string(between)) + printable(relative_to(root, folder.text()));
  return text;
}

std::string block_of(const WatchedScope& scope, const Boundary& boundary, const Sighting& sighting) {
  switch (sighting.kind) {
    case Sighting::Kind::Blocked:
      return "[WORKSPACE] BLOCKED: File access outside workspace\n" + about(sighting) +
             line("Workspace folders", folder_list(scope, boundary.workspace(), ","));
    case Sighting::Kind::Outside:
      return "[WORKSPACE] WARNING: File access outside workspace (permissive mode)\n" + about(sighting);
    case Sighting::Kind::Denied: {
      const auto path = Path::parse(sighting.path);
      if (!path) return {};
      const pale::Verdict verdict = explain(boundary, *path, operation_of(sighting.act));
      return "pale: refused: " + std::string(to_text(sighting.act)) + " " + printable(sighting.path) + ": " +
             printable(verdict.rule) + " (" + printable(verdict.origin) + ")\n";
    }
    case Sighting::Kind::Used:
    case Sighting::Kind::Reached: break;
  }
  return {};
}

WatchSummary summary_of(const WatchedScope& scope, const Path& root, const std::vector<Sighting>& sightings,
                        const std::string& stage, StageHolds holds) {
  if (scope.mode == WatchedScope::Mode::Whole) return summary_of_all(root, sightings);
  const bool strict = scope.mode == WatchedScope::Mode::Strict;
  const auto outside = of_kind(sightings, strict ? Sighting::Kind::Blocked : Sighting::Kind::Outside);
  WatchSummary summary;
  if (outside.empty()) return summary;
  summary.text = "pale: outside the workspace folders (" + folder_list(scope, root, ", ") + "), " +
                 std::string(strict ? "and refused: " : "and allowed: ") +
                 counted(outside.size(), "access", "accesses") + "\n" + listed(outside, root);
  offer(summary, scope, root, outside);
  if (!stage.empty() && !strict) summary.hints.push_back(drop_hint(scope, root, stage, holds));
  return summary;
}

}  // namespace pale::service
