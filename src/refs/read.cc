#include "refs/read.h"

#include <fcntl.h>

#include <algorithm>

#include "sys/file.h"

namespace pale::refs {
namespace {

constexpr std::size_t kMostLoose = 64UL << 10U;
constexpr std::size_t kMostFetched = 4UL << 20U;
constexpr std::size_t kMostPacked = 256UL << 20U;
constexpr std::size_t kMostRefs = 500'000;
constexpr int kDeepest = 64;
constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

class Reader {
 public:
  explicit Reader(const Path& git) : git_(git) {}

  Result<std::vector<Ref>> read() {
    PALE_TRY(top, sys::open_at(sys::kAbsolute, git_.c_str(), kDirectory));
    PALE_CHECK(read_packed(top));
    PALE_CHECK(read_worktree(top, ""));
    PALE_CHECK(read_stash(top));
    PALE_CHECK(read_other_worktrees(top));
    // A loose one hides the packed one of the same name; it was read later.
    std::ranges::stable_sort(refs_, {}, &Ref::name);
    std::vector<Ref> refs;
    for (Ref& ref : refs_) {
      if (!refs.empty() && refs.back().name == ref.name) refs.pop_back();
      refs.push_back(std::move(ref));
    }
    return refs;
  }

 private:
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
    PALE_TRY(text, sys::read_file(top.borrow(), "packed-refs", kMostPacked));
    for (Ref& ref : parse_packed(text)) PALE_CHECK(add(std::move(ref)));
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
    const auto text = sys::read_file(directory.borrow(), entry.name.c_str(), kMostLoose);
    if (!text) return add_odd(std::move(name), "cannot be read");
    return add(parse_loose(std::move(name), *text));
  }

  // MERGE_HEAD and FETCH_HEAD name several objects, a line each.
  Status read_ids(const sys::Fd& directory, const std::string& file, const std::string& name) {
    const auto text = sys::read_file(directory.borrow(), file.c_str(), kMostFetched);
    if (!text) return add_odd(name, "cannot be read");
    std::size_t number = 0;
    for (std::string_view rest = *text; !rest.empty();) {
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
    const auto text = sys::read_file(top.borrow(), "logs/refs/stash", kMostFetched);
    if (!text) return {};
    for (std::string_view rest = *text; !rest.empty();) {
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

}  // namespace

Result<std::vector<Ref>> read_refs(const Path& git_directory) { return Reader(git_directory).read(); }

}  // namespace pale::refs
