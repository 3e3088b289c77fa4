// scope/file_scope.h: the fileScope of a story: which files it may change. A value; touches no disk.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "search/glob.h"

namespace pale::scope {

// Patterns of paths below the repository's root, as search/glob.h has them. One that has nothing special in it ("lib/utils",
// "README.md") is that very file, or all that lies in that directory.
class FileScope {
 public:
  // Refuses a pattern that is broken, or that leads up with "..".
  static Result<FileScope> parse(std::span<const std::string> patterns);

  // `path` is below the root: "lib/a.ts".
  bool allows(std::string_view path) const noexcept;
  // Those of `changed` that it does not allow, in their order: the check when a run has ended, and before a stage is applied.
  std::vector<std::string> violations(std::span<const std::string> changed) const;

  // What a kernel can keep: the places below the root, innermost and without those that lie in another, outside of which no
  // pattern matches anything. {""}: the root itself; none: no file is allowed at all. One may be a file's name: then its
  // directory is meant, since a file is replaced there rather than written.
  const std::vector<std::string>& places() const noexcept { return places_; }

 private:
  std::vector<search::Glob> globs_;
  std::vector<std::string> names_;  // themselves, and what lies in them
  std::vector<std::string> places_;
};

}  // namespace pale::scope
