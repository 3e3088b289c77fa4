#include "project/guard.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "project/own_source.h"
#include "sys/file.h"
#include "sys/mount.h"

namespace pale::project {
namespace {

// Of these neither the directory nor anything inside can be a workspace. A project under /opt, /srv, /var or /mnt is one.
constexpr std::string_view kWholly[] = {"/bin",    "/boot", "/dev", "/etc",  "/lib", "/lib32", "/lib64",
                                        "/libx32", "/proc", "/run", "/sbin", "/sys", "/usr"};
// Of these only the directory itself: they hold other people's things.
constexpr std::string_view kItself[] = {"/",    "/home", "/media", "/mnt",     "/opt",    "/root",
                                        "/srv", "/tmp",  "/var",   "/var/lib", "/var/tmp"};

std::unexpected<Error> refuse(const std::string& what, const Path& root, const Surroundings& surroundings) {
  return fail(ErrorKind::Refused, what, root.text(),
              "create a separate directory for the project: mkdir -p " +
                  shell_word((surroundings.user_home / "project").text()));
}

// By its path alone.
Status check_path(const Path& path, const Path& root, const Surroundings& around) {
  for (const std::string_view place : kItself) {
    if (path.text() == place) return refuse("this directory is too much for a project root:", root, around);
  }
  for (const std::string_view place : kWholly) {
    if (Path::literal(place).covers(path)) return refuse("a system directory cannot be a project root:", root, around);
  }
  if (path == around.user_home) return refuse("the home directory itself cannot be a project root:", root, around);
  if (path.covers(around.user_home)) return refuse("a project must not hold the home directory:", root, around);
  if (path.covers(around.pale_home) || around.pale_home.covers(path))
    return refuse("Pale's own directory cannot be in a project, nor a project in it:", root, around);
  if (is_own_source(path)) return refuse("cannot use Pale's own source tree as a project:", root, around);
  if (path.covers(around.program)) return refuse("a project must not hold the program that guards it:", root, around);
  return {};
}

// One directory may be seen at several paths: everything that is mounted twice.
class Mounts {
 public:
  static Result<Mounts> read() {
    PALE_TRY(lines, sys::read_mounts("/proc/self/mountinfo"));
    return Mounts(std::move(lines));
  }

  // All paths, this one included, at which the same directory could be seen.
  std::vector<Path> aliases_of(const Path& path) const {
    std::vector<Path> aliases = {path};
    const auto info = sys::file_info(sys::kAbsolute, path.c_str());
    if (!info) return aliases;
    const auto own = std::ranges::find(lines_, info->mount, &sys::MountLine::id);
    if (own == lines_.end()) return aliases;
    const auto in_filesystem = moved(path, own->target, own->root);
    if (!in_filesystem) return aliases;
    for (const sys::MountLine& line : lines_) {
      if (line.device != own->device) continue;
      if (auto alias = moved(*in_filesystem, line.root, line.target)) aliases.push_back(std::move(*alias));
    }
    return aliases;
  }

 private:
  explicit Mounts(std::vector<sys::MountLine> lines) : lines_(std::move(lines)) {}

  // What lies at `path` below `from`, seen from `to`.
  static std::optional<Path> moved(const Path& path, const std::string& from, const std::string& to) {
    const auto base = Path::parse(from);
    const auto target = Path::parse(to);
    if (!base || !target || !base->covers(path)) return std::nullopt;
    return *base == path ? *target : *target / base->below(path);
  }

  std::vector<sys::MountLine> lines_;
};

// Seen through another mount than this root, but on the same device: only then could the one be the other.
bool may_alias(const sys::FileInfo& root, std::span<const Path> places) {
  return std::ranges::any_of(places, [&](const Path& place) {
    const auto info = sys::file_info(sys::kAbsolute, place.c_str());
    return info && info->kind != sys::FileKind::Missing && info->device == root.device && info->mount != root.mount;
  });
}

// On the mount of "/" or of the home directory, what lies above by its path lies above; elsewhere, who knows.
Result<bool> needs_mounts(const Path& root, const Surroundings& around) {
  PALE_TRY(info, sys::file_info(sys::kAbsolute, root.c_str()));
  const Path own[] = {around.user_home, around.pale_home, around.program};
  if (may_alias(info, own)) return true;
  PALE_TRY(top, sys::file_info(sys::kAbsolute, "/"));
  PALE_TRY(home, sys::file_info(sys::kAbsolute, around.user_home.c_str()));
  return info.mount != top.mount && info.mount != home.mount;
}

}  // namespace

Status check_root(const Path& root, const Surroundings& around) {
  PALE_CHECK(check_path(root, root, around));
  PALE_TRY(look_further, needs_mounts(root, around));
  if (!look_further) return {};
  PALE_TRY(mounts, Mounts::read());
  const std::vector<Path> roots = mounts.aliases_of(root);
  for (Path Surroundings::* place : {&Surroundings::user_home, &Surroundings::pale_home, &Surroundings::program}) {
    for (const Path& alias : mounts.aliases_of(around.*place)) {
      Surroundings seen = around;
      seen.*place = alias;
      for (const Path& path : roots) PALE_CHECK(check_path(path, root, seen));
    }
  }
  return {};
}

}  // namespace pale::project
