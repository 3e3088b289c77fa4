// scope/folders.h: the folders of a repository that a run is about: how people list them, and what lies in them. Touches no
// disk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/path.h"

namespace pale::scope {

// "lib, src/": each as it is written, without the spaces around it. Refuses a list with nothing between two commas, and one
// that is empty.
Result<std::vector<std::string>> split_folders(std::string_view list);

// A path of the repository at `root` by its name from there: "packages/api". By components alone, so ".." is refused: where
// that leads only the kernel knows. Refuses the root itself and what lies outside.
Result<std::string> name_below(const Path& root, std::string_view written);

struct Folder {
  std::string name;  // as messages have it: "packages/api"
  Path path;         // absolute; leads through no link
  bool operator==(const Folder&) const = default;
};

struct Folders {
  Path root;  // of the repository; leads through no link
  std::vector<Folder> all;

  // The folder that a file lies in, exists or not; null: in none. `file` is absolute and leads through no link. By whole
  // names: what lies in "library" does not lie in "lib".
  const Folder* around(const Path& file) const noexcept;
  std::string listed() const;  // "lib,src"
};

}  // namespace pale::scope
