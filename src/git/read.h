// git/read.h: what the files of a repository say, without any library: every ref, also those that git would pass over in silence,
// and the few files whose bytes matter. All of it an agent may have written: it is read beneath the git directory, through no link,
// and up to a size; what is odd about it becomes an odd ref.
#pragma once

#include <optional>

#include "base/path.h"
#include "git/ref.h"
#include "sys/fd.h"

namespace pale::git {

// Sorted.
Result<std::vector<Ref>> read_refs(const Path& git_directory);

// A file as it lies there.
struct Held {
  std::string name;  // below the git directory: "index", "worktrees/fix/index"
  std::string bytes;
  bool operator==(const Held&) const = default;
};
// The index of each worktree that has one. Fails if one is no file, or too large.
Result<std::vector<Held>> read_indexes(const Path& git_directory);
// The names of those of worktrees beside the main one.
Result<std::vector<std::string>> read_worktree_indexes(const Path& git_directory);

// What git is still to do of a rebase.
struct Todo {
  std::string name;                 // "rebase-merge/git-rebase-todo", or that of a worktree
  std::optional<std::string> text;  // nothing: it is no file, or too large, or cannot be read
  bool operator==(const Todo&) const = default;
};
// Of each worktree that is in one.
Result<std::vector<Todo>> read_todos(const Path& git_directory);
// Its lines that git hands to a shell when the rebase goes on.
std::vector<std::string_view> exec_lines(std::string_view todo);

// One file beneath a directory; nothing, if there is none. Fails if it is no file, or lies behind a link.
Result<std::optional<std::string>> read_beneath(const sys::Fd& directory, const std::string& path, std::size_t most);

}  // namespace pale::git
