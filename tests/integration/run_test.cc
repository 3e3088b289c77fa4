// What passes through `pale run` unchanged: bytes, exit codes, named variables; and what does not: the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <iterator>
#include <random>
#include <sstream>

#include "support/host.h"

namespace pale::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::size_t kMegabyte = 1UL << 20U;

std::string random_bytes(std::size_t count) {
  std::mt19937 random(20240607);
  std::string bytes(count, '\0');
  std::ranges::generate(bytes, [&random] { return static_cast<char>(random()); });
  return bytes;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Run : public testing::TestWithParam<Account> {
 protected:
  std::vector<std::string> words(std::vector<std::string> flags, std::vector<std::string> command) const {
    std::vector<std::string> all = {"run", "--project-root", project_.workspace().text()};
    all.insert(all.end(), flags.begin(), flags.end());
    all.emplace_back("--");
    all.insert(all.end(), command.begin(), command.end());
    return all;
  }

  Project project_{GetParam()};
};

TEST_P(Run, BytesOfInputAndBothOutputsPassExactly) {
  const std::string bytes = random_bytes(kMegabyte);
  const Finished out = project_.pale(words({}, {"cat"}), {}, bytes);
  EXPECT_TRUE(out.exit_code == 0 && out.out == bytes && out.err.empty())
      << out.out.size() << " bytes on stdout, " << out.err;
  const Finished err = project_.pale(words({}, {"sh", "-c", "exec cat >&2"}), {}, bytes);
  EXPECT_TRUE(err.exit_code == 0 && err.err == bytes && err.out.empty())
      << err.err.size() << " bytes on stderr, " << err.out;
}

TEST_P(Run, InputThatNobodyReadsIsNoError) {
  const Finished run = project_.pale(words({}, {"true"}), {}, random_bytes(kMegabyte));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, IsEmpty());
}

TEST_P(Run, EveryExitCodePasses) {
  for (int code = 0; code <= 255; ++code) {
    const Finished run = project_.run_script("exit " + std::to_string(code));
    ASSERT_EQ(run.exit_code, code);
    ASSERT_EQ(run.out + run.err, "");
  }
}

TEST_P(Run, DeathBySignalIs128AndTheSignal) {
  for (const int number : {1, 2, 3, 6, 9, 11, 13, 14, 15, 34, 64}) {
    EXPECT_EQ(project_.run_script("kill -" + std::to_string(number) + " $$").exit_code, 128 + number);
  }
}

TEST_P(Run, StartsInTheProjectOrWhereTheCallerStandsInsideIt) {
  project_.workspace().make_directory("deep/er");
  EXPECT_EQ(project_.run_command({}, {"pwd"}).out, project_.workspace().text() + "\n");
  Process process;
  process.arguments = {pale_program(), "run", "--project-root", project_.workspace().text(), "--", "pwd"};
  process.account = GetParam();
  process.environment = project_.environment();
  process.directory = project_.workspace().text() + "/deep/er";
  EXPECT_EQ(run(process).out, process.directory + "\n");
}

TEST_P(Run, WritesOfTheCommandAreTheCallersFiles) {
  const Finished run = project_.run_script("umask 027; echo text > new; mkdir dir; ln -s new link; id -u");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(project_.workspace().read("new"), "text\n");
  const Finished owners = test::run({.arguments = {"/usr/bin/stat", "-c", "%u %a", project_.workspace().text() + "/new",
                                                   project_.workspace().text() + "/dir"}});
  const std::string user = lines_of(run.out).at(0);
  EXPECT_THAT(lines_of(owners.out), ElementsAre(user + " 640", user + " 750"));
}

TEST_P(Run, OnlyNamedVariablesOfTheEnvironmentAreInside) {
  const std::vector<std::string> outside = {"SECRET=s",           "ANTHROPIC_API_KEY=k", "PASSED=a b\n=c",
                                            "LD_LIBRARY_PATH=/x", "LD_PRELOAD=/x",       "SSH_AUTH_SOCK=/x",
                                            "TERM=xterm"};
  const Finished run =
      project_.pale(words({"--env", "PASSED", "--env", "GIVEN=v=w", "--env", "EMPTY=", "--env", "PATH=/usr/bin"},
                          {"/usr/bin/env", "-0"}),
                    outside);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  std::vector<std::string> inside;
  std::istringstream in(run.out);
  for (std::string variable; std::getline(in, variable, '\0');) inside.push_back(variable);
  std::ranges::sort(inside);
  const std::string user = GetParam() == Account::Root ? "root" : "agent";
  EXPECT_THAT(inside, ElementsAre("EMPTY=", "GIVEN=v=w", "HOME=/home/agent", "LANG=C.UTF-8", "LOGNAME=" + user,
                                  "PASSED=a b\n=c", "PATH=/usr/bin", "SHELL=/bin/bash", "TERM=xterm", "TMPDIR=/tmp",
                                  "USER=" + user));
}

