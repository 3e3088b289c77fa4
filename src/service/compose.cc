#include "service/compose.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "project/protection.h"
#include "scope/file_scope.h"
#include "service/environment.h"
#include "service/home.h"
#include "service/key_files.h"
#include "service/network_terms.h"
#include "service/system.h"
#include "service/workspace.h"
#include "sys/file.h"

namespace pale::service {
namespace {

constexpr std::string_view kInsideHome = "/home/agent";
constexpr std::uint32_t kBlockDevice = 0060000, kCharacterDevice = 0020000;  // S_IFBLK, S_IFCHR
constexpr std::string_view kOtherInsideHome = "/home/pale-agent";            // where a host user is called agent

std::string hex(std::uint64_t number) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[number >> static_cast<unsigned>(shift) & 15U];
  return text;
}

// The same project, the same place: its name for people, a number of its whole path for uniqueness.
std::string place_name(const Path& root) {
  return std::string(root.name()) + "-" + hex(Hash().add(root.text()).value());
}

class Composer {
 public:
  Composer(const Request& request, const Caller& caller, const Path& root, const Terms& terms, const Layout& layout)
      : request_(request), caller_(caller), root_(root), terms_(terms), layout_(layout) {}

  Result<Composed> make() {
    parts_.workspace = layout_.workspace;
    add_network(parts_, terms_);
    parts_.limits = terms_.limits;
    PALE_CHECK(add_system());
    PALE_CHECK(add_home());
    PALE_CHECK(add_workspace());
    PALE_CHECK(add_paths());
    PALE_CHECK(add_protections());
    PALE_CHECK(add_environment());
    PALE_TRY(boundary, Boundary::make(std::move(parts_)));
    PALE_CHECK(check_key_files(boundary, terms_.network_config));
    return Composed{std::move(boundary), std::move(etc_in_use_)};
  }

 private:
  void grant(Path path, Access access, Path source, std::string origin) {
    parts_.grants.push_back({std::move(path), access, std::move(source), std::move(origin)});
  }
  void grant_itself(const Path& path, Access access, std::string origin) {
    grant(path, access, path, std::move(origin));
  }

  Status add_system() {
    PALE_TRY(system, show_system(layout_, inside_home()));
    for (Grant& grant : system.grants) parts_.grants.push_back(std::move(grant));
    etc_in_use_ = std::move(system.etc_in_use);
    return {};
  }

  // Nothing else is shown beneath it: there would have to be a place for that in the private home.
  Path inside_home() const {
    const Path usual = Path::literal(kInsideHome);
    const bool taken =
        usual.covers(layout_.workspace) || std::ranges::any_of(request_.paths, [&](const PathRequest& wanted) {
          const auto path = Path::parse(wanted.path);
          return path && path->is_absolute() && usual.covers(*path);
        });
    return taken ? Path::literal(kOtherInsideHome) : usual;
  }

  // Whoever learns which folders a command needs cannot be held to some.
  bool is_held_to_folders() const { return is_strict(terms_.settings) && request_.attention != Attention::ToLearn; }

  // The whole project; or of the project the names, and what its folders hold. Of that a story may write less.
  Status add_workspace() {
    const project::Settings& settings = terms_.settings;
    const Access access = project::level_of(terms_.trust.value).access;
    const Access usual = request_.file_scope ? std::min(access, Access::Read) : access;
    const std::size_t staged_at = parts_.grants.size();
    const bool strict = is_held_to_folders();
    strict ? grant(layout_.workspace, Access::List, root_, settings.scope->where)
           : grant(layout_.workspace, usual, root_, said_workspace());
    std::vector<Path> within;
    for (const auto& folder : settings.folders) {
      PALE_TRY(path, existing_folder(folder));
      if (strict) grant_itself(path, usual, folder.where);
      if (strict) within.push_back(std::move(path));
    }
    if (!strict) within.push_back(root_);
    if (request_.file_scope && access == Access::Write) PALE_CHECK(add_file_scope(within, staged_at));
    parts_.grants[staged_at].layers = layout_.layers;
    return add_git(settings);
  }

