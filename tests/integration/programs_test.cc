// Real programs at work inside: they must not notice where they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/host.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Programs : public testing::TestWithParam<Account> {
 protected:
  // On the host, in the workspace, as the account.
  Finished outside(std::vector<std::string> arguments, const std::string& directory = "") const {
    Process process;
    process.arguments = std::move(arguments);
    process.account = GetParam();
    process.environment = project_.environment();
    for (const char* variable :
         {"GIT_AUTHOR_NAME=host", "GIT_AUTHOR_EMAIL=h@h", "GIT_COMMITTER_NAME=host", "GIT_COMMITTER_EMAIL=h@h"})
      process.environment.emplace_back(variable);
    process.directory = (project_.workspace().path() / directory).string();
    Finished finished = run(process);
    EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
    return finished;
  }

  void make_repository(const std::string& directory) const {
    project_.workspace().write(directory + "/file", "one\n");
    outside({"/usr/bin/git", "init", "-q", "-b", "main", "."}, directory);
    outside({"/usr/bin/git", "add", "."}, directory);
    outside({"/usr/bin/git", "commit", "-q", "-m", "one"}, directory);
  }

  // Inside; every line must succeed.
  Finished inside(const std::string& script) const {
    Finished finished = project_.run_script("set -e\n" + script);
    EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
    return finished;
  }

  void make_two_files() const {
    project_.workspace().write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(two LANGUAGES CXX)\nadd_executable(two main.cc other.cc)\n");
    project_.workspace().write("main.cc", "int other();\nint main() { return other(); }\n");
    project_.workspace().write("other.cc", "int other() { return 42; }\n");
  }

  Project project_{GetParam()};
};

TEST_P(Programs, GitCommitsInTheProjectsRepository) {
  make_repository(".");
  const Finished run = inside(R"(
git config --global user.name Agent; git config --global user.email a@a
echo two >> file; git status --short; git add file; git commit -q -m two; git tag v2; git stash list; git gc -q; git fsck)");
  EXPECT_EQ(run.out, " M file\n");
  EXPECT_EQ(outside({"/usr/bin/git", "log", "--format=%an %s"}).out, "Agent two\nhost one\n");
  EXPECT_EQ(outside({"/usr/bin/git", "status", "--short"}).out, "");
}

TEST_P(Programs, GitClonesRebasesAndPushes) {
  make_repository("origin");
  inside(R"(
git config --global user.name Agent; git config --global user.email a@a
git clone -q origin copy
cd copy
git checkout -q -b topic; echo b > b; git add .; git commit -q -m topic
git checkout -q main; echo c > c; git add .; git commit -q -m main
git checkout -q topic; git rebase -q main; git push -q origin topic
git worktree add -q ../tree main)");
  EXPECT_EQ(outside({"/usr/bin/git", "log", "--format=%s", "topic"}, "origin").out, "topic\nmain\none\n");
  EXPECT_EQ(outside({"/usr/bin/git", "status", "--short"}, "copy").out, "");
  EXPECT_EQ(project_.workspace().read("tree/c"), "c\n");
}

TEST_P(Programs, CMakeAndNinjaBuildAProgram) {
  make_two_files();
  const Finished run =
      inside("cmake -G Ninja -S . -B build && ninja -j2 -C build; code=0; build/two || code=$?; echo code $code");
  EXPECT_THAT(run.out, HasSubstr("code 42\n"));
  EXPECT_TRUE(project_.workspace().exists("build/two"));
}

TEST_P(Programs, NpmInstallsATarballAndNodeRunsIt) {
  project_.workspace().write("package/package.json",
                             R"({"name": "greeter", "version": "1.0.0", "main": "index.js", "bin": "index.js"})");
  project_.workspace().write(
      "package/index.js",
      "#!/usr/bin/env node\nmodule.exports = 'hello';\nif (require.main === module) console.log('ran');\n");
  project_.workspace().write("app/package.json", R"({"name": "app", "version": "1.0.0"})");
  outside({"/usr/bin/env", "npm", "pack", "--silent", "--pack-destination", ".."}, "package");
  const Finished run = inside(R"(
cd app
npm install ../greeter-1.0.0.tgz --offline --no-audit --no-fund --silent
node -e 'console.log(require("greeter"))'
npx --offline greeter)");
  EXPECT_EQ(run.out, "hello\nran\n");
}

