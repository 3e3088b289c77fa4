#include "service/scope.h"

#include <fcntl.h>

#include "base/json.h"
#include "base/text.h"
#include "project/here.h"
#include "project/root.h"
#include "search/find.h"
#include "service/prepare.h"
#include "sys/file.h"

namespace pale::service {
namespace {

constexpr std::size_t kMostFiles = 1'000'000;  // of a folder: enough to see what kinds there are
constexpr std::int64_t kPatience = 60'000;     // milliseconds
constexpr std::size_t kLargest = 64UL << 20U;  // of a prd.json

bool is_there(const Path& path) {
  const auto info = sys::file_info(sys::kAbsolute, path.c_str());
  return info && info->kind != sys::FileKind::Missing;
}

std::optional<Path> repository_around(Path directory) {
  while (!is_there(directory / ".git")) {
    if (directory.is_root()) return std::nullopt;
    directory = directory.parent();
  }
  return directory;
}

std::string full_path(const Path& repository, const std::string& written) {
  return written.starts_with('/') ? written : repository.text() + "/" + written;
}

std::unexpected<Error> no_folder(const std::string& why, const std::string& name, std::string hint) {
  return fail(ErrorKind::NotFound, "Workspace folder " + why + ":", name, std::move(hint));
}

bool may_infer(const scope::Story& story, std::span<const scope::FolderContent> folders) {
  return !story.file_scope || scope::is_inferred(*story.file_scope, folders);
}

}  // namespace

Result<Path> find_repository(const project::Named& named, const Caller& caller) {
  PALE_TRY(around, surroundings_of(caller));
  PALE_TRY(here, project::here());
  const bool is_named = !named.root.empty() || !named.id.empty();
  if (!is_named && !is_there(here / project::kManifestPlace)) {
    if (auto repository = repository_around(here)) return std::move(*repository);
  }
  auto resolved = project::resolve(named, around);
  if (!resolved) {
    Error error = std::move(resolved).error();
    if (!is_named) error = std::move(error).or_hint("cd into a git repository");
    return fail(std::move(error));
  }
  return resolved->project.root();
}

Result<scope::Folder> find_folder(const Path& repository, const std::string& written) {
  PALE_TRY(path, project::leads_to(full_path(repository, written)));
  PALE_TRY(info, sys::file_info(sys::kAbsolute, path.c_str()));
  if (path == repository)
    return no_folder("is the whole repository", written, "leave it out: without folders, all of it is meant");
  if (!repository.covers(path))
    return no_folder("is outside repository", written,
                     "it leads to " + path.text() + "; name a folder below " + repository.text());
  if (info.kind == sys::FileKind::Missing)
    return no_folder("does not exist", written, "mkdir -p " + shell_word(full_path(repository, written)));
  if (info.kind != sys::FileKind::Directory)
    return no_folder("is not a directory", written, "name the folder that it lies in");
  auto name = scope::name_below(repository, written);
  return scope::Folder{name ? std::move(*name) : std::string(repository.below(path)), path};
}

Result<scope::Folders> find_folders(const Path& repository, const std::vector<std::string>& written) {
  scope::Folders folders{repository, {}};
  for (const std::string& name : written) {
    PALE_TRY(folder, find_folder(repository, name));
    folders.all.push_back(std::move(folder));
  }
  return folders;
}

Result<Path> find_place(const Path& repository, const std::string& written) {
  return project::leads_to(full_path(repository, written));
}

Result<std::vector<scope::FolderContent>> look_into(const scope::Folders& folders) {
  PALE_TRY(root, sys::open_at(sys::kAbsolute, folders.root.c_str(), O_RDONLY | O_DIRECTORY));
  PALE_TRY(everything, search::Glob::parse("**"));
  std::vector<scope::FolderContent> contents;
  for (const scope::Folder& folder : folders.all) {
    // By where it really lies: that is where changes will be seen.
    scope::FolderContent content{std::string(folders.root.below(folder.path)), {}};
    if (!is_utf8(content.name))
      return fail(ErrorKind::Usage, "a name that is not UTF-8 cannot stand in a prd.json:", folder.name,
                  "rename the folder");
    search::FindOptions options;
    options.below = content.name;
    options.most = kMostFiles;
    PALE_TRY(found, search::find_files(root, everything, options));
    for (const std::string& file : found.paths)
      content.extensions.emplace_back(scope::extension_of(std::string_view(file).substr(file.rfind('/') + 1)));
    contents.push_back(std::move(content));
  }
  return contents;
}

Result<PrdFile> PrdFile::open(const std::string& given) {
  PALE_TRY(full, project::from_here(given));
  PALE_TRY(path, project::leads_to(full));
  auto directory = sys::open_at(sys::kAbsolute, path.parent().c_str(), O_RDONLY | O_DIRECTORY);
  const auto no_file = [&](Error error) {
    error.kind = ErrorKind::NotFound;
    return fail(std::move(error).with_hint("name a prd.json; pale loop init makes one"));
  };
  if (!directory) return no_file(std::move(directory).error());
  PALE_TRY(lock, sys::lock_within(*directory, sys::LockKind::Exclusive, kPatience));
  if (lock == sys::Lock::Held)
    return fail(ErrorKind::Refused, "another process is changing files in", path.parent().text(), "try again later");
  PALE_TRY(info, sys::file_info(sys::kAbsolute, path.c_str()));
  auto text = sys::read_file(sys::kAbsolute, path.c_str(), kLargest);
  if (!text) return no_file(std::move(text).error());
  PALE_TRY(prd, scope::parse_prd(*text, given));
  return PrdFile(std::move(path), std::move(*text), std::move(prd), info.mode, std::move(*directory));
}

Status PrdFile::change(std::span<const scope::StoryEdit> edits) {
  if (edits.empty()) return {};
  std::string edited = scope::edit_stories(text_, edits);
  PALE_TRY(prd, scope::parse_prd(edited, path_.text()));
  PALE_CHECK(sys::replace_file(path_.text(), edited, mode_, sys::Durability::OfDisk));
  text_ = std::move(edited);
  prd_ = std::move(prd);
  return {};
}

Result<std::vector<std::string>> infer_file_scopes(PrdFile& file, const scope::Folders& folders) {
  PALE_TRY(contents, look_into(folders));
  const std::vector<std::string> patterns = scope::infer_patterns(contents);
  std::vector<scope::StoryEdit> edits;
  std::vector<std::string> changed;
  for (std::size_t at = 0; at < file.prd().stories.size(); ++at) {
    const scope::Story& story = file.prd().stories[at];
    if (!may_infer(story, contents)) continue;
    if (story.file_scope == patterns) continue;
    edits.push_back({at, "fileScope", scope::json_of(patterns)});
    changed.push_back(story.id);
  }
  PALE_CHECK(file.change(edits));
  return changed;
}

}  // namespace pale::service
