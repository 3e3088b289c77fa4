#include "project/adapter.h"

#include <fcntl.h>

#include <algorithm>

#include "project/network_config.h"
#include "project/project.h"
#include "project/table.h"
#include "sys/file.h"

namespace pale::project {
namespace {

constexpr std::string_view kPlace = "{task}";

std::vector<std::string> values(std::vector<Said<std::string>> said) {
  std::vector<std::string> texts;
  for (auto& each : said) texts.push_back(std::move(each.value));
  return texts;
}

Result<std::vector<std::string>> read_list(Table& table, std::string_view key) {
  PALE_TRY(said, table.texts(key));
  return values(std::move(said));
}

Result<std::string> read_text(Table& table, std::string_view key) {
  PALE_TRY(said, table.text(key));
  return said ? std::move(said->value) : std::string();
}

Status read_set(Table& top, const TomlValue& whole, Adapter& adapter) {
  PALE_TRY(table, top.table("set"));
  if (!table) return {};
  for (const TomlMember& member : whole.find("set")->members()) {
    PALE_TRY(value, table->text(member.key));
    if (value) adapter.set.emplace_back(member.key, std::move(value->value));
  }
  return {};
}

Status read_home(Table& top, Adapter& adapter) {
  PALE_TRY(table, top.table("home"));
  if (!table) return {};
  PALE_TRY(copy, read_list(*table, "copy"));
  for (const std::string& name : copy) {
    const auto path = Path::parse(name);
    if (!path || path->is_absolute())
      return table->wrong("copy", "must be paths below the home directory, which \"" + name + "\" is not",
                          "copy = [\".my-agent/settings.json\"]");
  }
  adapter.home = std::move(copy);
  return table->finish();
}

Result<Adapter> read_adapter(const Source& source) {
  PALE_TRY(whole, parse_source(source));
  Table top(whole, source, "");
  Adapter adapter;
  PALE_TRY(name, read_text(top, "name"));
  if (!check_id(name)) return top.wrong("name", "must be a word", "name = \"my-agent\"");
  PALE_TRY(about, read_text(top, "about"));
  PALE_TRY(install, read_text(top, "install"));
  PALE_TRY(task, read_list(top, "task"));
  PALE_TRY(chat, read_list(top, "chat"));
  PALE_TRY(network, top.boolean("network"));
  PALE_TRY(hosts, read_hosts(top, "hosts"));
  PALE_TRY(environment, read_list(top, "environment"));
  PALE_CHECK(read_set(top, whole, adapter));
  PALE_CHECK(read_home(top, adapter));
  PALE_CHECK(top.finish());
  if (std::ranges::find(task, kPlace) == task.end())
    return top.wrong("task", "must be a command with \"{task}\" in it", "task = [\"" + name + R"(", "{task}"])");
  adapter.name = std::move(name);
  adapter.about = std::move(about);
  adapter.install = std::move(install);
  adapter.task = std::move(task);
  adapter.chat = std::move(chat);
  adapter.network = network && network->value;
  for (const HostRule& rule : hosts) adapter.hosts.push_back(to_text(rule));
  adapter.environment = std::move(environment);
  adapter.origin = source.label;
  return adapter;
}

Status read_own(const Path& directory, std::vector<Adapter>& adapters) {
  const auto fd = sys::open_at(sys::kAbsolute, directory.c_str(), O_RDONLY | O_DIRECTORY);
  if (!fd) return {};
  PALE_TRY(entries, sys::list_directory(*fd));
  for (const sys::Entry& entry : entries) {
    if (!entry.name.ends_with(".toml")) continue;
    const std::string file = (directory / entry.name).text();
    PALE_TRY(source, read_source(file, file));
    if (!source) continue;
    PALE_TRY(adapter, read_adapter(*source));
    std::erase_if(adapters, [&](const Adapter& other) { return other.name == adapter.name; });
    adapters.push_back(std::move(adapter));
  }
  return {};
}

}  // namespace

Result<std::vector<Adapter>> read_adapters(const Path& pale_home) {
  std::vector<Adapter> adapters;
  for (const BuiltInAdapter& built_in : built_in_adapters()) {
    PALE_TRY(adapter, read_adapter({std::string(built_in.file), "built in", std::string(built_in.text)}));
    adapters.push_back(std::move(adapter));
  }
  PALE_CHECK(read_own(pale_home / "agents", adapters));
  std::ranges::sort(adapters, {}, &Adapter::name);
  return adapters;
}

Adapter adapter_of(std::vector<std::string> command, std::string origin) {
  Adapter adapter;
  adapter.name = command.front();
  adapter.task = std::move(command);
  adapter.origin = std::move(origin);
  adapter.committed = true;
  return adapter;
}

Result<std::vector<std::string>> command_for(const Adapter& adapter, const std::string& task) {
  if (task.empty()) {
    if (!adapter.chat.empty()) return adapter.chat;
    return fail(ErrorKind::Usage, "what is the task? The agent " + adapter.name,
                "has no screen of its own that Pale knows", "pale agent run \"TASK\"");
  }
  std::vector<std::string> command = adapter.task;
  bool placed = false;
  for (std::string& word : command) {
    const std::size_t at = word.find(kPlace);
    if (at == std::string::npos) continue;
    word.replace(at, kPlace.size(), task);
    placed = true;
  }
  if (placed) return command;
  return fail(ErrorKind::Usage, "the command has no place for a task (" + adapter.origin + "):", adapter.name,
              "command = [\"" + adapter.name + R"(", "{task}"])");
}

}  // namespace pale::project
