// service/tenants.h: the use cases of managed projects and their workspaces, for every front end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/place.h"
#include "tenant/workspace.h"

namespace pale::service {

struct ManagedProject {
  tenant::Project project;
  Path root = Path::root();
  std::int64_t last_used = 0;  // when a session was started last, else when it was made
  std::size_t live_sessions = 0;
};
// All of it into an object that is open, as metadata.json has it, with where it lies and how many sessions live.
void write_members(JsonWriter& out, const ManagedProject& project);

// An empty id: made from the name.
Result<ManagedProject> create_managed_project(const Path& pale_home, const std::string& id,
                                              const tenant::SettingsChange& settings);
Result<ManagedProject> get_managed_project(const Path& pale_home, const std::string& id);
// Nothing if no managed project is called so, or a registered one is.
Result<std::optional<ManagedProject>> find_managed_project(const Path& pale_home, const std::string& id);

struct ManagedProjects {
  std::vector<ManagedProject> projects;
  std::vector<Error> damaged;  // those that cannot be read
};
Result<ManagedProjects> list_managed_projects(const Path& pale_home);

Result<ManagedProject> update_managed_project(const Path& pale_home, const std::string& id,
                                              const tenant::SettingsChange& change);

// What becomes of sessions that live. Whichever it is: nobody starts another one meanwhile.
enum class IfLive { Refuse, EndThem };
Status delete_managed_project(const Path& pale_home, const std::string& id, IfLive if_live);

struct ManagedWorkspace {
  tenant::Workspace workspace;
  Path directory = Path::root();
  std::size_t live_sessions = 0;
};
void write_members(JsonWriter& out, const ManagedWorkspace& workspace);

struct MadeWorkspace {
  ManagedWorkspace made;
  tenant::Copied copied;
};
Result<MadeWorkspace> create_workspace(const Path& pale_home, const std::string& project,
                                       const tenant::NewWorkspace& wanted);
Result<ManagedWorkspace> get_workspace(const Path& pale_home, const std::string& project, const std::string& id);

struct ManagedWorkspaces {
  std::vector<ManagedWorkspace> workspaces;  // the oldest first
  std::vector<Error> damaged;
};
Result<ManagedWorkspaces> list_workspaces(const Path& pale_home, const std::string& project);
Status delete_workspace(const Path& pale_home, const std::string& project, const std::string& id, IfLive if_live);

struct LiveSession {
  session::Name name;
  std::string workspace;  // empty: it cannot be told, and may be any
};
Result<std::vector<LiveSession>> live_sessions(const Path& pale_home, const std::string& project);

}  // namespace pale::service
