#include "project/manifest.h"

#include "base/text.h"
#include "base/time.h"
#include "base/toml_edit.h"
#include "project/network_config.h"
#include "sys/file.h"

namespace pale::project {
namespace {

constexpr Choice<bool> kWorkspaceTypes[] = {{"existing", false}, {"staged", true}, {"sandboxed", true}};
constexpr Choice<Access> kZoneModes[] = {{"ro", Access::Read}, {"rw", Access::Write}};

// By components, without asking the disk: ".." leaves a name behind, whatever that name is.
Path joined(const Path& root, std::string_view text) {
  Path path = text.starts_with('/') ? Path::root() : root;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find('/'));
    text.remove_prefix(std::min(name.size() + 1, text.size()));
    if (name == "..") path = path.parent();
    if (!name.empty() && name != "." && name != "..") path = path / name;
  }
  return path;
}

class Reader {
 public:
  Reader(const Path& root, const Source& source) : root_(root), source_(source), zones_(root) {}

  Result<Manifest> read(const TomlValue& whole) {
    Table top(whole, source_, "");
    Manifest manifest;
    manifest.file = root_ / kManifestPlace;
    PALE_TRY(inherit, top.text("inherit"));
    PALE_CHECK(read_project(top, manifest));
    PALE_CHECK(read_workspace(top, manifest.settings));
    PALE_CHECK(read_agent(top, manifest.settings));
    PALE_CHECK(read_sandbox(top, manifest.settings));
    PALE_CHECK(read_zones(top, manifest.settings));
    PALE_CHECK(read_rest(top, manifest.settings));
    PALE_CHECK(read_network(top, manifest.settings));
    PALE_CHECK(read_limits(top, manifest.settings));
    PALE_CHECK(read_presets(top, manifest));
    PALE_CHECK(top.finish());
    if (inherit) PALE_CHECK(take_over(top, inherit->value, manifest));
    return manifest;
  }

 private:
  Status read_project(Table& top, Manifest& manifest) {
    manifest.id = id_from(root_.name());
    PALE_TRY(table, top.table("project"));
    if (!table) return {};
    PALE_TRY(id, table->text("id"));
    PALE_TRY(name, table->text("name"));
    PALE_TRY(created, table->time("created"));
    if (id && !check_id(id->value))
      return table->wrong("id", "must be letters, digits, '.', '_' and '-': \"" + id->value + "\"",
                          "id = \"" + id_from(id->value) + "\"");
    if (id) manifest.id = id->value;
    manifest.name = name ? name->value : manifest.id;
    if (created) {
      const auto seconds = parse_iso(created->value);
      if (!seconds) return table->wrong("created", "must be a time", "created = \"2026-01-23T14:30:00Z\"");
      manifest.created = *seconds;
    }
    return table->finish();
  }

  Status read_workspace(Table& top, Settings& settings) {
    PALE_TRY(table, top.table("workspace"));
    if (!table) return {};
    PALE_TRY(staged, table->choice<bool>("type", kWorkspaceTypes));
    if (staged && staged->value) settings.staged = Said<std::string>{"staged", staged->where};
    PALE_CHECK(read_scope(*table, settings));
    PALE_TRY(isolation, table->boolean("isolation"));
    if (isolation) declare(*table, settings, "workspace.isolation", isolation->value ? "true" : "false", "isolation");
    PALE_TRY(paths, table->texts("protected_paths"));
    for (const auto& path : paths) PALE_CHECK(check_inside(*table, "protected_paths", path.value));
    if (!paths.empty()) declare(*table, settings, "workspace.protected_paths", listed(paths), "protected_paths");
    return table->finish();
  }

  // What stands in [workspace] and in a preset alike.
  Status read_scope(Table& table, Settings& settings) {
    PALE_TRY(folders, table.texts("folders"));
    for (const auto& folder : folders) {
      PALE_CHECK(check_inside(table, "folders", folder.value));
      settings.folders.push_back({joined(root_, folder.value), folder.where});
    }
    if (!folders.empty()) declare(table, settings, "workspace.folders", listed(folders), "folders");
    PALE_TRY(scope, table.choice<Scope>("mode", kScopes));
    PALE_TRY(git, table.choice<GitUse>("git", kGitUses));
    settings.scope = std::move(scope);
    settings.git = std::move(git);
    return {};
  }

