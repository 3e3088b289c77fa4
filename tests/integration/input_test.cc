// What is wrong with a request is said in one sentence with a hint, and leaves nothing behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/host.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class Input : public testing::TestWithParam<Account> {
 protected:
  std::string root() const { return project_.workspace().text(); }

  Finished pale_in(const std::string& directory, std::vector<std::string> arguments,
                   std::vector<std::string> environment) const {
    Process process;
    process.arguments = {pale_program()};
    process.arguments.insert(process.arguments.end(), arguments.begin(), arguments.end());
    process.account = GetParam();
    process.environment = std::move(environment);
    process.directory = directory;
    return run(process);
  }
  Finished run_at(const std::string& given) const {
    return project_.pale({"run", "--project-root", given, "--", "true"});
  }

  // Said once, with a hint, and nothing happened.
  void expect_refusal(const Finished& run, int exit_code, const std::string& words) const {
    EXPECT_EQ(run.exit_code, exit_code) << run.err;
    EXPECT_THAT(run.err, StartsWith("pale: "));
    EXPECT_THAT(run.err, HasSubstr(words));
    EXPECT_THAT(run.err, MatchesRegex("pale: [^\n]+\nhint: [^\n]+\n"));
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(project_.records_are_idle());
  }

  Project project_{GetParam(), PaleHome::Own};
};

TEST_P(Input, ARootThatIsMissingOrNoDirectory) {
  project_.workspace().write("file", "");
  expect_refusal(run_at(root() + "/missing"), 2, "no such project root: " + root() + "/missing");
  expect_refusal(run_at(root() + "/file"), 2, "must be a directory");
  expect_refusal(run_at(root() + "/file/below"), 2, "must be a directory");
  expect_refusal(run_at(""), 2, "not a value for --project-root");
}

TEST_P(Input, WhatEverySandboxHasOfItsOwnCannotBeGranted) {
  for (const char* place : {"/proc", "/proc/self", "/dev", "/dev/null", "/run"}) {
    for (const char* flag : {"--rw", "--ro"})
      expect_refusal(project_.run_command({flag, place}, {"true"}), 3, std::string(flag) + ": ");
  }
}

TEST_P(Input, ATimeThatIsNoneAndAReceiptThatIsNowhere) {
  for (const char* time : {"200000000000d", "9223372036854775807"})
    expect_refusal(project_.run_command({"--timeout", time}, {"true"}), 2, "--timeout is 3650d at most");
  expect_refusal(project_.run_command({"--receipt="}, {"true"}), 2, "not a value for --receipt");
}

// Outside, root may look into everything; inside nobody may. What an owner closed is his to open again, but not from inside.
TEST_P(Input, WhatIsClosedSaysToWhomOrStaysSo) {
  const bool root_runs = GetParam() == Account::Root;
  const auto git = project_.workspace().path() / ".git";
  project_.workspace().make_directory(".git");
  if (root_runs) give_tree(git, Account::Ordinary);
  std::filesystem::permissions(git, root_runs ? std::filesystem::perms::owner_all : std::filesystem::perms::none);
  if (root_runs) {
    expect_refusal(run_at(root()), 125, root() + "/.git: Permission denied");
    EXPECT_THAT(run_at(root()).err, HasSubstr("hint: sudo -u '#"));
  } else {
    const auto opened = project_.run_command({}, {"chmod", "755", ".git"});
    EXPECT_THAT(opened.err, HasSubstr("Read-only file system"));
    EXPECT_EQ(std::filesystem::status(git).permissions(), std::filesystem::perms::none);
  }
}

TEST_P(Input, ARootThatWouldHandOverTheMachine) {
  for (const char* place : {"/", "/etc", "/usr/share", "/home", "/tmp", "/var", "/dev", "/proc/self", "/sys"})
    expect_refusal(run_at(place), 3, "project root");
  expect_refusal(run_at(project_.home().text()), 3, "home directory itself");
  expect_refusal(run_at(project_.pale_home().string()), 3, "Pale's own directory");
  expect_refusal(run_at(project_.home().path().parent_path().string()), 3, "project root");
}

