// ESCAPE 1, behind the watch: names are noticed as they appear, from the first question of the filter on, or from the start where a
// mount protects something.
#include <functional>

#include "escape/escape.h"
#include "support/session.h"

namespace pale::test {
namespace {

class SecondGuard : public Escape {
 protected:
  SecondGuard() : Escape(PaleHome::Own) {}

  // A command that waits, before it does anything the filter asks about, until the host has done something.
  Finished while_it_waits(const std::string& shell, const std::string& script,
                          const std::function<void()>& on_host_side) const {
    Session session(on_host(pale_run({}, {shell, "-c", "echo ready; read go; " + script})), Line::Pipes);
    session.expect("ready");
    on_host_side();
    session.type("go\n");
    return session.finish();
  }
};

// As an editor saves it, or git its configuration; the mount went with the old one, and the filter does not ask about chmod.
TEST_P(SecondGuard, E07_WhatTheHostPutsInAProtectedPlaceIsProtectedToo) {
  workspace().write(".mcp.json", "{}");
  const std::string script = R"(
    for try in {1..200}; do grep -qF "/.mcp.json " /proc/self/mountinfo && break; sleep 0.05; done
    chmod 777 .mcp.json; exit 7)";
  const Finished run = while_it_waits("/bin/bash", script, [&] {
    workspace().write("new", "{\"mine\": 1}");
    std::filesystem::rename(workspace().path() / "new", workspace().path() / ".mcp.json");
  });
  EXPECT_EQ(run.exit_code, 7) << run.out;
  EXPECT_THAT(run.out, testing::HasSubstr("Read-only file system"));
  EXPECT_EQ(workspace().read(".mcp.json"), "{\"mine\": 1}");
}

TEST_P(SecondGuard, E01_ItIsThereBeforeTheFirstNameIsMade) {
  const Finished run =
      while_it_waits("/bin/dash", "echo x > file; exec sleep 60", [&] { workspace().write(".envrc", "x"); });
  EXPECT_EQ(run.exit_code, 3) << run.out;
  EXPECT_FALSE(workspace().exists("file")) << "the question was not answered any more";
  EXPECT_FALSE(workspace().exists(".envrc"));
  EXPECT_EQ(quarantined(), 1U);
  EXPECT_TRUE(project_.records_are_idle());
}

TEST_P(SecondGuard, WhatTheHostMakesBesideACommandThatMakesNothingStays) {
  const Finished run = while_it_waits("/bin/dash", "exit 7", [&] { workspace().write(".envrc", "mine"); });
  EXPECT_EQ(run.exit_code, 7) << run.out;
  EXPECT_EQ(workspace().read(".envrc"), "mine");
  EXPECT_EQ(quarantined(), 0U);
  EXPECT_TRUE(project_.records_are_idle());
}

// The kernel makes that name by itself. Had it a program to tell, that would run on the host.
TEST_P(SecondGuard, E01_ACrashMakesNoName) {
  const std::string script = R"(
    ulimit -S -c unlimited 2> /dev/null
    (kill -ABRT $BASHPID)
    grep "Max core file size" /proc/self/limits
    kill -ABRT $$)";
  const Finished run = shell(script, {"--protect", "core", "--protect", "core.*"});
  EXPECT_EQ(run.exit_code, 128 + SIGABRT) << run.err;
  EXPECT_THAT(run.out, testing::ContainsRegex("size +1 +1 "));
  for (const auto& entry : std::filesystem::directory_iterator(workspace().path()))
    EXPECT_EQ(entry.path().filename(), "attack");
}

// What cannot be raised stays as it is.
TEST_P(SecondGuard, E01_ACrashMakesNoNameWhereNoneMayEver) {
  const Finished finished =
      run(pale_run_by({"/bin/bash", "-c", "ulimit -c 0; exec \"$@\"", "bash"}, {"--protect", "core"},
                      {"/bin/bash", "-c", "grep 'Max core file size' /proc/self/limits; kill -ABRT $$"}));
  EXPECT_EQ(finished.exit_code, 128 + SIGABRT) << finished.err;
  EXPECT_THAT(finished.out, testing::ContainsRegex("size +0 +0 "));
  EXPECT_FALSE(workspace().exists("core"));
}

// Where the project lies on btrfs, these would make directories; elsewhere the filter is the same.
TEST_P(SecondGuard, E01_ASubvolumeIsNoWayToANewName) {
  const Finished run = shell(R"(python3 -c '
import fcntl, os
directory = os.open(".", os.O_RDONLY)
for make in 0x50009401, 0x5000940e, 0x50009417, 0x50009418, 0x4020bc10:
    try:
        fcntl.ioctl(directory, make, bytearray(8) + b".vscode" + bytes(4096 - 15))
        print("made")
    except OSError as error:
        print(error.strerror)')");
  EXPECT_EQ(run.out,
            "Operation not permitted\nOperation not permitted\nOperation not permitted\n"
            "Operation not permitted\nOperation not permitted\n")
      << run.err;
}

INSTANTIATE_TEST_SUITE_P(, SecondGuard, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
