// tenant/project.h: managed projects: PALE_HOME/projects/<id>/. Where workspaces are not isolated, agents write all over such a
// directory: nothing below it is trusted, no link in it followed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/path.h"
#include "sys/fd.h"
#include "tenant/settings.h"

namespace pale::tenant {

// Below a project's directory.
inline constexpr char kMetadata[] = "metadata.json";
inline constexpr char kWorkspaces[] = "workspaces";     // agents write here
inline constexpr char kSessions[] = "sessions";         // session/place.h
inline constexpr char kOwn[] = ".pale";                 // Pale's own, read-only inside
inline constexpr char kRecords[] = ".pale/workspaces";  // what is known of each workspace

Path directory_of(const Path& pale_home, const std::string& project);

// Whether there is one of that name, sound or not. An id that is none is no.
bool is_there(const Path& pale_home, std::string_view id);

// Refuses a directory, or a metadata.json, that is a symlink. One that cannot be read, or says what makes no sense, is an error
// with its place, never a project without protection.
Result<Project> load_project(const Path& pale_home, const std::string& id);

struct Projects {
  std::vector<Project> sound;  // by their ids
  std::vector<Error> damaged;  // one of them stops nobody
};
Result<Projects> list_projects(const Path& pale_home);

struct NewProject {
  Settings settings;
  std::string id;                      // empty: made from the name, a free one
  std::span<const std::string> taken;  // ids that others have
};
// Whole, or not at all: what a kill leaves behind counts for nothing and goes with the next one.
Result<Project> create_project(const Path& pale_home, const NewProject& wanted);

// A project while nobody else admits a session to it, changes or deletes it. The file it holds lies beside the project's
// directory, where no agent comes.
class ProjectLock {
 public:
  const Path& pale_home() const noexcept { return pale_home_; }
  const std::string& id() const noexcept { return id_; }
  Path directory() const { return directory_of(pale_home_, id_); }
  const sys::Fd& descriptor() const noexcept { return directory_; }  // of that directory, opened through no link

 private:
  friend Result<ProjectLock> lock_project(const Path& pale_home, const std::string& id);
  ProjectLock(Path pale_home, std::string id, sys::Fd lock, sys::Fd directory)
      : pale_home_(std::move(pale_home)),
        id_(std::move(id)),
        lock_(std::move(lock)),
        directory_(std::move(directory)) {}

  Path pale_home_;
  std::string id_;
  sys::Fd lock_;
  sys::Fd directory_;
};
// Waits for its turn, a minute at most. Also finishes what a kill has interrupted in it.
Result<ProjectLock> lock_project(const Path& pale_home, const std::string& id);

// Whether sessions of it live: the caller looks while it holds the lock (session/place.h), and says so here.
enum class Sessions { None, Living };

// What decides over a boundary (Settings::same_boundary) is not changed under a session that lives.
Result<Project> update_project(const ProjectLock& lock, const SettingsChange& change, Sessions sessions);
// Refuses while a session lives, before anything is touched. From the first step on there is no such project.
Status delete_project(ProjectLock lock, Sessions sessions);

}  // namespace pale::tenant
