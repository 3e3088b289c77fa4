// A stage that is applied leaves the tree that the same commands leave without one: programs by chance over trees by chance.
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <sstream>

#include "projects.h"

// Of <sys/xattr.h>, a name that a header of Pale has too.
extern "C" ssize_t llistxattr(const char* path, char* names, size_t size) noexcept;
extern "C" ssize_t lgetxattr(const char* path, const char* name, void* value, size_t size) noexcept;

namespace pale::test {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kPrograms = 14;  // for each account and each way to apply them
constexpr unsigned kFewest = 4;     // where they take longer than enough
constexpr auto kEnough = std::chrono::seconds(4);
constexpr std::size_t kMostTries = 80;  // to find out which steps of a failing program matter
constexpr int kPending = 4;
constexpr blkcnt_t kBlocksMore = 2200;  // of 512 bytes: an overlay copies a megabyte at a time, with the holes in it

// --- trees ------------------------------------------------------------------------------------------------------------

struct Entry {
  mode_t mode = 0;
  std::string content;  // or where a link leads
  std::map<std::string, std::string> attributes;
  struct stat status = {};
};
using Tree = std::map<std::string, Entry>;

std::string link_target(const fs::path& path) {
  std::error_code none;
  return fs::read_symlink(path, none).string();
}

std::map<std::string, std::string> user_attributes(const fs::path& path) {
  std::map<std::string, std::string> attributes;
  char names[4096], value[4096];
  const ssize_t size = llistxattr(path.c_str(), names, sizeof names);
  for (ssize_t at = 0; at < size; at += static_cast<ssize_t>(std::string_view(names + at).size()) + 1) {
    const ssize_t got = lgetxattr(path.c_str(), names + at, value, sizeof value);
    if (std::string_view(names + at).starts_with("user."))
      attributes[names + at] = std::string(value, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  return attributes;
}

void read_tree(const fs::path& directory, const std::string& prefix, Tree& tree) {
  std::error_code closed;  // A directory that nobody may enter, if the test is not root's.
  for (const auto& item : fs::directory_iterator(directory, closed)) {
    Entry entry;
    lstat(item.path().c_str(), &entry.status);
    entry.mode = S_ISLNK(entry.status.st_mode) ? S_IFLNK : entry.status.st_mode;
    if (S_ISLNK(entry.mode)) entry.content = link_target(item.path());
    if (S_ISREG(entry.mode)) {
      entry.content.resize(static_cast<std::size_t>(entry.status.st_size));
      std::ifstream(item.path(), std::ios::binary).read(entry.content.data(), entry.status.st_size);
      entry.attributes = user_attributes(item.path());
    }
    const std::string name = prefix + item.path().filename().string();
    if (S_ISDIR(entry.mode)) read_tree(item.path(), name + "/", tree);
    tree.emplace(name, std::move(entry));
  }
}

Tree tree_of(const fs::path& directory) {
  Tree tree;
  read_tree(directory, "", tree);
  return tree;
}

std::int64_t modified_ns(const Entry& entry) {
  return entry.status.st_mtim.tv_sec * 1'000'000'000 + entry.status.st_mtim.tv_nsec;
}
std::int64_t changed_ns(const Entry& entry) {
  return entry.status.st_ctim.tv_sec * 1'000'000'000 + entry.status.st_ctim.tv_nsec;
}

std::string text_of(const Entry& entry) {
  std::ostringstream text;
  text << std::oct << entry.mode << std::dec << " " << entry.content.size() << " bytes " << std::hex
       << std::hash<std::string>{}(entry.content) << testing::PrintToString(entry.attributes);
  if (S_ISLNK(entry.mode)) text << " -> " << entry.content;
  return text.str();
}

// What differs, in words; empty if nothing does. `differ` says it of two entries of one name.
template <typename Differ>
std::string difference(const Tree& wanted, const Tree& there, const Differ& differ) {
  std::string text;
  for (const auto& [name, entry] : wanted) {
    const auto found = there.find(name);
    if (found == there.end())
      text += "  missing: " + testing::PrintToString(name) + " " + text_of(entry) + "\n";
    else if (const std::string how = differ(entry, found->second); !how.empty())
      text += "  " + testing::PrintToString(name) + " " + how + "\n";
  }
  for (const auto& [name, entry] : there) {
    if (!wanted.contains(name)) text += "  too much: " + testing::PrintToString(name) + " " + text_of(entry) + "\n";
  }
  return text;
}

std::string in_what_they_are(const Entry& wanted, const Entry& there) {
  const bool same =
      wanted.mode == there.mode && wanted.content == there.content && wanted.attributes == there.attributes;
  if (!same) return "should be " + text_of(wanted) + ", is " + text_of(there);
  if (there.status.st_blocks > 2 * wanted.status.st_blocks + kBlocksMore)
    return "has " + std::to_string(there.status.st_blocks) + " blocks instead of " +
           std::to_string(wanted.status.st_blocks);
  return {};
}

// Also in the times of files, which an undo brings back.
std::string in_times_too(const Entry& wanted, const Entry& there) {
  std::string how = in_what_they_are(wanted, there);
  if (how.empty() && S_ISREG(wanted.mode) && modified_ns(wanted) != modified_ns(there)) how = "has another time";
  return how;
}

// Nobody has done anything to it.
std::string in_anything(const Entry& wanted, const Entry& there) {
  const bool same = wanted.status.st_ino == there.status.st_ino && changed_ns(wanted) == changed_ns(there);
  return same ? in_times_too(wanted, there) : "was touched";
}

// The files that a program has left alone without a stage must be left alone with one.
std::string touched_in_vain(const Tree& direct_before, const Tree& direct_after, const Tree& before,
                            const Tree& after) {
  std::string text;
  for (const auto& [name, entry] : direct_after) {
    const auto old = direct_before.find(name);
    if (!S_ISREG(entry.mode) || old == direct_before.end() || !in_anything(old->second, entry).empty()) continue;
    const auto then = before.find(name), now = after.find(name);
    if (then != before.end() && now != after.end() && !in_anything(then->second, now->second).empty())
      text += "  " + testing::PrintToString(name) + " was touched in vain\n";
  }
  return text;
}

// --- programs ---------------------------------------------------------------------------------------------------------

// The parts of a program: what makes the tree, and two runs.
enum class Part { Before, First, Second };
struct Step {
  Part part;
  std::string line;
};
using Program = std::vector<Step>;

std::string script_of(const Program& program, Part part) {
  std::string script = "exec 2>/dev/null; umask 022\n";
  for (const Step& step : program) {
    if (step.part == part) script += step.line + "\n";
  }
  return script + ":\n";
}

std::string text_of(const Program& program) {
  std::string text;
  constexpr const char* kParts[] = {"before: ", "first:  ", "second: "};
  for (const Step& step : program) text += kParts[static_cast<int>(step.part)] + step.line + "\n";
  return text;
}

std::string in_quotes(const std::string& word) {
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

// Draws steps. Only names of a few, so that they meet; no link leads to anything outside that is there.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  // Hard links: an overlay's lower file is copied up under one of its names only.
  enum class Links { None, Hard };
  void steps(Program& program, Part part, Links links) {
    const std::size_t count = number(5, 30);
    for (std::size_t at = 0; at < count; ++at) program.push_back({part, part == Part::Before ? make() : step(links)});
  }
  // Modes that are in the way of whatever follows: at the very end.
  void closing(Program& program, Part part) {
    const char* const kModes[] = {"000", "4755", "2755", "1777", "0555", "0100"};
    for (std::size_t at = number(0, 3); at > 0; --at)
      program.push_back({part, std::string("chmod ") + one_of(kModes) + " " + path()});
  }

 private:
  std::size_t number(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random_);
  }
  template <typename T, std::size_t n>
  T one_of(const T (&choices)[n]) {
    return choices[number(0, n - 1)];
  }

  std::string name() {
    const char* const kNames[] = {"a", "b", "d", "e"};
    const char* const kOdd[] = {"a b",     "new\nline", "\"q\" 'uote'", "\xff\xfe\x80", "-rf",
                                "back\\n", "$(x) *",    "\x1b[31m",     "..a",          ".wh.a"};
    if (number(0, 40) == 0) return std::string(255, 'l');
    return number(0, 4) == 0 ? one_of(kOdd) : one_of(kNames);
  }
  std::string path() {
    std::string text = "./" + name();
    for (std::size_t more = number(0, 5); more > 3; --more) text += "/" + name();
    return in_quotes(text);
  }
  std::string text() { return in_quotes("line " + std::to_string(number(0, 99))); }

  // Opening a named pipe would wait for somebody at the other end.
  static std::string into(const std::string& what, const std::string& how, const std::string& to) {
    return "[ -p " + to + " ] || " + what + " " + how + " " + to;
  }
  std::string mode() {
    const char* const kFile[] = {"600", "644", "755", "666", "444"};
    const char* const kDirectory[] = {"700", "755", "750", "777"};
    const std::string of = path();
    return "if [ -d " + of + " ]; then chmod " + one_of(kDirectory) + " " + of + "; else chmod " + one_of(kFile) + " " +
           of + "; fi";
  }
  std::string symlink() {
    const char* const kTargets[] = {"a", "b", "d/e", "./e", "/nonexistent/place", "../nowhere/deep", "-rf", "gone\xff"};
    return std::string(one_of({"ln -s ", "ln -sfn "})) + in_quotes(one_of(kTargets)) + " " + path();
  }
  std::string attribute() {
    const std::string of = path();
    const char* const kHow[] = {"-n user.one -v 1", "-n user.one -v 2", "-n user.two -v ''", "-x user.one"};
    return "[ -f " + of + " ] && setfattr " + one_of(kHow) + " " + of;
  }
  std::string sparse() {
    const std::string of = path();
    return "[ -p " + of + " ] || printf end | dd of=" + of + " bs=1 seek=" + std::to_string(number(0, 4000000)) +
           " conv=notrunc";
  }
  std::string replace() {
    const std::string of = path();
    switch (number(0, 3)) {
      case 0: return "rm -rf " + of + "; mkdir " + of;
      case 1: return "rm -rf " + of + "; mkdir " + of + "; " + into("echo new", ">", of + "/" + in_quotes(name()));
      case 2: return "rm -rf " + of + "; " + into("echo instead", ">", of);
      default: return "mkdir " + of + ".x; mv -T " + of + ".x " + of;
    }
  }
  std::string move() {
    const std::string from = path(), to = path();
    switch (number(0, 4)) {
      case 0: return "mv " + from + " " + to;
      case 1: return "mv " + from + " " + to + " && mv -T " + to + " " + from;
      case 2: return "mv -T " + from + " " + from + "2 && mv -T " + from + "2 " + from;
      default: return "mv -T " + from + " " + to;
    }
  }

  // Of a directory into itself it would depend on the order in there how much is copied.
  std::string copy() {
    const std::string from = path();
    return "[ -d " + from + " ] || " + into("cp -a", from, path());
  }

  std::string make() {
    switch (number(0, 9)) {
      case 0:
      case 1:
      case 2: return "mkdir -p " + path();
      case 3: return mode();
      case 4: return symlink();
      case 5: return attribute();
      case 6: return number(0, 2) == 0 ? sparse() : "mkfifo " + path();
      default: return into("seq " + std::to_string(number(0, 30)), ">", path());
    }
  }
  std::string step(Links links) {
    switch (number(0, 22)) {
      case 0:
      case 1: return "rm -f " + path();
      case 2:
      case 3: return "rm -r " + path();
      case 4:
      case 5:
      case 6: return replace();
      case 7:
      case 8:
      case 9:
      case 10: return move();
      case 11:
      case 12: return into("echo " + text(), ">", path());
      case 13:
      case 14: return into("echo " + text(), ">>", path());
      case 15: return "truncate -s " + std::string(one_of({"0", "3", "5000", "4000000"})) + " " + path();
      case 16: return into("sed -i", "s/1/2/", path());
      case 17: return copy();
      case 18: return links == Links::Hard ? "ln " + path() + " " + path() : into("true", ">", path());
      default: return make();
    }
  }

  std::mt19937 random_;
};

// --- the tests --------------------------------------------------------------------------------------------------------

// PALE_SEED=N begins at another program.
unsigned first_seed() {
  const char* text = std::getenv("PALE_SEED");
  return text == nullptr ? 1U : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

class StagedPrograms : public WithProjects {
 protected:
  // Two directories, equal in the beginning: one for the commands alone, one for them in a stage. And what went wrong so far.
  class Places {
   public:
    Places(const StagedPrograms& test, const Program& program) : test_(test), base_(GetParam(), "staged") {
      base_.make_directory("direct");
      test_.direct(direct(), script_of(program, Part::Before));
      const std::string copy = "find direct -mindepth 1 -exec touch -h -d 2020-02-02 {} +; cp -a direct staged";
      run({.arguments = {"/bin/sh", "-c", copy},
           .account = GetParam(),
           .environment = {"PATH=/usr/bin:/bin"},
           .directory = base_.text()});
      direct_before_ = tree_of(direct());
      before_ = tree_of(root());
      if (difference(direct_before_, before_, in_times_too) != "") problem_ += "the copy differs\n";
    }
    std::string direct() const { return base_.text() + "/direct"; }
    std::string root() const { return base_.text() + "/staged"; }

    void run_direct(const Program& program, Part part) const { test_.direct(direct(), script_of(program, part)); }
    void run_staged(const Program& program, Part part, const Words& stage) {
      pale(Words{"run", "--project-root", root(), "--stage"} + stage +
               Words{"--", "/bin/sh", "-c", script_of(program, part)},
           0);
    }
    Finished pale(const Words& words, int wanted) {
      Finished done = test_.pale(words);
      if (done.exit_code != wanted)
        complain("pale " + words[0] + " " + words[1] + ": exit code " + std::to_string(done.exit_code) + "\n" +
                 done.out + done.err);
      return done;
    }
    Finished stage(const std::string& command, const Words& words = {}, int wanted = 0) {
      return pale(Words{"stage", command} + words + Words{"--project-root", root()}, wanted);
    }
    bool has_changes(const std::string& name) {
      const int code = test_.pale({"stage", "show", name, "--project-root", root()}).exit_code;
      if (code != 0 && code != kPending) complain("pale stage show: exit code " + std::to_string(code));
      return code != 0;
    }

    void expect_untouched(const std::string& when) {
      complain_of("the project " + when, difference(before_, tree_of(root()), in_anything));
    }
    void expect_as_direct(const std::string& when) {
      const Tree after = tree_of(root()), direct_after = tree_of(direct());
      complain_of("the tree " + when, difference(direct_after, after, in_what_they_are) +
                                          touched_in_vain(direct_before_, direct_after, before_, after));
    }
    void expect_nothing_left_in(const std::string& name) {
      const Finished show = stage("show", {name});
      if (show.out.find("nothing is changed") == std::string::npos) complain(show.out);
    }
    // Undone and done again; if there was anything to do.
    void expect_to_go_back_and_forth() {
      const Tree after = tree_of(root());
      stage("undo");
      complain_of("the tree after an undo", difference(before_, tree_of(root()), in_times_too));
      stage("undo");
      complain_of("the tree after a second undo", difference(after, tree_of(root()), in_times_too));
    }
    void complain(const std::string& text) { problem_ += text + "\n"; }
    void complain_of(const std::string& what, const std::string& how) {
      if (!how.empty()) complain(what + ":\n" + how);
    }
    const std::string& problem() const { return problem_; }

   private:
    const StagedPrograms& test_;
    TemporaryDirectory base_;
    Tree direct_before_, before_;
    std::string problem_;
  };

  // A command inside has no capabilities, so that root is stopped by modes as well; here it must be alike.
  void direct(const std::string& directory, const std::string& script) const {
    Process process;
    if (GetParam() == Account::Root) process.arguments = {"/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all"};
    process.arguments = process.arguments + Words{"/bin/sh", "-c", script};
    process.account = GetParam();
    process.environment = project_.environment();
    process.directory = directory;
    run(process);
  }

  using Check = std::function<std::string(const Program&)>;

  // Without the steps that do not matter.
  static Program reduced(Program program, const Check& check) {
    std::size_t tries = 0;
    for (std::size_t at = program.size(); at-- > 0 && tries < kMostTries; ++tries) {
      Program fewer = program;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
      if (!check(fewer).empty()) program = std::move(fewer);
    }
    return program;
  }

  void expect_of_programs(const Check& check, unsigned seed, Draw::Links links) {
    const auto start = std::chrono::steady_clock::now();
    for (unsigned at = seed; at < seed + kPrograms && !HasFailure(); ++at) {
      if (at >= seed + kFewest && std::chrono::steady_clock::now() - start > kEnough) break;
      Draw draw(at);
      Program program;
      draw.steps(program, Part::Before, Draw::Links::None);
      draw.steps(program, Part::First, links);
      draw.steps(program, Part::Second, Draw::Links::Hard);
      draw.closing(program, Part::Second);
      if (check(program).empty()) continue;
      const Program smaller = reduced(program, check);
      ADD_FAILURE() << "PALE_SEED=" << at << "\n" << text_of(smaller) << check(smaller);
    }
  }

  // Two runs in one stage.
  std::string check_one_stage(const Program& program) const {
    Places places(*this, program);
    for (const Part part : {Part::First, Part::Second}) {
      places.run_direct(program, part);
      places.run_staged(program, part, {"s"});
    }
    places.expect_untouched("before the apply");
    const bool changed = places.has_changes("s");
    places.stage("apply", {"s", "--yes"});
    places.expect_as_direct("after the apply");
    places.expect_nothing_left_in("s");
    if (changed) places.expect_to_go_back_and_forth();
    return places.problem();
  }

  // The stage goes on after an apply.
  std::string check_apply_between(const Program& program) const {
    Places places(*this, program);
    for (const Part part : {Part::First, Part::Second}) {
      places.run_direct(program, part);
      places.run_staged(program, part, {"s"});
      places.stage("apply", {"s", "--yes"});
      places.expect_as_direct("after an apply");
      places.expect_nothing_left_in("s");
    }
    return places.problem();
  }

  // The second run on a stage that stands on the first's.
  std::string check_stage_on_stage(const Program& program) const {
    Places places(*this, program);
    places.run_direct(program, Part::First);
    places.run_staged(program, Part::First, {"parent"});
    places.run_direct(program, Part::Second);
    const std::string alone = show_parent(places);
    places.run_staged(program, Part::Second, {"child", "--on", "parent"});
    const bool child_changes = places.has_changes("child");
    places.stage("apply", {"child", "--yes"});
    places.expect_nothing_left_in("child");
    if (child_changes) {
      const std::string together = show_parent(places);
      places.stage("undo");
      places.complain_of("the parent after an undo", show_parent(places) == alone ? "" : alone + show_parent(places));
      places.stage("undo");
      places.complain_of("the parent after two", show_parent(places) == together ? "" : together + show_parent(places));
    }
    places.expect_untouched("before the apply of the parent");
    const bool changed = places.has_changes("parent");
    places.stage("apply", {"parent", "--yes"});
    places.expect_as_direct("after the apply");
    places.expect_nothing_left_in("parent");
    if (changed) places.expect_to_go_back_and_forth();
    return places.problem();
  }
  std::string show_parent(const Places& places) const {
    return pale({"stage", "show", "parent", "--json", "--project-root", places.root()}).out;
  }
};

// What chance found, each as small as it went wrong.
TEST_P(StagedPrograms, ThatWentWrongOnceGoRight) {
  using enum Part;
  const Program fresh_directory = {{First, "mkdir t; echo 1 > t/f"}, {Second, "echo 2 > t/f"}};
  const Program pipe = {{First, "mkfifo p"}, {Second, "rm p"}};
  const Program mode_of_pipe = {{First, "mkfifo p"}, {Second, "chmod 777 p"}};
  for (const Program& program : {fresh_directory, pipe, mode_of_pipe})
    EXPECT_EQ(check_apply_between(program), "") << text_of(program);
  const Program mode = {{Before, "mkdir -p d/e"}, {Second, "chmod 700 d"}};
  const Program emptied = {{Before, "mkdir -p d/e/f"}, {Second, "rm -r d; mkdir d"}};
  const Program opaque = {{Before, "mkdir -p d/e"}, {First, "mv d x; mv x d; rm -r d/e"}, {Second, "rm -r d"}};
  const Program begun_anew = {{Before, "mkdir -p d/e"}, {First, "rm -r d"}, {Second, "mkdir d; echo new > d/f"}};
  for (const Program& program : {mode, emptied, opaque, begun_anew})
    EXPECT_EQ(check_stage_on_stage(program), "") << text_of(program);
}

TEST_P(StagedPrograms, LeaveWhatTheyLeaveWithoutAStage) {
  expect_of_programs([this](const Program& program) { return check_one_stage(program); }, first_seed(),
                     Draw::Links::Hard);
}

TEST_P(StagedPrograms, GoOnAfterAnApplyAsIfThereWereNone) {
  expect_of_programs([this](const Program& program) { return check_apply_between(program); }, first_seed() + 1000,
                     Draw::Links::None);
}

TEST_P(StagedPrograms, LeaveWhatTheyLeaveWithoutAStageOnAStage) {
  expect_of_programs([this](const Program& program) { return check_stage_on_stage(program); }, first_seed() + 2000,
                     Draw::Links::None);
}

INSTANTIATE_TEST_SUITE_P(, StagedPrograms, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
