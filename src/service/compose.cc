#include "service/compose.h"

#include <fcntl.h>

#include <algorithm>

#include "base/hash.h"
#include "project/protection.h"
#include "sandbox/small_etc.h"
#include "sys/file.h"
#include "sys/process.h"

namespace pale::service {
namespace {

constexpr std::string_view kSystemDirectories[] = {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
constexpr std::string_view kInsideHome = "/home/agent";
constexpr std::string_view kOtherInsideHome = "/home/pale-agent";  // where a host user is called agent
constexpr std::string_view kSearchPath = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
// How things look, not who is asking.
constexpr std::string_view kPassedOn[] = {"TERM", "COLORTERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "NO_COLOR"};

std::string hex(std::uint64_t number) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[number >> static_cast<unsigned>(shift) & 15U];
  return text;
}

Error home_error(Error error, const Path& pale_home) {
  error.operation = "prepare " + pale_home.text() + ": " + error.operation;
  return std::move(error).with_hint("export PALE_HOME=/a/directory/you/may/write, with some megabytes left");
}

// The same project, the same home: its name for people, a number of its whole path for uniqueness.
std::string home_name(const Path& root) {
  return std::string(root.name()) + "-" + hex(Hash().add(root.text()).value());
}

class Composer {
 public:
  Composer(const Request& request, const Caller& caller, const project::Root& root, const Layout& layout)
      : request_(request), caller_(caller), root_(root.path), layout_(layout) {}

  Result<Composed> make() {
    parts_.workspace = root_;
    parts_.network = request_.network;
    parts_.limits = request_.limits;
    PALE_CHECK(add_system());
    PALE_CHECK(add_home());
    grant(root_, Access::Write, root_, "workspace");
    PALE_CHECK(add_paths());
    PALE_CHECK(add_protections());
    PALE_CHECK(add_environment());
    PALE_TRY(boundary, Boundary::make(std::move(parts_)));
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
    for (const std::string_view name : kSystemDirectories) {
      const Path path = Path::literal(name);
      if (std::ranges::find(layout_.system_links, path, &plan::Link::path) != layout_.system_links.end()) continue;
      PALE_TRY(info, sys::file_info(sys::kHere, path.c_str()));
      if (info.kind == sys::FileKind::Directory) grant_itself(path, Access::Read, "system");
    }
    const Path etc = Path::literal("/etc");
    if (layout_.backend == plan::Backend::Landlock) return add_landlock_system(etc);
    auto small = sandbox::prepare_small_etc({layout_.pale_home.text()}, account());
    if (!small) return fail(home_error(std::move(small).error(), layout_.pale_home));
    grant(etc, Access::Read, Path::literal(small->path), "system");
    etc_in_use_ = std::move(small->in_use);
    return {};
  }

  // At its own place, by name; inside another boundary of Pale's it is small already.
  Status add_landlock_system(const Path& etc) {
    if (layout_.nested) {
      grant_itself(etc, Access::Read, "system");
      grant_itself(Path::literal("/run/pale"), Access::Read, "system");
      return {};
    }
    for (const char* name : sandbox::small_etc_names()) {
      const Path path = etc / name;
      PALE_TRY(info, sys::file_info(sys::kHere, path.c_str()));
      const bool plain = info.kind == sys::FileKind::File || info.kind == sys::FileKind::Directory;
      if (plain) grant_itself(path, Access::Read, "system");
    }
    return {};
  }

  sandbox::Account account() const { return {sys::user_id(), sys::group_id(), inside_home().text()}; }

  // Nothing else is shown beneath it: there would have to be a place for that in the private home.
  Path inside_home() const {
    const Path usual = Path::literal(kInsideHome);
    const bool taken = usual.covers(root_) || std::ranges::any_of(request_.paths, [&](const PathRequest& wanted) {
                         const auto path = Path::parse(wanted.path);
                         return path && path->is_absolute() && usual.covers(*path);
                       });
    return taken ? Path::literal(kOtherInsideHome) : usual;
  }

  Status add_home() {
    const Path home = layout_.pale_home / "homes" / home_name(root_);
    auto made = sys::make_directories(home.text(), 0700);
    if (!made) return fail(home_error(std::move(made).error(), layout_.pale_home));
    parts_.home = layout_.backend == plan::Backend::Landlock ? home : inside_home();
    grant(parts_.home, Access::Write, home, "private home");
    if (layout_.backend == plan::Backend::Landlock)
      PALE_CHECK(sys::make_directory(sys::kHere, (home / "tmp").c_str(), 0700));
    return {};
  }

  Status add_paths() {
    for (const PathRequest& wanted : request_.paths) {
      if (wanted.rule == PathRule::Protect) continue;
      PALE_TRY(path, resolve(wanted));
      switch (wanted.rule) {
        case PathRule::ReadWrite: grant_itself(path, Access::Write, "--rw"); break;
        case PathRule::ReadOnly: grant_itself(path, Access::Read, "--ro"); break;
        default: grant_itself(path, Access::None, "--hide"); break;
      }
    }
    return {};
  }

  // What a flag grants must exist, and is resolved here once; what it hides or protects stays as written.
  Result<Path> resolve(const PathRequest& wanted) const {
    const std::string full = wanted.path.starts_with('/') ? wanted.path : root_.text() + "/" + wanted.path;
    if (wanted.rule == PathRule::Hide || wanted.rule == PathRule::Protect) {
      PALE_TRY(path, Path::parse(full));
      const std::string flag = wanted.rule == PathRule::Hide ? "--hide" : "--protect";
      if (lies_in_a_grant(path)) return path;
      return fail(ErrorKind::Usage,
                  flag + " is for paths below the project or another directory that is granted:", wanted.path,
                  flag + " a path below " + root_.text());
    }
    auto fd = sys::open_at(sys::kHere, full.c_str(), O_PATH);
    if (!fd) {
      Error error = std::move(fd).error();
      error.kind = ErrorKind::NotFound;
      error.operation =
          std::string(wanted.rule == PathRule::ReadWrite ? "--rw" : "--ro") + " needs something that exists:";
      error.subject = wanted.path;
      error.hint = "mkdir -p '" + full + "'";
      return std::unexpected(std::move(error));
    }
    PALE_TRY(text, sys::path_of(*fd));
    PALE_TRY(path, Path::parse(text));
    if (path.is_root())
      return fail(ErrorKind::Refused, "the whole machine cannot be granted:", wanted.path,
                  "name the directories that are needed");
    PALE_CHECK(check_stays(full, path));
    return path;
  }

  // What stands in a writable directory may be a link that an agent left there in an earlier run: whatever is named by way
  // of such a directory must lie in it. With ".." in it, the user himself leads out.
  Status check_stays(const std::string& full, const Path& path) const {
    if (!Path::parse(full)) return {};
    for (std::size_t slash = full.find('/', 1); slash != std::string::npos; slash = full.find('/', slash + 1)) {
      PALE_TRY(fd, sys::open_at(sys::kHere, full.substr(0, slash).c_str(), O_PATH));
      PALE_TRY(text, sys::path_of(fd));
      PALE_TRY(above, Path::parse(text));
      for (const Grant& grant : parts_.grants) {
        if (grant.access == Access::Write && grant.covers(above) && !grant.covers(path))
          return fail(ErrorKind::Refused, "a symbolic link leads out of " + grant.path.text() + ":", full,
                      "name the place itself if it is to be granted: " + path.text());
      }
    }
    return {};
  }

  bool lies_in_a_grant(const Path& path) const {
    return std::ranges::any_of(parts_.grants, [&](const Grant& grant) {
      return grant.covers(path) && grant.path != path &&
             (grant.origin == "workspace" || grant.origin.starts_with("--"));
    });
  }

  // The project, and every other directory that a flag makes writable.
  Status add_protections() {
    for (const Grant& grant : parts_.grants) {
      if (grant.access != Access::Write || grant.origin == "private home" ||
          (grant.path != root_ && root_.covers(grant.path)))
        continue;
      PALE_TRY(info, sys::file_info(sys::kHere, grant.source.c_str()));
      if (info.kind != sys::FileKind::Directory) continue;
      PALE_TRY(protections, project::default_protections(grant.path, layout_.user_home));
      parts_.protections.insert(parts_.protections.end(), protections.begin(), protections.end());
    }
    for (const PathRequest& wanted : request_.paths) {
      if (wanted.rule != PathRule::Protect) continue;
      PALE_TRY(path, resolve(wanted));
      parts_.protections.push_back({path, Match::Exact, "--protect"});
    }
    return {};
  }

  void set(std::string_view name, std::string value, std::string origin) {
    parts_.environment.push_back({std::string(name), std::move(value), std::move(origin)});
  }

  Status add_environment() {
    const bool landlock = layout_.backend == plan::Backend::Landlock;
    set("PATH", std::string(kSearchPath), "default");
    set("HOME", parts_.home.text(), "private home");
    set("TMPDIR", landlock ? (parts_.home / "tmp").text() : "/tmp", "default");
    set("USER", sys::user_id() == 0 ? "root" : "agent", "default");
    set("LOGNAME", sys::user_id() == 0 ? "root" : "agent", "default");
    set("SHELL", "/bin/bash", "default");
    for (const std::string_view name : kPassedOn) {
      if (caller_.has_variable(name)) set(name, caller_.variable(name), "caller");
    }
    for (const std::string& wanted : request_.environment) {
      const std::size_t equals = wanted.find('=');
      if (equals != std::string::npos) {
        set(wanted.substr(0, equals), wanted.substr(equals + 1), "--env");
      } else if (caller_.has_variable(wanted)) {
        set(wanted, caller_.variable(wanted), "--env");
      } else {
        return fail(ErrorKind::Usage, "--env names a variable that is not set:", wanted, "--env " + wanted + "=VALUE");
      }
    }
    return {};
  }

  const Request& request_;
  const Caller& caller_;
  const Path& root_;
  const Layout& layout_;
  BoundaryParts parts_;
  sys::Fd etc_in_use_;
};

}  // namespace

Result<Composed> compose_boundary(const Request& request, const Caller& caller, const project::Root& root,
                                  const Layout& layout) {
  return Composer(request, caller, root, layout).make();
}

}  // namespace pale::service
