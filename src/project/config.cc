#include "project/config.h"

#include "base/text.h"

namespace pale::project {
namespace {

Result<ProjectGrants> read_grants(Table& table) {
  ProjectGrants grants;
  PALE_TRY(trust, table.choice<Trust>("trust", kTrusts));
  PALE_TRY(network, table.choice<NetworkMode>("network", kNetworkModes));
  PALE_TRY(hosts, read_hosts(table, "hosts"));
  PALE_TRY(rw, table.texts("rw"));
  PALE_TRY(ro, table.texts("ro"));
  PALE_TRY(env, table.texts("env"));
  PALE_CHECK(table.finish());
  for (const auto* paths : {&rw, &ro}) {
    for (const Said<std::string>& path : *paths) {
      if (!path.value.starts_with('/'))
        return table.wrong(paths == &rw ? "rw" : "ro", "must be absolute paths, not \"" + path.value + "\"",
                           "begin with '/'");
    }
  }
  return ProjectGrants{std::move(trust), std::move(network), std::move(hosts),
                       std::move(rw),    std::move(ro),      std::move(env)};
}

}  // namespace

const ProjectGrants* UserConfig::grants_for(const Path& root) const {
  for (const auto& [place, grants] : projects) {
    if (place == root.text()) return &grants;
  }
  return nullptr;
}

Result<UserConfig> read_config(const Path& pale_home) {
  UserConfig config;
  PALE_TRY(source, read_source((pale_home / "config.toml").text(), "config.toml"));
  if (!source) return config;
  PALE_TRY(whole, parse_source(*source));
  Table top(whole, *source, "");
  PALE_TRY(agent, top.text("agent"));
  config.agent = std::move(agent);
  PALE_TRY(history, top.text("history"));
  if (history && !parse_duration(history->value))
    return top.wrong("history", "must be a time, not \"" + history->value + "\"", "such as \"30d\"");
  config.history = std::move(history);
  PALE_TRY(allow, top.table("allow"));
  if (allow) {
    PALE_TRY(trust, allow->choice<Trust>("trust", kTrusts));
    PALE_TRY(network, allow->choice<NetworkMode>("network", kNetworkModes));
    PALE_TRY(hosts, read_hosts(*allow, "hosts"));
    config.allow_hosts = std::move(hosts);
    config.allow_trust = std::move(trust);
    config.allow_network = std::move(network);
    PALE_CHECK(allow->finish());
  }
  PALE_TRY(network, read_network_config(top, whole));
  config.network = std::move(network);
  PALE_TRY(projects, top.tables("projects"));
  for (auto& [root, table] : projects) {
    PALE_TRY(grants, read_grants(table));
    config.projects.emplace_back(root, std::move(grants));
  }
  PALE_CHECK(top.finish());
  return config;
}

}  // namespace pale::project