  Status read_agent(Table& top, Settings& settings) {
    PALE_TRY(table, top.table("agent"));
    if (!table) return {};
    PALE_TRY(name, table->text("name"));
    PALE_TRY(command, table->texts("command"));
    if (name && !command.empty())
      return table->wrong("command", "stands beside a name: an agent has either", "leave out one of them");
    settings.agent = std::move(name);
    settings.command = std::move(command);
    PALE_CHECK(read_trust(*table, settings));
    return table->finish();
  }

  Status read_trust(Table& table, Settings& settings) {
    PALE_TRY(trust, table.choice<Trust>("trust", kTrusts));
    settings.trust = std::move(trust);
    PALE_TRY(paths, table.texts("protected"));
    for (const auto& path : paths) {
      PALE_CHECK(check_inside(table, "protected", path.value));
      const Path full = joined(root_, path.value);
      const bool glob = full.name().find_first_of("*?") != std::string_view::npos;
      settings.protections.push_back({{full, glob ? Match::Glob : Match::Exact}, path.where});
    }
    return {};
  }

  // Of a path that only ever narrows: outside there is nothing to narrow.
  Status check_inside(Table& table, std::string_view key, const std::string& path) {
    const bool sound = path.find('\0') == std::string::npos;
    const Path full = sound ? joined(root_, path) : root_;
    if (full == root_ || !root_.covers(full))
      return table.wrong(key, "must be paths below the project, which \"" + path + "\" is not",
                         "write it relative to the project's root, without '..'");
    const std::size_t star = full.text().find_first_of("*?", root_.text().size());
    if (key != "folders" && star != std::string::npos && full.text().find('/', star) != std::string::npos)
      return table.wrong(key, "may have '*' and '?' in the last name only: \"" + path + "\"",
                         "name the directory itself: all that lies in it is meant");
    return {};
  }

  Status read_sandbox(Table& top, Settings& settings) {
    PALE_TRY(table, top.table("sandbox"));
    if (!table) return {};
    PALE_TRY(mode, declared_choice<SandboxMode>(*table, settings, "mode", kSandboxModes, "sandbox.mode"));
    PALE_TRY(place, table->text("root"));
    if (place) {
      PALE_CHECK(check_inside(*table, "root", place->value));
      declare(*table, settings, "sandbox.root", place->value, "root");
    }
    if (mode && mode->value == SandboxMode::Sandboxed) zones_ = joined(root_, place ? place->value : kSandboxRoot);
    settings.sandbox_mode = std::move(mode);
    settings.sandbox_root = std::move(place);
    return table->finish();
  }

  Status read_zones(Table& top, Settings& settings) {
    PALE_TRY(zones, top.tables("zones"));
    for (auto& [name, table] : zones) {
      PALE_TRY(path, table.text("path"));
      PALE_TRY(mode, table.choice<Access>("mode", kZoneModes));
      if (!check_id(name)) return table.wrong("path", "belongs to a zone whose name is not a word", "[zones.data]");
      const std::string place = path ? path->value : name;
      if (place.empty()) return table.wrong("path", "must not be empty", "path = \"./" + name + "\"");
      if (place.find('\0') != std::string::npos) return table.wrong("path", "must not hold NUL", "path = \"./data\"");
      Zone zone{name, joined(zones_, place), mode ? mode->value : Access::Write, table.where("path"), place, {}};
      const std::string_view written = zone.access == Access::Read ? "ro " : "rw ";
      declare(table, settings, "zones." + name, std::string(written) + zone.path.text(), "path");
      PALE_CHECK(read_zone_approval(table, settings, zone));
      settings.zones.push_back(std::move(zone));
      PALE_CHECK(table.finish());
    }
    return {};
  }

  static Status read_zone_approval(Table& table, Settings& settings, Zone& zone) {
    PALE_TRY(approval, table.table("approval"));
    if (!approval) return {};
    const std::string key = "zones." + zone.name + ".approval.";
    PALE_TRY(write, declared_choice<Approval>(*approval, settings, "write", kApprovals, key + "write"));
    PALE_TRY(remove, declared_choice<Approval>(*approval, settings, "delete", kApprovals, key + "delete"));
    if (write) zone.approval.write = write->value;
    if (remove) zone.approval.remove = remove->value;
    return approval->finish();
  }

  Status read_rest(Table& top, Settings& settings) {
    PALE_TRY(approval, top.table("approval"));
    if (approval) {
      PALE_TRY(mode, declared_choice<ApprovalMode>(*approval, settings, "mode", kApprovalModes, "approval.mode"));
      settings.approval = std::move(mode);
      PALE_CHECK(approval->finish());
    }
    PALE_CHECK(read_delegation(top, settings));
    PALE_CHECK(read_workers(top, settings));
    return read_hooks(top, settings);
  }