  Result<Path> existing_folder(const project::Said<Path>& folder) const {
    PALE_TRY(path, existing({PathRule::ReadWrite, folder.value.text(), folder.where}));
    // A manifest may name single files beside them, as pale learn does; a flag may not.
    const bool may_be_file = !request_.workspace.folders;
    PALE_TRY(info, sys::file_info(sys::kAbsolute, path.c_str()));
    const bool fits = info.kind == sys::FileKind::Directory || (may_be_file && info.kind == sys::FileKind::File);
    if (!fits)
      return fail(ErrorKind::Usage, folder.where + " names folders, and this is none:", folder.value.text(),
                  "name the folder that it lies in");
    // By way of a link it may be what holds all of them.
    if (path == root_ || !root_.covers(path))
      return fail(ErrorKind::Refused, folder.where + ": a folder must lie in the project:", folder.value.text(),
                  "it leads to " + path.text());
    return path;
  }

  // The directories in which the files of a story lie, as far as they lie in `within`.
  Status add_file_scope(const std::vector<Path>& within, std::size_t root_grant) {
    const std::string& where = request_.file_scope->where;
    auto scope = scope::FileScope::parse(request_.file_scope->value);
    if (!scope) {
      scope.error().operation = where + ": " + scope.error().operation;
      return fail(std::move(scope).error());
    }
    for (const std::string& place : scope->places()) {
      const Path directory = nearest_directory(place.empty() ? root_ : root_ / place);
      for (const Path& folder : within) {
        if (!folder.covers(directory) && !directory.covers(folder)) continue;
        const Path& writable = folder.covers(directory) ? directory : folder;
        // The stage is over that very grant.
        writable == root_ ? void(parts_.grants[root_grant].access = Access::Write)
                          : grant_itself(writable, Access::Write, where);
      }
    }
    return {};
  }

  // Itself, or what it would have to be made in; through no link.
  Path nearest_directory(Path path) const {
    while (path != root_) {
      const sys::Fd fd(static_cast<int>(
          sys::open_resolved(sys::kAbsolute, path.c_str(), O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS)));
      if (fd.is_open()) break;
      path = path.parent();
    }
    return path;
  }

  // The usual case reads as it always did; what a level changes, it says.
  std::string said_workspace() const {
    return terms_.trust.where == "default"
               ? "workspace"
               : "workspace, trust " + std::string(project::level_of(terms_.trust.value).name) + " (" +
                     terms_.trust.where + ")";
  }

  // What lies in it are the contents of all files, also of those outside the folders: in strict mode it must be asked for.
  Status add_git(const project::Settings& settings) {
    if (!settings.git && (is_held_to_folders() || !request_.file_scope)) return {};
    const Path git = root_ / ".git";
    PALE_TRY(info, sys::file_info(sys::kAbsolute, git.c_str()));
    if (!settings.git) return add_commits(git, info, "git");
    if (settings.git->value == project::GitUse::Commit) return add_commits(git, info, settings.git->where);
    if (settings.git->value == project::GitUse::Read) {
      const bool reads = project::level_of(terms_.trust.value).access >= Access::Read;
      if (is_held_to_folders() && reads && info.kind != sys::FileKind::Missing)
        grant_itself(git, Access::Read, settings.git->where);
      parts_.protections.push_back({git, Match::Exact, settings.git->where});
    } else if (info.kind != sys::FileKind::Missing) {
      grant_itself(git, Access::None, settings.git->where);
    }
    return {};
  }

  // Where not all of the project can be written, the repository is one more folder; what other repositories keep in it stays as
  // it is.
  Status add_commits(const Path& git, const sys::FileInfo& info, const std::string& where) {
    const bool narrowed = is_held_to_folders() || request_.file_scope;
    const bool writes = project::level_of(terms_.trust.value).access == Access::Write;
    if (!narrowed || !writes || info.kind != sys::FileKind::Directory) return {};
    grant_itself(git, Access::Write, where);
    parts_.protections.push_back({git / "modules", Match::Exact, where});
    return {};
  }

  Status add_home() {
    const Path home = private_home(layout_.pale_home, root_);
    auto made = sys::make_directories(home.text(), 0700);
    if (!made) return fail(home_error(std::move(made).error(), layout_.pale_home));
    parts_.home = layout_.backend == plan::Backend::Landlock ? home : inside_home();
    grant(parts_.home, Access::Write, home, "private home");
    if (!has_own_tmp()) PALE_CHECK(sys::make_directory(sys::kAbsolute, (home / "tmp").c_str(), 0700));
    PALE_CHECK(introduce_to_git({layout_.user.home, home}));
    return copy_home_files({layout_.user.home, home}, request_.home_files);
  }

