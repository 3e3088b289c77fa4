#include "stage/renames.h"

#include <algorithm>
#include <array>

namespace pale::stage {
namespace {

constexpr std::size_t kMostTries = 16;  // files of the same length that are compared with one

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_candidate(const EntryState& state) { return state.kind == EntryKind::File && state.size > 0; }

bool same_file(const View& view, const Change& created, const Change& deleted) {
  const sys::Fd now = open_below(view.upper(), created.path, O_RDONLY);
  const auto place = sandbox::find_place(view.beneath(), deleted.path);
  const sys::Fd* holder = place ? place->directory.holder(place->name.c_str()) : nullptr;
  if (holder == nullptr || !now.is_open()) return false;
  const sys::Fd then = open_below(*holder, place->name, O_RDONLY);
  return then.is_open() && same_bytes(now, then);
}

// Those of one length, and among them those of the same name first.
std::vector<std::size_t> sources_for(const ChangeSet& changes, const std::vector<std::size_t>& deleted,
                                     const Change& created) {
  const auto [first, last] = std::ranges::equal_range(deleted, created.after.size, {},
                                                      [&](std::size_t at) { return changes[at].before.size; });
  std::vector<std::size_t> sources(first, last);
  std::ranges::partition(sources, [&](std::size_t at) { return name_of(changes[at].path) == name_of(created.path); });
  if (sources.size() > kMostTries) sources.resize(kMostTries);
  return sources;
}

}  // namespace

bool same_bytes(const sys::Fd& left, const sys::Fd& right) {
  std::array<char, 32768> one;
  std::array<char, 32768> other;
  for (std::uint64_t at = 0;; at += one.size()) {
    const std::size_t got = sys::read_at(left, at, one);
    if (sys::read_at(right, at, other) != got || !std::equal(one.begin(), one.begin() + got, other.begin()))
      return false;
    if (got < one.size()) return true;
  }
}

ChangeSet join_renames(const View& view, ChangeSet changes) {
  std::vector<std::size_t> deleted;
  for (std::size_t at = 0; at < changes.size(); ++at) {
    if (changes[at].kind == ChangeKind::Deleted && is_candidate(changes[at].before)) deleted.push_back(at);
  }
  if (deleted.empty()) return changes;
  std::ranges::sort(deleted, {}, [&](std::size_t at) { return std::pair(changes[at].before.size, at); });
  std::vector<bool> taken(changes.size());
  for (Change& created : changes) {
    if (created.kind != ChangeKind::Created || !is_candidate(created.after)) continue;
    for (const std::size_t at : sources_for(changes, deleted, created)) {
      if (taken[at] || !same_file(view, created, changes[at])) continue;
      taken[at] = true;
      created.kind = ChangeKind::Renamed;
      created.from = changes[at].path;
      created.before = changes[at].before;
      if (created.conflict == Conflict::None) created.conflict = changes[at].conflict;
      break;
    }
  }
  ChangeSet joined;
  for (std::size_t at = 0; at < changes.size(); ++at) {
    if (!taken[at]) joined.push_back(std::move(changes[at]));
  }
  return joined;
}

}  // namespace pale::stage