  static Status read_delegation(Table& top, Settings& settings) {
    PALE_TRY(table, top.table("delegation"));
    if (!table) return {};
    PALE_TRY(depth, declared_number(*table, settings, "max_depth", "max_depth = 5"));
    PALE_TRY(calls, declared_number(*table, settings, "max_calls", "max_calls = 100"));
    PALE_TRY(seconds, table->duration("timeout"));
    if (seconds) declare(*table, settings, "delegation.timeout", std::to_string(seconds->value), "timeout");
    settings.max_depth = std::move(depth);
    settings.max_calls = std::move(calls);
    settings.call_seconds = std::move(seconds);
    return table->finish();
  }

  // Above zero.
  static Result<std::optional<Said<std::uint64_t>>> declared_number(Table& table, Settings& settings,
                                                                    std::string_view key, std::string_view usual) {
    PALE_TRY(number, table.number(key));
    if (number && number->value == 0) return table.wrong(key, "must be a number above zero", std::string(usual));
    if (number) declare(table, settings, "delegation." + std::string(key), std::to_string(number->value), key);
    return number;
  }

  Status read_workers(Table& top, Settings& settings) {
    PALE_TRY(table, top.table("workers"));
    if (!table) return {};
    PALE_TRY(paths, table->texts("paths"));
    for (const auto& path : paths) PALE_CHECK(check_inside(*table, "paths", path.value));
    if (!paths.empty()) declare(*table, settings, "workers.paths", listed(paths), "paths");
    settings.worker_paths = std::move(paths);
    return table->finish();
  }

  static Status read_hooks(Table& top, Settings& settings) {
    PALE_TRY(hooks, top.table("hooks"));
    if (!hooks) return {};
    PALE_TRY(verify, hooks->text("verify"));
    PALE_TRY(validate, hooks->text("validate"));
    if (verify) declare(*hooks, settings, "hooks.verify", verify->value, "verify");
    if (validate) declare(*hooks, settings, "hooks.validate", validate->value, "validate");
    return hooks->finish();
  }

  static Status read_network(Table& top, Settings& settings) {
    PALE_TRY(table, top.table("network"));
    if (!table) return {};
    PALE_TRY(mode, table->choice<NetworkMode>("mode", kNetworkModes));
    PALE_TRY(allow, read_hosts(*table, "allow"));
    PALE_CHECK(
        read_network_limits(*table, settings.connections, settings.requests, settings.traffic, settings.host_traffic));
    if (!allow.empty() && mode && mode->value != NetworkMode::Allow)
      return table->wrong("allow", "has a meaning with mode = \"allow\" only", "mode = \"allow\"");
    settings.network = std::move(mode);
    if (!settings.network && !allow.empty())
      settings.network = Said<NetworkMode>{NetworkMode::Allow, allow.front().origin};
    if (!allow.empty()) declare(*table, settings, "network.allow", pale::listed(allow), "allow");
    settings.hosts = std::move(allow);
    return table->finish();
  }

  static Status read_limits(Table& top, Settings& settings) {
    PALE_TRY(table, top.table("limits"));
    if (!table) return {};
    PALE_CHECK(read_amounts(*table, settings));
    PALE_TRY(disk, table->size("disk"));
    if (disk) declare(*table, settings, "limits.disk", std::to_string(disk->value), "disk");
    return table->finish();
  }

  // What stands in [limits] and in a preset alike.
  static Status read_amounts(Table& table, Settings& settings) {
    PALE_TRY(memory, table.size("memory"));
    PALE_TRY(pids, table.number("pids"));
    PALE_TRY(seconds, table.duration("time"));
    if (pids && pids->value == 0) return table.wrong("pids", "must be a number above zero", "pids = 200");
    if (pids && pids->value > measure::kTasks.most)
      return table.wrong("pids", "must be " + std::string(measure::kTasks.most_text) + " at most", "pids = 200");
    settings.memory = std::move(memory);
    settings.pids = std::move(pids);
    settings.seconds = std::move(seconds);
    return {};
  }

  // Flat: the keys of [workspace], [agent], [network] and [limits] that narrow a run.
  Status read_presets(Table& top, Manifest& manifest) {
    PALE_TRY(presets, top.tables("presets"));
    for (auto& [name, table] : presets) {
      Preset preset{name, {}, table.where("")};
      PALE_CHECK(read_scope(table, preset.settings));
      PALE_CHECK(read_trust(table, preset.settings));
      PALE_CHECK(read_amounts(table, preset.settings));
      PALE_TRY(network, table.choice<NetworkMode>("network", kNetworkModes));
      PALE_TRY(agent, table.text("agent"));
      preset.settings.network = std::move(network);
      preset.settings.agent = std::move(agent);
      PALE_CHECK(table.finish());
      manifest.presets.push_back(std::move(preset));
    }
    return {};
  }

