#include "tenant/metadata.h"

#include <fcntl.h>

#include <cerrno>

#include "sys/file.h"
#include "tenant/place.h"
#include "tenant/project.h"

namespace pale::tenant {
namespace {

std::string next_name(const std::string& id) { return id + ".next"; }

Result<std::optional<std::string>> read_next(const Path& pale_home, const std::string& id) {
  PALE_TRY(projects, sys::open_at(sys::kAbsolute, projects_of(pale_home).c_str(), O_RDONLY | O_DIRECTORY));
  return read_beneath(projects, next_name(id));
}

std::string file_of(const Path& pale_home, const std::string& id) {
  return (directory_of(pale_home, id) / kMetadata).text();
}

Result<Project> read_once(const Path& pale_home, const std::string& id, const sys::Fd& directory) {
  PALE_TRY(next, read_next(pale_home, id));
  if (next) return parse_project(*next, id, (projects_of(pale_home) / next_name(id)).text());
  PALE_TRY(text, read_beneath(directory, kMetadata));
  if (text) return parse_project(*text, id, file_of(pale_home, id));
  return fail(ErrorKind::System,
              "a managed project has lost its settings, and with them what they protect:", file_of(pale_home, id),
              "put it back from a backup");
}

// Under another name, somebody else would be told the same, or could say something else.
Status check_own(const Path& pale_home, const std::string& id, const sys::Fd& directory) {
  PALE_TRY(file, open_beneath(directory, kMetadata, O_RDONLY));
  PALE_TRY(info, sys::file_info(file));
  if (info.kind == sys::FileKind::File && info.links == 1) return {};
  return fail(ErrorKind::Refused, "this is no regular file with one name:", file_of(pale_home, id),
              "put a copy in its place");
}

Status write_in_place(const Path& pale_home, const std::string& id, const sys::Fd& directory, std::string_view text) {
  PALE_TRY(file, open_beneath(directory, kMetadata, O_WRONLY | O_TRUNC));
  PALE_CHECK(sys::write_all(file.borrow(), text));
  PALE_CHECK(sys::flush(file));
  return sys::remove_file(sys::kAbsolute, (projects_of(pale_home) / next_name(id)).c_str());
}

}  // namespace

Result<Project> read_metadata(const Path& pale_home, const std::string& id, const sys::Fd& directory) {
  // Somebody may be writing it just now; then the new text lies beside it, or is whole by the time of the next look.
  auto project = read_once(pale_home, id, directory);
  if (!project) project = read_once(pale_home, id, directory);
  return project;
}

Status write_first_metadata(const sys::Fd& directory, const Project& project) {
  return write_new(directory, kMetadata, to_json(project));
}

Status write_metadata(const Path& pale_home, const sys::Fd& directory, const Project& project) {
  PALE_CHECK(check_own(pale_home, project.id, directory));
  const std::string text = to_json(project);
  PALE_CHECK(
      sys::replace_file((projects_of(pale_home) / next_name(project.id)).text(), text, 0600, sys::Durability::OfDisk));
  return write_in_place(pale_home, project.id, directory, text);
}

Status finish_metadata(const Path& pale_home, const std::string& id, const sys::Fd& directory) {
  PALE_TRY(next, read_next(pale_home, id));
  if (!next) return {};
  PALE_CHECK(check_own(pale_home, id, directory));
  return write_in_place(pale_home, id, directory, *next);
}

}  // namespace pale::tenant