  Status add_paths() {
    for (const PathRequest& wanted : all_paths()) {
      if (wanted.rule == PathRule::Protect) continue;
      PALE_TRY(path, resolve(wanted));
      switch (wanted.rule) {
        case PathRule::ReadWrite: grant_itself(path, Access::Write, wanted.origin); break;
        case PathRule::ReadOnly: grant_itself(path, Access::Read, wanted.origin); break;
        default: grant_itself(path, Access::None, wanted.origin); break;
      }
      granted_.push_back(path);
    }
    return {};
  }

  // The user's configuration, then what was asked for this time.
  std::vector<PathRequest> all_paths() const {
    std::vector<PathRequest> all;
    for (const auto& place : terms_.grants.rw) all.push_back({PathRule::ReadWrite, place.value, place.where});
    for (const auto& place : terms_.grants.ro) all.push_back({PathRule::ReadOnly, place.value, place.where});
    all.insert(all.end(), request_.paths.begin(), request_.paths.end());
    return all;
  }

  // What a flag grants must exist, and is resolved here once; what it hides or protects stays as written.
  Result<Path> resolve(const PathRequest& wanted) const {
    if (wanted.rule == PathRule::ReadWrite || wanted.rule == PathRule::ReadOnly) return existing(wanted);
    PALE_TRY(path, Path::parse(full_path(wanted, layout_.workspace)));
    if (lies_in_a_grant(path)) return path;
    return fail(ErrorKind::Usage,
                wanted.origin + " is for paths below the project or another directory that is granted:", wanted.path,
                wanted.origin + " a path below " + layout_.workspace.text());
  }

  static std::string full_path(const PathRequest& wanted, const Path& below) {
    return wanted.path.starts_with('/') ? wanted.path : below.text() + "/" + wanted.path;
  }

  Result<Path> existing(const PathRequest& wanted) const {
    const std::string full = full_path(wanted, root_);
    auto fd = sys::open_at(sys::kAbsolute, full.c_str(), O_PATH);
    if (!fd) {
      Error error = std::move(fd).error();
      error.kind = ErrorKind::NotFound;
      error.operation = wanted.origin + " needs something that exists:";
      error.subject = wanted.path;
      error.hint = "mkdir -p " + shell_word(full);
      if (wanted.origin.starts_with("config.toml"))
        error.other_hints.push_back("pale config unset " +
                                    std::string(wanted.rule == PathRule::ReadWrite ? "rw" : "ro") + " --project-root " +
                                    shell_word(root_.text()));
      return std::unexpected(std::move(error));
    }
    PALE_TRY(text, sys::path_of(*fd));
    PALE_TRY(path, Path::parse(text));
    if (path.is_root())
      return fail(ErrorKind::Refused, "the whole machine cannot be granted:", wanted.path,
                  "name the directories that are needed");
    PALE_CHECK(check_not_ours(path, wanted));
    PALE_CHECK(check_can_be_shown(path, *fd, wanted));
    PALE_CHECK(check_stays(full, path));
    return path;
  }

  // Who can write there decides what is granted; what lies there are other projects' homes.
  Status check_not_ours(const Path& path, const PathRequest& wanted) const {
    const bool writes = wanted.rule == PathRule::ReadWrite;
    if (!layout_.pale_home.covers(path) && !(writes && path.covers(layout_.pale_home))) return {};
    return fail(ErrorKind::Refused, wanted.origin + ": Pale's own directory cannot be granted:", path.text(),
                "name the directories that are needed");
  }

  // A sandbox has its own of these, and no device beside them.
  static Status check_can_be_shown(const Path& path, const sys::Fd& place, const PathRequest& wanted) {
    for (const std::string_view own : {"/proc", "/dev/pts", "/run/pale"}) {
      if (!path.covers(Path::literal(own)) && !Path::literal(own).covers(path)) continue;
      return fail(ErrorKind::Refused,
                  wanted.origin + ": every sandbox has its own, and this one cannot be granted:", wanted.path,
                  "name what is needed in it, or leave " + wanted.origin + " out");
    }
    PALE_TRY(info, sys::file_info(place));
    if (info.format != kBlockDevice && info.format != kCharacterDevice) return {};
    return fail(ErrorKind::Refused, wanted.origin + ": a device cannot be granted:", wanted.path,
                "pale explain says which are there");
  }

