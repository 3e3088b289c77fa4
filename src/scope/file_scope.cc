#include "scope/file_scope.h"

#include <algorithm>

#include "base/path.h"

namespace pale::scope {
namespace {

constexpr std::string_view kMeaning = "*?[{";

bool lies_in(std::string_view path, std::string_view place) {
  return place.empty() || (path.starts_with(place) && (path.size() == place.size() || path[place.size()] == '/'));
}

// The directories that a pattern names one by one before anything in it has a meaning: of "lib/\[id\]/**/*.ts" it is "lib/[id]".
std::string place_of(std::string_view pattern) {
  // About names, wherever they lie.
  if (pattern.find('/') == std::string_view::npos) return {};
  std::string name;
  std::size_t whole = 0;  // of it, up to the last '/'
  for (std::size_t at = 0; at < pattern.size() && kMeaning.find(pattern[at]) == std::string_view::npos; ++at) {
    if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
    if (pattern[at] == '/') whole = name.size();
    name += pattern[at];
  }
  name.resize(whole);
  const auto path = Path::parse(name);
  if (!path) return {};
  return path->is_absolute() ? path->text().substr(1) : path->text();
}

std::unexpected<Error> leads_up(const std::string& pattern) {
  return fail(ErrorKind::Usage, "a pattern must not lead up with '..':", pattern,
              "write it from the repository's root: lib/**/*.ts");
}

bool goes_up(std::string_view pattern) {
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t end = std::min(pattern.find('/', at), pattern.size());
    if (pattern.substr(at, end - at) == "..") return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

Result<FileScope> FileScope::parse(std::span<const std::string> patterns) {
  FileScope scope;
  for (const std::string& pattern : patterns) {
    if (goes_up(pattern)) return leads_up(pattern);
    if (pattern.find_first_of("*?[{\\") == std::string::npos) {
      PALE_TRY(path, Path::parse("/" + pattern));
      scope.names_.push_back(path.text().substr(1));
      scope.places_.push_back(scope.names_.back());
      continue;
    }
    PALE_TRY(glob, search::Glob::parse(pattern));
    scope.globs_.push_back(std::move(glob));
    scope.places_.push_back(place_of(pattern));
  }
  std::vector<std::string>& places = scope.places_;
  std::ranges::sort(places);
  // In this order what lies in a place need not follow it at once ("a", "a-b", "a/c"), so each is compared with all.
  std::vector<std::string> innermost;
  for (const std::string& place : places) {
    if (std::ranges::none_of(innermost, [&](const std::string& other) { return lies_in(place, other); }))
      innermost.push_back(place);
  }
  places = std::move(innermost);
  return scope;
}

bool FileScope::allows(std::string_view path) const noexcept {
  return std::ranges::any_of(names_, [&](const std::string& name) { return lies_in(path, name); }) ||
         std::ranges::any_of(globs_, [&](const search::Glob& glob) { return glob.matches(path); });
}

std::vector<std::string> FileScope::violations(std::span<const std::string> changed) const {
  std::vector<std::string> outside;
  std::ranges::copy_if(changed, std::back_inserter(outside), [&](const std::string& path) { return !allows(path); });
  return outside;
}

}  // namespace pale::scope
