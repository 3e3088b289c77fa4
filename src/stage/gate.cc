#include "stage/gate.h"

#include <algorithm>
#include <optional>

#include "base/json_value.h"
#include "base/path.h"
#include "git/read.h"
#include "stage/gate_rules.h"

namespace pale::stage {
namespace {

using gate::Commands;
using gate::Rule;
using gate::When;
using gate::Where;
using Names = std::vector<std::string_view>;

constexpr unsigned kSetuid = 04000;
constexpr unsigned kSetgid = 02000;
constexpr std::size_t kDeepestJson = 64;

// The text up to `separator`, which is taken from `rest` together with it.
std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return taken;
}

// ".." stays as a name like any other: what it means only the kernel knows, and no listing of a directory shows it.
Names names_of(std::string_view path) {
  Names names;
  while (!path.empty()) {
    const std::string_view name = take_until(path, '/');
    if (!name.empty() && name != ".") names.push_back(name);
  }
  return names;
}

bool has(const Names& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

bool is_installed(const Names& names) {
  return std::ranges::any_of(gate::kInstalled, [&](std::string_view directory) { return has(names, directory); });
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool same_name(std::string_view pattern, std::string_view name) {
  if (pattern.starts_with('~')) return name_matches(pattern.substr(1), lower(name));
  return pattern == name || (pattern.find('*') != std::string_view::npos && name_matches(pattern, name));
}

enum class Fit {
  None,
  Above,  // the path is a directory on the way to what the pattern names
  Whole,
};

// As name_matches, with names for bytes: on a mismatch the last "**", or the free beginning, swallows one name more.
Fit fit(std::string_view pattern, Where where, const Names& names) {
  const bool beneath = pattern.ends_with('/');
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t at = 0;                                 // in the pattern
  std::size_t name = where == Where::Nested ? 1 : 0;  // in the names
  std::size_t star = where == Where::Root ? kNone : 0, resume = name;
  while (name < names.size()) {
    std::string_view rest = pattern.substr(at);
    if (rest.empty() && beneath) return Fit::Whole;
    const std::string_view wanted = take_until(rest, '/');
    const std::size_t after = pattern.size() - rest.size();
    if (wanted == "**") {
      star = at = after;
      resume = name;
    } else if (!wanted.empty() && same_name(wanted, names[name])) {
      at = after;
      ++name;
    } else if (star != kNone) {
      at = star;
      name = ++resume;
    } else {
      return Fit::None;
    }
  }
  if (at == pattern.size() && !beneath) return Fit::Whole;
  return at == 0 ? Fit::None : Fit::Above;
}

// Most patterns and paths have nothing in common, and a stage has many paths: a look at first bytes tells.
bool may_fit(std::string_view pattern, const Names& names) {
  const char first = pattern.front();
  return first == '*' || first == '~' ||
         std::ranges::any_of(names, [first](std::string_view name) { return name.front() == first; });
}

Fit fit(const Rule& rule, const Names& names, bool installed) {
  if (installed && rule.where == Where::Sources) return Fit::None;
  Fit best = Fit::None;
  for (std::string_view rest = rule.patterns; !rest.empty() && best != Fit::Whole;) {
    const std::string_view pattern = take_until(rest, ' ');
    if (may_fit(pattern, names)) best = std::max(best, fit(pattern, rule.where, names));
  }
  return best;
}

bool holds(When when, const GateView& change) {
  switch (when) {
    case When::Changed: return true;
    case When::New: return !change.existed;
    case When::Exec:
      return change.is_symlink || change.text_after.size() > kMostGateText ||
             !git::exec_lines(change.text_after).empty();
  }
  return true;
}

std::string by_name(const GateView& change, const Names& names) {
  const bool installed = is_installed(names);
  for (const Rule& rule : gate::kRules) {
    const Fit found = fit(rule, names, installed);
    if (found == Fit::Whole && holds(rule.when, change)) return std::string(rule.reason);
    // Another directory stands there from now on, whose files have names that no rule knows.
    if (found == Fit::Above && change.is_symlink && !rule.reason.empty()) {
      return "a symlink; what it leads to: " + std::string(rule.reason);
    }
  }
  return {};
}

bool may_hold(const Commands& commands, const Names& names) {
  return !names.empty() && names.back() == commands.file && !has(names, commands.packages) && !is_installed(names);
}

std::optional<JsonValue> read_json(std::string_view text) {
  if (text.size() > kMostGateText) return std::nullopt;
  auto value = JsonValue::parse(text, kDeepestJson);
  return value ? std::optional(std::move(*value)) : std::nullopt;
}

std::string written(const JsonValue* value) {
  if (value == nullptr) return {};
  JsonWriter out;
  write_json(out, *value);
  return out.text();
}

const JsonValue* find_in(const std::optional<JsonValue>& whole, std::string_view object, std::string_view name) {
  const JsonValue* holder = whole ? &*whole : nullptr;
  if (holder != nullptr && !object.empty()) holder = holder->find(object);
  return holder == nullptr ? nullptr : holder->find(name);
}

std::string by_commands(const GateView& change, const Names& names) {
  const auto can_hold = [&](const Commands& commands) { return may_hold(commands, names); };
  if (std::ranges::none_of(gate::kCommands, can_hold)) return {};
  const auto after = read_json(change.text_after);
  if (!after) return "its scripts may run on installing: it cannot be read as JSON";
  const auto before = read_json(change.text_before);
  for (const Commands& commands : gate::kCommands) {
    if (!can_hold(commands)) continue;
    std::string changed;
    for (std::string_view rest = commands.names; !rest.empty();) {
      const std::string_view name = take_until(rest, ' ');
      const JsonValue* now = find_in(after, commands.object, name);
      if (now == nullptr || written(now) == written(find_in(before, commands.object, name))) continue;
      changed.append(changed.empty() ? "" : ", ").append(name);
    }
    if (!changed.empty()) return std::string(commands.reason) + changed;
  }
  return {};
}

constexpr std::string_view kRepositoryParts[] = {"objects", "refs", "config", "commondir"};

// Wherever the path is, or lies in, a part of a repository, `seen` is told where that repository would be.
template <typename Seen>
void for_each_part(std::string_view path, const Seen& seen) {
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (std::ranges::find(kRepositoryParts, path.substr(begin, end - begin)) != std::end(kRepositoryParts)) {
      seen(path.substr(0, begin));
    }
    begin = end + 1;
  }
}

}  // namespace

bool needs_text(std::string_view path) {
  const Names names = names_of(path);
  return std::ranges::any_of(gate::kCommands, [&](const Commands& commands) { return may_hold(commands, names); }) ||
         std::ranges::any_of(gate::kRules, [&](const Rule& rule) {
           return rule.when == When::Exec && fit(rule, names, is_installed(names)) == Fit::Whole;
         });
}

std::string gate_reason(const GateView& change) {
  if (!change.exists) return {};
  // Also on a file that had the bit before: what was changed is what now runs with those rights.
  if ((change.mode_after & kSetuid) != 0) return "runs with its owner's rights (setuid)";
  if ((change.mode_after & kSetgid) != 0) return "runs with its group's rights (setgid)";
  const Names names = names_of(change.path);
  std::string reason = by_name(change, names);
  return reason.empty() ? by_commands(change, names) : reason;
}

std::vector<std::string> planted_repositories(std::span<const std::string_view> created) {
  constexpr std::string_view kHead = "HEAD";
  std::vector<std::string_view> heads;  // directories, each with its slash; the root is ""
  for (std::string_view path : created) {
    if (!path.ends_with(kHead)) continue;
    path.remove_suffix(kHead.size());
    // In a ".git" the rules have the say.
    if ((path.empty() || path.ends_with('/')) && !has(names_of(path), ".git")) heads.push_back(path);
  }
  std::ranges::sort(heads);
  std::vector<std::string_view> planted;
  for (const std::string_view path : created) {
    for_each_part(path, [&](std::string_view directory) {
      if (std::ranges::binary_search(heads, directory)) planted.push_back(directory);
    });
  }
  std::ranges::sort(planted);
  const auto again = std::ranges::unique(planted);
  planted.erase(again.begin(), again.end());
  std::vector<std::string> directories;
  for (const std::string_view directory : planted) {
    directories.emplace_back(directory.empty() ? "." : directory.substr(0, directory.size() - 1));
  }
  return directories;
}

}  // namespace pale::stage
