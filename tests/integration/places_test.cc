// Names with any bytes, and a PALE_HOME without room.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/host.h"

namespace pale::test {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kOddNames = {"two words",   "qu\"ot'es", "new\nline", "tab\there",
                                            "back\\slash", "\xff\xfe",  "-dash",     "*?[a]",
                                            "é",           "a\\040b",   "$HOME `id`"};

class OddNames : public testing::TestWithParam<Account> {
 protected:
  // A script that gets its paths as arguments: nothing is quoted anywhere.
  Finished run_with(std::vector<std::string> flags, const std::string& script, const std::string& path) const {
    return project_.run_command(std::move(flags), {"sh", "-c", script, "sh", path});
  }

  Project project_{GetParam()};
};

TEST_P(OddNames, AsRoot) {
  for (const std::string& name : kOddNames) {
    project_.workspace().make_directory(name);
    const std::string root = project_.workspace().text() + "/" + name;
    const Finished run = project_.pale(
        {"run", "--project-root", root, "--", "sh", "-c", "pwd; echo in > file; echo no > .envrc; ls .."});
    EXPECT_EQ(run.exit_code, 0) << name << run.err;
    EXPECT_EQ(run.out, root + "\n" + name + "\n");
    EXPECT_EQ(project_.workspace().read(name + "/file"), "in\n");
    EXPECT_FALSE(project_.workspace().exists(name + "/.envrc"));
  }
}

TEST_P(OddNames, Protected) {
  for (const std::string& name : kOddNames) {
    project_.workspace().write("a/" + name, "kept");
    const std::string missing = "b" + name;
    const Finished run = run_with({"--protect", "a/" + name, "--protect", missing},
                                  "echo no > \"a/$1\"; rm -f \"a/$1\"; mv a c; echo no > \"b$1\"; exit 3", name);
    EXPECT_EQ(run.exit_code, 3) << name << run.err;
    EXPECT_EQ(project_.workspace().read("a/" + name), "kept") << name;
    EXPECT_FALSE(project_.workspace().exists(missing)) << name;
  }
}

TEST_P(OddNames, Hidden) {
  for (const std::string& name : kOddNames) {
    project_.workspace().write("a/" + name, "secret");
    const Finished run = run_with({"--hide", "a/" + name}, "cat \"a/$1\"; cat < \"a/$1\"", name);
    EXPECT_NE(run.exit_code, 0) << name;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr("Permission denied"));
  }
}

TEST_P(OddNames, Granted) {
  const TemporaryDirectory extra(GetParam(), "extra");
  for (const std::string& name : kOddNames) {
    extra.write("ro" + name + "/file", "shown");
    extra.make_directory("rw" + name);
    const Finished run = run_with(
        {"--ro", extra.text() + "/ro" + name, "--rw", extra.text() + "/rw" + name},
        "cd '" + extra.text() + "'; cat \"ro$1/file\"; echo new > \"rw$1/file\"; echo no > \"ro$1/file\"", name);
    EXPECT_EQ(run.out, "shown") << name << run.err;
    EXPECT_EQ(extra.read("rw" + name + "/file"), "new\n") << name;
    EXPECT_EQ(extra.read("ro" + name + "/file"), "shown") << name;
  }
}

INSTANTIATE_TEST_SUITE_P(, OddNames, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

class UnusualHost : public testing::TestWithParam<Account> {
 protected:
  // `script` with $1 pale, $2 the project, $3 a fresh filesystem of `size`, in a mount namespace that goes with it.
  Finished run_on(const std::string& size, const std::string& script) const {
    Process process;
    const std::string whole =
        "pale() { PALE_HOME=\"$3\" HOME=/nowhere \"$1\" run --project-root \"$2\" -- echo ran; echo code $?; }; mount "
        "-t tmpfs -o mode=755,size=" +
        size + " none \"$3\" && " + script;
    process.arguments = {"/usr/bin/unshare",
                         GetParam() == Account::Root ? "-m" : "-rm",
                         "/bin/sh",
                         "-c",
                         whole,
                         "sh",
                         pale_program(),
                         project_.workspace().text(),
                         place_.text()};
    process.account = GetParam();
    process.environment = project_.environment();
    return run(process);
  }

  Project project_{GetParam()};
  TemporaryDirectory place_{GetParam(), "place"};
};

TEST_P(UnusualHost, NoRoomFromTheStartIsAClearErrorAndLeavesNothing) {
  const Finished run = run_on("32k", "pale \"$@\"; cd \"$3\"; find . ! -type d");
  EXPECT_EQ(run.out, "code 125\n");
  EXPECT_THAT(run.err, HasSubstr(place_.text()));
  EXPECT_THAT(run.err, HasSubstr("No space left on device\nhint: "));
}

TEST_P(UnusualHost, NoRoomLaterIsAClearErrorAndLeavesNothing) {
  const Finished run =
      run_on("64M",
             "pale \"$@\"; rm \"$3\"/runs/*; cat /dev/zero > \"$3/filler\" 2>/dev/null; pale \"$@\"; rm "
             "\"$3/filler\"; pale \"$@\"; head -c 4 \"$3\"/runs/*");
  EXPECT_EQ(run.out, "ran\ncode 0\ncode 125\nran\ncode 0\nidle");
  EXPECT_THAT(run.err, HasSubstr(place_.text()));
  EXPECT_THAT(run.err, HasSubstr("No space left on device\nhint: "));
}

TEST_P(UnusualHost, AUserOfTheHostMayBeCalledAgent) {
  Process process;
  const std::string script =
      "mount -t tmpfs none /home && mkdir -p /home/agent/work /home/agent/tools && HOME=/home/agent \"$1\" run "
      "--project-root /home/agent/work "
      "--ro /home/agent/tools -- sh -c 'touch ~/mine made; pwd; echo $HOME; cd; pwd; getent passwd $(id -u) | cut -d: "
      "-f6; ls /home/agent' && ls /home/agent/work";
  process.arguments = {"/usr/bin/unshare", GetParam() == Account::Root ? "-m" : "-rm", "/bin/sh", "-c", script, "sh",
                       pale_program()};
  process.account = GetParam();
  process.environment = project_.environment();
  const Finished run = test::run(process);
  EXPECT_EQ(run.out, "/home/agent/work\n/home/pale-agent\n/home/pale-agent\n/home/pale-agent\ntools\nwork\nmade\n")
      << run.err;
}

INSTANTIATE_TEST_SUITE_P(, UnusualHost, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
