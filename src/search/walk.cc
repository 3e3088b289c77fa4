#include "search/walk.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <algorithm>

#include "base/path.h"

namespace pale::search {
namespace {

constexpr std::size_t kMostRules = 16UL << 20U;  // bytes of one file
constexpr int kOpenRules = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

// Of a directory's own files, above what counted before. One that is missing or cannot be read says nothing.
class Levels {
 public:
  Levels(const sys::Fd& directory, std::string_view base, const IgnoreLevel* above)
      : directory_(directory), base_(base), above_(above) {}

  // A repository inside another: the outer one's rules are not about what is in it.
  void begin_repository(sys::FileKind git) {
    above_ = nullptr;
    if (git != sys::FileKind::Directory) return;
    const long fd = sys::open_resolved(directory_.borrow(), ".git/info/exclude", kOpenRules, RESOLVE_NO_SYMLINKS);
    if (fd >= 0) add(sys::Fd(fd));
  }

  void add_gitignore() {
    auto file = sys::open_at(directory_.borrow(), ".gitignore", kOpenRules);
    if (file) add(*file);
  }

  const IgnoreLevel* top() const noexcept { return above_; }
  std::vector<std::unique_ptr<const IgnoreLevel>> take() && { return std::move(own_); }

 private:
  void add(const sys::Fd& file) {
    const auto info = sys::file_info(file);
    if (!info || info->kind != sys::FileKind::File) return;
    const auto text = sys::read_all(file, kMostRules);
    if (!text) return;
    auto rules = IgnoreRules::parse(*text);
    if (rules.empty()) return;
    own_.push_back(std::make_unique<const IgnoreLevel>(IgnoreLevel{std::string(base_), std::move(rules), above_}));
    above_ = own_.back().get();
  }

  const sys::Fd& directory_;
  std::string_view base_;
  const IgnoreLevel* above_;
  std::vector<std::unique_ptr<const IgnoreLevel>> own_;
};

// The nearest file that says something decides.
bool is_ignored(const IgnoreLevel* rules, std::string_view path, EntryKind kind) noexcept {
  for (; rules != nullptr; rules = rules->above) {
    const std::size_t begin = rules->base.empty() ? 0 : rules->base.size() + 1;
    const Verdict verdict = rules->rules.judge(path.substr(begin), kind);
    if (verdict != Verdict::Silent) return verdict == Verdict::Ignore;
  }
  return false;
}

const sys::Entry* find_entry(const std::vector<sys::Entry>& entries, std::string_view name) {
  const auto found = std::ranges::find(entries, name, &sys::Entry::name);
  return found == entries.end() ? nullptr : &*found;
}

Levels levels_of(const sys::Fd& directory, const Place& place, const std::vector<sys::Entry>& entries) {
  Levels levels(directory, place.path, place.rules);
  if (const sys::Entry* git = find_entry(entries, ".git")) levels.begin_repository(git->kind);
  if (find_entry(entries, ".gitignore") != nullptr) levels.add_gitignore();
  return levels;
}

Status go_down(Start& start, std::string_view component, const WalkOptions& options) {
  auto listing = list(start.parent, start.name, start.place, options);
  if (!listing) return fail(Error{listing.error().kind, listing.error().number, "look into", start.place.path, ""});
  start.parent = std::move(listing->directory);
  start.place.rules = listing->rules;
  std::ranges::move(listing->own, std::back_inserter(start.own));
  start.name = component;
  start.place.path = joined(start.place.path, component);
  ++start.place.depth;
  return {};
}

}  // namespace

std::string joined(std::string_view directory, std::string_view name) {
  std::string path;
  path.reserve(directory.size() + 1 + name.size());
  path += directory;
  if (!directory.empty()) path += '/';
  return path += name;
}

bool path_before(std::string_view left, std::string_view right) noexcept {
  const auto differ = std::ranges::mismatch(left, right);
  if (differ.in2 == right.end()) return false;
  if (differ.in1 == left.end()) return true;
  const auto weight = [](char byte) {
    return byte == '/' ? 0U : static_cast<unsigned>(static_cast<unsigned char>(byte)) + 1;
  };
  return weight(*differ.in1) < weight(*differ.in2);
}

Result<Listing> list(const sys::Fd& parent, const std::string& name, const Place& place, const WalkOptions& options) {
  PALE_TRY(directory, sys::open_at(parent.borrow(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  PALE_TRY(entries, sys::list_directory(directory));
  Listing listing{std::move(directory)};
  if (options.ignored == Ignored::Skip) {
    Levels levels = levels_of(listing.directory, place, entries);
    listing.rules = levels.top();
    listing.own = std::move(levels).take();
  }
  std::string path = joined(place.path, "");
  const std::size_t begin = path.size();
  for (sys::Entry& entry : entries) {
    const bool directories = entry.kind == sys::FileKind::Directory;
    if (entry.name == ".git" || (!directories && entry.kind != sys::FileKind::File)) continue;
    if (options.hidden == Hidden::Skip && entry.name.front() == '.') continue;
    path.resize(begin);
    path += entry.name;
    if (is_ignored(listing.rules, path, directories ? EntryKind::Directory : EntryKind::File)) continue;
    (directories ? listing.directories : listing.files).push_back(std::move(entry.name));
  }
  return listing;
}

Result<Start> start_at(const sys::Fd& root, std::string_view path, const WalkOptions& options) {
  Start start{.name = "."};
  PALE_TRY(top, sys::open_at(root.borrow(), ".", O_PATH | O_DIRECTORY));
  start.parent = std::move(top);
  if (path.empty() || path == ".") return start;
  PALE_TRY(wanted, Path::parse(path));
  if (wanted.is_absolute())
    return fail(ErrorKind::Usage, "not a path below the root:", wanted.text(), "name it relative to the root");
  for (const std::string_view component : wanted.components()) PALE_CHECK(go_down(start, component, options));
  PALE_TRY(info, sys::file_info(start.parent.borrow(), start.name.c_str()));
  switch (info.kind) {
    case sys::FileKind::Directory: return start;
    case sys::FileKind::File: start.kind = EntryKind::File; return start;
    case sys::FileKind::Missing: return fail(ErrorKind::NotFound, "there is no", wanted.text());
    default: return fail(ErrorKind::Usage, "neither a file nor a directory:", wanted.text(), "links are not followed");
  }
}

}  // namespace pale::search
