// The watch: it sees what a run does in the project, whoever does it and however it is named, tells it, and decides nothing.
#include <sys/wait.h>

#include <csignal>
#include <set>

#include "projects.h"
#include "support/session.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

using Seen = std::set<std::pair<std::string, std::string>>;  // operation, path relative to the project

// One process that does each operation, each on files of its own: named in four ways, by the process itself, a thread of it and a
// child. Errors are answers, and printed.
constexpr const char* kDeeds = R"(
import ctypes, os, subprocess, sys, threading
root = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)
def truncate(p, d):
    os.truncate(p if d is None else f"/proc/self/fd/{d}/{p}", 0)
def execute(p, d):
    if d is not None: p = f"/proc/self/fd/{d}/{p}"
    child = os.fork()
    if child == 0:
        try: os.execv(p, [p])
        except OSError as e: os._exit(e.errno)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code: raise OSError(code, "execute")
def opened(flags):
    return lambda p, d: os.close(os.open(p, flags, 0o644, dir_fd=d))
DEEDS = {
    "read": opened(os.O_RDONLY),
    "write": opened(os.O_WRONLY),
    "create": opened(os.O_WRONLY | os.O_CREAT),
    "mkdir": lambda p, d: os.mkdir(p, dir_fd=d),
    "symlink": lambda p, d: os.symlink("nowhere", p, dir_fd=d),
    "remove": lambda p, d: os.unlink(p, dir_fd=d),
    "rename": lambda p, d: os.rename(p, p + ".to", src_dir_fd=d, dst_dir_fd=d),
    "link": lambda p, d: os.link(p, p + ".to", src_dir_fd=d, dst_dir_fd=d),
    "chmod": lambda p, d: os.chmod(p, 0o600, dir_fd=d),
    "truncate": truncate,
    "execute": execute,
}
def deed(operation, form, who):
    name = f"{operation}-{form}-{who}"
    path, directory = f"{root}/docs/{name}", None
    if form == "relative": os.chdir(root); path = f"docs/{name}"
    if form == "cwd": os.chdir(f"{root}/docs"); path = name
    if form == "descriptor": directory = os.open(f"{root}/docs", os.O_RDONLY | os.O_DIRECTORY); path = name
    try:
        DEEDS[operation](path, directory)
        print(name, "done")
    except OSError as e:
        print(name, os.strerror(e.errno))
    if directory is not None: os.close(directory)
def everything(who):
    for operation in DEEDS:
        for form in ("absolute", "relative", "cwd", "descriptor"): deed(operation, form, who)
everything("self")
t = threading.Thread(target=everything, args=("thread",)); t.start(); t.join()
sys.stdout.flush()
child = os.fork()
if child == 0:
    everything("child")
    sys.stdout.flush()
    os._exit(0)
os.waitpid(child, 0)
)";

constexpr const char* kOperations[] = {"read",   "write", "create", "mkdir",    "symlink", "remove",
                                       "rename", "link",  "chmod",  "truncate", "execute"};
constexpr const char* kForms[] = {"absolute", "relative", "cwd", "descriptor"};
constexpr const char* kActors[] = {"self", "thread", "child"};

// What a deed is called where it is told.
std::string told(const std::string& deed) {
  if (deed == "mkdir" || deed == "symlink") return "create";
  return deed == "truncate" ? "write" : deed;
}
bool makes(const std::string& deed) { return told(deed) == "create"; }

class Watched : public WithProjects {
 protected:
  void permissive() const { write_manifest("[workspace]\nfolders = [\"lib\"]\n"); }
  void strict() const { write_manifest("[workspace]\nfolders = [\"lib\"]\nmode = \"strict\"\n"); }

