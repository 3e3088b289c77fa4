#include "sandbox/record.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>

#include "base/text.h"
#include "sandbox/limits.h"
#include "sandbox/shelf.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/tree.h"

namespace pale::sandbox {
namespace {

constexpr std::size_t kMostRecord = 1UL << 20U;
constexpr std::size_t kMostIdle = 4;  // each start looks at all of them
constexpr std::string_view kBusy = "busy", kIdle = "idle";
constexpr std::string_view kAbsenceNames[] = {"whole", "glob", "passage"};  // as in Absence

// Fields end with NUL, since a path may hold anything else: "busy", "cgroup" P, "tree" P, "whole" ROOT RELATIVE, "passage" ROOT
// RELATIVE, "glob" ROOT RELATIVE, "known" NAME of the glob before, "end". What is behind that is of an earlier run.
// A record without its end was cut off while being written: its run never started.
std::string encode(const std::vector<MissingPath>& missing, const std::vector<std::string>& cgroups,
                   const std::vector<std::string>& trees) {
  std::string text;
  const auto put = [&text](std::string_view field) { text.append(field).push_back('\0'); };
  put(kBusy);
  for (const std::string& cgroup : cgroups) {
    put("cgroup");
    put(cgroup);
  }
  for (const std::string& tree : trees) {
    put("tree");
    put(tree);
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
  std::vector<std::string> trees;
};

Leftovers decode(std::string_view text) {
  Leftovers left;
  const auto take = [&text]() {
    const std::size_t end = std::min(text.find('\0'), text.size());
    const std::string_view field = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return field;
  };
  if (take() != kBusy) return left;
  while (!text.empty()) {
    const std::string_view kind = take();
    if (kind == "end") return left;
    const std::string_view first = take();
    if (kind == "cgroup" || kind == "tree") {
      (kind == "tree" ? left.trees : left.cgroups).emplace_back(first);
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

bool is_idle(const sys::Fd& record) {
  std::array<char, kIdle.size()> mark = {};
  return sys::read_at(record, 0, mark) == mark.size() && std::string_view(mark.data(), mark.size()) == kIdle;
}

}  // namespace

// Goes through the records once.
struct Cleaner {
  const Places& places;
  const sys::Fd& runs;
  CleanUp found;
  std::size_t idle = 0;

  Status look_at(const std::string& name) {
    auto file = sys::open_at(runs.borrow(), name.c_str(), O_RDWR | O_NOFOLLOW);
    if (!file) return {};  // Another command removed it just now.
    PALE_TRY(lock, sys::try_lock(*file, sys::LockKind::Exclusive));
    if (lock == sys::Lock::Held) return {};
    if (!is_idle(*file)) {
      PALE_TRY(text, sys::read_all(*file, kMostRecord));
      const Leftovers left = decode(text);
      remove_cgroups(left.cgroups);
      for (const std::string& tree : left.trees) (void)sys::remove_tree(sys::kAbsolute, tree.c_str());
      Swept swept = sweep(left.missing, places.quarantine());
      std::ranges::move(swept.moved, std::back_inserter(found.moved));
      if (swept.error) return fail(std::move(*swept.error).with_hint("rm " + shell_word(places.runs() + "/" + name)));
      PALE_CHECK(sys::write_at(*file, 0, kIdle));
    }
    if (++idle > kMostIdle) (void)sys::remove_file(runs.borrow(), name.c_str());
    if (found.idle) return {};
    PALE_TRY(info, sys::file_info(*file));
    if (info.links != 0) found.idle.emplace(RunRecord(std::move(*file)));
    return {};
  }
};

Result<RunRecord> RunRecord::make(const Places& places) {
  PALE_CHECK(sys::make_directories(places.runs(), 0700));
  for (;;) {
    const std::string path =
        places.runs() + "/" + std::to_string(sys::process_id()) + "-" + std::to_string(sys::wall_clock_ns());
    PALE_TRY(file, sys::open_at(sys::kAbsolute, path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
    PALE_TRY(lock, sys::try_lock(file, sys::LockKind::Exclusive));
    PALE_TRY(info, sys::file_info(file));
    // Held, or gone: a command that cleans up saw the file before it was locked.
    if (lock == sys::Lock::Taken && info.links != 0) return RunRecord(std::move(file));
  }
}

Status RunRecord::write(const std::vector<MissingPath>& missing, const std::vector<std::string>& cgroups,
                        const std::vector<std::string>& trees) {
  written_ = true;
  return sys::write_at(file_, 0, encode(missing, cgroups, trees));
}

RunRecord::~RunRecord() {
  if (file_.is_open() && written_ && settled_) (void)sys::write_at(file_, 0, kIdle);
}

Result<CleanUp> clean_up(const Places& places) {
  auto runs = sys::open_at(sys::kAbsolute, places.runs().c_str(), O_RDONLY | O_DIRECTORY);
  if (!runs) return CleanUp{};  // Nothing ever ran.
  PALE_TRY(entries, sys::list_directory(*runs));
  Cleaner cleaner{places, *runs};
  for (const sys::Entry& entry : entries) {
    if (entry.kind == sys::FileKind::Directory) {
      remove_unless_in_use(*runs, entry.name);  // half made
      continue;
    }
    // What cannot be put right must not keep every later run from starting.
    auto done = cleaner.look_at(entry.name);
    if (!done && !cleaner.found.unsettled) cleaner.found.unsettled = std::move(done).error();
  }
  return std::move(cleaner.found);
}

}  // namespace pale::sandbox
