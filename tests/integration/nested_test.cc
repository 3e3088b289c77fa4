// pale run inside pale run inside pale run: each level is as tight as the ones around it, or tighter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/host.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Nested : public testing::TestWithParam<Account> {
 protected:
  Nested() {
    std::filesystem::copy_file(pale_program(), tools_.path() / "pale");
    project_.workspace().make_directory("sub/x");
    project_.workspace().make_directory("other");
    project_.workspace().write("AGENTS.md", "rules");
    project_.workspace().write("secret", "hidden");
  }

  // Runs level1 inside, with what each level is to do; a level starts the next with `next FLAGS…`.
  Finished run_levels(const std::vector<std::string>& flags, const std::vector<std::string>& levels) const {
    for (std::size_t level = 1; level <= levels.size(); ++level) {
      const std::string next = "next() { " + pale() + " run --project-root . --ro " + tools_.text() +
                               " \"$@\" -- sh level" + std::to_string(level + 1) + "; echo code $?; }\n";
      project_.workspace().write("level" + std::to_string(level), next + levels[level - 1]);
    }
    return run_outermost("sh level1", flags);
  }

  Finished run_outermost(const std::string& script, std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {"--ro", tools_.text()});
    return project_.run_script(script, flags);
  }
  // What each level passes on to the next.
  std::string pale() const { return tools_.text() + "/pale"; }

  bool exists(const std::string& name) const { return project_.workspace().exists(name); }

  Project project_{GetParam()};
  TemporaryDirectory tools_{GetParam(), "tools"};  // a project must not hold the program that guards it
};

TEST_P(Nested, EachLevelWritesOnlyWhereItAndAllAroundItMay) {
  const auto touch = [](const std::string& name) {
    return "touch " + name + " sub/" + name + " sub/x/" + name + " other/" + name + "; ";
  };
  const Finished run =
      run_levels({}, {touch("one") + "next --ro . --rw sub", touch("two") + "next --ro . --rw sub/x", touch("three")});
  EXPECT_THAT(run.err, HasSubstr("Permission denied"));
  for (const std::string place : {"one", "sub/one", "sub/x/one", "other/one"})
    EXPECT_TRUE(exists(place)) << place << run.err;
  for (const std::string place : {"sub/two", "sub/x/two"}) EXPECT_TRUE(exists(place)) << place << run.err;
  for (const std::string place : {"two", "other/two"}) EXPECT_FALSE(exists(place)) << place;
  EXPECT_TRUE(exists("sub/x/three")) << run.err;
  for (const std::string place : {"three", "sub/three", "other/three"}) EXPECT_FALSE(exists(place)) << place;
}

TEST_P(Nested, AWiderRequestInsideWidensNothing) {
  const std::string wider = R"(
for flags in "--rw ." "--rw . --unsafe-weak-protection" "--rw other" "--ro . --rw other" "--rw /etc" "--rw /usr" "--backend namespaces --rw ." "--network open"; do
  next $flags
done)";
  const Finished run = run_levels(
      {}, {"next --ro . --rw sub", wider, "touch wide other/wide /etc/wide /usr/wide; grep -c : /proc/net/dev"});
  for (const std::string place : {"wide", "other/wide"}) EXPECT_FALSE(exists(place)) << place << run.out << run.err;
  EXPECT_FALSE(std::filesystem::exists("/usr/wide"));
  EXPECT_THAT(run.out, Not(HasSubstr("\n2\n")));  // interfaces: never more than loopback
}

TEST_P(Nested, WhoListensInTheOuterOneCannotBeConnectedToFromTheInnerOnes) {
  const std::string talk = R"(python3 -c '
import socket
try: socket.socket(socket.AF_UNIX); print("socket")
except OSError as error: print(error.strerror)'
next
)";
  const Finished run = run_levels({}, {talk, talk, talk, "true"});
  EXPECT_THAT(run.out, HasSubstr("socket\nPermission denied\nPermission denied\n")) << run.err;
}

TEST_P(Nested, WhatIsProtectedStaysSoAtAllLevels) {
  const std::string attack = R"(
echo no > AGENTS.md; rm -f AGENTS.md; mv AGENTS.md sub; echo no > .envrc; mkdir -p .git/hooks; echo no > missing; chmod 777 AGENTS.md
cat AGENTS.md; echo
next)";
  const Finished run = run_levels({"--protect", "AGENTS.md", "--protect", "missing"}, {attack, attack, attack, "true"});
  EXPECT_EQ(run.out, "rules\nrules\nrules\ncode 0\ncode 0\ncode 0\n") << run.err;
  EXPECT_EQ(project_.workspace().read("AGENTS.md"), "rules");
  for (const std::string place : {".envrc", ".git/hooks", "missing", "sub/AGENTS.md"})
    EXPECT_FALSE(exists(place)) << place;
}

TEST_P(Nested, WhatIsHiddenStaysSoAtAllLevels) {
  const std::string attack = "cat secret; cat < secret; next --ro secret\n";
  const Finished run = run_levels({"--hide", "secret"}, {attack, attack, "cat secret"});
  EXPECT_THAT(run.out, Not(HasSubstr("hidden"))) << run.err;
  EXPECT_THAT(run.err, HasSubstr("Permission denied"));
}

TEST_P(Nested, ANewProtectionInsideSomethingWritableIsRefused) {
  const Finished run = run_levels({}, {"next --protect other", "touch ran"});
  EXPECT_EQ(run.out, "code 125\n");
  EXPECT_THAT(run.err, HasSubstr("/other (--protect)"));
  EXPECT_THAT(run.err, HasSubstr("hint: make " + project_.workspace().text() + " read-only"));
  EXPECT_FALSE(exists("ran"));
}

TEST_P(Nested, NamespacesOfTheirOwnAreNotToBeHad) {
  const Finished run = run_levels({}, {"next --backend namespaces --ro . --rw sub; unshare -Ur true", "touch sub/ran"});
  EXPECT_THAT(run.out, HasSubstr("code 125\n"));
  EXPECT_THAT(run.err, HasSubstr("hint: "));
  EXPECT_FALSE(exists("sub/ran"));
}

TEST_P(Nested, ExitCodesAndOutputComeOutThroughAllLevels) {
  const Finished run = run_levels({}, {"next", "next --ro . --rw sub", "echo out; echo err >&2; exit 77"});
  EXPECT_EQ(run.out, "out\ncode 77\ncode 0\n") << run.err;
  EXPECT_EQ(run.err, "err\n");
}

TEST_P(Nested, DoctorAndExplainKnowThatTheyAreInside) {
  const Finished run =
      run_outermost(pale() + " doctor; " + pale() + " explain --project-root . AGENTS.md", {"--protect", "AGENTS.md"});
  EXPECT_THAT(run.out, HasSubstr("inside another boundary"));
  EXPECT_THAT(run.out, HasSubstr("AGENTS.md")) << run.err;
}

TEST_P(Nested, WhatALevelStartedEndsWithIt) {
  const Finished run = run_levels(
      {}, {"next; ps -e -o args= | grep -c '[s]leep 100'", "setsid sleep 1001 & (setsid sleep 1002 &); sleep 1003 &"});
  EXPECT_EQ(run.out, "code 0\n0\n") << run.err;
}

INSTANTIATE_TEST_SUITE_P(, Nested, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