  Status take_over(Table& top, const std::string& inherit, Manifest& manifest) {
    if (inherit.find('\0') != std::string::npos) return top.wrong("inherit", "must not hold NUL", "leave it out");
    const Path file = joined(root_, inherit);
    const Path enclosing = file.parent().parent();
    if (file != enclosing / kManifestPlace || enclosing == root_ || !enclosing.covers(root_))
      return top.wrong("inherit", "must be the manifest of a project around this one, which \"" + inherit + "\" is not",
                       "inherit = \"../.pale/project.toml\"");
    PALE_TRY(parent, read_manifest(enclosing, file.text()));
    if (!parent)
      return top.wrong("inherit", "names a file that is not there: " + file.text(),
                       "leave it out, or make that directory a project first");
    PALE_TRY(settings, narrow(seen_from(parent->settings, root_), manifest.settings));
    manifest.settings = std::move(settings);
    return {};
  }

  static void declare(const Table& table, Settings& settings, std::string key, std::string value, std::string_view at) {
    settings.declared.push_back({std::move(key), std::move(value), table.where(at)});
  }

  template <typename T>
  static Result<std::optional<Said<T>>> declared_choice(Table& table, Settings& settings, std::string_view key,
                                                        std::span<const Choice<T>> choices, std::string full_key) {
    PALE_TRY(said, table.choice<T>(key, choices));
    if (!said) return std::nullopt;
    const auto name = std::ranges::find(choices, said->value, &Choice<T>::value)->name;
    settings.declared.push_back({std::move(full_key), std::string(name), said->where});
    return said;
  }

  static std::string listed(const std::vector<Said<std::string>>& texts) {
    std::string all;
    for (const auto& text : texts) all += (all.empty() ? "" : ", ") + text.value;
    return all;
  }

  const Path& root_;
  const Source& source_;
  Path zones_;  // what their paths are relative to
};

}  // namespace

Result<std::optional<Manifest>> read_manifest(const Path& root, std::string label) {
  // What a link leads to is not this project's, and nothing there can be protected.
  PALE_TRY(directory, sys::file_info(sys::kAbsolute, (root / kManifestDirectory).c_str()));
  if (directory.kind == sys::FileKind::Missing) return std::nullopt;
  if (directory.kind == sys::FileKind::Symlink)
    return fail(ErrorKind::Usage,
                "the manifest's directory must not be a symbolic link:", (root / kManifestDirectory).text(),
                "replace the link by what it points to");
  PALE_TRY(source, read_source((root / kManifestPlace).text(), std::move(label)));
  if (!source) return std::nullopt;
  PALE_TRY(manifest, parse_manifest(*source, root));
  return manifest;
}

Result<Manifest> parse_manifest(const Source& source, const Path& root) {
  PALE_TRY(whole, parse_source(source));
  return Reader(root, source).read(whole);
}

Result<Settings> choose_preset(const Manifest& manifest, const std::string& name) {
  if (name.empty()) return manifest.settings;
  const auto preset = std::ranges::find(manifest.presets, name, &Preset::name);
  if (preset != manifest.presets.end()) return narrow(manifest.settings, preset->settings);
  std::vector<std::string_view> names;
  for (const Preset& each : manifest.presets) names.push_back(each.name);
  const auto close = nearest(name, names);
  return fail(ErrorKind::Usage, "there is no [presets." + name + "] in", manifest.file.text(),
              close ? "--preset " + std::string(*close) : "leave out --preset");
}

std::string manifest_head(const Project& project) {
  return "# What an agent may do in this project. It can only tighten what the user allows.\n"
         "# pale help manifest says what else can stand here; pale explain shows what follows from it.\n"
         "\n[project]\n"
         "id = " +
         toml_text(project.id()) +
         "\n"
         "name = " +
         toml_text(project.name()) +
         "\n"
         "created = " +
         toml_text(to_iso(project.created())) + "\n";
}

std::string manifest_text(const Project& project, std::optional<Trust> trust) {
  return manifest_head(project) +
         "\n[workspace]\n"
         "type = \"existing\"\n"
         "\n[agent]\n"
         "trust = \"" +
         std::string(level_of(trust.value_or(kUsualTrust)).name) +
         "\"\n"
         "protected = []  # beside what is protected always: pale explain\n";
}

}  // namespace pale::project
