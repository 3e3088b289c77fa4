#include "stage/changes.h"

#include <algorithm>

#include "stage/renames.h"

namespace pale::stage {
namespace {

using sandbox::LayeredDirectory;
using sys::FileInfo;

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
constexpr int kFile = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

// An agent can make directories in one another without end, and no path is as long as theirs.
constexpr std::size_t kDeepest = 256;
constexpr std::size_t kShownPath = 120;

Status too_deep(const std::string& path) {
  return fail(ErrorKind::Refused,
              "more than " + std::to_string(kDeepest) + " directories lie in one another, which cannot be reviewed:",
              path.substr(0, kShownPath) + "…");
}

Result<std::vector<sys::Entry>> sorted_entries(const sys::Fd& directory) {
  PALE_TRY(listing, sys::open_at(directory.borrow(), ".", kDirectory));
  PALE_TRY(entries, sys::list_directory(listing));
  std::ranges::sort(entries, {}, &sys::Entry::name);
  return entries;
}

enum class Until { TheEnd, TheFirst };

// Whether the layer's directory shows what lies beneath it.
enum class Shows { Beneath, OnlyItself };

class Walk {
 public:
  Walk(const View& view, Progress* progress, Until until) : view_(view), progress_(progress), until_(until) {}

  Result<ChangeSet> changes() {
    PALE_TRY(beneath, view_.beneath().enter("."));
    PALE_CHECK(walk(view_.upper(), beneath, "", Shows::Beneath, 0));
    std::ranges::sort(changes_, stands_before, &Change::path);
    return std::move(changes_);
  }

 private:
  Status walk(const sys::Fd& upper, const LayeredDirectory& beneath, const std::string& prefix, Shows shows,
              std::size_t depth) {
    if (depth > kDeepest) return too_deep(prefix);
    PALE_TRY(entries, sorted_entries(upper));
    for (const sys::Entry& entry : entries) {
      if (is_enough()) return {};
      PALE_CHECK(compare(upper, beneath, prefix, entry.name, shows, depth));
    }
    if (shows == Shows::Beneath || beneath.is_missing()) return {};
    PALE_TRY(hidden, beneath.list());
    for (const sys::Entry& entry : hidden) {
      const bool replaced = std::ranges::binary_search(entries, entry.name, {}, &sys::Entry::name);
      if (!replaced) PALE_CHECK(add_deleted(beneath, prefix + entry.name, entry.name, depth));
    }
    return {};
  }

  Status compare(const sys::Fd& upper, const LayeredDirectory& beneath, const std::string& prefix,
                 const std::string& name, Shows shows, std::size_t depth) {
    const std::string path = prefix + name;
    if (progress_ != nullptr) progress_->tell("looking at the stage", ++seen_, 0);
    PALE_TRY(after, sys::file_info(upper.borrow(), name.c_str()));
    PALE_TRY(before, beneath.look(name.c_str()));
    if (after.whiteout)
      return before.kind == sys::FileKind::Missing ? Status{} : add_deleted(beneath, path, name, depth);
    if (after.kind == sys::FileKind::Directory)
      return compare_directory(upper, beneath, path, name, shows, before, after, depth);
    if (before.kind == sys::FileKind::Directory) PALE_CHECK(add_contents_deleted(beneath, path, name, depth));
    if (before.kind == sys::FileKind::Missing) return add(path, ChangeKind::Created, before, after);
    if (before.format != after.format) return add(path, ChangeKind::Retyped, before, after);
    PALE_TRY(kind, compare_contents(upper, *beneath.holder(name.c_str()), name.c_str(), before, after));
    return kind ? add(path, *kind, before, after) : Status{};
  }

