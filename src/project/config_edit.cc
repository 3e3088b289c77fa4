#include "project/config_edit.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "base/toml_edit.h"
#include "project/lock.h"
#include "sys/file.h"

namespace pale::project {
namespace {

constexpr std::string_view kBeginning =
    "# What you allow beyond a project's own root. pale config changes it, and keeps what you write here.\n\n";

// The file's text while nobody else can change it.
class ConfigText {
 public:
  static Result<ConfigText> open(const Path& pale_home) {
    PALE_CHECK(sys::make_directories(pale_home.text(), 0700));
    PALE_TRY(lock, take_lock((pale_home / "config.lock").text(), "the configuration"));
    PALE_CHECK(read_config(pale_home));  // A broken file is mended by its owner, not written over.
    const std::string file = (pale_home / "config.toml").text();
    PALE_TRY(source, read_source(file, ""));
    return ConfigText(source ? std::move(source->text) : std::string(kBeginning), file, std::move(lock));
  }

  Status save(const std::string& changed) {
    if (changed == text) return {};
    return sys::replace_file(file_, changed, 0600, sys::Durability::OfDisk);
  }

  std::string text;

 private:
  ConfigText(std::string content, std::string file, sys::Fd lock)
      : text(std::move(content)), file_(std::move(file)), lock_(std::move(lock)) {}
  std::string file_;
  sys::Fd lock_;
};

std::vector<std::string> path_of_key(const ConfigKey& key, const Path* root) {
  if (root != nullptr) return {"projects", root->text(), std::string(key.name)};
  const std::size_t dot = key.path.find('.');
  if (dot == std::string_view::npos) return {std::string(key.path)};
  return {std::string(key.path.substr(0, dot)), std::string(key.path.substr(dot + 1))};
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

std::unexpected<Error> bad_value(const ConfigKey& key, const std::string& value, std::string hint) {
  return fail(ErrorKind::Usage, "not a value for " + std::string(key.name) + ":", "'" + value + "'", std::move(hint));
}

Status check_value(const ConfigKey& key, const std::string& value) {
  if (!is_utf8(value) || value.empty()) return bad_value(key, value, "a text that is not empty");
  if (key.name == "trust" && !parse_trust(value))
    return bad_value(key, value, "discovery, read_only, workspace, shell or full");
  if (key.name == "network" &&
      std::ranges::find(kNetworkModes, value, &Choice<NetworkMode>::name) == std::end(kNetworkModes))
    return bad_value(key, value, "none, allow or open");
  if (key.name == "hosts") {
    auto rule = parse_host_rule(value, "");
    if (!rule) return fail(std::move(rule).error());
  }
  if (key.name == "history" && !parse_duration(value)) return bad_value(key, value, "a time, such as 30d or 12h");
  const auto path = Path::parse(value);
  if ((key.name == "rw" || key.name == "ro") && (!path || !path->is_absolute() || path->is_root()))
    return bad_value(key, value, "an absolute path");
  if (key.name == "env" && value.find('=') != std::string::npos) return bad_value(key, value, "the name of a variable");
  return {};
}

// What a list holds now.
std::vector<std::string> items_of(const std::string& text, const std::vector<std::string>& keys) {
  const auto whole = TomlValue::parse(text, 16);
  const TomlValue* value = whole ? &*whole : nullptr;
  for (const std::string& key : keys) value = value == nullptr ? nullptr : value->find(key);
  std::vector<std::string> items;
  if (value == nullptr) return items;
  for (const TomlValue& item : value->items()) {
    if (item.text() != nullptr) items.push_back(*item.text());
  }
  return items;
}

std::string written(const ConfigKey& key, std::span<const std::string> values) {
  return key.is_list ? toml_list(values) : toml_text(values.front());
}

}  // namespace

const ConfigKey* find_config_key(std::string_view name) {
  const auto* found = std::ranges::find_if(
      kConfigKeys, [&](const ConfigKey& key) { return key.name == name || (!key.path.empty() && key.path == name); });
  return found == std::end(kConfigKeys) ? nullptr : found;
}

Status change_config(const Path& pale_home, ConfigChange change, const ConfigKey& key,
                     std::span<const std::string> values, const Path* root) {
  for (const std::string& value : values) PALE_CHECK(check_value(key, value));
  if (root != nullptr && !is_utf8(root->text()))
    return fail(ErrorKind::Usage, "a path that is not UTF-8 cannot stand in the configuration:", root->text(),
                "give it at each run, as a flag");
  const std::vector<std::string> keys = path_of_key(key, root);
  PALE_TRY(config, ConfigText::open(pale_home));
  if (change == ConfigChange::Unset) {
    PALE_TRY(changed, toml_remove(config.text, views(keys)));
    return config.save(changed);
  }
  std::vector<std::string> all;
  if (change == ConfigChange::Add) all = items_of(config.text, keys);
  for (const std::string& value : values) {
    if (std::ranges::find(all, value) == all.end()) all.push_back(value);
  }
  PALE_TRY(changed, toml_set(config.text, views(keys), written(key, all)));
  return config.save(changed);
}

Status forget_grants(const Path& pale_home, const Path& root) {
  PALE_TRY(config, read_config(pale_home));
  if (config.grants_for(root) == nullptr) return {};
  PALE_TRY(text, ConfigText::open(pale_home));
  PALE_TRY(changed, toml_remove(text.text, std::array<std::string_view, 2>{"projects", root.text()}));
  return text.save(changed);
}

Status move_grants(const Path& pale_home, const Path& from, const Path& to) {
  PALE_TRY(config, read_config(pale_home));
  const ProjectGrants* grants = config.grants_for(from);
  if (grants == nullptr) return {};
  PALE_TRY(text, ConfigText::open(pale_home));
  PALE_TRY(changed, toml_remove(text.text, std::array<std::string_view, 2>{"projects", from.text()}));
  const auto set = [&](std::string_view key, const std::string& value) -> Status {
    PALE_TRY(next, toml_set(changed, std::array<std::string_view, 3>{"projects", to.text(), key}, value));
    changed = std::move(next);
    return {};
  };
  const auto set_list = [&](std::string_view key, const std::vector<Said<std::string>>& said) -> Status {
    std::vector<std::string> items;
    for (const auto& item : said) items.push_back(item.value);
    return items.empty() ? Status() : set(key, toml_list(items));
  };
  if (grants->trust) PALE_CHECK(set("trust", toml_text(name_of(grants->trust->value))));
  if (grants->network) PALE_CHECK(set("network", toml_text(name_of(grants->network->value))));
  std::vector<Said<std::string>> hosts;
  for (const HostRule& rule : grants->hosts) hosts.push_back({to_text(rule), rule.origin});
  PALE_CHECK(set_list("hosts", hosts));
  PALE_CHECK(set_list("rw", grants->rw));
  PALE_CHECK(set_list("ro", grants->ro));
  PALE_CHECK(set_list("env", grants->env));
  return text.save(changed);
}

}  // namespace pale::project
