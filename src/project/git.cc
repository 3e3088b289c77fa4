#include "project/git.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "project/git_config.h"
#include "sys/file.h"

namespace pale::project {
namespace {

constexpr std::size_t kMostConfig = 1UL << 20U;
constexpr std::size_t kMostOfAll = 64 * kMostConfig;
constexpr std::size_t kMostNamed = 1UL << 14U;
constexpr std::size_t kMostIncluded = 256;        // for one repository
constexpr std::size_t kBeginning = 4096;          // in which git says what version a repository has
constexpr std::size_t kMostPointer = 1UL << 13U;  // "gitdir: " and the longest path there is

constexpr std::string_view kHooks[] = {"applypatch-msg",
                                       "commit-msg",
                                       "fsmonitor-watchman",
                                       "p4-changelist",
                                       "p4-post-changelist",
                                       "p4-pre-submit",
                                       "p4-prepare-changelist",
                                       "post-applypatch",
                                       "post-checkout",
                                       "post-commit",
                                       "post-index-change",
                                       "post-merge",
                                       "post-receive",
                                       "post-rewrite",
                                       "post-update",
                                       "pre-applypatch",
                                       "pre-auto-gc",
                                       "pre-commit",
                                       "pre-merge-commit",
                                       "pre-push",
                                       "pre-rebase",
                                       "pre-receive",
                                       "prepare-commit-msg",
                                       "proc-receive",
                                       "push-to-checkout",
                                       "reference-transaction",
                                       "sendemail-validate",
                                       "update"};

// "a/../b" is "b", as long as no symlink is in the way; and through one, protecting is refused anyway.
std::string without_dots(std::string_view path) {
  std::vector<std::string_view> names;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (name == "..") {
      if (!names.empty()) names.pop_back();
    } else if (!name.empty() && name != ".") {
      names.push_back(name);
    }
  }
  std::string clean;
  for (const std::string_view name : names) clean.append("/").append(name);
  return clean;
}

bool is_anchored(std::string_view value) { return value.starts_with('/') || value.starts_with("~/"); }

Result<Path> absolute(std::string_view value, const Path& base, const Path& user_home) {
  if (value.starts_with("~/")) return Path::parse(without_dots(user_home.text() + "/" + std::string(value.substr(2))));
  if (value.starts_with('/')) return Path::parse(without_dots(value));
  return Path::parse(without_dots(base.text() + "/" + std::string(value)));
}

// What a file of one line names, behind `prefix`.
std::optional<Path> path_in(const Path& file, std::string_view prefix) {
  const auto text = sys::read_file(sys::kAbsolute, file.c_str(), kMostPointer);
  if (!text || !text->starts_with(prefix)) return std::nullopt;
  std::string_view line = std::string_view(*text).substr(prefix.size());
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  const std::string base = line.starts_with('/') ? "" : file.parent().text() + "/";
  const auto path = Path::parse(without_dots(base + std::string(line)));
  return path ? std::optional(*path) : std::nullopt;
}

Status fail_endless(const Path& file, std::string what) {
  return fail(ErrorKind::Refused, std::move(what), file.text(),
              "less " + shell_word(file.text()) + "; remove that repository if it is not yours");
}
Status fail_bytes(const Path& file) {
  return fail_endless(file, "there is more git configuration than can be looked through:");
}
Status fail_names(const Path& file) {
  return fail_endless(file, "git configuration names more files and folders than can be protected:");
}

}  // namespace

std::optional<GitPlace> place_behind(const Path& pointer) {
  const auto directory = path_in(pointer, "gitdir: ");
  if (!directory) return std::nullopt;
  return GitPlace{*directory, common_directory(*directory), pointer.parent()};
}

Path common_directory(const Path& git_directory) {
  return path_in(git_directory / "commondir", "").value_or(git_directory);
}

