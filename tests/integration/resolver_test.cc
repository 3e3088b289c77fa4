// Which project a command is about: --project-root, -p, the manifest here, the default; and nothing in place of what is
// broken.
#include "projects.h"
#include "support/session.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Resolver : public WithProjects {
 protected:
  Resolver() {
    for (const auto* each : {&flagged_, &registered_, &chosen_}) each->make_directory("inner");
  }
  void register_all() const {
    init(registered_, {"--id", "registered"});
    init(chosen_, {"--id", "chosen"});
    write_manifest("[project]\nid = \"here\"\n");
    ASSERT_EQ(pale({"project", "default", "chosen"}).exit_code, 0);
  }
  // Where each command that runs something is, or what stopped it.
  std::string place(const std::string& directory, const Words& flags) const {
    const Finished run = pale_in(directory, Words{"run"} + flags + Words{"--", "sh", "-c", "echo x > touched && pwd"});
    return run.exit_code == 0 ? run.out.substr(0, run.out.size() - 1) : run.err;
  }
  bool nothing_ran() const {
    return !work().exists("touched") && !flagged_.exists("touched") && !registered_.exists("touched") &&
           !chosen_.exists("touched");
  }
  // Whatever names the project that way, nothing runs, neither there nor in the default project.
  void expect_stopped(const std::string& directory, const Words& flags, int code, const std::string& words) const {
    const Finished shell = pale_in(directory, Words{"shell"} + flags, {}, "echo x > touched\n");
    for (const Finished& done : {pale_in(directory, Words{"run"} + flags + Words{"--", "touch", "touched"}), shell,
                                 pale_in(directory, Words{"explain"} + flags)}) {
      EXPECT_EQ(done.exit_code, code) << done.err;
      EXPECT_THAT(done.err, AllOf(HasSubstr(words), HasSubstr("hint: ")));
      EXPECT_EQ(done.out, "");
    }
    EXPECT_EQ(pale_in(directory, Words{"project", "current"} + flags).exit_code, code);
    EXPECT_TRUE(nothing_ran());
  }

  TemporaryDirectory flagged_{GetParam(), "flagged"};
  TemporaryDirectory registered_{GetParam(), "registered"};
  TemporaryDirectory chosen_{GetParam(), "chosen"};
};

TEST_P(Resolver, TheOrderIsFlagThenIdThenHereThenDefault) {
  register_all();
  const Words both = {"--project-root", flagged_.text(), "-p", "registered"};
  EXPECT_EQ(place(root(), both), flagged_.text());
  EXPECT_EQ(place(root(), {"-p", "registered", "--project-root", flagged_.text()}), flagged_.text());
  EXPECT_EQ(place(root(), {"-p", "registered"}), registered_.text());
  EXPECT_EQ(place(root(), {}), root());
  EXPECT_EQ(place("/", {}), chosen_.text());
  EXPECT_EQ(place(flagged_.text(), {}), chosen_.text());
  ASSERT_EQ(pale({"project", "default", "--none"}).exit_code, 0);
  EXPECT_THAT(place("/", {}), HasSubstr("no project context"));
}

TEST_P(Resolver, TheCurrentDirectoryAloneIsNoProject) {
  for (const std::string& directory : {flagged_.text(), std::string("/")})
    expect_stopped(directory, {}, 2, "no project context");
  const Finished run = pale_in(flagged_.text(), {"run", "--", "true"});
  EXPECT_THAT(run.err, AllOf(HasSubstr("hint: run from a directory with .pale/project.toml"),
                             HasSubstr("hint: use -p ID"), HasSubstr("hint: use --project-root DIR")));
}

TEST_P(Resolver, AManifestAboveTheCurrentDirectoryIsNotLookedFor) {
  register_all();
  work().make_directory("inner");
  EXPECT_EQ(place(root() + "/inner", {}), chosen_.text());
}

TEST_P(Resolver, RunShellAndExplainMeanTheSameProject) {
  register_all();
  struct Case {
    std::string directory;
    Words flags;
    std::string root;
  };
  for (const Case& each : {Case{root(), {"--project-root", flagged_.text()}, flagged_.text()},
                           Case{root(), {"-p", "registered"}, registered_.text()}, Case{root(), {}, root()},
                           Case{"/", {}, chosen_.text()}}) {
    EXPECT_EQ(place(each.directory, each.flags), each.root);
    Process shell;
    shell.arguments = Words{pale_program(), "shell"} + each.flags;
    shell.account = GetParam();
    shell.environment = project_.environment();
    shell.directory = each.directory;
    shell.input = "pwd\n";
    EXPECT_EQ(run(shell).out, each.root + "\n");
    EXPECT_THAT(pale_in(each.directory, Words{"explain"} + each.flags).out, HasSubstr("\n  " + each.root + "  "));
    const auto current = pale_in(each.directory, Words{"project", "current", "--json"} + each.flags);
    EXPECT_EQ(nlohmann::json::parse(current.out).at("root"), each.root);
  }
}

TEST_P(Resolver, ACommandStartsWhereTheCallerStandsIfThatLiesInTheProject) {
  register_all();
  const std::string inner = registered_.text() + "/inner";
  EXPECT_EQ(place(inner, {"-p", "registered"}), inner);
  EXPECT_EQ(place("/", {"-p", "registered"}), registered_.text());
  EXPECT_EQ(place(flagged_.text() + "/inner", {"-p", "registered"}), registered_.text());
  EXPECT_EQ(place(chosen_.text() + "/inner", {}), chosen_.text() + "/inner");
}

