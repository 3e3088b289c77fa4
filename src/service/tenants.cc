#include "service/tenants.h"

#include <algorithm>

#include "project/registry.h"
#include "service/compose.h"
#include "service/sessions.h"
#include "session/about_file.h"
#include "sys/file.h"
#include "sys/tree.h"

namespace pale::service {
namespace {

using tenant::ProjectLock;

constexpr std::int64_t kSecond = 1'000'000'000;

// Somebody named a project of his own, which has no workspaces.
Error explained(Error error, const Path& pale_home, const std::string& id) {
  if (error.kind != ErrorKind::NotFound || tenant::is_there(pale_home, id)) return error;
  const auto found = project::Registry::find_in_file(pale_home, id);
  if (!found) return error;
  const std::optional<project::Entry>& entry = *found;
  if (!entry) return error;
  return {ErrorKind::Usage, 0,
          "project '" + id + "' is a directory of yours, not a managed project:", entry->root.text(),
          "pale project create NAME, for one that has workspaces and sessions"};
}

Result<ProjectLock> lock_known(const Path& pale_home, const std::string& id) {
  auto lock = tenant::lock_project(pale_home, id);
  if (!lock) return fail(explained(std::move(lock).error(), pale_home, id));
  return lock;
}

ManagedProject managed(const Path& pale_home, tenant::Project project, std::size_t live) {
  const Path root = tenant::directory_of(pale_home, project.id);
  // Each session adds a name there.
  const auto sessions = sys::file_info(sys::kAbsolute, (root / tenant::kSessions).c_str());
  const std::int64_t used = sessions ? sessions->modified_ns / kSecond : 0;
  const std::int64_t last = std::max(used, project.created_at);
  return {std::move(project), root, last, live};
}

Result<ManagedProject> with_sessions(const Path& pale_home, tenant::Project project) {
  PALE_TRY(live, live_sessions(pale_home, project.id));
  return managed(pale_home, std::move(project), live.size());
}

bool may_be_in(const LiveSession& session, const std::string& workspace) {
  return session.workspace.empty() || session.workspace == workspace;
}

ManagedWorkspace managed(const Path& pale_home, const std::string& project, tenant::Workspace workspace,
                         const std::vector<LiveSession>& live) {
  const auto count =
      std::ranges::count_if(live, [&](const LiveSession& session) { return may_be_in(session, workspace.id); });
  const Path directory = tenant::directory_of(pale_home, project, workspace.id);
  return {std::move(workspace), directory, static_cast<std::size_t>(count)};
}

// Whether any of these live after it. The lock is held: nobody starts another one.
Result<tenant::Sessions> settle(const Path& pale_home, const std::vector<LiveSession>& live, IfLive if_live) {
  if (live.empty()) return tenant::Sessions::None;
  if (if_live == IfLive::Refuse) return tenant::Sessions::Living;
  for (const LiveSession& session : live) PALE_CHECK(end_session(pale_home, session.name));
  for (const LiveSession& session : live) {
    PALE_TRY(alive, session::is_alive(session::place_of(pale_home, session.name.project, session.name.session)));
    if (alive) return tenant::Sessions::Living;
  }
  return tenant::Sessions::None;
}

// One of which nobody can tell where it is may be another's: it is not ended for this one's sake.
std::unexpected<Error> lives_somewhere(const std::string& session) {
  return fail(ErrorKind::Refused, "a session lives, and its record does not say in which workspace:", session,
              "pale session end " + session);
}

// The private home and the stages of what is shown at a root. Before that goes: a project of the same name must not come into
// what this one leaves.
Status forget_root(const Path& pale_home, const Path& root) {
  for (const auto& place_of : {private_home, stages_of})
    PALE_CHECK(sys::remove_tree(sys::kAbsolute, place_of(pale_home, root).c_str()));
  return {};
}

Status forget_roots(const Path& pale_home, const std::string& project) {
  PALE_TRY(ids, tenant::workspace_ids(pale_home, project));
  for (const std::string& id : ids) PALE_CHECK(forget_root(pale_home, tenant::directory_of(pale_home, project, id)));
  return forget_root(pale_home, tenant::directory_of(pale_home, project));
}

}  // namespace

void write_members(JsonWriter& out, const ManagedProject& project) {
  tenant::write_members(out, project.project);
  out.field("root", project.root.text()).field("live_sessions", project.live_sessions);
}

void write_members(JsonWriter& out, const ManagedWorkspace& workspace) {
  tenant::write_members(out, workspace.workspace);
  out.field("directory", workspace.directory.text()).field("live_sessions", workspace.live_sessions);
}

Result<std::vector<LiveSession>> live_sessions(const Path& pale_home, const std::string& project) {
  PALE_TRY(names, session::sessions_on_disk(pale_home, project));
  std::vector<LiveSession> live;
  for (session::Name& name : names) {
    const session::Place place = session::place_of(pale_home, name.project, name.session);
    PALE_TRY(alive, session::is_alive(place));
    if (!alive) continue;
    const auto read = session::read_about(place);
    live.push_back({std::move(name), read && *read ? (*read)->about.workspace : ""});
  }
  return live;
}

Result<ManagedProject> create_managed_project(const Path& pale_home, const std::string& id,
                                              const tenant::SettingsChange& settings) {
  // One word means one project, whoever's it is.
  PALE_TRY(registry, project::Registry::load(pale_home));
  std::vector<std::string> taken;
  for (const project::Entry& entry : registry.entries()) taken.push_back(entry.id);
  PALE_TRY(project, tenant::create_project(pale_home, {tenant::with_change({}, settings), id, taken}));
  return managed(pale_home, std::move(project), 0);
}

Result<ManagedProject> get_managed_project(const Path& pale_home, const std::string& id) {
  auto project = tenant::load_project(pale_home, id);
  if (!project) return fail(explained(std::move(project).error(), pale_home, id));
  return with_sessions(pale_home, std::move(*project));
}

Result<std::optional<ManagedProject>> find_managed_project(const Path& pale_home, const std::string& id) {
  if (!tenant::is_there(pale_home, id)) return std::nullopt;
  PALE_TRY(entry, project::Registry::find_in_file(pale_home, id));
  if (entry) return std::nullopt;
  PALE_TRY(project, get_managed_project(pale_home, id));
  return project;
}

Result<ManagedProjects> list_managed_projects(const Path& pale_home) {
  PALE_TRY(all, tenant::list_projects(pale_home));
  ManagedProjects listed;
  for (tenant::Project& project : all.sound) {
    auto one = with_sessions(pale_home, std::move(project));
    if (one)
      listed.projects.push_back(std::move(*one));
    else
      all.damaged.push_back(std::move(one).error());
  }
  listed.damaged = std::move(all.damaged);
  return listed;
}

Result<ManagedProject> update_managed_project(const Path& pale_home, const std::string& id,
                                              const tenant::SettingsChange& change) {
  PALE_TRY(lock, lock_known(pale_home, id));
  PALE_TRY(live, live_sessions(pale_home, id));
  const auto sessions = live.empty() ? tenant::Sessions::None : tenant::Sessions::Living;
  PALE_TRY(project, tenant::update_project(lock, change, sessions));
  return managed(pale_home, std::move(project), live.size());
}

Status delete_managed_project(const Path& pale_home, const std::string& id, IfLive if_live) {
  PALE_TRY(lock, lock_known(pale_home, id));
  PALE_TRY(live, live_sessions(pale_home, id));
  PALE_TRY(sessions, settle(pale_home, live, if_live));
  if (sessions == tenant::Sessions::None) PALE_CHECK(forget_roots(pale_home, id));
  return tenant::delete_project(std::move(lock), sessions);
}

Result<MadeWorkspace> create_workspace(const Path& pale_home, const std::string& project,
                                       const tenant::NewWorkspace& wanted) {
  PALE_TRY(lock, lock_known(pale_home, project));
  PALE_TRY(settings, tenant::load_project(pale_home, project));
  PALE_TRY(created, tenant::create_workspace(lock, settings, wanted));
  return MadeWorkspace{managed(pale_home, project, std::move(created.workspace), {}), std::move(created.copied)};
}

Result<ManagedWorkspace> get_workspace(const Path& pale_home, const std::string& project, const std::string& id) {
  auto workspace = tenant::load_workspace(pale_home, project, id);
  if (!workspace) return fail(explained(std::move(workspace).error(), pale_home, project));
  PALE_TRY(live, live_sessions(pale_home, project));
  return managed(pale_home, project, std::move(*workspace), live);
}

Result<ManagedWorkspaces> list_workspaces(const Path& pale_home, const std::string& project) {
  auto all = tenant::list_workspaces(pale_home, project);
  if (!all) return fail(explained(std::move(all).error(), pale_home, project));
  PALE_TRY(live, live_sessions(pale_home, project));
  ManagedWorkspaces listed;
  for (tenant::Workspace& workspace : all->sound)
    listed.workspaces.push_back(managed(pale_home, project, std::move(workspace), live));
  listed.damaged = std::move(all->damaged);
  return listed;
}

Status delete_workspace(const Path& pale_home, const std::string& project, const std::string& id, IfLive if_live) {
  PALE_TRY(lock, lock_known(pale_home, project));
  PALE_CHECK(tenant::need_workspace(lock, id));
  PALE_TRY(live, live_sessions(pale_home, project));
  std::erase_if(live, [&](const LiveSession& session) { return !may_be_in(session, id); });
  const auto somewhere = std::ranges::find(live, std::string(), &LiveSession::workspace);
  if (somewhere != live.end() && if_live == IfLive::EndThem) return lives_somewhere(somewhere->name.session);
  PALE_TRY(sessions, settle(pale_home, live, if_live));
  if (sessions == tenant::Sessions::None)
    PALE_CHECK(forget_root(pale_home, tenant::directory_of(pale_home, project, id)));
  return tenant::delete_workspace(lock, id, sessions);
}

}  // namespace pale::service