TEST_P(Programs, PythonStartsProcessesAndThreads) {
  const Finished run = project_.run_command({}, {"python3", "-c", R"(
import concurrent.futures as f, multiprocessing, sqlite3, ssl, subprocess, tempfile, threading
from multiprocessing import shared_memory
if __name__ == "__main__":
    with f.ProcessPoolExecutor(2) as pool, f.ThreadPoolExecutor(2) as threads:
        print(list(pool.map(abs, [-1, -2])), list(threads.map(abs, [-3])))
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"x")
    queue = multiprocessing.Queue()
    queue.put("queue")
    print(queue.get(), subprocess.check_output(["echo", "child"], text=True).strip())
    database = sqlite3.connect("test.db")
    database.execute('create table t (a)')
    database.commit()
    memory = shared_memory.SharedMemory(create=True, size=10)
    memory.unlink()
)"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "[1, 2] [3]\nqueue child\n");
  EXPECT_TRUE(project_.workspace().exists("test.db"));
}

TEST_P(Programs, GdbDebugsAChildOfItsOwn) {
  make_two_files();
  inside("g++ -g -o two main.cc other.cc");
  const Finished run = project_.run_command({}, {"gdb", "-q", "-batch", "-ex", "break other", "-ex", "run", "-ex", "bt",
                                                 "-ex", "print 6 * 7", "-ex", "continue", "./two"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Breakpoint 1, other () at other.cc:1"));
  EXPECT_THAT(run.out, HasSubstr("in main () at main.cc:2"));
  EXPECT_THAT(run.out, HasSubstr("$1 = 42"));
  EXPECT_THAT(run.out, HasSubstr("exited with code 052"));
}

TEST_P(Programs, StraceLikeTracingWorksOnChildren) {
  project_.workspace().write("trace.c", R"(
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  pid_t child = fork();
  if (child == 0) { ptrace(PTRACE_TRACEME, 0, 0, 0); execl("/bin/true", "true", (char*)0); _exit(9); }
  int status, stops = 0;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) { ++stops; ptrace(PTRACE_SYSCALL, child, 0, 0); }
  printf("%s %d\n", stops > 20 ? "traced" : "not traced", WEXITSTATUS(status));
})");
  EXPECT_EQ(inside("gcc -o trace trace.c && ./trace").out, "traced 0\n");
}

TEST_P(Programs, AServerAndItsClientMeetOnLoopback) {
  project_.workspace().write("page.html", "a page of the project");
  const Finished run = project_.run_command({"--network", "none"}, {"python3", "-c", R"(
import http.server, socket, threading, urllib.request
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
class Six(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
for kind, host, name in ((http.server.ThreadingHTTPServer, "127.0.0.1", "localhost"), (Six, "::1", "[::1]")):
    server = kind((host, 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(urllib.request.urlopen(f"http://{name}:{server.server_port}/page.html").read().decode())
)"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "a page of the project\na page of the project\n");
}

TEST_P(Programs, TheUserHasANameAHomeAndAClock) {
  const Finished run = inside(
      "whoami; getent passwd $(id -u) | cut -d: -f6; hostname; date +%Z; ls -d ~ | xargs stat -c %U; python3 -c "
      "'import getpass; print(getpass.getuser())'");
  const std::string user = GetParam() == Account::Root ? "root" : "agent";
  EXPECT_EQ(run.out, user + "\n/home/agent\npale\nUTC\n" + user + "\n" + user + "\n");
}

INSTANTIATE_TEST_SUITE_P(, Programs, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