TEST_P(Resolver, ABrokenManifestNeverFallsThrough) {
  register_all();
  for (const std::string broken : {"[agent\n", "[agent]\ntrsut = 1\n", "[network]\nmode = 5\n", "\xff"}) {
    write_manifest(broken);
    expect_stopped(root(), {}, 2, root() + "/.pale/project.toml");
    expect_stopped("/", {"--project-root", root()}, 2, root() + "/.pale/project.toml");
    expect_stopped(flagged_.text(), {"--project-root", root()}, 2, "line ");
  }
  registered_.write(".pale/project.toml", "[agent\n");
  expect_stopped(root(), {"-p", "registered"}, 2, registered_.text() + "/.pale/project.toml");
  chosen_.write(".pale/project.toml", "[agent\n");
  expect_stopped("/", {}, 2, chosen_.text() + "/.pale/project.toml");
}

TEST_P(Resolver, WhatStandsInThePlaceOfAManifestNeverFallsThrough) {
  register_all();
  const auto place_of_it = work().path() / ".pale/project.toml";
  std::filesystem::remove(place_of_it);
  std::filesystem::create_symlink("nowhere", place_of_it);
  expect_stopped(root(), {}, 2, place_of_it.string());
  expect_stopped("/", {"--project-root", root()}, 2, place_of_it.string());
  std::filesystem::remove(place_of_it);
  std::filesystem::create_symlink("project.toml", place_of_it);
  expect_stopped(root(), {}, 2, place_of_it.string());
  std::filesystem::remove(place_of_it);
  work().make_directory(".pale/project.toml");
  expect_stopped(root(), {}, 2, place_of_it.string());
  expect_stopped("/", {"--project-root", root()}, 2, place_of_it.string());
}

TEST_P(Resolver, ALinkThatLeadsNowhereInThePlaceOfThePaleDirectoryNeverFallsThrough) {
  register_all();
  std::filesystem::remove_all(work().path() / ".pale");
  std::filesystem::create_symlink("nowhere", work().path() / ".pale");
  const Finished run = pale_in(root(), {"run", "--", "touch", "touched"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr(".pale"));
  EXPECT_TRUE(nothing_ran());
}

TEST_P(Resolver, AManifestThatMayNotBeReadNeverFallsThrough) {
  register_all();
  std::filesystem::permissions(work().path() / ".pale/project.toml", std::filesystem::perms::none);
  if (GetParam() == Account::Root) {  // who may read everything
    EXPECT_EQ(place(root(), {}), root());
    return;
  }
  expect_stopped(root(), {}, 2, ".pale/project.toml");
  std::filesystem::permissions(work().path() / ".pale", std::filesystem::perms::none);
  const Finished run = pale_in(root(), {"run", "--", "touch", "touched"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_TRUE(nothing_ran());
  std::filesystem::permissions(work().path() / ".pale", std::filesystem::perms::owner_all);
}

TEST_P(Resolver, ARootThatIsGoneStopsThere) {
  register_all();
  std::filesystem::remove_all(registered_.path());
  expect_stopped("/", {"-p", "registered"}, 2, "project 'registered': no such project root");
  const Finished run = pale({"run", "-p", "registered", "--", "true"});
  EXPECT_THAT(run.err, AllOf(HasSubstr("hint: pale project move registered DIR"),
                             HasSubstr("hint: pale project remove registered")));
  std::filesystem::remove_all(chosen_.path());
  expect_stopped("/", {}, 2, "project 'chosen': no such project root");
  expect_stopped("/", {"--project-root", root() + "/missing"}, 2, "no such project root");
}

TEST_P(Resolver, AnIdThatNobodyHasStopsThere) {
  register_all();
  expect_stopped(root(), {"-p", "nobody"}, 2, "'nobody'");
  expect_stopped(root(), {"-p", "here"}, 2, "'here'");
  expect_stopped(root(), {"-p", ""}, 2, "-p");
  expect_stopped(root(), {"-p", "../" + registered_.path().filename().string()}, 2, "..");
}

TEST_P(Resolver, ADefaultThatIsNotRegisteredStopsThere) {
  write_pale_home("projects.json", "{\"projects\": {}, \"default_project\": \"lost\"}\n");
  expect_stopped("/", {}, 2, "'lost'");
}

TEST_P(Resolver, AManifestThatIsGoneIsRefused) {
  register_all();
  std::filesystem::remove(registered_.path() / ".pale/project.toml");
  expect_stopped("/", {"-p", "registered"}, 3, "its manifest is gone");
  std::filesystem::remove_all(chosen_.path() / ".pale");
  expect_stopped("/", {}, 3, "its manifest is gone");
}

TEST_P(Resolver, AProjectThatIsReachedThroughALinkIsTheSameOne) {
  register_all();
  const TemporaryDirectory links(GetParam(), "links");
  std::filesystem::create_directory_symlink(root(), links.path() / "link");
  EXPECT_EQ(place(links.text() + "/link", {}), root());
  EXPECT_EQ(place("/", {"--project-root", links.text() + "/link"}), root());
}

TEST_P(Resolver, ThePlaceOfARegisteredProjectMayHaveBecomeALinkToOneThatIsRefused) {
  register_all();
  std::filesystem::remove_all(registered_.path());
  std::filesystem::create_directory_symlink(home().path(), registered_.path());
  expect_stopped("/", {"-p", "registered"}, 3, "home directory itself");
  std::filesystem::remove(registered_.path());
}

INSTANTIATE_TEST_SUITE_P(, Resolver, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
