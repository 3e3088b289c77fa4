#include "service/tenancy.h"

#include "tenant/workspace.h"

namespace pale::service {
namespace {

constexpr std::string_view kWorkspace = "/workspace";

// Of a project that is shown whole: what decides over sessions, and what they did.
constexpr std::string_view kDeciding[] = {tenant::kMetadata, tenant::kSessions, ".pale"};

std::vector<PathRequest> protections_of(const tenant::Project& project, const Path& workspace) {
  std::vector<PathRequest> protections;
  if (!project.settings.workspace_isolation) {
    for (const std::string_view name : kDeciding)
      protections.push_back({PathRule::Protect, (workspace / name).text(), "managed project"});
    return protections;
  }
  for (const std::string& path : project.settings.protected_paths)
    protections.push_back({PathRule::Protect, workspace.text() + "/" + path, "protected_paths"});
  return protections;
}

}  // namespace

Result<Tenancy> find_tenancy(const Path& pale_home, const TenantRequest& wanted) {
  PALE_TRY(project, tenant::load_project(pale_home, wanted.project));
  PALE_TRY(known, tenant::load_workspace(pale_home, wanted.project, wanted.workspace));
  PALE_CHECK(tenant::open_workspace(pale_home, wanted.project, known.id));
  const Path workspace = Path::literal(kWorkspace);
  std::vector<PathRequest> protections = protections_of(project, workspace);
  if (project.settings.workspace_isolation) {
    return Tenancy{std::move(project), tenant::directory_of(pale_home, wanted.project, known.id), workspace, workspace,
                   std::move(protections)};
  }
  return Tenancy{std::move(project), tenant::directory_of(pale_home, wanted.project), workspace,
                 workspace / tenant::kWorkspaces / known.id, std::move(protections)};
}

Result<project::Resolved> resolve_tenancy(const Tenancy& tenancy) {
  PALE_TRY(project,
           project::Project::make({tenancy.project.id, tenancy.project.settings.name, tenancy.root,
                                   project::WorkspaceType::Managed, tenancy.project.created_at, std::nullopt}));
  return project::Resolved{std::move(project), std::nullopt, project::Reason::IdFlag};
}

}  // namespace pale::service