TEST_P(Input, ARootThatGoesUpIsResolved) {
  project_.workspace().make_directory("sub/deep");
  const Finished run =
      pale_in(root() + "/sub/deep", {"run", "--project-root", "../..", "--", "sh", "-c", "pwd; touch ../../here"},
              project_.environment());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, root() + "/sub/deep\n");
  EXPECT_TRUE(project_.workspace().exists("here"));
}

TEST_P(Input, ARootThroughASymlinkIsResolvedOnceAndExplainSaysSo) {
  const TemporaryDirectory links(GetParam(), "links");
  const std::string link = links.text() + "/link";
  std::filesystem::create_symlink(root(), link);
  EXPECT_EQ(project_.pale({"run", "--project-root", link, "--", "pwd"}).out, root() + "\n");
  const Finished run =
      project_.pale({"run", "--project-root", link, "--", "sh", "-c", "touch here; ls " + links.text()});
  EXPECT_THAT(run.err, HasSubstr("No such file or directory"));
  EXPECT_TRUE(project_.workspace().exists("here"));
  const Finished shown = project_.pale({"explain", "--project-root", link});
  EXPECT_THAT(shown.out, HasSubstr("\n  " + root() + "  --project-root\n"));
  EXPECT_THAT(shown.out, HasSubstr("symbolic link"));
}

TEST_P(Input, PathsThatRulesCannotBeAbout) {
  expect_refusal(project_.run_command({"--protect", "/etc/passwd"}, {"true"}), 2, "--protect");
  expect_refusal(project_.run_command({"--hide", root() + "-beside"}, {"true"}), 2, "--hide");
  expect_refusal(project_.run_command({"--protect", "."}, {"true"}), 2, "--protect");
  expect_refusal(project_.run_command({"--protect", "a/../../x"}, {"true"}), 2, "'..'");
  expect_refusal(project_.run_command({"--protect", ""}, {"true"}), 2, "--protect");
  expect_refusal(project_.run_command({"--ro", "missing"}, {"true"}), 2, "missing");
  expect_refusal(project_.run_command({"--rw", root() + "-beside"}, {"true"}), 2, "-beside");
  expect_refusal(project_.run_command({"--ro", "/"}, {"true"}), 3, "whole machine");
}

TEST_P(Input, ProtectingASymlinkIsRefused) {
  project_.workspace().write("real/file", "");
  std::filesystem::create_symlink("real", project_.workspace().path() / "link");
  expect_refusal(project_.run_command({"--protect", "link"}, {"true"}), 3, "symbolic link");
  expect_refusal(project_.run_command({"--protect", "link/file"}, {"true"}), 3, "symbolic link");
  expect_refusal(project_.run_command({"--hide", "link"}, {"true"}), 3, "symbolic link");
}

TEST_P(Input, AGrantBeneathAHiddenPath) {
  project_.workspace().write("hidden/open/file", "");
  expect_refusal(project_.run_command({"--hide", "hidden", "--rw", "hidden/open"}, {"true"}), 2, "hidden");
}

TEST_P(Input, WordsThatPaleDoesNotKnow) {
  const auto hint = [this](const std::vector<std::string>& words) {
    const Finished run = project_.pale(words);
    expect_refusal(run, 2, "unknown");
    return run.err;
  };
  EXPECT_THAT(hint({"rum"}), HasSubstr("did you mean pale run?"));
  EXPECT_THAT(hint({"explian"}), HasSubstr("did you mean pale explain?"));
  EXPECT_THAT(hint({"xyzzy"}), HasSubstr("hint: pale help"));
  EXPECT_THAT(hint({"run", "--project-rot", "."}), HasSubstr("did you mean --project-root?"));
  EXPECT_THAT(hint({"run", "--prot", "x"}), HasSubstr("did you mean --protect?"));
  EXPECT_THAT(hint({"run", "--netwrok=open"}), HasSubstr("did you mean --network?"));
  EXPECT_THAT(hint({"doctor", "--jsn"}), HasSubstr("did you mean --json?"));
  expect_refusal(project_.pale({"run", "--project-root"}), 2, "value is missing");
  expect_refusal(project_.pale({"run", "--json=yes"}), 2, "takes no value");
  expect_refusal(project_.run_command({"--network", "some"}, {"true"}), 2, "--network");
  expect_refusal(project_.run_command({"--backend", "magic"}, {"true"}), 2, "--backend");
  expect_refusal(project_.pale({"run", "--project-root", root(), "true"}), 2, "unexpected word true");
  expect_refusal(project_.pale({"run", "--project-root", root(), "--"}), 2, "no command");
  expect_refusal(project_.pale({"explain", "--project-root", root(), "a", "b"}), 2, "one path");
  expect_refusal(project_.run_command({"--env", "=x"}, {"true"}), 2, "name");
}

