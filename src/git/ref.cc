#include "git/ref.h"

#include <algorithm>

namespace pale::git {
namespace {

constexpr std::size_t kIdLength = 40;
constexpr int kLongestChain = 5;  // of symbolic refs, as git
constexpr std::string_view kPacked = "packed-refs";
constexpr std::string_view kKinds[] = {"direct", "symbolic", "odd"};

std::string_view trim_end(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

bool is_good_part(std::string_view part) {
  return !part.empty() && !part.starts_with('.') && !part.ends_with(".lock") && !part.ends_with('.');
}

}  // namespace

bool is_object_id(std::string_view text) noexcept {
  return text.size() == kIdLength &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_lasting(std::string_view name) noexcept {
  return name.starts_with("refs/") || name == "HEAD" || (name.starts_with("worktrees/") && name.ends_with("/HEAD")) ||
         name.find("/refs/") != std::string_view::npos;
}

bool is_good_name(std::string_view name) noexcept {
  const auto forbidden = [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || std::string_view("~^:?*[\\").contains(c);
  };
  if (std::ranges::any_of(name, forbidden) || name.contains("..") || name.contains("@{")) return false;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('/'), name.size());
    if (!is_good_part(name.substr(0, end))) return false;
    if (end == name.size()) return true;
    name.remove_prefix(end + 1);
  }
  return false;
}

Ref parse_loose(std::string name, std::string_view text) {
  if (text.starts_with("ref:")) {
    std::string_view target = trim_end(text.substr(4));
    while (target.starts_with(' ') || target.starts_with('\t')) target.remove_prefix(1);
    if (is_good_name(target)) return {std::move(name), RefKind::Symbolic, std::string(target)};
    return {std::move(name), RefKind::Odd, "names no ref"};
  }
  const std::string_view id = text.substr(0, kIdLength);
  const bool ends =
      text.size() == kIdLength || (text.size() > kIdLength && std::string_view("\n\r\t ").contains(text[kIdLength]));
  if (is_object_id(id) && ends) return {std::move(name), RefKind::Direct, std::string(id)};
  return {std::move(name), RefKind::Odd, text.empty() ? "is empty" : "names no object"};
}

std::vector<Ref> parse_packed(std::string_view text) {
  std::vector<Ref> refs;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#') || line.starts_with('^')) continue;
    const bool good = line.size() > kIdLength + 1 && line[kIdLength] == ' ' &&
                      is_object_id(line.substr(0, kIdLength)) && line.substr(kIdLength + 1).starts_with("refs/") &&
                      is_good_name(line.substr(kIdLength + 1));
    if (good) {
      refs.push_back(
          {std::string(line.substr(kIdLength + 1)), RefKind::Direct, std::string(line.substr(0, kIdLength))});
    } else {
      refs.push_back({std::string(kPacked), RefKind::Odd, "has a line that git does not take"});
    }
  }
  return refs;
}

const Ref* find(const std::vector<Ref>& refs, std::string_view name) noexcept {
  const auto at = std::ranges::lower_bound(refs, name, {}, [](const Ref& ref) { return std::string_view(ref.name); });
  return at != refs.end() && at->name == name ? &*at : nullptr;
}

std::string resolve(const std::vector<Ref>& refs, std::string_view name) {
  const Ref* ref = find(refs, name);
  for (int step = 0; ref != nullptr && ref->kind == RefKind::Symbolic; ++step) {
    if (step == kLongestChain) return {};
    ref = find(refs, ref->target);
  }
  return ref != nullptr && ref->kind == RefKind::Direct ? ref->target : std::string();
}

void write_refs(JsonWriter& out, const std::vector<Ref>& refs) {
  out.begin_array();
  for (const Ref& ref : refs)
    out.begin_array().value(ref.name).value(kKinds[static_cast<std::size_t>(ref.kind)]).value(ref.target).end_array();
  out.end_array();
}

Result<std::vector<Ref>> refs_of(const JsonValue& json) {
  std::vector<Ref> refs;
  for (const JsonValue& item : json.items()) {
    const auto wrong = [] { return fail(ErrorKind::Usage, "not a list of refs", ""); };
    if (item.items().size() != 3) return wrong();
    const auto name = item.items()[0].bytes();
    const std::string* kind = item.items()[1].text();
    const auto target = item.items()[2].bytes();
    if (!name || kind == nullptr || !target) return wrong();
    const auto* at = std::ranges::find(kKinds, *kind);
    if (at == std::end(kKinds)) return wrong();
    refs.push_back({*name, static_cast<RefKind>(at - std::begin(kKinds)), *target});
  }
  std::ranges::sort(refs);
  return refs;
}

}  // namespace pale::git
