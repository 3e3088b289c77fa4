#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/toml_edit.h"
#include "base/yaml.h"
#include "project/foreign.h"

namespace pale::project {
namespace {

constexpr std::size_t kDeepest = 16;

struct OtherWord {
  std::string_view theirs;
  std::string_view ours;
};
constexpr OtherWord kApprovalModes[] = {
    {"auto", "auto"}, {"manual", "manual"}, {"tool", "tool"}, {"interactive", "manual"}, {"approve_all", "auto"}};
constexpr std::string_view kApprovals[] = {"preApproved", "ask", "blocked"};

class GolemForgeReader {
 public:
  explicit GolemForgeReader(const Source& source) : source_(source) {}

  Foreign read(const YamlValue& whole) {
    for (const YamlMember& member : whole.members()) {
      if (member.key == "sandbox") {
        take_sandbox(member.value);
      } else if (member.key == "approval") {
        take_approval(member.value);
      } else if (member.key == "delegation") {
        take_delegation(member.value);
      } else {
        leave(member, member.key, "Pale has no such key");
      }
    }
    return std::move(foreign_);
  }

 private:
  void leave(const YamlMember& member, const std::string& name, const std::string& why) {
    foreign_.left.push_back(name + " (" + place_in(source_.text, member.key_at) + "): " + why);
  }
  void take(std::string& table, const std::string& name, const std::string& line) {
    table += line + "\n";
    foreign_.taken.push_back(name + ": " + line);
  }
  static bool is_one_of(const YamlValue& value, std::span<const std::string_view> words) {
    return value.text() != nullptr && std::ranges::find(words, *value.text()) != words.end();
  }

  void take_sandbox(const YamlValue& sandbox) {
    constexpr std::array<std::string_view, 2> kModes = {"direct", "sandboxed"};
    std::string table;
    for (const YamlMember& member : sandbox.members()) {
      const std::string name = "sandbox." + member.key;
      const auto path =
          member.value.text() == nullptr ? Result<Path>(std::unexpected(Error())) : Path::parse(*member.value.text());
      if (member.key == "zones") {
        for (const YamlMember& zone : member.value.members()) take_zone(zone);
      } else if (member.key == "mode" && is_one_of(member.value, kModes)) {
        take(table, name, "mode = " + toml_text(*member.value.text()));
      } else if (member.key == "root" && path && !path->is_absolute()) {
        take(table, name, "root = " + toml_text(*member.value.text()));
      } else {
        leave(member, name,
              member.key == "root" ? "it is the project itself, or lies outside" : "Pale has no such thing");
      }
    }
    if (!table.empty()) foreign_.tables = "\n[sandbox]\n" + table + foreign_.tables;
  }

  void take_zone(const YamlMember& zone) {
    constexpr std::array<std::string_view, 2> kModes = {"ro", "rw"};
    const std::string name = "sandbox.zones." + zone.key;
    if (!check_id(zone.key)) return leave(zone, name, "this is no name for a zone");
    std::string table;
    std::string approval;
    for (const YamlMember& member : zone.value.members()) {
      if (member.key == "path" && member.value.text() != nullptr && !member.value.text()->empty()) {
        take(table, name, "path = " + toml_text(*member.value.text()));
      } else if (member.key == "mode" && is_one_of(member.value, kModes)) {
        take(table, name, "mode = " + toml_text(*member.value.text()));
      } else if (member.key == "approval") {
        approval = approvals_of(member.value, name);
      } else {
        leave(member, name + "." + member.key, "Pale has no such thing");
      }
    }
    if (!approval.empty()) take(table, name, "approval = { " + approval + " }");
    foreign_.tables += "\n[zones." + toml_key(zone.key) + "]\n" + table;
  }

  std::string approvals_of(const YamlValue& approval, const std::string& zone) {
    std::string text;
    for (const YamlMember& member : approval.members()) {
      if ((member.key == "write" || member.key == "delete") && is_one_of(member.value, kApprovals)) {
        text += (text.empty() ? "" : ", ") + member.key + " = " + toml_text(*member.value.text());
      } else {
        leave(member, zone + ".approval." + member.key, "Pale has no such thing");
      }
    }
    return text;
  }

  void take_approval(const YamlValue& approval) {
    std::string table;
    for (const YamlMember& member : approval.members()) {
      const std::string* text = member.value.text();
      const auto* mode =
          text == nullptr ? std::end(kApprovalModes) : std::ranges::find(kApprovalModes, *text, &OtherWord::theirs);
      if (member.key == "mode" && mode != std::end(kApprovalModes)) {
        take(table, "approval.mode " + *text, "mode = " + toml_text(mode->ours));
      } else {
        leave(member, "approval." + member.key, "Pale has no such thing");
      }
    }
    if (!table.empty()) foreign_.tables += "\n[approval]\n" + table;
  }

  void take_delegation(const YamlValue& delegation) {
    std::string table;
    for (const YamlMember& member : delegation.members()) {
      if (const auto depth = member.value.whole_number(); member.key == "maxDepth" && depth) {
        take(table, "delegation.maxDepth", "max_depth = " + std::to_string(*depth));
      } else {
        leave(member, "delegation." + member.key, "Pale has no such thing");
      }
    }
    if (!table.empty()) foreign_.tables += "\n[delegation]\n" + table;
  }

  const Source& source_;
  Foreign foreign_;
};

}  // namespace

Result<Foreign> read_golem_forge(const Source& source) {
  auto whole = YamlValue::parse(source.text, kDeepest);
  if (!whole) {
    Error error = std::move(whole).error();
    error.operation = source.file + ":";
    return fail(std::move(error).with_hint("mend that line, or write it in a simpler way"));
  }
  if (whole->kind() != YamlValue::Kind::Mapping)
    return fail(ErrorKind::Usage, source.file + ": this is not a configuration of golem-forge:", "it has no keys",
                "pale help project import");
  return GolemForgeReader(source).read(*whole);
}

}  // namespace pale::project
