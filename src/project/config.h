// project/config.h: PALE_HOME/config.toml, the user's own word. It lies outside every project, so it may grant.
#pragma once

#include "project/network_config.h"
#include "project/settings.h"

namespace pale::project {

// What the user grants to one project, known by its root: an id could be claimed by any repository.
struct ProjectGrants {
  std::optional<Said<Trust>> trust;
  std::optional<Said<NetworkMode>> network;
  std::vector<HostRule> hosts;  // with network "allow", or as the most that a manifest may name
  std::vector<Said<std::string>> rw;
  std::vector<Said<std::string>> ro;
  std::vector<Said<std::string>> env;
};

struct UserConfig {
  std::optional<Said<std::string>> agent;
  std::optional<Said<std::string>> history;  // how long an apply can be undone: "30d"
  // The most that a committed manifest may ask for, in any project.
  std::optional<Said<Trust>> allow_trust;
  std::optional<Said<NetworkMode>> allow_network;
  std::vector<HostRule> allow_hosts;
  NetworkConfig network;
  std::vector<std::pair<std::string, ProjectGrants>> projects;  // by root

  const ProjectGrants* grants_for(const Path& root) const;
};

Result<UserConfig> read_config(const Path& pale_home);

}  // namespace pale::project
