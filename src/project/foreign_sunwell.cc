#include <algorithm>

#include "base/text.h"
#include "base/time.h"
#include "base/toml_edit.h"
#include "project/foreign.h"

namespace pale::project {
namespace {

// A path that may stand in a manifest: below the project.
bool is_inside(const std::string& path) {
  const auto parsed = Path::parse(path);
  return parsed && !parsed->is_absolute();
}

class SunwellReader {
 public:
  explicit SunwellReader(const Source& source) : source_(source) {}

  Foreign read(const TomlValue& whole) {
    for (const TomlMember& table : whole.members()) {
      if (table.key == "project") {
        each(table, [&](const TomlMember& member) { return take_project(member); });
      } else if (table.key == "workspace") {
        each(table, [&](const TomlMember& member) { return take_workspace(member); });
      } else if (table.key == "agent") {
        each(table, [&](const TomlMember& member) { return take_agent(member); });
      } else {
        leave(table, table.key, "Pale has no such table");
      }
    }
    if (!workspace_.empty()) foreign_.tables += "\n[workspace]\n" + workspace_;
    if (!agent_.empty()) foreign_.tables += "\n[agent]\n" + agent_;
    return std::move(foreign_);
  }

 private:
  void each(const TomlMember& table, auto take) {
    for (const TomlMember& member : table.value.members()) {
      const std::string name = table.key + "." + member.key;
      const std::string problem = take(member);
      if (!problem.empty()) {
        leave(member, name, problem);
      } else {
        foreign_.taken.push_back(
            name + " = " +
            source_.text.substr(member.value.span().begin, member.value.span().end - member.value.span().begin));
      }
    }
  }

  void leave(const TomlMember& member, const std::string& name, const std::string& why) {
    foreign_.left.push_back(name + " (" + place_in(source_.text, member.key_span.begin) + "): " + why);
  }

  // Each returns what is wrong, or nothing.
  std::string take_project(const TomlMember& member) {
    const std::string* text = member.value.text();
    if (member.key == "created") {
      const auto time = parse_iso(text != nullptr ? *text : member.value.written());
      foreign_.created = time.value_or(0);
      return time ? "" : "this is not a time";
    }
    if (member.key != "id" && member.key != "name") return "Pale has no such key";
    if (text == nullptr) return "a text is expected";
    if (member.key == "id" && !check_id(*text)) return "this is no id; " + id_from(*text) + " would be";
    (member.key == "id" ? foreign_.id : foreign_.name) = *text;
    return "";
  }

  std::string take_workspace(const TomlMember& member) {
    const std::string* text = member.value.text();
    if (member.key != "type") return "Pale has no such key";
    if (text == nullptr || (*text != "existing" && *text != "sandboxed"))
      return R"("existing" or "sandboxed" is expected)";
    workspace_ = "type = " + toml_text(*text == "sandboxed" ? "staged" : *text) + "\n";
    return "";
  }

  std::string take_agent(const TomlMember& member) {
    const std::string* text = member.value.text();
    if (member.key == "trust") {
      if (text == nullptr || !parse_trust(*text)) return "this is no level of trust (pale help trust)";
      agent_ += "trust = " + toml_text(*text) + "\n";
      return "";
    }
    if (member.key != "protected") return "Pale has no such key";
    std::vector<std::string> paths;
    for (const TomlValue& item : member.value.items()) {
      if (item.text() == nullptr) return "a list of texts is expected";
      if (is_inside(*item.text())) {
        paths.push_back(*item.text());
      } else {
        leave(member, "agent.protected: " + *item.text(), "it lies outside the project");
      }
    }
    agent_ += "protected = " + toml_list(paths) + "\n";
    return "";
  }

  const Source& source_;
  Foreign foreign_;
  std::string workspace_;
  std::string agent_;
};

}  // namespace

Result<Foreign> read_sunwell(const Source& source) {
  PALE_TRY(whole, parse_source(source));
  return SunwellReader(source).read(whole);
}

std::int64_t last_used_of(const JsonValue& entry, std::int64_t otherwise) {
  const JsonValue* used = entry.find("last_used");
  if (used == nullptr || used->text() == nullptr) return otherwise;
  return parse_iso(*used->text()).value_or(otherwise);
}

}  // namespace pale::project
