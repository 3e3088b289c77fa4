// Random projects, workers and requests, in real sandboxes: nobody ever reads or writes what somebody above him could not. What each
// of them can do it finds out by doing it: every folder of the project has its own name in it, and whoever sees one says so.
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "workers.h"

namespace pale::test {
namespace {

using Folders = std::set<std::string>;

constexpr const char* kFolders[] = {"a", "a/in", "a/in/deep", "b", "b/in", "c", "d"};
constexpr const char* kZones[] = {"a", "b", "c", "d"};
constexpr std::size_t kWorkers = 5;

struct Seen {
  std::string worker;
  Folders reads;
  Folders writes;
  std::vector<Seen> calls;
};

// What a worker is seen to do, by its own words: "enter NAME", "reads F", "writes F", then those it calls, then "leave".
Seen read_seen(std::istream& in) {
  Seen seen;
  std::string word, what;
  in >> seen.worker;
  while (in >> word && word != "leave") {
    if (word == "enter") {
      seen.calls.push_back(read_seen(in));
      continue;
    }
    in >> what;
    (word == "reads" ? seen.reads : seen.writes).insert(what);
  }
  return seen;
}

class WorkerProperty : public WithWorkers {
 protected:
  unsigned draw(unsigned below) { return std::uniform_int_distribution<unsigned>(0, below - 1)(random_); }
  bool is_so(unsigned percent) { return draw(100) < percent; }

  void draw_project() {
    for (const char* folder : kFolders) work().write(std::string(folder) + "/marker", folder);
    std::string manifest = "[project]\nid = \"shop\"\n[approval]\nmode = \"auto\"\n[delegation]\nmax_depth = " +
                           std::to_string(1 + draw(3)) + "\nmax_calls = 12\n";
    modes_.clear();
    may_read_.clear();
    may_write_.clear();
    for (const char* zone : kZones) {
      if (is_so(15)) continue;
      const bool writable = modes_[zone] = is_so(65);
      // Not always the whole folder.
      const std::string path = zone[0] <= 'b' && is_so(40) ? std::string(zone) + "/in" : zone;
      manifest += "[zones." + std::string(zone) + "]\npath = \"" + path + "\"\n" + (writable ? "" : "mode = \"ro\"\n");
      for (const std::string folder : kFolders) {
        if (folder != path && !folder.starts_with(path + "/")) continue;
        may_read_.insert(folder);
        if (writable) may_write_.insert(folder);
      }
    }
    write_manifest(manifest);
    for (std::size_t at = 0; at < kWorkers; ++at) draw_worker(at);
  }

  void draw_worker(std::size_t at) {
    std::string zones, paths, names;
    const unsigned kind = at == 0 ? 9 : draw(10);  // a pure function, the old form, or zones
    for (const char* zone : kZones) {
      // The first one asks for what there is, so that there is something to be handed on.
      const bool writable = at == 0 ? modes_.contains(zone) && modes_[zone] && is_so(80) : is_so(40);
      if (kind >= 3 && (at == 0 ? modes_.contains(zone) && is_so(85) : is_so(45)))
        zones += (zones.empty() ? "" : ", ") + std::string("{name: ") + zone + (writable ? "}" : ", mode: ro}");
    }
    if (kind == 1 || kind == 2) {
      const std::string folder = kFolders[draw(std::size(kFolders))];
      paths = "p" + std::to_string(at) + ": {root: ./" + folder + ", mode: " + (is_so(50) ? "rw" : "ro") + "}";
    }
    std::string script = "echo enter w" + std::to_string(at) + kProbe;
    for (std::size_t other = 0; other < kWorkers; ++other) {
      if (!is_so(at == 0 ? 80 : 35)) continue;
      names += (names.empty() ? "w" : ", w") + std::to_string(other);
      script += "pale worker call w" + std::to_string(other) + " 2>/dev/null\n";
    }
    std::string keys;
    if (!zones.empty()) keys += asks(zones);
    if (!paths.empty()) keys += "sandbox: {paths: {" + paths + "}}\n";
    if (!names.empty()) keys += calls(names);
    worker("w" + std::to_string(at), keys, script + "echo leave\n");
  }

  void expect_no_more(const Seen& seen, const Folders& reads, const Folders& writes) {
    ++called_;
    found_ += seen.reads.size();
    for (const std::string& folder : seen.reads)
      EXPECT_TRUE(reads.contains(folder)) << seen.worker << " reads " << folder;
    for (const std::string& folder : seen.writes)
      EXPECT_TRUE(writes.contains(folder)) << seen.worker << " writes " << folder;
    for (const Seen& child : seen.calls) expect_no_more(child, seen.reads, seen.writes);
  }

  // Everything that could be seen below the root, three deep, whatever it is called there; what is hidden from that is looked for by
  // its name on the host.
  static constexpr const char* kProbe = R"(
for m in /*/marker /*/*/marker /*/*/*/marker /proc/1/root/*/marker; do
  case $m in /proc/1/root/*) [ -f "${m#/proc/1/root}" ] && continue;; esac
  [ -f "$m" ] || continue
  folder=$(cat "$m") || continue
  echo "reads $folder"
  if (: > "${m%/marker}/made") 2>/dev/null || mv "$m" "$m.moved" 2>/dev/null; then echo "writes $folder"; fi
done
)";

  std::mt19937 random_;
  std::map<std::string, bool> modes_;  // of the zones there are: writable?
  Folders may_read_, may_write_;
  std::size_t called_ = 0;
  std::size_t found_ = 0;
};

TEST_P(WorkerProperty, NobodyReadsOrWritesWhatOneAboveHimCouldNot) {
  constexpr unsigned kTrees = 9;
  for (unsigned tree = 0; tree < kTrees && !HasFailure(); ++tree) {
    const unsigned seed = 100 * static_cast<unsigned>(GetParam()) + tree;
    SCOPED_TRACE("tree " + std::to_string(seed));
    random_.seed(seed);
    draw_project();
    const Finished done = call("w0");
    std::istringstream words(done.out);
    std::string enter;
    words >> enter;
    expect_no_more(read_seen(words), may_read_, may_write_);
    for (const std::string folder : kFolders) {
      EXPECT_EQ(work().read(folder + "/marker"), folder);
      EXPECT_TRUE(may_write_.contains(folder) || !work().exists(folder + "/made")) << folder;
      std::filesystem::remove(work().path() / folder / "made");
    }
  }
  EXPECT_GT(called_, 2 * kTrees) << "most of what was drawn was refused";
  EXPECT_GT(found_, called_) << "hardly anything was seen";
}

INSTANTIATE_TEST_SUITE_P(, WorkerProperty, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