TEST_P(Run, AVariableThatIsNotSetCannotBePassed) {
  const Finished run = project_.run_command({"--env", "NOT_SET"}, {"true"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("NOT_SET"));
  EXPECT_THAT(run.err, HasSubstr("hint: --env NOT_SET=VALUE"));
}

TEST_P(Run, HomeIsPrivateToTheProjectAndKeptBetweenRuns) {
  EXPECT_EQ(project_.run_script("cat ~/.ssh/id_test; echo mine > ~/note").exit_code, 0);
  EXPECT_EQ(project_.run_script("cat ~/note").out, "mine\n");
  EXPECT_FALSE(project_.home().exists("note"));
  const Project other(GetParam());
  EXPECT_NE(other.run_script("cat ~/note").exit_code, 0);
}

TEST_P(Run, TheNetworkNoneHasNothingButLoopback) {
  const Finished run = project_.run_command(
      {},
      {"bash", "-c", "exec 3<>/dev/udp/127.0.0.1/9; cut -d: -f1 /proc/net/dev | tail -n +3; wc -l < /proc/net/route"});
  EXPECT_THAT(lines_of(run.out), ElementsAre("    lo", "1")) << run.err;  // of routes only the heading
}

TEST_P(Run, TheNetworkOpenIsTheHostsOwn) {
  const std::string inside = project_.run_command({"--network", "open"}, {"readlink", "/proc/self/ns/net"}).out;
  const std::string outside =
      test::run({.arguments = {"/usr/bin/readlink", "/proc/self/ns/net"}, .environment = project_.environment()}).out;
  EXPECT_EQ(inside, outside);
  EXPECT_THAT(inside, Not(IsEmpty()));
}

TEST_P(Run, LoopbackIsThereForTheFirstSocketAndWithNothingWritable) {
  const std::vector<std::string> connect = {
      "python3", "-c",
      "import socket; s = socket.create_server(('::1', 0), family=socket.AF_INET6); "
      "socket.create_connection(s.getsockname()[:2]); print('connected')"};
  EXPECT_EQ(project_.run_command({}, connect).out, "connected\n");
  EXPECT_EQ(project_.run_command({"--ro", "."}, connect).out, "connected\n");
}

std::size_t entries_of(const std::filesystem::path& directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory), {}));
}

TEST_P(Run, NothingIsLeftInPaleHomeAfterRunsButWhatTheNextOneUses) {
  const Project project(GetParam(), PaleHome::Own);
  for (int run = 0; run < 3; ++run) EXPECT_EQ(project.run_command({"--memory", "1G"}, {"true"}).exit_code, 0);
  EXPECT_TRUE(project.records_are_idle());
  for (const char* kept : {"runs", "etc", "roots", "homes"})
    EXPECT_EQ(entries_of(project.pale_home() / kept), 1U) << kept;
  EXPECT_FALSE(std::filesystem::exists(project.pale_home() / "quarantine"));
}

TEST_P(Run, ManyFirstRunsAtOnceMakeWhatTheyNeedOnce) {
  const Project project(GetParam(), PaleHome::Own);
  constexpr std::size_t kRuns = 8;
  std::vector<std::future<Finished>> runs;
  for (std::size_t run = 0; run < kRuns; ++run)
    runs.push_back(std::async(std::launch::async, [&] { return project.run_script("echo ran"); }));
  for (auto& run : runs) {
    const Finished finished = run.get();
    EXPECT_EQ(finished.out, "ran\n") << finished.err;
  }
  EXPECT_EQ(project.run_script("echo again").out, "again\n");
  EXPECT_TRUE(project.records_are_idle());
  for (const char* kept : {"etc", "roots", "homes"}) EXPECT_EQ(entries_of(project.pale_home() / kept), 1U) << kept;
  EXPECT_LE(entries_of(project.pale_home() / "runs"), kRuns);
}

INSTANTIATE_TEST_SUITE_P(, Run, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
