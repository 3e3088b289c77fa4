// service/tenancy.h: what of a managed project a session sees, and where: the mounts of spec "workspace isolation".
#pragma once

#include "project/resolver.h"
#include "service/request.h"
#include "tenant/project.h"

namespace pale::service {

struct Tenancy {
  tenant::Project project;
  Path root;       // on the host: the workspace alone, or the whole project
  Path workspace;  // where that appears inside
  Path start;      // where commands start, inside
  std::vector<PathRequest> protections;
};

// Opens the workspace through no link, so that its path means what it says.
Result<Tenancy> find_tenancy(const Path& pale_home, const TenantRequest& wanted);
Result<project::Resolved> resolve_tenancy(const Tenancy& tenancy);

}  // namespace pale::service