  void write_deeds() const {
    work().write("lib/in", "in\n");
    work().make_directory("docs");
    for (const std::string deed : kOperations)
      for (const std::string form : kForms)
        for (const std::string who : kActors)
          if (!makes(deed)) work().write("docs/" + deed + "-" + form + "-" + who, "#!/bin/true\n");
    for (const auto& entry : std::filesystem::directory_iterator(work().path() / "docs"))
      std::filesystem::permissions(entry.path(), std::filesystem::perms(0755));
  }
  Finished do_deeds(const Words& flags = {}) const {
    return pale_in(root(), Words{"run"} + flags + Words{"--", "/usr/bin/python3", "-c", kDeeds, root()});
  }
  static Seen expected() {
    Seen all;
    for (const std::string deed : kOperations)
      for (const std::string form : kForms)
        for (const std::string who : kActors) all.emplace(told(deed), "docs/" + deed + "-" + form + "-" + who);
    return all;
  }

  // The blocks that begin with a line.
  Seen blocks(const Finished& run, const std::string& head) const {
    Seen seen;
    const std::string file = "[WORKSPACE]   File: " + root() + "/", operation = "[WORKSPACE]   Operation: ";
    for (std::size_t at = run.err.find(head); at != std::string::npos; at = run.err.find(head, at + 1)) {
      const auto value = [&](const std::string& key) {
        const std::size_t begin = run.err.find(key, at) + key.size();
        return run.err.substr(begin, run.err.find('\n', begin) - begin);
      };
      EXPECT_TRUE(seen.emplace(value(operation), value(file)).second) << "told twice: " << value(file);
    }
    return seen;
  }
  Seen warnings(const Finished& run) const { return blocks(run, "WARNING: File access outside workspace"); }
  Seen blocked(const Finished& run) const { return blocks(run, "BLOCKED: File access outside workspace"); }
};

TEST_P(Watched, PermissiveLetsEveryDeedAndTellsIt) {
  permissive();
  write_deeds();
  const Finished run = do_deeds();
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, Not(HasSubstr("denied")));
  EXPECT_THAT(warnings(run), IsSupersetOf(expected())) << run.err;
  EXPECT_EQ(blocked(run), Seen());
  EXPECT_TRUE(work().exists("docs/create-descriptor-thread"));
  EXPECT_FALSE(work().exists("docs/remove-cwd-child"));
  EXPECT_THAT(run.err, AllOf(HasSubstr("pale: outside the workspace folders (lib), and allowed: "),
                             HasSubstr("hint: for you alone: pale config add rw " + root() + "/docs")));
}

TEST_P(Watched, StrictRefusesEveryDeedAndTellsIt) {
  strict();
  write_deeds();
  const std::string before = work().snapshot();
  const Finished run = do_deeds();
  EXPECT_THAT(run.out, Not(HasSubstr("done")));
  EXPECT_THAT(blocked(run), IsSupersetOf(expected())) << run.err;
  EXPECT_EQ(warnings(run), Seen());
  EXPECT_EQ(work().snapshot(), before);
  EXPECT_THAT(run.err, AllOf(HasSubstr("[WORKSPACE]   Workspace folders: lib\n"), HasSubstr("and refused: ")));
}

TEST_P(Watched, BlockedStandsInTheSessionsLog) {
  strict();
  work().write("docs/secret", "secret\n");
  work().write("lib/in", "in\n");
  const auto sessions = [&] { return nlohmann::json::parse(pale({"session", "list", "--json"}).out).at("sessions"); };
  EXPECT_EQ(script("cat lib/in").exit_code, 0);
  EXPECT_THAT(sessions(), testing::IsEmpty()) << "nothing happened that anybody would look for";
  EXPECT_NE(script("cat docs/secret > /dev/null; echo x > docs/new; exit 7").exit_code, 0);
  ASSERT_EQ(sessions().size(), 1U);
  const auto session = sessions().front();
  EXPECT_EQ(session.at("denials"), 2) << session;
  EXPECT_EQ(session.at("state"), "ended");
  EXPECT_EQ(session.at("last_run").at("exit_code"), 7);
  EXPECT_EQ(session.at("last_run").at("command").back(), "cat docs/secret > /dev/null; echo x > docs/new; exit 7");
  const std::string id = session.at("id");
  EXPECT_THAT(pale({"session", "show", id}).out, HasSubstr("denials     2\n"));
  EXPECT_THAT(pale({"session", "log", id}).out,
              HasSubstr("[WORKSPACE] BLOCKED: File access outside workspace\n[WORKSPACE]   File: " + root() +
                        "/docs/secret\n[WORKSPACE]   Operation: read\n[WORKSPACE]   Workspace folders: lib\n"));
}

