// refs/index.h: what is staged outside of what a run may change: the next commit of the user would take it along.
#pragma once

#include "refs/repository.h"
#include "sys/fd.h"

struct git_index;

namespace pale::refs {

// The index of a worktree as it was before a run.
class IndexBefore {
 public:
  // Of the bytes of its file; empty if there was none.
  static Result<IndexBefore> of_bytes(std::string bytes);
  // Of a worktree that is new: as if its commit had just been checked out. Empty: it has none.
  static Result<IndexBefore> of_commit(Repository& repository, const std::string& commit);

  // Paths that are not allowed and whose entries are not as they were, the first few of them. `directory` holds the index.
  Result<std::vector<std::string>> staged_outside(const Path& directory, const Allowed& allowed) const;
  // What is not allowed is as it was before; where that cannot be done, the whole index is.
  Status put_back(const Path& directory, const Allowed& allowed) const;

 private:
  struct Free {
    void operator()(git_index* index) const noexcept;
  };
  using Index = std::unique_ptr<git_index, Free>;
  IndexBefore(std::string bytes, sys::Fd file, Index index)
      : bytes_(std::move(bytes)), file_(std::move(file)), index_(std::move(index)) {}
  static Result<Index> open(const std::string& path);

  std::string bytes_;
  sys::Fd file_;  // in memory, with these bytes
  Index index_;
};

}  // namespace pale::refs
