#include "tools/accepted.h"

#include <fcntl.h>

#include <algorithm>

#include "base/json.h"
#include "base/json_value.h"
#include "base/text.h"
#include "sys/file.h"
#include "tools/refusal.h"
#include "tools/toolbox.h"

namespace pale::tools {
namespace {

constexpr std::size_t kDeepest = 8;
constexpr std::size_t kDeepestLook = 64;

std::string in_words(const std::vector<std::string>& suffixes) {
  std::string text;
  for (const std::string& suffix : suffixes) text += (text.empty() ? "" : ", ") + printable(suffix);
  return text;
}

std::unexpected<Error> not_accepted(const std::string& path, const AcceptRule& rule) {
  const std::string what =
      rule.suffixes.empty() ? "no file is taken" : "only files are taken whose names end in " + in_words(rule.suffixes);
  return fail(ErrorKind::Refused, path + ":",
              "in " + rule.path.text() + " " + what + ". The rule: " + rule.origin + ".",
              rule.suffixes.empty() ? "" : "Choose such a name.");
}

Status check(const Call& call, const std::string& given, const Path& path) {
  const AcceptRule* rule = call.place.accepted.rule_for(path);
  if (rule == nullptr || rule->accepts(path.name())) return {};
  return not_accepted(given, *rule);
}

// Those that are about the name, and not about what it leads to.
bool is_about_names(const Tool& tool) { return &tool == &kMove || &tool == &kDelete; }

// A directory has any name; what counts are the files in it.
Status check_below(const AcceptRule& rule, const sys::Fd& directory, const std::string& path, std::size_t depth) {
  if (depth > kDeepestLook)
    return fail(ErrorKind::Refused, path + ":", "it lies too deep to be looked at", "do it in smaller parts");
  PALE_TRY(entries, sys::list_directory(directory));
  for (const sys::Entry& entry : entries) {
    const std::string inner = path + "/" + entry.name;
    if (entry.kind == sys::FileKind::Directory) {
      PALE_TRY(below, sys::open_at(directory.borrow(), entry.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
      PALE_CHECK(check_below(rule, below, inner, depth + 1));
    } else if (!rule.accepts(entry.name)) {
      return not_accepted(inner, rule);
    }
  }
  return {};
}

// Of what is moved or deleted: by its name, and by the one that it gets.
Status check_object(const Call& call, const std::string& object, const std::string& given) {
  const Path place = where_it_stands(call.place, given);
  const AcceptRule* rule = call.place.accepted.rule_for(place);
  if (rule == nullptr) return {};
  const auto info = sys::file_info(call.root(), object.c_str());
  if (!info || info->kind != sys::FileKind::Directory) return check(call, given, place);
  const auto directory = sys::open_at(call.root(), object.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) return refuse(call, Operation::Read, object, directory.error());
  return check_below(*rule, *directory, object, 0);
}

bool takes_files(const Tool& tool) {
  constexpr const Tool* kTakers[] = {&kReadFile, &kReadMultipleFiles, &kWriteFile, &kEditFile, &kMove, &kDelete};
  return std::ranges::find(kTakers, &tool) != std::end(kTakers);
}

std::vector<std::string> paths_in(const Call& call) {
  std::vector<std::string> paths = call.arguments.paths("paths");
  for (const std::string_view name : {"path", "source", "destination"}) {
    if (call.arguments.has(name)) paths.push_back(call.arguments.path(name));
  }
  return paths;
}

Result<AcceptRule> read_rule(const JsonValue& json) {
  const auto wrong = [] { return fail(ErrorKind::Usage, "this is no rule for files:", "a key is missing or wrong"); };
  const JsonValue* path = json.find("path");
  const JsonValue* origin = json.find("origin");
  const JsonValue* suffixes = json.find("suffixes");
  if (path == nullptr || origin == nullptr || suffixes == nullptr || !suffixes->is_array()) return wrong();
  const auto place = path->bytes();
  const auto who = origin->bytes();
  if (!place || !who) return wrong();
  PALE_TRY(parsed, Path::parse(*place));
  AcceptRule rule{std::move(parsed), {}, *who};
  for (const JsonValue& each : suffixes->items()) {
    auto suffix = each.bytes();
    if (!suffix) return wrong();
    rule.suffixes.push_back(std::move(*suffix));
  }
  return rule;
}

}  // namespace

bool AcceptRule::accepts(std::string_view name) const noexcept {
  return std::ranges::any_of(suffixes, [&](const std::string& suffix) { return name.ends_with(suffix); });
}

const AcceptRule* Accepted::rule_for(const Path& path) const noexcept {
  const auto found = std::ranges::find_if(rules, [&](const AcceptRule& rule) { return rule.path.covers(path); });
  return found == rules.end() ? nullptr : &*found;
}

bool Accepted::accepts(const Path& path) const noexcept {
  const AcceptRule* rule = rule_for(path);
  return rule == nullptr || rule->accepts(path.name());
}

std::string to_json(const Accepted& accepted) {
  JsonWriter out;
  out.begin_array();
  for (const AcceptRule& rule : accepted.rules) {
    out.begin_object().field("path", rule.path.text()).field("origin", rule.origin).key("suffixes").begin_array();
    for (const std::string& suffix : rule.suffixes) out.value(suffix);
    out.end_array().end_object();
  }
  out.end_array();
  return out.text();
}

Result<Accepted> parse_accepted(std::string_view text) {
  PALE_TRY(json, JsonValue::parse(text, kDeepest));
  Accepted accepted;
  for (const JsonValue& each : json.items()) {
    PALE_TRY(rule, read_rule(each));
    accepted.rules.push_back(std::move(rule));
  }
  return accepted;
}

Status check_accepted(const Call& call, const Tool& tool) {
  if (call.place.accepted.rules.empty() || !takes_files(tool)) return {};
  const std::vector<std::string> paths = paths_in(call);
  for (const std::string& path : paths) {
    if (is_about_names(tool)) {
      PALE_CHECK(check_object(call, paths.front(), path));
      continue;
    }
    PALE_CHECK(check(call, path, where_it_stands(call.place, path)));
    PALE_CHECK(check(call, path, where_it_leads(call.place, path)));
  }
  return {};
}

Result<std::vector<std::string>> suffixes_below(const Workplace& place, const Path& folder) {
  const std::vector<AcceptRule>& rules = place.accepted.rules;
  if (const AcceptRule* rule = place.accepted.rule_for(folder)) {
    if (rule->suffixes.empty()) return not_accepted(folder.text(), *rule);
    return rule->suffixes;
  }
  const auto inside = std::ranges::find_if(rules, [&](const AcceptRule& rule) { return folder.covers(rule.path); });
  if (inside == rules.end()) return std::vector<std::string>();
  return fail(ErrorKind::Refused, folder.text() + ":",
              "in " + inside->path.text() + " below it only some files are taken",
              "Look in that folder, or in another, by its path.");
}

}  // namespace pale::tools