TEST_P(Watched, VerboseSaysHowLongItTookAndTheSessionKeepsIt) {
  strict();
  work().write("docs/secret", "secret\n");
  work().make_directory("lib");
  const Finished run = script("cat docs/secret", {"-v"});
  EXPECT_THAT(run.err, testing::ContainsRegex("pale: validation: [0-9.]+ ms, start: [0-9.]+ ms, watch: [0-9.]+ ms for "
                                              "[0-9]+ access(es)?, [0-9.]+ us each\n"));
  EXPECT_THAT(script("true").err, Not(HasSubstr("validation")));
  const auto list = nlohmann::json::parse(pale({"session", "list", "--json"}).out).at("sessions");
  ASSERT_EQ(list.size(), 1U);
  const auto whole = nlohmann::json::parse(pale({"session", "show", list.front().at("id"), "--json"}).out);
  const auto& times = whole.at("runs").at(0).at("receipt").at("times");
  EXPECT_GT(times.at("startUs"), times.at("validationUs"));
  EXPECT_GT(times.at("accesses"), 0);
}

TEST_P(Watched, SessionsThatAreNotThereAreSaidSo) {
  const Finished none = pale({"session", "list"});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_THAT(none.err, HasSubstr("there are no sessions yet"));
  EXPECT_THAT(pale({"session", "list", "--live"}).err, HasSubstr("there are no such sessions"));
}

TEST_P(Watched, WhatPermissiveLetIsNoDenialInTheSessionsLog) {
  permissive();
  work().write("docs/a", "a\n");
  work().make_directory("lib");
  EXPECT_EQ(script("cat docs/a > /dev/null; echo x >> docs/a").exit_code, 0);
  const auto list = nlohmann::json::parse(pale({"session", "list", "--json"}).out).at("sessions");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list.front().at("denials"), 0);
  EXPECT_EQ(list.front().at("changes"), 1);
  EXPECT_THAT(pale({"session", "log", list.front().at("id")}).out, HasSubstr("changes: write " + root() + "/docs/a"));
}

TEST_P(Watched, UnwatchedStrictRefusesTheSameAndTellsNothing) {
  strict();
  write_deeds();
  const std::string before = work().snapshot();
  const Finished run = do_deeds({"--no-watch"});
  EXPECT_THAT(run.out, Not(HasSubstr("done")));
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(work().snapshot(), before);
}

TEST_P(Watched, WhatIsInScopeOrNoFileOfTheProjectIsNotTold) {
  permissive();
  work().write("lib/in", "in\n");
  work().write("docs/.gitignore", "*.o\n");
  const Finished run = script(
      "cat lib/in; echo x > lib/new; rm lib/new; cat /etc/passwd > /tmp/copy; ls docs . > /dev/null; test -r docs/none;"
      "cat docs/none; stat docs > /dev/null; echo > ~/mine; cat docs/.gitignore");
  EXPECT_THAT(run.err, Not(HasSubstr("[WORKSPACE]"))) << run.err;
  EXPECT_THAT(run.err, Not(HasSubstr("pale:"))) << run.err;
}

