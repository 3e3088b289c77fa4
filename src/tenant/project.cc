#include "tenant/project.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "project/lock.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/random.h"
#include "sys/tree.h"
#include "tenant/id.h"
#include "tenant/metadata.h"
#include "tenant/place.h"

namespace pale::tenant {
namespace {

// Beside the projects, with names that no project has.
constexpr std::string_view kNew = ".new-";
constexpr std::string_view kGone = ".gone-";

// One at a time makes a project: an id is free, or it is not.
Result<sys::Fd> lock_projects(const Path& pale_home) {
  PALE_CHECK(sys::make_directories(pale_home.text(), 0700));
  PALE_CHECK(sys::make_directory(sys::kAbsolute, projects_of(pale_home).c_str(), 0700));
  return project::take_lock((projects_of(pale_home) / ".lock").text(), "the managed projects");
}

Result<sys::Fd> open_projects(const Path& pale_home) {
  return sys::open_at(sys::kAbsolute, projects_of(pale_home).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

// What was being made or removed when somebody was killed. Who still removes a project holds its directory.
void sweep(const sys::Fd& projects) {
  const auto entries = sys::list_directory(projects);
  if (!entries) return;
  for (const sys::Entry& entry : *entries) {
    const bool made = entry.name.starts_with(kNew), gone = entry.name.starts_with(kGone);
    if (!made && !gone) continue;
    const auto directory = sys::open_at(projects.borrow(), entry.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    const auto lock = directory ? sys::try_lock(*directory, sys::LockKind::Exclusive) : sys::Lock::Taken;
    if (lock && *lock == sys::Lock::Taken) (void)sys::remove_tree(projects.borrow(), entry.name.c_str());
  }
}

Result<std::string> free_id(const Path& pale_home, const NewProject& wanted) {
  const auto taken = [&](const std::string& id) {
    return std::ranges::find(wanted.taken, id) != wanted.taken.end() || is_there(pale_home, id);
  };
  if (!wanted.id.empty()) {
    if (taken(wanted.id))
      return fail(ErrorKind::Usage, "there is a project of this id already:", wanted.id,
                  "pale project show " + wanted.id);
    return wanted.id;
  }
  for (unsigned number = 1;; ++number) {
    std::string id = slug_from(wanted.settings.name, number);
    if (!taken(id)) return id;
  }
}

Status fill(const sys::Fd& projects, const std::string& name, const Project& project) {
  PALE_CHECK(sys::make_directory(projects.borrow(), name.c_str(), 0700));
  PALE_TRY(directory, open_beneath(projects, name, O_RDONLY | O_DIRECTORY));
  PALE_CHECK(sys::make_directory(directory.borrow(), kSessions, 0700));
  PALE_CHECK(sys::make_directory(directory.borrow(), kWorkspaces, 0755));
  PALE_CHECK(sys::make_directory(directory.borrow(), kOwn, 0700));
  PALE_CHECK(sys::make_directory(directory.borrow(), kRecords, 0700));
  PALE_CHECK(write_first_metadata(directory, project));
  PALE_CHECK(sys::flush(directory));
  PALE_CHECK(sys::rename_to_free(projects.borrow(), name.c_str(), projects.borrow(), project.id.c_str()));
  return sys::flush(projects);
}

std::unexpected<Error> lives(const std::string& id, std::string operation, std::string hint) {
  return fail(ErrorKind::Refused, std::move(operation), "'" + id + "'", std::move(hint));
}

}  // namespace

Path directory_of(const Path& pale_home, const std::string& project) { return projects_of(pale_home) / project; }

bool is_there(const Path& pale_home, std::string_view id) {
  if (!is_project_id(id)) return false;
  const auto info = sys::file_info(sys::kAbsolute, directory_of(pale_home, std::string(id)).c_str());
  return !info || info->kind != sys::FileKind::Missing;
}

Result<Project> load_project(const Path& pale_home, const std::string& id) {
  PALE_TRY(directory, open_project_directory(pale_home, id));
  return read_metadata(pale_home, id, directory);
}

Result<Projects> list_projects(const Path& pale_home) {
  Projects all;
  auto projects = open_projects(pale_home);
  if (!projects && projects.error().number == ENOENT) return all;
  if (!projects) return std::unexpected(std::move(projects).error());
  PALE_TRY(entries, sys::list_directory(*projects));
  std::ranges::sort(entries, {}, &sys::Entry::name);
  for (const sys::Entry& entry : entries) {
    if (!is_project_id(entry.name)) continue;
    auto project = load_project(pale_home, entry.name);
    if (project) {
      all.sound.push_back(std::move(*project));
    } else if (project.error().kind != ErrorKind::NotFound) {  // gone since
      all.damaged.push_back(std::move(project).error());
    }
  }
  return all;
}

Result<Project> create_project(const Path& pale_home, const NewProject& wanted) {
  PALE_CHECK(check_settings(wanted.settings));
  if (!wanted.id.empty()) PALE_CHECK(check_project_id(wanted.id));
  PALE_TRY(lock, lock_projects(pale_home));
  PALE_TRY(projects, open_projects(pale_home));
  sweep(projects);
  PALE_TRY(id, free_id(pale_home, wanted));
  Project project{std::move(id), sys::wall_clock_seconds(), wanted.settings, {}};
  const std::string name = std::string(kNew) + project.id;
  const auto filled = fill(projects, name, project);
  if (!filled) {
    (void)sys::remove_tree(projects.borrow(), name.c_str());
    return std::unexpected(filled.error());
  }
  return project;
}

Result<ProjectLock> lock_project(const Path& pale_home, const std::string& id) {
  PALE_CHECK(check_project_id(id));
  const std::string file = (projects_of(pale_home) / (id + ".lock")).text();
  for (;;) {
    PALE_TRY(there, open_project_directory(pale_home, id));
    PALE_TRY(lock, project::take_lock(file, "project '" + id + "'"));
    // Who deleted it took the lock's file away, and another may have made both anew while this one waited.
    PALE_TRY(held, sys::file_info(lock));
    PALE_TRY(current, sys::file_info(sys::kAbsolute, file.c_str()));
    if (!held.same_file(current)) continue;
    auto directory = open_project_directory(pale_home, id);
    if (!directory) {
      (void)sys::remove_file(sys::kAbsolute, file.c_str());
      return std::unexpected(std::move(directory).error());
    }
    PALE_CHECK(finish_metadata(pale_home, id, *directory));
    return ProjectLock(pale_home, id, std::move(lock), std::move(*directory));
  }
}

Result<Project> update_project(const ProjectLock& lock, const SettingsChange& change, Sessions sessions) {
  PALE_TRY(project, read_metadata(lock.pale_home(), lock.id(), lock.descriptor()));
  Settings settings = with_change(project.settings, change);
  PALE_CHECK(check_settings(settings));
  if (sessions == Sessions::Living && !project.settings.same_boundary(settings))
    return lives(lock.id(), "isolation and protected paths cannot change under sessions that live in project",
                 "pale session list -p " + lock.id() + ", then pale session end SID");
  project.settings = std::move(settings);
  PALE_CHECK(write_metadata(lock.pale_home(), lock.descriptor(), project));
  return project;
}

Status delete_project(ProjectLock lock, Sessions sessions) {
  if (sessions == Sessions::Living)
    return lives(lock.id(), "sessions live in project",
                 "pale project delete " + lock.id() + " --force, which ends them");
  PALE_TRY(projects, open_projects(lock.pale_home()));
  PALE_TRY(held, sys::try_lock(lock.descriptor(), sys::LockKind::Exclusive));
  if (held == sys::Lock::Held) return lives(lock.id(), "somebody else removes project", "try again in a moment");
  PALE_TRY(uuid, sys::make_uuid());
  const std::string gone = std::string(kGone) + uuid;
  PALE_CHECK(sys::rename_to(projects.borrow(), lock.id().c_str(), projects.borrow(), gone.c_str()));
  (void)sys::remove_file(projects.borrow(), (lock.id() + ".lock").c_str());
  PALE_CHECK(sys::flush(projects));
  return sys::remove_tree(projects.borrow(), gone.c_str());
}

}  // namespace pale::tenant