TEST_P(Input, ACommandThatIsNotThereOrCannotBeExecuted) {
  project_.workspace().write("text", "no program");
  project_.workspace().write("bad", "#!/no/such/interpreter\n");
  project_.workspace().write("garbage", std::string("\x7f"
                                                    "ELF\x02\x01\x01 and nothing more\n"));
  for (const char* name : {"bad", "garbage"})
    std::filesystem::permissions(project_.workspace().path() / name, std::filesystem::perms::all);
  expect_refusal(project_.run_command({}, {"no-such-command"}), 127, "no-such-command");
  expect_refusal(project_.run_command({}, {"./missing"}), 127, "./missing");
  expect_refusal(project_.run_command({}, {pale_program() + "-beside"}), 127, "does not exist inside");
  expect_refusal(project_.run_command({}, {""}), 2, "no command");
  expect_refusal(project_.run_command({}, {"./bad"}), 127, "./bad");
  expect_refusal(project_.run_command({}, {"./text"}), 126, "Permission denied");
  expect_refusal(project_.run_command({}, {root()}), 126, "cannot be executed");
  expect_refusal(project_.run_command({}, {"./garbage"}), 126, "Exec format error");
}

TEST_P(Input, EnvironmentsThatPaleCannotUse) {
  const std::vector<std::string> words = {"run", "--project-root", root(), "--", "true"};
  expect_refusal(pale_in("/", words, {"PATH=/usr/bin"}), 2, "HOME");
  expect_refusal(pale_in("/", words, {"HOME=relative"}), 2, "HOME");
  expect_refusal(pale_in("/", words, {"HOME=" + project_.home().text(), "PALE_HOME=relative"}), 2, "PALE_HOME");
  expect_refusal(pale_in("/", words, {"HOME=" + project_.home().text(), "PALE_HOME=/dev/null/x"}), 125, "/dev/null/x");
  expect_refusal(pale_in("/", words, {"HOME=" + project_.home().text(), "PALE_HOME=/proc/x"}), 125, "/proc/x");
  EXPECT_EQ(pale_in("/", words, {"HOME=" + project_.home().text()}).exit_code, 0);
  EXPECT_TRUE(project_.home().exists(".pale/homes"));
}

TEST_P(Input, ErrorsAsJsonHaveACodeAMessageAndAHint) {
  const Finished run = project_.run_command({"--json", "--ro", "missing"}, {"true"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, MatchesRegex("\\{\"schemaVersion\":1,\"error\":\\{\"code\":\"not_found\",\"message\":\".*"
                                    "missing.*\",\"hint\":\".+\"\\}\\}\n"));
}

TEST_P(Input, NamesInMessagesCannotForgeThem) {
  const Finished run = run_at(root() + "/x\n\x1b]52;c;ZXZpbA==\x07hint: rm -rf /");
  EXPECT_THAT(run.err, MatchesRegex("pale: [^\n]+\nhint: [^\n]+\n"));
  EXPECT_THAT(run.err, Not(HasSubstr("\x1b")));
}

// For root there is none.
class InputOfAnOrdinaryUser : public Input {};

TEST_P(InputOfAnOrdinaryUser, ARootThatCannotBeRead) {
  project_.workspace().make_directory("closed");
  std::filesystem::permissions(project_.workspace().path() / "closed", std::filesystem::perms::none);
  expect_refusal(run_at(root() + "/closed"), 2, "cannot be read");
  expect_refusal(run_at(root() + "/closed/below"), 2, "cannot be read");
}

INSTANTIATE_TEST_SUITE_P(, InputOfAnOrdinaryUser, testing::Values(Account::Ordinary),
                         testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(, Input, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
