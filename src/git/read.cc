#include "git/read.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <algorithm>
#include <cerrno>

#include "sys/file.h"

namespace pale::git {
namespace {

constexpr std::size_t kMostLoose = 64UL << 10U;
constexpr std::size_t kMostFetched = 4UL << 20U;
constexpr std::size_t kMostPacked = 256UL << 20U;
constexpr std::size_t kMostRefs = 500'000;
constexpr int kDeepest = 64;
constexpr std::size_t kLargestIndex = 512UL << 20U;
constexpr std::size_t kMostTodo = 4UL << 20U;
constexpr std::size_t kMostWorktrees = 10'000;
constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
constexpr std::uint64_t kBeneath = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;

class Reader {
 public:
  explicit Reader(const Path& git) : git_(git) {}

  Result<std::vector<Ref>> read() {
    PALE_TRY(top, sys::open_at(sys::kAbsolute, git_.c_str(), kDirectory));
    PALE_CHECK(read_packed(top));
    PALE_CHECK(read_worktree(top, ""));
    PALE_CHECK(read_stash(top));
    PALE_CHECK(read_other_worktrees(top));
    return by_name();
  }

 private:
  // A loose one hides the packed one of the same name; it was read later.
  std::vector<Ref> by_name() {
    std::vector<std::size_t> order(refs_.size());
    for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
    std::ranges::sort(order, [&](std::size_t one, std::size_t other) {
      const int compared = refs_[one].name.compare(refs_[other].name);
      return compared != 0 ? compared < 0 : one < other;
    });
    std::vector<Ref> refs;
    refs.reserve(order.size());
    for (const std::size_t at : order) {
      if (!refs.empty() && refs.back().name == refs_[at].name) refs.pop_back();
      refs.push_back(std::move(refs_[at]));
    }
    return refs;
  }

  Status add(Ref ref) {
    if (refs_.size() == kMostRefs)
      return fail(ErrorKind::Refused, "there are more refs than can be checked:", std::to_string(kMostRefs));
    refs_.push_back(std::move(ref));
    return {};
  }
  Status add_odd(std::string name, std::string what) { return add({std::move(name), RefKind::Odd, std::move(what)}); }

  Status read_packed(const sys::Fd& top) {
    PALE_TRY(info, sys::file_info(top.borrow(), "packed-refs"));
    if (info.kind == sys::FileKind::Missing) return {};
    if (info.kind != sys::FileKind::File) return add_odd("packed-refs", "is no file");
    PALE_TRY(text, read_beneath(top, "packed-refs", kMostPacked));
    for (Ref& ref : parse_packed(text.value_or(""))) PALE_CHECK(add(std::move(ref)));
    return {};
  }

  // What one worktree has of its own: HEAD and its like, and refs of its own; the main one's are everybody's.
  Status read_worktree(const sys::Fd& top, const std::string& prefix) {
    PALE_TRY(entries, sys::list_directory(top));
    for (const sys::Entry& entry : entries) {
      if (entry.name == "refs") {
        PALE_CHECK(read_tree(top, entry, prefix + "refs", 0));
      } else if (entry.name == "HEAD") {
        PALE_CHECK(read_loose(top, entry, prefix + "HEAD"));
      } else if (entry.name.ends_with("_HEAD") && entry.kind == sys::FileKind::File) {
        PALE_CHECK(read_ids(top, entry.name, prefix + entry.name));
      }
    }
    return {};
  }

  Status read_tree(const sys::Fd& above, const sys::Entry& entry, const std::string& name, int depth) {
    if (entry.kind == sys::FileKind::File) {
      if (entry.name.ends_with(".lock")) return {};
      return is_good_name(name) ? read_loose(above, entry, name) : add_odd(name, "has a name that git does not take");
    }
    if (entry.kind != sys::FileKind::Directory) return add_odd(name, "is no file");
    if (depth == kDeepest) return add_odd(name, "lies too deep");
    PALE_TRY(directory, sys::open_at(above.borrow(), entry.name.c_str(), kDirectory));
    PALE_TRY(entries, sys::list_directory(directory));
    for (const sys::Entry& each : entries) PALE_CHECK(read_tree(directory, each, name + "/" + each.name, depth + 1));
    return {};
  }

  Status read_loose(const sys::Fd& directory, const sys::Entry& entry, std::string name) {
    if (entry.kind != sys::FileKind::File) return add_odd(std::move(name), "is no file");
    const auto text = read_beneath(directory, entry.name, kMostLoose);
    if (!text) return add_odd(std::move(name), "cannot be read");
    // Another process may have removed it meanwhile.
    return *text ? add(parse_loose(std::move(name), **text)) : Status();
  }

