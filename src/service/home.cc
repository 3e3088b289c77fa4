#include "service/home.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <cerrno>

#include "project/git_config.h"
#include "sys/file.h"
#include "sys/tree.h"

namespace pale::service {
namespace {

constexpr std::size_t kMostFile = 16UL << 20U;

Result<sys::Fd> open_beneath(const sys::Fd& home, const std::string& directory) {
  const long raw = sys::open_resolved(home.borrow(), directory.c_str(), O_RDONLY | O_DIRECTORY,
                                      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
  if (raw < 0) return fail_errno(static_cast<int>(-raw), "open in the private home", directory);
  return sys::Fd(raw);
}

// The directory that will hold `path`, made where it is missing.
Result<sys::Fd> make_parents(const sys::Fd& home, const Path& path) {
  PALE_TRY(directory, open_beneath(home, "."));
  const auto names = path.components();
  for (std::size_t at = 0; at + 1 < names.size(); ++at) {
    const std::string name(names[at]);
    PALE_CHECK(sys::make_directory(directory.borrow(), name.c_str(), 0700));
    PALE_TRY(next, open_beneath(directory, name));
    directory = std::move(next);
  }
  return directory;
}

// A link in the user's home is the user's own: it is followed.
Status copy_entry(const Path& from, const sys::Fd& to, const char* name) {
  PALE_TRY(info, sys::file_info(sys::kAbsolute, from.c_str(), sys::Links::Follow));
  if (info.kind == sys::FileKind::Directory) return sys::copy_tree(sys::kAbsolute, from.c_str(), to.borrow(), name);
  if (info.kind != sys::FileKind::File) return {};
  PALE_TRY(text, sys::read_file(sys::kAbsolute, from.c_str(), kMostFile));
  PALE_TRY(file, sys::open_at(to.borrow(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  return sys::write_all(file.borrow(), text);
}

constexpr std::string_view kGitConfig = ".gitconfig";

struct GitUser {
  std::string name;
  std::string email;
};

// Of the files git reads for a user, the last that says so.
GitUser git_user(const Path& user_home) {
  GitUser user;
  for (const std::string_view file : {".config/git/config", ".gitconfig"}) {
    const auto text = sys::read_file(sys::kAbsolute, (user_home / file).c_str(), kMostFile);
    if (!text) continue;
    for (std::string& said : project::config_values(*text, "user", "name")) user.name = std::move(said);
    for (std::string& said : project::config_values(*text, "user", "email")) user.email = std::move(said);
  }
  return user;
}

std::string config_line(std::string_view key, std::string_view value) {
  if (value.empty()) return {};
  std::string line = "\t" + std::string(key) + " = \"";
  for (const char byte : value) {
    if (byte == '"' || byte == '\\') line += '\\';
    line += byte;
  }
  return line + "\"\n";
}

}  // namespace

Status introduce_to_git(const Homes& homes) {
  PALE_TRY(there, sys::file_info(sys::kAbsolute, (homes.inside / kGitConfig).c_str()));
  if (there.kind != sys::FileKind::Missing) return {};
  const GitUser user = git_user(homes.user);
  const std::string lines = config_line("name", user.name) + config_line("email", user.email);
  if (lines.empty()) return {};
  PALE_TRY(home, sys::open_at(sys::kAbsolute, homes.inside.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  PALE_TRY(file, sys::open_at(home.borrow(), std::string(kGitConfig).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                              0600));
  return sys::write_all(file.borrow(), "[user]\n" + lines);
}

Status copy_home_files(const Homes& homes, std::span<const std::string> names) {
  if (names.empty()) return {};
  PALE_TRY(home, sys::open_at(sys::kAbsolute, homes.inside.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  for (const std::string& name : names) {
    PALE_TRY(path, Path::parse(name));
    const Path from = homes.user / path.text();
    PALE_TRY(own, sys::file_info(sys::kAbsolute, from.c_str(), sys::Links::Follow));
    if (own.kind == sys::FileKind::Missing) continue;
    const auto directory = make_parents(home, path);
    if (!directory) continue;  // The agent has put something else in its way: that is its own affair.
    const std::string last(path.name());
    PALE_TRY(there, sys::file_info(directory->borrow(), last.c_str()));
    if (there.kind == sys::FileKind::Missing) PALE_CHECK(copy_entry(from, *directory, last.c_str()));
  }
  return {};
}

}  // namespace pale::service
