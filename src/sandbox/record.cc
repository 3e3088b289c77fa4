#include "sandbox/record.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "sandbox/limits.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/process.h"

namespace pale::sandbox {
namespace {

constexpr std::size_t kMostRecord = 1UL << 20U;
constexpr std::string_view kAbsenceNames[] = {"whole", "glob", "passage"};  // as in Absence

// Fields end with NUL, since a path may hold anything else: "cgroup" P, "whole" ROOT RELATIVE, "passage" ROOT RELATIVE,
// "glob" ROOT RELATIVE, "known" NAME of the glob before, "end".
// A record without its end was cut off while being written: its run never started.
std::string encode(const std::vector<MissingPath>& missing, const std::vector<std::string>& cgroups) {
  std::string text;
  const auto put = [&text](std::string_view field) { text.append(field).push_back('\0'); };
  for (const std::string& cgroup : cgroups) {
    put("cgroup");
    put(cgroup);
  }
  for (const MissingPath& path : missing) {
    put(kAbsenceNames[static_cast<std::size_t>(path.absence)]);
    put(path.root.text());
    put(path.relative);
    for (const std::string& name : path.known) {
      put("known");
      put(name);
    }
  }
  put("end");
  return text;
}

struct Leftovers {
  std::vector<MissingPath> missing;
  std::vector<std::string> cgroups;
};

Leftovers decode(std::string_view text) {
  Leftovers left;
  const auto take = [&text]() {
    const std::size_t end = std::min(text.find('\0'), text.size());
    const std::string_view field = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return field;
  };
  while (!text.empty()) {
    const std::string_view kind = take();
    if (kind == "end") return left;
    const std::string_view first = take();
    if (kind == "cgroup") {
      left.cgroups.emplace_back(first);
      continue;
    }
    if (kind == "known" && !left.missing.empty()) {
      left.missing.back().known.emplace_back(first);
      continue;
    }
    const auto root = Path::parse(first);
    const std::string_view relative = take();
    const auto* const absence = std::ranges::find(kAbsenceNames, kind);
    if (!root || relative.empty() || absence == std::end(kAbsenceNames)) return {};
    left.missing.push_back({*root, std::string(relative), static_cast<Absence>(absence - std::begin(kAbsenceNames))});
  }
  return {};
}

Result<std::vector<Path>> clean_up_record(const Places& places, const sys::Fd& runs, const std::string& name) {
  std::vector<Path> moved;
  auto file = sys::open_at(runs.borrow(), name.c_str(), O_RDONLY | O_NOFOLLOW);
  if (!file) return moved;  // Its run ended just now.
  PALE_TRY(lock, sys::try_lock(*file, sys::LockKind::Exclusive));
  if (lock == sys::Lock::Held) return moved;
  PALE_TRY(text, sys::read_all(*file, kMostRecord));
  const Leftovers left = decode(text);
  remove_cgroups(left.cgroups);
  PALE_TRY(swept, sweep(left.missing, places.quarantine()));
  moved = std::move(swept);
  (void)sys::remove_file(runs.borrow(), name.c_str());
  return moved;
}

}  // namespace

Result<RunRecord> RunRecord::write(const Places& places, const std::vector<MissingPath>& missing,
                                   const std::vector<std::string>& cgroups) {
  for (;;) {
    const std::string path =
        places.runs() + "/" + std::to_string(sys::process_id()) + "-" + std::to_string(sys::wall_clock_ns());
    auto file = sys::open_at(sys::kHere, path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (!file && file.error().number == ENOENT) {
      PALE_CHECK(sys::make_directories(places.runs(), 0700));
      continue;
    }
    if (!file) return std::unexpected(file.error());
    RunRecord record(path, std::move(*file));
    // Held: a command that cleans up saw the file before it was locked, and is removing it.
    PALE_TRY(lock, sys::try_lock(record.file_, sys::LockKind::Exclusive));
    if (lock == sys::Lock::Held) continue;
    auto written = sys::write_all(record.file_.borrow(), encode(missing, cgroups));
    if (!written) {
      written.error().subject = path;
      return fail(std::move(written).error().with_hint("df '" + places.home + "'"));
    }
    return record;
  }
}

RunRecord::~RunRecord() {
  if (file_.is_open()) (void)sys::remove_file(sys::kHere, path_.c_str());
}

Result<std::vector<Path>> clean_up(const Places& places) {
  std::vector<Path> moved;
  auto runs = sys::open_at(sys::kHere, places.runs().c_str(), O_RDONLY | O_DIRECTORY);
  if (!runs) return moved;  // Nothing ever ran.
  PALE_TRY(entries, sys::list_directory(*runs));
  for (const sys::Entry& entry : entries) {
    PALE_TRY(more, clean_up_record(places, *runs, entry.name));
    moved.insert(moved.end(), more.begin(), more.end());
  }
  return moved;
}

}  // namespace pale::sandbox
