#include "tenant/workspace.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "base/json.h"
#include "base/uuid.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/random.h"
#include "sys/tree.h"
#include "tenant/id.h"
#include "tenant/place.h"
#include "tenant/record.h"

namespace pale::tenant {
namespace {

// A record's name says how far a workspace is. Only the middle one is there for others.
constexpr std::string_view kBeingMade = ".new", kThere = ".json", kBeingRemoved = ".gone";
constexpr std::size_t kUuidLength = 36;
constexpr std::size_t kLongestText = 1000;

std::string record_name(const std::string& id, std::string_view state) { return id + std::string(state); }

Result<sys::Fd> open_records(const sys::Fd& project) {
  PALE_CHECK(sys::make_directory(project.borrow(), kOwn, 0700));
  PALE_TRY(own, open_beneath(project, kOwn, O_RDONLY | O_DIRECTORY));
  PALE_CHECK(sys::make_directory(own.borrow(), "workspaces", 0700));
  return open_beneath(own, "workspaces", O_RDONLY | O_DIRECTORY);
}

Result<sys::Fd> open_workspaces(const sys::Fd& project) {
  PALE_CHECK(sys::make_directory(project.borrow(), kWorkspaces, 0755));
  return open_beneath(project, kWorkspaces, O_RDONLY | O_DIRECTORY);
}

// The data first: as long as the record is there, the rest can be found again.
Status remove_workspace(const sys::Fd& records, const sys::Fd& workspaces, const std::string& id,
                        std::string_view state) {
  PALE_CHECK(sys::remove_tree(workspaces.borrow(), id.c_str()));
  return sys::remove_file(records.borrow(), record_name(id, state).c_str());
}

// What was being made or removed when somebody was killed.
void sweep(const sys::Fd& records, const sys::Fd& workspaces) {
  const auto entries = sys::list_directory(records);
  if (!entries) return;
  for (const sys::Entry& entry : *entries) {
    const std::string id = entry.name.substr(0, kUuidLength);
    const std::string_view state = std::string_view(entry.name).substr(id.size());
    if (is_uuid(id) && (state == kBeingMade || state == kBeingRemoved))
      (void)remove_workspace(records, workspaces, id, state);
  }
}

Status check_text(std::string_view field, const std::string& text) {
  if (is_utf8(text) && text.find('\0') == std::string::npos && text.size() <= kLongestText) return {};
  return fail(ErrorKind::Usage, std::string(field) + " is a text of 1000 bytes at most, in", "UTF-8 without NUL");
}

std::string file_of(const Path& pale_home, const std::string& project, const std::string& id) {
  return (directory_of(pale_home, project) / kRecords / record_name(id, kThere)).text();
}

std::unexpected<Error> no_such_workspace(const std::string& project, const std::string& id) {
  return fail(ErrorKind::NotFound, "there is no workspace in project '" + project + "' called", "'" + id + "'",
              "pale workspace list -p " + project);
}

}  // namespace

Path directory_of(const Path& pale_home, const std::string& project, const std::string& workspace) {
  return directory_of(pale_home, project) / kWorkspaces / workspace;
}

Result<CreatedWorkspace> create_workspace(const ProjectLock& lock, const Project& project, const NewWorkspace& wanted) {
  PALE_CHECK(check_text("external_id", wanted.external_id));
  PALE_CHECK(check_text("source", wanted.source));
  PALE_TRY(records, open_records(lock.descriptor()));
  PALE_TRY(workspaces, open_workspaces(lock.descriptor()));
  sweep(records, workspaces);
  PALE_TRY(id, sys::make_uuid());
  const Workspace workspace{id, sys::wall_clock_seconds(), 0, wanted.external_id, wanted.source};
  const std::string aside = record_name(id, kBeingMade);
  const auto make = [&]() -> Result<Copied> {
    PALE_CHECK(write_new(records, aside, record_text(workspace)));
    PALE_CHECK(sys::make_directory(workspaces.borrow(), id.c_str(), 0755));
    PALE_TRY(directory, open_beneath(workspaces, id, O_RDONLY | O_DIRECTORY));
    PALE_TRY(copied, copy_from_project(lock, project, directory));
    PALE_CHECK(sys::rename_to(records.borrow(), aside.c_str(), records.borrow(), record_name(id, kThere).c_str()));
    PALE_CHECK(sys::flush(records));
    return copied;
  };
  auto made = make();
  if (!made) {
    (void)remove_workspace(records, workspaces, id, kBeingMade);
    return std::unexpected(std::move(made).error());
  }
  return CreatedWorkspace{workspace, std::move(*made)};
}

Result<Workspace> load_workspace(const Path& pale_home, const std::string& project, const std::string& id) {
  PALE_CHECK(check_workspace_id(id));
  PALE_TRY(directory, open_project_directory(pale_home, project));
  PALE_TRY(text, read_beneath(directory, kRecords + ("/" + record_name(id, kThere))));
  if (!text) return no_such_workspace(project, id);
  return parse_record(*text, id, file_of(pale_home, project, id));
}

Result<std::vector<std::string>> workspace_ids(const Path& pale_home, const std::string& project) {
  std::vector<std::string> ids;
  PALE_TRY(directory, open_project_directory(pale_home, project));
  auto records = open_beneath(directory, kRecords, O_RDONLY | O_DIRECTORY);
  if (!records && records.error().number == ENOENT) return ids;
  if (!records) return std::unexpected(std::move(records).error());
  PALE_TRY(entries, sys::list_directory(*records));
  for (const sys::Entry& entry : entries) {
    std::string id = entry.name.substr(0, kUuidLength);
    if (is_uuid(id) && entry.name == record_name(id, kThere)) ids.push_back(std::move(id));
  }
  return ids;
}

Result<Workspaces> list_workspaces(const Path& pale_home, const std::string& project) {
  Workspaces all;
  PALE_TRY(ids, workspace_ids(pale_home, project));
  for (const std::string& id : ids) {
    auto workspace = load_workspace(pale_home, project, id);
    if (workspace) {
      all.sound.push_back(std::move(*workspace));
    } else if (workspace.error().kind != ErrorKind::NotFound) {  // gone since
      all.damaged.push_back(std::move(workspace).error());
    }
  }
  std::ranges::sort(all.sound, [](const Workspace& one, const Workspace& other) {
    return std::tie(one.created_at, one.id) < std::tie(other.created_at, other.id);
  });
  return all;
}

Status need_workspace(const ProjectLock& lock, const std::string& id) {
  PALE_CHECK(check_workspace_id(id));
  PALE_TRY(records, open_records(lock.descriptor()));
  PALE_TRY(info, sys::file_info(records.borrow(), record_name(id, kThere).c_str()));
  if (info.kind == sys::FileKind::Missing) return no_such_workspace(lock.id(), id);
  return {};
}

Status delete_workspace(const ProjectLock& lock, const std::string& id, Sessions sessions) {
  PALE_CHECK(need_workspace(lock, id));
  if (sessions == Sessions::Living)
    return fail(ErrorKind::Refused, "a session lives in workspace", "'" + id + "'",
                "pale workspace delete -p " + lock.id() + " " + id + " --force, which ends it");
  PALE_TRY(records, open_records(lock.descriptor()));
  PALE_TRY(workspaces, open_workspaces(lock.descriptor()));
  PALE_CHECK(sys::rename_to(records.borrow(), record_name(id, kThere).c_str(), records.borrow(),
                            record_name(id, kBeingRemoved).c_str()));
  return remove_workspace(records, workspaces, id, kBeingRemoved);
}

Status note_session(const ProjectLock& lock, const std::string& id, std::int64_t now) {
  PALE_TRY(workspace, load_workspace(lock.pale_home(), lock.id(), id));
  PALE_TRY(records, open_records(lock.descriptor()));
  const std::string name = record_name(id, kThere);
  PALE_TRY(file, open_beneath(records, name, O_RDWR));
  PALE_TRY(text, sys::read_all(file, kMostText));
  if (const auto patch = patch_for(text, now)) return sys::write_at(file, patch->offset, patch->text);
  workspace.last_session_at = now;
  const std::string aside = id + ".next";
  PALE_CHECK(write_new(records, aside, record_text(workspace)));
  return sys::rename_to(records.borrow(), aside.c_str(), records.borrow(), name.c_str());
}

Result<sys::Fd> open_workspace(const Path& pale_home, const std::string& project, const std::string& id) {
  PALE_CHECK(check_workspace_id(id));
  PALE_TRY(directory, open_project_directory(pale_home, project));
  auto workspace = open_beneath(directory, std::string(kWorkspaces) + "/" + id, O_RDONLY | O_DIRECTORY);
  if (!workspace && workspace.error().number == ENOENT)
    return fail(ErrorKind::NotFound,
                "the directory of a workspace is gone:", directory_of(pale_home, project, id).text(),
                "pale workspace delete -p " + project + " " + id);
  return workspace;
}

}  // namespace pale::tenant
