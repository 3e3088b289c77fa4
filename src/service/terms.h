// service/terms.h: what the manifest, the user's configuration and the flags come to: the terms of one run. A committed file
// may ask for no more than the user allows. Touches no disk.
#pragma once

#include "project/config.h"
#include "project/resolver.h"
#include "service/request.h"

namespace pale::service {

struct Terms {
  project::Said<project::Trust> trust = {project::kUsualTrust, "default"};
  project::Said<project::NetworkMode> network = {project::NetworkMode::None, "default"};
  std::vector<HostRule> hosts;  // with NetworkMode::Allow
  bool observe = false;
  project::NetworkConfig network_config;  // the user's
  Limits limits;
  project::Settings settings;     // the manifest's, with the preset chosen
  project::ProjectGrants grants;  // the user's
};

Result<Terms> agree_terms(const Request& request, const project::Resolved& resolved, const project::UserConfig& config);

}  // namespace pale::service