TEST_P(Watched, LinksAreToldAsWhatTheyLeadTo) {
  permissive();
  work().write("docs/secret", "secret\n");
  work().make_directory("lib");
  std::filesystem::create_symlink("../docs/secret", work().path() / "lib/link");
  const Finished run = script("cat lib/link; ln -s " + root() +
                              "/docs /tmp/there; cat /tmp/there/secret > /dev/null;"
                              "cat /usr/../" +
                              root() + "/docs/secret > /dev/null; echo x >> /tmp/there/other");
  EXPECT_THAT(run.out, HasSubstr("secret\n"));
  EXPECT_EQ(warnings(run), (Seen{{"read", "docs/secret"}, {"create", "docs/other"}})) << run.err;
}

TEST_P(Watched, APathBeginsWhereItsThreadStandsByThen) {
  permissive();
  for (const char* file : {"docs/same", "notes/same", "notes/deep/same"}) work().write(file, "x\n");
  work().make_directory("lib");
  const Finished run =
      pale_in(root(), {"run", "--", "/usr/bin/python3", "-c",
                       "import os, threading\n"
                       "def read():\n    thread = threading.Thread(target=lambda: open('same').read())\n"
                       "    thread.start()\n    thread.join()\n"
                       "os.chdir('docs')\nread()\nos.chdir('../notes')\nopen('same').read()\n"
                       "os.fchdir(os.open('deep', os.O_DIRECTORY))\nread()\n"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(warnings(run), (Seen{{"read", "docs/same"}, {"read", "notes/same"}, {"read", "notes/deep/same"}}))
      << run.err;
}

TEST_P(Watched, ADescriptorThatIsOpenedAgainIsSeen) {
  strict();
  work().write("docs/secret", "secret\n");
  work().make_directory("lib");
  const Finished run =
      pale_in(root(), {"run", "--", "/usr/bin/python3", "-c",
                       "import os\nfd = os.open('docs/secret', os.O_PATH)\n"
                       "try: print(open(f'/proc/self/fd/{fd}').read())\nexcept OSError as e: print(e.strerror)\n"});
  EXPECT_EQ(run.out, "Permission denied\n");
  EXPECT_EQ(blocked(run), (Seen{{"read", "docs/secret"}})) << run.err;
}

TEST_P(Watched, GitsOwnDirectoryDoesNotFlood) {
  work().write("lib/in", "in\n");
  work().write("docs/a", "a\n");
  const Finished made = run_hint(
      "cd '" + root() + "' && git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm x");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  permissive();
  const Finished run = script("git status --porcelain && git log --oneline | cat && git diff HEAD");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, Not(HasSubstr(".git"))) << run.err;
  const Finished hook = script("echo x > .git/hooks/pre-commit");
  EXPECT_THAT(hook.err, HasSubstr("pale: refused: create " + root() + "/.git/hooks/pre-commit: ")) << hook.err;
}

TEST_P(Watched, ANameFromInsideCannotWriteOnTheTerminal) {
  permissive();
  work().make_directory("lib");
  const Finished run = script("printf x > \"$(printf 'a\\033[2Jb\\n[WORKSPACE] c')\"");
  EXPECT_THAT(run.err, AllOf(Not(HasSubstr("\033")), HasSubstr("File: " + root() + "/a\\x1b[2Jb\\x0a[WORKSPACE] c\n")));
}

TEST_P(Watched, AFloodIsToldUpToAnEndAndTheCommandGoesOn) {
  permissive();
  work().make_directory("lib");
  const Finished run = script("i=0; while [ $i -lt 1500 ]; do : > many$i; i=$((i+1)); done; echo through");
  EXPECT_EQ(run.out, "through\n");
  EXPECT_EQ(warnings(run).size(), 1000U);
  EXPECT_THAT(run.err, AllOf(HasSubstr("pale: there is more; the end will tell\n"), HasSubstr("1500 accesses\n")));
}

TEST_P(Watched, WhileNobodyReadsTheCommandGoesOn) {
  permissive();
  work().make_directory("lib");
  // More than a pipe holds. Only when the command is through does somebody begin to read.
  const std::string command = "i=0; while [ $i -lt 900 ]; do : > many$i; i=$((i+1)); done; echo through > lib/mark";
  const Finished run = run_hint("cd '" + root() +
                                "' && mkfifo ../errors.$$ && exec 3<>../errors.$$ && rm ../errors.$$ || exit 9\n"
                                "pale run -- /bin/sh -c '" +
                                command +
                                "' 2>&3 &\n"
                                "until [ -e lib/mark ]; do sleep 0.1; done\n"
                                "cat <&3 >&2 3>&- & reader=$!\n"
                                "wait %1; code=$?; sleep 0.5; kill $reader; exit $code");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(work().read("lib/mark"), "through\n");
  EXPECT_EQ(warnings(run).size(), 900U);
}

// Several at once, and each says one path while another thread puts a second one in its place: whatever the watch read, the
// kernel looks for itself.
TEST_P(Watched, WhatTheWatchIsToldIsNotWhatDecides) {
  strict();
  work().write("docs/secret", "secret\n");
  work().write("lib/secret", "public\n");
  const Finished run = pale_in(root(), {"run", "--", "/usr/bin/python3", "-c", R"(
import ctypes, os, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
inside, outside = b"lib/secret\0", b"docs/secret\0"
text = ctypes.create_string_buffer(16)
going = True
def flip():
    while going:
        ctypes.memmove(text, inside, len(inside))
        ctypes.memmove(text, outside, len(outside))
def look():
    for _ in range(3000):
        fd = libc.open(text, os.O_RDONLY)
        if fd >= 0:
            seen.add(os.read(fd, 16))
            os.close(fd)
seen = set()
for _ in range(3):
    if os.fork() == 0: break
flipper = threading.Thread(target=flip); flipper.start()
lookers = [threading.Thread(target=look) for _ in range(3)]
for each in lookers: each.start()
for each in lookers: each.join()
going = False
flipper.join()
print("LEAK" if b"secret\n" in seen else "none", flush=True)
)"});
  EXPECT_THAT(run.out, AllOf(HasSubstr("none\n"), Not(HasSubstr("LEAK")))) << run.err;
}

TEST_P(Watched, WhenTheWatchIsKilledTheCommandGoesWithIt) {
  strict();
  work().write("docs/secret", "secret\n");
  work().make_directory("lib");
  const std::string before = work().read("docs/secret");
  // The watch is the first process of the sandbox, the child of the supervisor.
  const Finished run = run_hint("cd '" + root() +
                                "' || exit 9\n"
                                "pale run -- /bin/sh -c 'echo > lib/on; while :; do echo x 2> /dev/null > docs/secret; "
                                "done' 2> /dev/null & outer=$!\n"
                                "until [ -e lib/on ]; do sleep 0.1; done\n"
                                "kill -9 $(cat /proc/$outer/task/$outer/children)\n"
                                "wait $outer; echo $?");
  EXPECT_EQ(run.out, "137\n") << run.err;
  EXPECT_EQ(work().read("docs/secret"), before);
}

TEST_P(Watched, WithoutAScopeItTellsWhatChanged) {
  work().write("a", "a\n");
  init(work());
  EXPECT_THAT(script("cat a; echo x > first").err, Not(HasSubstr("pale:")));
  const Finished run = script("cat a > /dev/null; echo x > b; echo y > .envrc", {"--watch"});
  EXPECT_THAT(run.err, AllOf(HasSubstr("1 file read or executed, 1 change\n  create   b\n"),
                             HasSubstr("pale: refused: create " + root() + "/.envrc: ")))
      << run.err;
  EXPECT_FALSE(work().exists(".envrc"));
}

TEST_P(Watched, WhatIsProtectedStaysSoWhileItIsWatched) {
  permissive();
  work().make_directory("lib");
  work().write("docs/fixed", "fixed\n");
  const Finished run = script("echo x > docs/fixed; mkdir .git .git/hooks; echo x > .vscode; rm -f docs/fixed",
                              {"--protect", "docs/fixed"});
  EXPECT_EQ(work().read("docs/fixed"), "fixed\n");
  EXPECT_FALSE(work().exists(".git/hooks"));
  EXPECT_FALSE(work().exists(".vscode"));
  EXPECT_THAT(run.err, HasSubstr("pale: refused: write " + root() + "/docs/fixed: ")) << run.err;
}

TEST_P(Watched, InAStageTheSummarySaysHowToDropIt) {
  permissive();
  work().make_directory("lib");
  const Finished run = script("echo in > lib/in; echo out > out", {"--stage", "trial"});
  EXPECT_EQ(warnings(run), (Seen{{"create", "out"}})) << run.err;
  const std::string offer = "hint: to drop it, take over nothing but the folders: ";
  const std::size_t at = run.err.find(offer);
  ASSERT_NE(at, std::string::npos) << run.err;
  const std::string command = run.err.substr(at + offer.size(), run.err.find('\n', at) - at - offer.size());
  const Finished applied = run_hint("cd '" + root() + "'; " + command);
  EXPECT_EQ(applied.exit_code, 0) << applied.err << command;
  EXPECT_EQ(work().read("lib/in"), "in\n");
  EXPECT_FALSE(work().exists("out"));
}

TEST_P(Watched, AStageWithNothingInTheFoldersIsOfferedToBeDiscarded) {
  permissive();
  work().make_directory("lib");
  const Finished run = script("echo out > out", {"--stage", "t1"});
  const std::string offer = "hint: to drop it: ";
  const std::size_t at = run.err.find(offer);
  ASSERT_NE(at, std::string::npos) << run.err;
  const std::string command = run.err.substr(at + offer.size(), run.err.find('\n', at) - at - offer.size());
  EXPECT_EQ(command, "pale stage discard t1");
  EXPECT_EQ(run_hint("cd '" + root() + "'; " + command + " --yes").exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(pale({"stage", "list", "--project-root", root(), "--json"}).out).at("stages").size(),
            0U);
}

// The command goes on only when somebody who reads along has seen the block.
TEST_P(Watched, BlockedAppearsWhileTheCommandRuns) {
  strict();
  work().write("docs/secret", "secret\n");
  work().make_directory("lib");
  Process process;
  process.arguments = {pale_program(),
                       "run",
                       "--",
                       "/bin/sh",
                       "-c",
                       "cat docs/secret; n=0; until test -e lib/seen; do sleep 0.05; n=$((n+1)); test $n -lt 1200 || "
                       "exit 9; done; echo went on"};
  process.account = GetParam();
  process.environment = environment_with({});
  process.directory = root();
  Session session(process, Line::Pipes);
  session.expect("[WORKSPACE] BLOCKED: File access outside workspace\n[WORKSPACE]   File: " + root() +
                 "/docs/secret\n");
  work().write("lib/seen", "");
  session.expect("went on");
  EXPECT_EQ(session.finish().exit_code, 0);
}

TEST_P(Watched, AStashOfGitsIsNoAttemptOnItsDirectory) {
  write_manifest("[workspace]\nfolders = [\"lib\"]\nmode = \"strict\"\ngit = \"commit\"\n");
  work().write("lib/a", "a\n");
  const std::string me = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; ";
  ASSERT_EQ(run_hint("cd '" + root() + "'; " + me + "git init -qb main; git add lib; git commit -qm first").exit_code,
            0);
  const Finished run = script(me + "echo b > lib/a; git stash -q; git stash pop -q; echo x > .git/hooks/post-commit");
  EXPECT_THAT(run.err, Not(HasSubstr("remove " + root() + "/.git:"))) << run.err;
  EXPECT_THAT(run.err, HasSubstr("pale: refused: create " + root() + "/.git/hooks/post-commit: "));
}

TEST_P(Watched, WhatTheSummaryOffersAllowsItForGood) {
  work().write("docs/a", "a\n");
  work().make_directory("lib");
  for (const bool is_strict : {false, true}) {
    is_strict ? strict() : permissive();
    const Finished first = script("cat docs/a");
    const std::string offer = "hint: for you alone: ";
    const std::size_t at = first.err.find(offer);
    ASSERT_NE(at, std::string::npos) << first.err;
    ASSERT_EQ(run_hint(first.err.substr(at + offer.size(), first.err.find('\n', at) - at - offer.size())).exit_code, 0);
    const Finished second = script("cat docs/a");
    EXPECT_EQ(second.out, "a\n") << second.err;
    EXPECT_EQ(second.err, "");
    ASSERT_EQ(pale({"config", "unset", "ro", "--project-root", root()}).exit_code, 0) << "it was only read";
  }
}

TEST_P(Watched, ExitCodesAndMissingCommandsAreAsEver) {
  permissive();
  work().make_directory("lib");
  EXPECT_EQ(script("exit 7").exit_code, 7);
  EXPECT_EQ(script("kill -9 $$").exit_code, 128 + SIGKILL);
  const Finished missing = pale_in(root(), {"run", "--", "/no/such/thing"});
  EXPECT_EQ(missing.exit_code, 127);
  EXPECT_THAT(missing.err, HasSubstr("the command does not exist inside"));
  EXPECT_EQ(pale_in(root(), {"run", "--", "/etc/passwd"}).exit_code, 126);
  const Finished late = script("sleep 30", {"--timeout", "1"});
  EXPECT_THAT(late.err, HasSubstr("the time limit was reached"));
}

TEST_P(Watched, ANestedRunIsWatchedByTheOuterOne) {
  permissive();
  work().make_directory("lib");
  work().write("docs/a", "a\n");
  const std::string pale = pale_program();
  const Finished run =
      script(pale + " run --backend landlock --ro " + root() + " --no-watch -- cat docs/a; " + pale + " learn -- true",
             {"--ro", pale});
  EXPECT_THAT(warnings(run), Contains(std::pair<std::string, std::string>("read", "docs/a"))) << run.err;
  EXPECT_THAT(run.err, HasSubstr("nothing can be learnt here: the boundary around this one has the only watch"));
}

TEST_P(Watched, WhoeverSaysBothIsTold) { EXPECT_EQ(script("true", {"--watch", "--no-watch"}).exit_code, 2); }

INSTANTIATE_TEST_SUITE_P(, Watched, testing::ValuesIn(accounts()),
                         [](const auto& each) { return account_name(each.param); });

// --- learn ------------------------------------------------------------------------------------------------------------

class Learnt : public WithProjects {
 protected:
  Finished learn(const std::string& line, const Words& flags = {}) const {
    return pale_in(root(), Words{"learn"} + flags + Words{"--", "/bin/sh", "-c", line});
  }
};

TEST_P(Learnt, TheManifestSufficesForTheSameCommandInStrictMode) {
  work().write("src/main.c", "int main(void) { return VALUE; }\n");
  work().write("include/value.h", "#define VALUE 0\n");
  work().write("Makefile", "out/main: src/main.c\n\tgcc -include include/value.h -o $@ src/main.c\n\t./$@\n");
  work().write("docs/other", "other\n");
  work().make_directory("out");
  init(work());
  const Finished learnt = learn("make -B");
  ASSERT_EQ(learnt.exit_code, 0) << learnt.err;
  EXPECT_THAT(learnt.out,
              AllOf(HasSubstr("folders = [\"Makefile\", \"include\", \"out\", \"src\"]\nmode = \"strict\"\n"),
                    HasSubstr("protected = [\"Makefile\", \"include\", \"src\"]"), Not(HasSubstr("network")),
                    Not(HasSubstr("gcc"))));
  EXPECT_THAT(learnt.err, HasSubstr("gcc")) << "what the command says goes there";
  write_manifest(learnt.out);
  const Finished again = script("make -B && cat docs/other");
  EXPECT_THAT(again.out, AllOf(HasSubstr("./out/main\n"), Not(HasSubstr("other\n")))) << again.err;
  EXPECT_THAT(again.err, HasSubstr("docs/other: Permission denied"));
  const Finished writes = script("echo x >> src/main.c");
  EXPECT_THAT(writes.err, HasSubstr("Read-only file system"));
}

TEST_P(Learnt, AFolderThatItMadeIsToldAndSufficesOnceItIsThere) {
  init(work());
  const Finished learnt = learn("mkdir -p build && echo o > build/o");
  EXPECT_THAT(learnt.out, HasSubstr("folders = [\"build\"]"));
  EXPECT_THAT(learnt.err,
              HasSubstr("build was made by the command; a strict run needs it to be there\nhint: mkdir -p "));
  write_manifest(learnt.out);
  EXPECT_EQ(script("mkdir -p build && echo o > build/o").exit_code, 0);
}

TEST_P(Learnt, WhatNeedsTheWholeProjectIsSaidToAndWorks) {
  init(work());
  const Finished learnt = learn("echo x > top");
  EXPECT_THAT(learnt.out, Not(HasSubstr("folders")));
  EXPECT_THAT(learnt.err, HasSubstr("it needs all of it"));
  write_manifest(learnt.out);
  EXPECT_EQ(script("echo y > top").exit_code, 0);
}

TEST_P(Learnt, ACommandThatUsesNothingNeedsNothing) {
  work().write("docs/a", "a\n");
  init(work());
  const Finished learnt = learn("echo said");
  EXPECT_THAT(learnt.err, AllOf(HasSubstr("said\n"), HasSubstr("it used no file of the project")));
  write_manifest(learnt.out);
  const Finished again = script("echo said; cat docs/a");
  EXPECT_EQ(again.out, "said\n") << again.err;
}

TEST_P(Learnt, TheNetworkIsAskedForIfItWasTried) {
  init(work());
  const std::string line =
      "python3 -c 'import socket; s = socket.socket(); s.settimeout(1); s.connect((\"192.0.2.7\", 443))'";
  const Finished learnt = learn(line + "; cat /etc/hostname > /dev/null; true");
  EXPECT_THAT(learnt.out, HasSubstr("[network]\nmode = \"open\"\n")) << learnt.err;
  EXPECT_THAT(learnt.err, HasSubstr("it connected to 192.0.2.7 port 443\n"));
  const Finished local = learn("python3 -c 'import socket; socket.socket().connect_ex((\"127.0.0.1\", 9))'");
  EXPECT_THAT(local.out, Not(HasSubstr("network"))) << local.err;
}

TEST_P(Learnt, AScopeThatIsThereDoesNotStandInTheWayAndProtectionDoes) {
  work().make_directory("lib");
  work().write("docs/a", "a\n");
  write_manifest("[project]\nid = \"mine\"\n[workspace]\nfolders = [\"lib\"]\nmode = \"strict\"\n");
  const Finished learnt = learn("cat docs/a; echo x > .envrc; false");
  EXPECT_EQ(learnt.exit_code, 1);
  EXPECT_THAT(learnt.out, AllOf(HasSubstr("id = \"mine\""), HasSubstr("folders = [\"docs\"]")));
  EXPECT_THAT(learnt.err,
              AllOf(HasSubstr("the command ended with 1"), HasSubstr("pale: refused: create " + root() + "/.envrc")));
  EXPECT_FALSE(work().exists(".envrc"));
}

TEST_P(Learnt, BadWordsAreRefused) {
  EXPECT_EQ(pale({"learn"}).exit_code, 2);
  EXPECT_EQ(pale({"learn", "make"}).exit_code, 2);
  EXPECT_EQ(pale({"learn", "--", ""}).exit_code, 2);
  EXPECT_EQ(pale({"learn", "--watch", "--", "true"}).exit_code, 2);
}

INSTANTIATE_TEST_SUITE_P(, Learnt, testing::ValuesIn(accounts()),
                         [](const auto& each) { return account_name(each.param); });

}  // namespace
}  // namespace pale::test
