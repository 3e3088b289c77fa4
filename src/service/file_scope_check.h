// service/file_scope_check.h: what directories cannot tell of a fileScope: the files where a story may write are noted before its run,
// and what changed is compared with the patterns after it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scope/file_scope.h"
#include "service/prepare.h"

namespace pale::service {

class FileScopeCheck {
 public:
  // Nothing, if the request has no fileScope, or a stage takes the changes: then they are looked at before they are applied.
  static Result<std::optional<FileScopeCheck>> begin(const Prepared& prepared, const Request& request);

  // Files that were changed, made or removed although no pattern matches them; below the root.
  std::vector<std::string> outside() const;

 private:
  struct Noted {
    std::string path;  // below the root
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;
    std::uint32_t mode = 0;
    bool operator==(const Noted&) const = default;
  };
  FileScopeCheck(scope::FileScope scope, Path root, std::vector<Path> places, std::vector<Path> apart)
      : scope_(std::move(scope)),
        root_(std::move(root)),
        places_(std::move(places)),
        apart_(std::move(apart)),
        before_(look()) {}
  std::vector<Noted> look() const;
  void look_into(const sys::Fd& directory, const Path& path, unsigned depth, std::vector<Noted>& found) const;

  scope::FileScope scope_;
  Path root_;
  std::vector<Path> places_;  // directories that can be written because of it
  std::vector<Path> apart_;   // what lies in them and is not about it: git's, and what the user granted by name
  std::vector<Noted> before_;
};

}  // namespace pale::service
