// service/scope.h: the use cases of `pale scope`: folders as they lie on disk, what they hold, and the stories of a prd.json.
#pragma once

#include <string>
#include <vector>

#include "project/resolver.h"
#include "scope/folders.h"
#include "scope/infer.h"
#include "scope/prd.h"
#include "scope/prd_edit.h"
#include "service/request.h"
#include "sys/fd.h"

namespace pale::service {

// The project that is named, or has its manifest here; else the git repository that the user stands in; else the default
// project. Nothing is run and nothing is granted because of it.
Result<Path> find_repository(const project::Named& named, const Caller& caller);

// A folder that a person names: it exists, and lies in the repository, wherever links on the way lead.
Result<scope::Folder> find_folder(const Path& repository, const std::string& written);
Result<scope::Folders> find_folders(const Path& repository, const std::vector<std::string>& written);

// Where a file lies that a person names, be it there or not; relative paths begin at the repository's root.
Result<Path> find_place(const Path& repository, const std::string& written);

// The extensions of the files in each folder, but for what git ignores.
Result<std::vector<scope::FolderContent>> look_into(const scope::Folders& folders);

// A prd.json, for one at a time to change: locked for as long as this lives.
class PrdFile {
 public:
  // `given` is relative to where the user stands.
  static Result<PrdFile> open(const std::string& given);
  const scope::Prd& prd() const noexcept { return prd_; }
  const Path& path() const noexcept { return path_; }
  // On disk at once or not at all; every byte that is not meant stays. Without edits nothing is written.
  Status change(std::span<const scope::StoryEdit> edits);

 private:
  PrdFile(Path path, std::string text, scope::Prd prd, unsigned mode, sys::Fd lock)
      : path_(std::move(path)), text_(std::move(text)), prd_(std::move(prd)), mode_(mode), lock_(std::move(lock)) {}
  Path path_;
  std::string text_;
  scope::Prd prd_;
  unsigned mode_;
  sys::Fd lock_;
};

// Gives the stories that have no fileScope the one that the folders stand for. One that was inferred for the same folders is
// inferred again, with the types of files that there are now; any other is somebody's own. Returns the ids of those changed.
Result<std::vector<std::string>> infer_file_scopes(PrdFile& file, const scope::Folders& folders);

}  // namespace pale::service