bool is_repository_config(const Path& file) {
  const auto fd = sys::open_at(sys::kAbsolute, file.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  if (!fd) return false;
  std::string text(kBeginning, '\0');
  text.resize(sys::read_at(*fd, 0, text));
  GitConfigText config(text);
  while (const auto said = config.next()) {
    const bool tells = said->key == "repositoryformatversion" || said->key == "bare" || said->key == "worktree";
    if (tells && said->section == "core") return true;
  }
  return false;
}

ConfiguredPaths::ConfiguredPaths(GitUser user) : user_(std::move(user)), budget_{kMostOfAll, kMostNamed} {}

Result<ConfiguredPaths> ConfiguredPaths::read(GitUser user) {
  ConfiguredPaths paths(std::move(user));
  const Path config_home = paths.user_.config_home.value_or(paths.user_.home / ".config");
  PALE_CHECK(paths.add(paths.general_, paths.user_.home / ".gitconfig"));
  PALE_CHECK(paths.add(paths.general_, config_home / "git/config"));
  PALE_CHECK(paths.add(paths.general_, Path::literal("/etc/gitconfig")));
  return paths;
}

Result<std::vector<Path>> ConfiguredPaths::of_user(const Path& worktree) {
  std::vector<Path> paths = general_.included;
  for (const std::string& value : general_.hooks) {
    if (is_anchored(value)) PALE_CHECK(add_hooks(paths, value, {worktree, worktree, worktree}));
  }
  return paths;
}

Result<std::vector<Path>> ConfiguredPaths::of_repository(const GitPlace& place) {
  Said said;
  PALE_CHECK(add(said, place.common / "config"));
  PALE_CHECK(add(said, place.directory / "config.worktree"));
  std::vector<Path> paths = std::move(said.included);
  std::vector<std::string> hooks = std::move(said.hooks);
  hooks.insert(hooks.end(), general_.hooks.begin(), general_.hooks.end());
  for (const std::string& value : hooks) PALE_CHECK(add_hooks(paths, value, place));
  for (const std::string& other : said.worktrees) {
    const auto worktree = absolute(other, place.directory, user_.home);
    if (!worktree) continue;
    for (const std::string& value : hooks)
      PALE_CHECK(add_hooks(paths, value, {place.directory, place.common, *worktree}));
  }
  return paths;
}

Status ConfiguredPaths::add_hooks(std::vector<Path>& paths, const std::string& value, const GitPlace& place) {
  PALE_CHECK(spend_name(place.common / "config"));
  const auto folder = absolute(value, place.worktree, user_.home);
  if (!folder) return {};
  if (folder->covers(place.worktree)) {
    for (const std::string_view hook : kHooks) paths.push_back(*folder / hook);
  } else {
    paths.push_back(*folder);
  }
  return {};
}

Status ConfiguredPaths::spend_name(const Path& file) { return budget_.names-- > 0 ? Status() : fail_names(file); }

// With what it includes, each file once; conditions are taken as true: what is protected in vain does no harm.
Status ConfiguredPaths::add(Said& said, const Path& file) {
  std::size_t next = said.included.size();
  PALE_CHECK(add_one(said, file));
  while (next < said.included.size()) PALE_CHECK(add_one(said, Path(said.included[next++])));
  return {};
}

Status ConfiguredPaths::add_one(Said& said, const Path& file) {
  const auto text = sys::read_file(sys::kAbsolute, file.c_str(), kMostConfig);
  const bool too_large = !text && text.error().number == EFBIG;
  if (too_large || (text && text->size() > budget_.bytes)) return fail_bytes(file);
  if (!text) return {};  // missing; or git cannot read it either
  budget_.bytes -= text->size();
  GitConfigText config(*text);
  while (auto setting = config.next()) {
    const std::string_view section = setting->section;
    const bool includes = (section == "include" || section == "includeif") && setting->key == "path";
    const bool hooks = section == "core" && setting->key == "hookspath";
    const bool worktree = section == "core" && setting->key == "worktree";
    if (setting->value.empty() || (!includes && !hooks && !worktree)) continue;
    PALE_CHECK(spend_name(file));
    if (hooks) said.hooks.push_back(std::move(setting->value));
    if (worktree) said.worktrees.push_back(std::move(setting->value));
    if (!includes) continue;
    const auto path = absolute(setting->value, file.parent(), user_.home);
    if (!path || std::ranges::find(said.included, *path) != said.included.end()) continue;
    if (said.included.size() == kMostIncluded) return fail_names(file);
    said.included.push_back(*path);
  }
  return {};
}

}  // namespace pale::project