  // What stands in a writable directory may be a link that an agent left there in an earlier run: whatever is named by way
  // of such a directory must lie in it. With ".." in it, the user himself leads out.
  Status check_stays(const std::string& full, const Path& path) const {
    if (!Path::parse(full)) return {};
    for (std::size_t slash = full.find('/', 1); slash != std::string::npos; slash = full.find('/', slash + 1)) {
      PALE_TRY(fd, sys::open_at(sys::kAbsolute, full.substr(0, slash).c_str(), O_PATH));
      PALE_TRY(text, sys::path_of(fd));
      PALE_TRY(above, Path::parse(text));
      for (const Grant& grant : parts_.grants) {
        const bool agents = grant.access == Access::Write || grant.path == layout_.workspace;
        if (agents && grant.covers(above) && !grant.covers(path))
          return fail(ErrorKind::Refused, "a symbolic link leads out of " + grant.path.text() + ":", full,
                      "name the place itself if it is to be granted: " + path.text());
      }
    }
    return {};
  }

  bool lies_in_a_grant(const Path& path) const {
    const auto holds = [&](const Path& place) { return place.covers(path) && place != path; };
    return holds(layout_.workspace) || std::ranges::any_of(granted_, holds);
  }

  // The project, if anything of it is writable, and every other directory that somebody makes writable.
  Status add_protections() {
    const Path& workspace = layout_.workspace;
    const bool writes = std::ranges::any_of(parts_.grants, [&](const Grant& grant) {
      return grant.access == Access::Write && workspace.covers(grant.path);
    });
    for (const Grant& grant : parts_.grants) {
      const bool counts =
          workspace.covers(grant.path) ? grant.path == workspace && writes : grant.access == Access::Write;
      if (!counts || grant.path == parts_.home) continue;
      PALE_TRY(info, sys::file_info(sys::kAbsolute, grant.source.c_str()));
      if (info.kind != sys::FileKind::Directory) continue;
      const auto which = grant.layers.empty() ? project::Repositories::All : project::Repositories::AtTheRoot;
      PALE_CHECK(protect_by_default(grant, which));
    }
    if (layout_.start && *layout_.start != workspace) {
      const Path source = root_ / workspace.below(*layout_.start);
      const Grant own = {*layout_.start, Access::Write, source, "workspace", {}};
      PALE_CHECK(protect_by_default(own, project::Repositories::AtTheRoot));
    }
    for (const auto& protection : terms_.settings.protections)
      parts_.protections.push_back({protection.value.path, protection.value.match, protection.where});
    for (const project::Zone& zone : terms_.settings.zones) {
      if (zone.access == Access::Read) parts_.protections.push_back({zone.path, Match::Exact, zone.where});
    }
    for (const PathRequest& wanted : request_.paths) {
      if (wanted.rule != PathRule::Protect) continue;
      PALE_TRY(path, resolve(wanted));
      parts_.protections.push_back({path, Match::Exact, wanted.origin});
    }
    return {};
  }

  Status protect_by_default(const Grant& grant, project::Repositories which) {
    PALE_TRY(protections, project::default_protections(grant.source, layout_.user, which));
    for (Protection& protection : protections) {
      if (grant.source != grant.path) protection.path = grant.path / grant.source.below(protection.path);
      parts_.protections.push_back(std::move(protection));
    }
    return {};
  }

  // Not without a mount; nor where the project lies in it and only its names are shown.
  bool has_own_tmp() const {
    const bool listed = project::level_of(terms_.trust.value).access == Access::List || is_held_to_folders();
    return layout_.backend != plan::Backend::Landlock && !(listed && Path::literal("/tmp").covers(layout_.workspace));
  }

  Status add_environment() {
    const Path temporary = has_own_tmp() ? Path::literal("/tmp") : parts_.home / "tmp";
    return service::add_environment(parts_, request_, caller_, terms_, temporary);
  }

  const Request& request_;
  const Caller& caller_;
  const Path& root_;
  const Terms& terms_;
  const Layout& layout_;
  BoundaryParts parts_;
  std::vector<Path> granted_;  // beside the project, by the user
  sys::Fd etc_in_use_;
};

}  // namespace

Path private_home(const Path& pale_home, const Path& root) { return pale_home / "homes" / place_name(root); }
Path stages_of(const Path& pale_home, const Path& root) { return pale_home / "stages" / place_name(root); }

Result<Composed> compose_boundary(const Request& request, const Caller& caller, const Path& root, const Terms& terms,
                                  const Layout& layout) {
  return Composer(request, caller, root, terms, layout).make();
}

}  // namespace pale::service
