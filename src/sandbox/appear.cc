#include "sandbox/appear.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <ranges>

#include "base/text.h"
#include "sandbox/root.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/tree.h"

namespace pale::sandbox {
namespace {

using sys::Fd;
using sys::FileKind;
using Names = std::vector<std::string>;

// Not open if there is no such directory, or a link on the way to it.
Result<Fd> open_if_there(int at, const char* directory, int flags) {
  const long raw = sys::open_resolved(at, directory, flags | O_DIRECTORY, RESOLVE_NO_SYMLINKS);
  if (raw == -ENOENT || raw == -ENOTDIR || raw == -ELOOP) return Fd(-1);
  if (sys::failed(raw)) return fail_errno(static_cast<int>(-raw), "open", directory);
  return Fd(raw);
}

// The names in a directory that match; none if there is no such directory.
Result<std::vector<std::string>> matching_names(int at, const char* directory, std::string_view pattern) {
  std::vector<std::string> names;
  PALE_TRY(fd, open_if_there(at, directory, O_RDONLY));
  if (!fd.is_open()) return names;
  PALE_TRY(entries, sys::list_directory(fd));
  for (const sys::Entry& entry : entries) {
    if (name_matches(pattern, entry.name)) names.push_back(entry.name);
  }
  return names;
}

// The host may replace a file again while it is being covered; that change has its own signal.
Status unless_gone(Status done) { return !done && done.error().number == ENOENT ? Status{} : done; }

// Strictly between a grant and a path in it, the deepest first.
std::vector<Path> directories_between(const Grant& grant, const Path& path) {
  std::vector<Path> between;
  for (Path above = path.parent(); above != grant.path && grant.covers(above); above = above.parent())
    between.push_back(above);
  return between;
}

}  // namespace

bool Appearances::can_wait() const {
  return std::ranges::none_of(boundary_.protections(), [&](const Protection& protection) {
    const Grant* grant = boundary_.grant_for(protection.path);
    if (grant == nullptr || grant->access != Access::Write) return false;
    const auto above = directories_between(*grant, protection.path);
    return std::ranges::any_of(above, [&](const Path& directory) { return was_there(*grant, directory); });
  });
}

Status Appearances::start() {
  for (const Protection& protection : boundary_.protections()) {
    const Grant* grant = boundary_.grant_for(protection.path);
    if (grant == nullptr || grant->access != Access::Write) continue;
    guarded_.push_back({protection.path, protection.match, Rule::Protected});
    if (protection.match == Match::Glob) {
      guarded_.back().matches = matches_before(*grant, protection.path);
    } else {
      guarded_.back().present = was_there(*grant, protection.path);
    }
    for (const Path& above : directories_between(*grant, protection.path)) {
      if (std::ranges::find(guarded_, above, &Guarded::path) == guarded_.end())
        guarded_.push_back({above, Match::Exact, Rule::Above, was_there(*grant, above)});
    }
  }
  for (const Grant& grant : boundary_.grants()) {
    if (grant.access == Access::None) guarded_.push_back({grant.path, Match::Exact, Rule::Hidden});
  }
  return watch_directories();
}

bool Appearances::was_there(const Grant& grant, const Path& path) const {
  return facts_.kind_of(grant.source / grant.path.below(path)) != plan::Kind::Missing;
}

Names Appearances::matches_before(const Grant& grant, const Path& pattern) const {
  const Path on_host = grant.source / grant.path.below(pattern);
  Names names;
  for (const plan::PathFact& fact : facts_.paths) {
    const bool matches = fact.path.parent() == on_host.parent() && name_matches(on_host.name(), fact.path.name());
    if (matches && fact.kind != plan::Kind::Missing) names.emplace_back(fact.path.name());
  }
  return names;
}

Status Appearances::watch_directories() {
  std::optional<Path> missing;
  for (const Guarded& guarded : guarded_) {
    // Its directory, or, while that is missing too, the nearest one above it.
    for (Path directory = guarded.path.parent();; directory = directory.parent()) {
      if (directory == missing) continue;
      if (std::ranges::find(directories_, directory, &std::pair<Path, Fd>::first) != directories_.end()) break;
      auto fd = sys::open_at(sys::kAbsolute, directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      if (!fd && !directory.is_root()) {
        missing = directory;
        continue;
      }
      if (!fd) return std::unexpected(fd.error());
      PALE_CHECK(sys::notify_of_changes(*fd, sys::kDirectorySignal));
      directories_.emplace_back(directory, std::move(*fd));
      break;
    }
  }
  return {};
}

Result<bool> Appearances::check() {
  PALE_CHECK(watch_directories());
  bool breach = false;
  for (Guarded& guarded : guarded_) {
    PALE_TRY(appeared, guarded.match == Match::Glob ? check_glob(guarded) : check(guarded));
    breach |= appeared;
  }
  return breach;
}

Result<bool> Appearances::check(Guarded& guarded) {
  const bool read_only = sys::on_read_only_mount(sys::kAbsolute, guarded.path.c_str());
  if (read_only) return false;
  PALE_TRY(info, sys::file_info(sys::kAbsolute, guarded.path.c_str()));
  if (info.kind == FileKind::Missing) return false;
  if (guarded.rule == Rule::Above) return !guarded.present && info.kind != FileKind::Directory;
  if (guarded.rule == Rule::Hidden) {
    PALE_CHECK(unless_gone(hide_now(guarded.path)));
    return false;
  }
  if (!guarded.present) return true;
  if (backend_ == plan::Backend::Landlock) return false;  // No mount was there; the watch guards the name.
  // It was there and protected: the host put another in its place, and the mount went with the old one.
  PALE_CHECK(unless_gone(protect_again(guarded.path)));
  return false;
}

Result<bool> Appearances::check_glob(const Guarded& guarded) {
  const Path directory = guarded.path.parent();
  const auto names = matching_names(sys::kAbsolute, directory.c_str(), guarded.path.name());
  for (const std::string& name : names.value_or(Names())) {
    if (std::ranges::find(guarded.matches, name) == guarded.matches.end()) return true;
    const Path path = directory / name;
    if (backend_ == plan::Backend::Namespaces && !sys::on_read_only_mount(sys::kAbsolute, path.c_str()))
      PALE_CHECK(unless_gone(protect_again(path)));
  }
  return false;
}

namespace {

// Where what a command makes in a grant comes to lie: in the stage over it, or over what it is part of, if there is one.
Path changed_place(const Boundary& boundary, const Grant& grant) {
  for (const Grant& staged : boundary.grants()) {
    if (staged.layers.empty() || !staged.covers(grant.path)) continue;
    return staged.path == grant.path ? staged.layers.front() : staged.layers.front() / staged.path.below(grant.path);
  }
  return grant.source;
}

}  // namespace

std::vector<MissingPath> missing_paths(const Boundary& boundary, const plan::Facts& facts) {
  std::vector<MissingPath> missing;
  const auto add_if_missing = [&](const Grant& grant, const Path& path, Absence absence) {
    const std::string relative(grant.path.below(path));
    const bool listed = std::ranges::any_of(missing, [&](const MissingPath& other) {
      return other.relative == relative && other.root == changed_place(boundary, grant);
    });
    if (!listed && facts.kind_of(grant.source / relative) == plan::Kind::Missing)
      missing.push_back({changed_place(boundary, grant), relative, absence});
  };
  for (const Protection& protection : boundary.protections()) {
    const Grant* grant = boundary.grant_for(protection.path);
    if (grant == nullptr || grant->access != Access::Write || protection.path == grant->path) continue;
    // A link or a file in the place of a directory would bring protected names along, or lead elsewhere.
    for (const Path& above : directories_between(*grant, protection.path))
      add_if_missing(*grant, above, Absence::Passage);
    if (protection.match == Match::Exact) {
      add_if_missing(*grant, protection.path, Absence::Whole);
      continue;
    }
    const std::string relative(grant->path.below(protection.path));
    const Path directory = (grant->source / relative).parent();
    auto known = matching_names(sys::kAbsolute, directory.c_str(), protection.path.name());
    if (!known) continue;  // What appears could not be told from what the user has there, closed to himself.
    missing.push_back({changed_place(boundary, *grant), relative, Absence::Glob, std::move(*known)});
  }
  return missing;
}

namespace {

// The names in `directory` that should not be there.
Result<Names> appeared_names(const Fd& directory, const MissingPath& path, const std::string& name) {
  Names names;
  if (path.absence == Absence::Glob) {
    PALE_TRY(matches, matching_names(directory.borrow(), ".", name));
    std::erase_if(matches,
                  [&](const std::string& match) { return std::ranges::find(path.known, match) != path.known.end(); });
    return matches;
  }
  PALE_TRY(info, sys::file_info(directory.borrow(), name.c_str()));
  const bool passes = path.absence == Absence::Passage && info.kind == FileKind::Directory;
  if (info.kind != FileKind::Missing && !passes) names.push_back(name);
  return names;
}

class Sweep {
 public:
  explicit Sweep(const std::string& quarantine) : quarantine_(quarantine) {}
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;
  // What was opened on the way is as its user, or his program, had it.
  ~Sweep() {
    for (const auto& [directory, mode] : opened_) (void)sys::set_mode_of(directory, mode);
  }

  void clear(const MissingPath& path) {
    Status cleared = clear_now(path);
    if (!cleared && cleared.error().number == EACCES) {
      open_way_to(path);
      cleared = clear_now(path);
    }
    if (!cleared && !found_.error) found_.error = std::move(cleared).error();
  }
  Swept take() { return std::move(found_); }

 private:
  Status clear_now(const MissingPath& path) {
    const Path full = path.root / path.relative;
    PALE_TRY(parent, parent_of(full));
    if (!parent->is_open()) return {};
    auto names = appeared_names(*parent, path, std::string(full.name()));
    if (!names) {
      names.error().subject = full.text();
      return fail(std::move(names).error());
    }
    for (const std::string& name : *names) PALE_CHECK(put_aside(*parent, full.parent() / name));
    return {};
  }

  // Few, and most paths share one.
  Result<const Fd*> parent_of(const Path& path) {
    const Path directory = path.parent();
    auto known = std::ranges::find(parents_, directory, &std::pair<Path, Fd>::first);
    if (known == parents_.end()) {
      PALE_TRY(fd, open_if_there(sys::kAbsolute, directory.c_str(), O_PATH));
      known = parents_.emplace(parents_.end(), directory, std::move(fd));
    }
    return &known->second;
  }

  Status put_aside(const Fd& parent, const Path& path) {
    const std::string name(path.name());
    const std::string number = std::to_string(sys::wall_clock_ns());
    PALE_CHECK(sys::make_directories(quarantine_, 0700));
    const std::string kept = quarantine_ + "/" + number + "-" + name;
    auto moved = sys::move_tree(parent.borrow(), name.c_str(), sys::kAbsolute, kept.c_str());
    if (moved) {
      found_.moved.push_back(path);
      return {};
    }
    // It was made too large or too deep for a copy on another filesystem. Under another name at least no tool obeys it.
    const std::string aside = "quarantine-" + number;
    if (!sys::rename_to_free(parent.borrow(), name.c_str(), parent.borrow(), aside.c_str())) return moved;
    const Path now = path.parent() / aside;
    return fail(
        ErrorKind::System,
        path.text() + " appeared, could not be moved to the quarantine (" + moved.error().sentence() + ") and is now",
        now.text(), "rm -rf " + shell_word(now.text()));
  }

  // The grant's own directory, and those between it and the path: what a program inside could close.
  void open_way_to(const MissingPath& path) {
    std::vector<Path> way;
    for (Path above = (path.root / path.relative).parent(); path.root.covers(above); above = above.parent())
      way.push_back(above);
    for (const Path& directory : way | std::views::reverse) {
      auto fd = open_if_there(sys::kAbsolute, directory.c_str(), O_PATH);
      if (!fd || !fd->is_open()) return;
      if (const auto mode = sys::open_to_owner(*fd)) opened_.emplace_back(std::move(*fd), *mode);
    }
  }

  const std::string& quarantine_;
  Swept found_;
  std::vector<std::pair<Path, Fd>> parents_;
  std::vector<std::pair<Fd, unsigned>> opened_;
};

}  // namespace

Swept sweep(const std::vector<MissingPath>& missing, const std::string& quarantine) {
  Sweep sweep(quarantine);
  for (const MissingPath& path : missing) sweep.clear(path);
  return sweep.take();
}

}  // namespace pale::sandbox
