#include "project/git.h"

#include <algorithm>

#include "sys/file.h"

namespace pale::project {
namespace {

constexpr std::size_t kMostConfig = 1UL << 20U;
constexpr int kDeepestInclude = 10;  // as git

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Quotes, backslash escapes, and comments after the value.
std::string plain_value(std::string_view raw) {
  std::string value;
  bool quoted = false;
  for (std::size_t at = 0; at < raw.size(); ++at) {
    const char c = raw[at];
    if (c == '"') {
      quoted = !quoted;
    } else if (c == '\\' && at + 1 < raw.size()) {
      const char next = raw[++at];
      value += next == 'n' ? '\n' : next == 't' ? '\t' : next;
    } else if (!quoted && (c == '#' || c == ';')) {
      break;
    } else {
      value += c;
    }
  }
  return quoted ? value : std::string(trim(value));
}

// "[include]" and "[includeIf "…"]" are both taken as true: what is protected in vain does no harm.
std::string section_name(std::string_view line) {
  const std::size_t end = line.find_first_of(" \t\"]", 1);
  return lower(line.substr(1, end == std::string_view::npos ? end : end - 1));
}

// "a/../b" is "b", as long as no symlink is in the way; and through one, protecting is refused anyway.
std::string without_dots(std::string_view path) {
  std::vector<std::string_view> names;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (name == "..") {
      if (!names.empty()) names.pop_back();
    } else {
      names.push_back(name);
    }
  }
  std::string clean;
  for (const std::string_view name : names) clean.append("/").append(name);
  return clean;
}

Result<Path> absolute(std::string_view value, const Path& base, const Path& user_home) {
  if (value.starts_with("~/")) return Path::parse(without_dots(user_home.text() + "/" + std::string(value.substr(2))));
  if (value.starts_with('/')) return Path::parse(without_dots(value));
  return Path::parse(without_dots(base.text() + "/" + std::string(value)));
}

// One configuration file and those it includes.
class Reader {
 public:
  explicit Reader(const Path& user_home) : user_home_(user_home) {}

  void read(const Path& file, int depth = 0) {
    const auto text = sys::read_file(sys::kAbsolute, file.c_str(), kMostConfig);
    if (!text) return;
    for (std::string& value : config_values(*text, "core", "hookspath")) hooks.push_back(std::move(value));
    if (depth >= kDeepestInclude) return;
    for (const std::string_view section : {"include", "includeif"}) {
      for (const std::string& value : config_values(*text, section, "path")) {
        const auto path = absolute(value, file.parent(), user_home_);
        if (!path) continue;
        included.push_back(*path);
        read(*path, depth + 1);
      }
    }
  }

  std::vector<std::string> hooks;  // as written
  std::vector<Path> included;

 private:
  const Path& user_home_;
};

}  // namespace

std::vector<std::string> config_values(std::string_view text, std::string_view section, std::string_view key) {
  std::vector<std::string> values;
  bool inside = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('[')) {
      inside = section_name(line) == section;
      const std::size_t close = line.find(']');
      line = close == std::string_view::npos ? std::string_view{} : trim(line.substr(close + 1));
    }
    const std::size_t equals = line.find('=');
    if (!inside || equals == std::string_view::npos || lower(trim(line.substr(0, equals))) != key) continue;
    values.push_back(plain_value(trim(line.substr(equals + 1))));
  }
  return values;
}

ConfiguredPaths::ConfiguredPaths(Path user_home) : user_home_(std::move(user_home)) {
  Reader reader(user_home_);
  for (const std::string_view file : {".gitconfig", ".config/git/config"}) reader.read(user_home_ / file);
  reader.read(Path::literal("/etc/gitconfig"));
  general_hooks_ = std::move(reader.hooks);
}

std::vector<Path> ConfiguredPaths::of_repository(const Path& git_directory, const Path& worktree) const {
  Reader reader(user_home_);
  for (const std::string_view file : {"config", "config.worktree"}) reader.read(git_directory / file);
  std::vector<Path> paths = std::move(reader.included);
  reader.hooks.insert(reader.hooks.end(), general_hooks_.begin(), general_hooks_.end());
  for (const std::string& value : reader.hooks) {
    if (const auto path = absolute(value, worktree, user_home_)) paths.push_back(*path);
  }
  return paths;
}

}  // namespace pale::project