  Status compare_directory(const sys::Fd& upper, const LayeredDirectory& beneath, const std::string& path,
                           const std::string& name, Shows shows, const FileInfo& before, const FileInfo& after,
                           std::size_t depth) {
    PALE_TRY(inner, sys::open_at(upper.borrow(), name.c_str(), kDirectory));
    const bool merged = before.kind == sys::FileKind::Directory;
    if (before.kind == sys::FileKind::Missing) PALE_CHECK(add(path, ChangeKind::Created, before, after));
    if (before.kind != sys::FileKind::Missing && !merged) PALE_CHECK(add(path, ChangeKind::Retyped, before, after));
    if (merged && before.mode != after.mode) PALE_CHECK(add(path, ChangeKind::ModeChanged, before, after));
    if (is_enough()) return {};
    PALE_TRY(below, merged ? beneath.enter(name.c_str()) : Result<LayeredDirectory>(LayeredDirectory()));
    PALE_TRY(opaque, sandbox::is_opaque(inner));
    return walk(inner, below, path + "/", opaque ? Shows::OnlyItself : shows, depth + 1);
  }

  // Of the same type. Nothing: they do not differ.
  static Result<std::optional<ChangeKind>> compare_contents(const sys::Fd& upper, const sys::Fd& holder,
                                                            const char* name, const FileInfo& before,
                                                            const FileInfo& after) {
    if (after.kind == sys::FileKind::Symlink) {
      PALE_TRY(now, sys::read_link(upper.borrow(), name));
      PALE_TRY(then, sys::read_link(holder.borrow(), name));
      return now == then ? std::nullopt : std::optional(ChangeKind::Changed);
    }
    const bool mode = before.mode != after.mode;
    if (after.kind != sys::FileKind::File) return mode ? std::optional(ChangeKind::ModeChanged) : std::nullopt;
    if (before.size != after.size) return ChangeKind::Changed;
    PALE_TRY(now, sys::open_at(upper.borrow(), name, kFile));
    PALE_TRY(then, sys::open_at(holder.borrow(), name, kFile));
    if (!same_bytes(now, then)) return ChangeKind::Changed;
    PALE_TRY(attributes_now, own_attributes(now));
    PALE_TRY(attributes_then, own_attributes(then));
    return mode || attributes_now != attributes_then ? std::optional(ChangeKind::ModeChanged) : std::nullopt;
  }

  // With everything beneath it: a summary leaves out no deletion.
  Status add_deleted(const LayeredDirectory& beneath, const std::string& path, const std::string& name,
                     std::size_t depth) {
    PALE_TRY(before, beneath.look(name.c_str()));
    PALE_CHECK(add(path, ChangeKind::Deleted, before, {}));
    return before.kind == sys::FileKind::Directory ? add_contents_deleted(beneath, path, name, depth) : Status{};
  }

  Status add_contents_deleted(const LayeredDirectory& beneath, const std::string& path, const std::string& name,
                              std::size_t depth) {
    if (depth > kDeepest) return too_deep(path);
    PALE_TRY(below, beneath.enter(name.c_str()));
    PALE_TRY(entries, below.list());
    for (const sys::Entry& entry : entries)
      PALE_CHECK(add_deleted(below, path + "/" + entry.name, entry.name, depth + 1));
    return {};
  }

  Status add(const std::string& path, ChangeKind kind, const FileInfo& before, const FileInfo& after) {
    changes_.push_back({path, kind, state_of(before), state_of(after)});
    changes_.back().conflict = conflict_of(path, before);
    return {};
  }

  // A directory changes with every name in it, which says nothing of what the stage did to it.
  Conflict conflict_of(const std::string& path, const FileInfo& before) const {
    const bool known = view_.originals().find(path).is_open();
    if (before.kind == sys::FileKind::Missing) return known ? Conflict::Deleted : Conflict::None;
    if (before.kind == sys::FileKind::Directory || view_.originals().is_original(path, before)) return Conflict::None;
    return !known && before.born_ns > view_.originals().began_ns() ? Conflict::Created : Conflict::Changed;
  }

  bool is_enough() const noexcept { return until_ == Until::TheFirst && !changes_.empty(); }

  const View& view_;
  Progress* progress_;
  Until until_;
  std::size_t seen_ = 0;
  ChangeSet changes_;
};

}  // namespace

Result<ChangeSet> find_changes(const View& view, Progress* progress) {
  PALE_TRY(changes, Walk(view, progress, Until::TheEnd).changes());
  return join_renames(view, std::move(changes));
}

Result<bool> has_changes(const View& view) {
  PALE_TRY(changes, Walk(view, nullptr, Until::TheFirst).changes());
  return !changes.empty();
}

}  // namespace pale::stage