  // MERGE_HEAD and FETCH_HEAD name several objects, a line each.
  Status read_ids(const sys::Fd& directory, const std::string& file, const std::string& name) {
    const auto text = read_beneath(directory, file, kMostFetched);
    if (!text) return add_odd(name, "cannot be read");
    std::size_t number = 0;
    for (std::string_view rest = text->has_value() ? **text : std::string_view(); !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const Ref ref = parse_loose(number == 0 ? name : name + "#" + std::to_string(number), rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (ref.kind == RefKind::Odd) continue;
      PALE_CHECK(add(ref));
      ++number;
    }
    return {};
  }

  // Of the stash only the last entry is a ref; the others stand in its log.
  Status read_stash(const sys::Fd& top) {
    const auto text = read_beneath(top, "logs/refs/stash", kMostFetched);
    if (!text) return add_odd("logs/refs/stash", "cannot be read");
    for (std::string_view rest = text->has_value() ? **text : std::string_view(); !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      constexpr std::size_t kNew = 41, kIdLength = 40;  // "OLD NEW who when\twhy"
      if (line.size() < kNew + kIdLength) continue;
      const std::string id(line.substr(kNew, kIdLength));
      if (is_object_id(id)) PALE_CHECK(add({std::string(kStashLog) + id, RefKind::Direct, id}));
    }
    return {};
  }

  Status read_other_worktrees(const sys::Fd& top) {
    PALE_TRY(info, sys::file_info(top.borrow(), "worktrees"));
    if (info.kind == sys::FileKind::Missing) return {};
    if (info.kind != sys::FileKind::Directory) return add_odd("worktrees", "is no directory");
    PALE_TRY(all, sys::open_at(top.borrow(), "worktrees", kDirectory));
    PALE_TRY(entries, sys::list_directory(all));
    for (const sys::Entry& entry : entries) {
      const std::string name = "worktrees/" + entry.name;
      if (entry.kind != sys::FileKind::Directory) {
        PALE_CHECK(add_odd(name, "is no directory"));
        continue;
      }
      PALE_TRY(worktree, sys::open_at(all.borrow(), entry.name.c_str(), kDirectory));
      PALE_CHECK(read_worktree(worktree, name + "/"));
    }
    return {};
  }

  const Path& git_;
  std::vector<Ref> refs_;
};

Result<sys::Fd> open_top(const Path& git_directory) {
  return sys::open_at(sys::kAbsolute, git_directory.c_str(), kDirectory);
}

// "" for the main one, and "worktrees/NAME/" for each other.
Result<std::vector<std::string>> worktree_prefixes(const sys::Fd& top) {
  std::vector<std::string> prefixes = {""};
  const long raw = sys::open_resolved(top.borrow(), "worktrees", kDirectory, kBeneath);
  // What else stands there is an odd ref.
  if (raw < 0) return prefixes;
  PALE_TRY(entries, sys::list_directory(sys::Fd(raw)));
  if (entries.size() > kMostWorktrees)
    return fail(ErrorKind::Refused, "there are more worktrees than can be checked:", std::to_string(kMostWorktrees));
  for (const sys::Entry& entry : entries) {
    if (entry.kind == sys::FileKind::Directory) prefixes.push_back("worktrees/" + entry.name + "/");
  }
  std::ranges::sort(prefixes);
  return prefixes;
}

}  // namespace

Result<std::optional<std::string>> read_beneath(const sys::Fd& directory, const std::string& path, std::size_t most) {
  const long raw = sys::open_resolved(directory.borrow(), path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW, kBeneath);
  if (raw == -ENOENT) return std::nullopt;
  if (raw < 0) return fail_errno(static_cast<int>(-raw), "read", path);
  const sys::Fd file(raw);
  PALE_TRY(info, sys::file_info(file));
  if (info.kind != sys::FileKind::File) return fail(ErrorKind::Refused, "this is no file:", path);
  PALE_TRY(text, sys::read_all(file, most));
  return text;
}

Result<std::vector<Ref>> read_refs(const Path& git_directory) { return Reader(git_directory).read(); }

Result<std::vector<Held>> read_indexes(const Path& git_directory) {
  PALE_TRY(top, open_top(git_directory));
  PALE_TRY(prefixes, worktree_prefixes(top));
  std::vector<Held> found;
  for (const std::string& prefix : prefixes) {
    PALE_TRY(bytes, read_beneath(top, prefix + "index", kLargestIndex));
    if (bytes) found.push_back({prefix + "index", std::move(*bytes)});
  }
  return found;
}

Result<std::vector<std::string>> read_worktree_indexes(const Path& git_directory) {
  PALE_TRY(top, open_top(git_directory));
  PALE_TRY(prefixes, worktree_prefixes(top));
  std::vector<std::string> names;
  for (const std::string& prefix : prefixes) {
    std::string name = prefix + "index";
    PALE_TRY(info, sys::file_info(top.borrow(), name.c_str()));
    if (!prefix.empty() && info.kind != sys::FileKind::Missing) names.push_back(std::move(name));
  }
  return names;
}

Result<std::vector<Todo>> read_todos(const Path& git_directory) {
  PALE_TRY(top, open_top(git_directory));
  PALE_TRY(prefixes, worktree_prefixes(top));
  std::vector<Todo> found;
  for (const std::string& prefix : prefixes) {
    const std::string name = prefix + "rebase-merge/git-rebase-todo";
    auto text = read_beneath(top, name, kMostTodo);
    if (!text) {
      found.push_back({name, std::nullopt});
    } else if (*text) {
      found.push_back({name, std::move(*text)});
    }
  }
  return found;
}

std::vector<std::string_view> exec_lines(std::string_view todo) {
  std::vector<std::string_view> found;
  while (!todo.empty()) {
    std::string_view line = todo.substr(0, todo.find('\n'));
    todo.remove_prefix(std::min(line.size() + 1, todo.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    const std::string_view command = line.substr(0, line.find_first_of(" \t\r"));
    if (command == "exec" || command == "x") found.push_back(line);
  }
  return found;
}

}  // namespace pale::git
