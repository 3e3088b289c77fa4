// tenant/workspace.h: workspaces of a managed project. What is known of one lies in .pale/workspaces/<uuid>.json, which no agent
// can write; its data in workspaces/<uuid>/, which is the agent's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenant/project.h"

namespace pale::tenant {

struct Workspace {
  std::string id;                    // a UUID
  std::int64_t created_at = 0;       // seconds since 1970
  std::int64_t last_session_at = 0;  // 0: there was none yet
  std::string external_id;           // who it belongs to, in the words of whoever asked for it
  std::string source;                // where that one came from: "signal"
  bool operator==(const Workspace&) const = default;
};
// Its members into an object that is open. Times as texts; what there is not, as null.
void write_members(JsonWriter& out, const Workspace& workspace);

Path directory_of(const Path& pale_home, const std::string& project, const std::string& workspace);

// What was copied from the project into a workspace, and what was not, and why.
struct LeftOut {
  std::string path;  // below the project
  std::string reason;
};
struct Copied {
  std::vector<std::string> names;
  std::vector<LeftOut> left_out;
};

struct NewWorkspace {
  std::string external_id;
  std::string source;
};
struct CreatedWorkspace {
  Workspace workspace;
  Copied copied;
};
// Whole, or not at all: what a kill leaves behind is no workspace, and goes with the next one.
Result<CreatedWorkspace> create_workspace(const ProjectLock& lock, const Project& project, const NewWorkspace& wanted);

Result<Workspace> load_workspace(const Path& pale_home, const std::string& project, const std::string& id);
// Of those there are, sound or not, in no order.
Result<std::vector<std::string>> workspace_ids(const Path& pale_home, const std::string& project);
struct Workspaces {
  std::vector<Workspace> sound;  // the oldest first
  std::vector<Error> damaged;
};
Result<Workspaces> list_workspaces(const Path& pale_home, const std::string& project);

// An error that says so, if there is none of that name. One that is damaged is there.
Status need_workspace(const ProjectLock& lock, const std::string& id);

// With all that is in it. Refuses while a session of it lives, before anything is touched.
Status delete_workspace(const ProjectLock& lock, const std::string& id, Sessions sessions);

// A session of it starts now.
Status note_session(const ProjectLock& lock, const std::string& id, std::int64_t now);

// Its directory, for reading. Opened beneath the project and through no link: an agent may have put anything in its place.
Result<sys::Fd> open_workspace(const Path& pale_home, const std::string& project, const std::string& id);

// AGENTS.md (if workspaces are isolated) and .factory from the project's root, where the workspace has nothing of that name:
// when it is made, and each time a session starts. Regular files and directories alone; each appears whole, or not at all.
Result<Copied> copy_from_project(const ProjectLock& lock, const Project& project, const sys::Fd& workspace);

}  // namespace pale::tenant
