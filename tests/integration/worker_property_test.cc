// Random projects, workers and requests, in real sandboxes: nobody ever reads or writes what somebody above him could not. What each
// of them can do it finds out by doing it: every folder of the project has its own name in it, and whoever sees one says so.
// PALE_SEED=NUMBER repeats one tree.
#include <chrono>
#include <cstdlib>
#include <iostream>
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
  Folders removes;
  std::vector<Seen> calls;
};

// What a worker is seen to do, by its own words: "enter NAME", "reads F", "writes F", "removes F", then those it calls, then "leave".
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
    if (word == "reads") seen.reads.insert(what);
    if (word == "writes") seen.writes.insert(what);
    if (word == "removes") seen.removes.insert(what);
  }
  return seen;
}

class WorkerProperty : public WithWorkers {
 protected:
  unsigned draw(unsigned below) { return std::uniform_int_distribution<unsigned>(0, below - 1)(random_); }
  bool is_so(unsigned percent) { return draw(100) < percent; }

  void draw_project() {
    // Where the zones lie: the other place is nobody's.
    const bool sandboxed = is_so(30);
    const std::string base = sandboxed ? ".sandbox/" : "";
    for (const std::string& folder : all_folders()) {
      work().write(folder + "/marker", folder);
      work().write(folder + "/kept", "kept");
    }
    protected_.clear();
    std::string protections;
    for (const std::string& folder : all_folders()) {
      if (!is_so(25)) continue;
      protected_.insert(folder);
      protections += (protections.empty() ? "\"" : ", \"") + folder + "/kept\"";
    }
    std::string manifest = "[project]\nid = \"shop\"\n[approval]\nmode = \"auto\"\n[delegation]\nmax_depth = " +
                           std::to_string(1 + draw(3)) + "\nmax_calls = 12\n[agent]\nprotected = [" + protections +
                           "]\n" + (sandboxed ? "[sandbox]\nmode = \"sandboxed\"\n" : "");
    modes_.clear();
    may_read_.clear();
    may_write_.clear();
    may_remove_.clear();
    allowed_.clear();
    for (const char* zone : kZones) {
      if (is_so(15)) continue;
      const bool asked_writable = is_so(65), write_blocked = is_so(15), delete_blocked = is_so(25);
      const bool writable = modes_[zone] = asked_writable && !write_blocked;
      // Not always the whole folder.
      const std::string path = zone[0] <= 'b' && is_so(40) ? std::string(zone) + "/in" : zone;
      manifest += "[zones." + std::string(zone) + "]\npath = \"" + path + "\"\n" +
                  (asked_writable ? "" : "mode = \"ro\"\n") + "approval = { write = \"" +
                  (write_blocked ? "blocked" : "preApproved") + "\", delete = \"" +
                  (delete_blocked ? "blocked" : "ask") + "\" }\n";
      for (const std::string folder : kFolders) {
        if (folder != path && !folder.starts_with(path + "/")) continue;
        may_read_.insert(base + folder);
        if (writable) may_write_.insert(base + folder);
        if (writable && !delete_blocked) may_remove_.insert(base + folder);
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
    if (at != 0 && kind >= 3 && is_so(5)) zones += (zones.empty() ? "" : ", ") + std::string("{name: nowhere}");
    if (kind == 1 || kind == 2) {
      const std::string folder = kFolders[draw(std::size(kFolders))];
      paths = "p" + std::to_string(at) + ": {root: ./" + folder + ", mode: " + (is_so(50) ? "rw" : "ro") + "}";
    }
    std::string script = "echo enter w" + std::to_string(at) + kProbe;
    for (std::size_t other = 0; other < kWorkers; ++other) {
      const bool allowed = is_so(at == 0 ? 80 : 35);
      if (allowed) names += (names.empty() ? "w" : ", w") + std::to_string(other);
      if (allowed) allowed_["w" + std::to_string(at)].insert("w" + std::to_string(other));
      if (allowed || is_so(15)) script += call_of("w" + std::to_string(other));
    }
    if (is_so(40)) script += call_of(draw_stranger());
    std::string keys;
    if (!zones.empty()) keys += asks(zones);
    if (!paths.empty()) keys += "sandbox: {paths: {" + paths + "}}\n";
    if (!names.empty()) keys += calls(names);
    worker("w" + std::to_string(at), keys, script + "echo leave\n");
  }

  static std::string call_of(const std::string& name) { return "pale worker call '" + name + "' 2>/dev/null\n"; }
  // What nobody has leave to call, whatever it stands for.
  std::string draw_stranger() {
    const std::string known = "w" + std::to_string(draw(kWorkers));
    const std::string strangers[] = {"w9",           "../" + known, ".pale/workers/" + known + ".worker",
                                     known + "/../", "W0",          root() + "/.pale/workers/" + known + ".worker"};
    return strangers[draw(std::size(strangers))];
  }
  static std::vector<std::string> all_folders() {
    std::vector<std::string> folders(std::begin(kFolders), std::end(kFolders));
    for (const std::string folder : kFolders) folders.push_back(".sandbox/" + folder);
    return folders;
  }

  void expect_no_more(const Seen& seen, const Seen& above) {
    ++called_;
    found_ += seen.reads.size();
    for (const std::string& folder : seen.reads)
      EXPECT_TRUE(above.reads.contains(folder)) << seen.worker << " reads " << folder;
    for (const std::string& folder : seen.writes)
      EXPECT_TRUE(above.writes.contains(folder)) << seen.worker << " writes " << folder;
    for (const std::string& folder : seen.removes)
      EXPECT_TRUE(above.removes.contains(folder)) << seen.worker << " removes in " << folder;
    for (const Seen& child : seen.calls) {
      EXPECT_TRUE(allowed_[seen.worker].contains(child.worker)) << seen.worker << " calls " << child.worker;
      expect_no_more(child, seen);
    }
  }

  void try_tree(unsigned seed) {
    SCOPED_TRACE("PALE_SEED=" + std::to_string(seed) + " repeats this tree");
    random_.seed(seed);
    draw_project();
    const Finished done = call("w0");
    std::istringstream words(done.out);
    std::string enter;
    words >> enter;
    expect_no_more(read_seen(words), {"the project", may_read_, may_write_, may_remove_, {}});
    for (const std::string& folder : all_folders()) {
      EXPECT_EQ(work().read(folder + "/marker"), folder);
      const bool kept = protected_.contains(folder) || !may_write_.contains(folder);
      EXPECT_TRUE(!kept || work().read(folder + "/kept") == "kept") << folder;
      EXPECT_TRUE(may_write_.contains(folder) || !work().exists(folder + "/made")) << folder;
      std::filesystem::remove(work().path() / folder / "made");
    }
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
  if (echo changed > "${m%/marker}/kept") 2>/dev/null; then echo "writes $folder"; fi
  if rm "${m%/marker}/made" 2>/dev/null; then echo "removes $folder"; fi
done
)";

  std::mt19937 random_;
  std::map<std::string, bool> modes_;  // of the zones there are: writable?
  Folders may_read_, may_write_, may_remove_;
  Folders protected_;                       // in which `kept` stays as it is
  std::map<std::string, Folders> allowed_;  // whom each may call
  std::size_t called_ = 0;
  std::size_t found_ = 0;
};

TEST_P(WorkerProperty, NobodyReadsOrWritesWhatOneAboveHimCouldNot) {
  if (const char* seed = std::getenv("PALE_SEED")) return try_tree(static_cast<unsigned>(std::stoul(seed)));
  constexpr unsigned kTrees = 8;
  for (unsigned tree = 0; tree < kTrees && !HasFailure(); ++tree)
    try_tree(100 * static_cast<unsigned>(GetParam()) + tree);
  EXPECT_GT(called_, 2 * kTrees) << "most of what was drawn was refused";
  EXPECT_GT(found_, called_) << "hardly anything was seen";
}

// One that nobody has tried yet.
TEST_P(WorkerProperty, NorInATreeThatIsNewEachTime) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto seed = static_cast<unsigned>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  std::cout << "PALE_SEED=" << seed << "\n";
  try_tree(seed);
}

INSTANTIATE_TEST_SUITE_P(, WorkerProperty, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
