// Directories that can never be a project, however they are spelled, linked or mounted; and those that only look like it.
#include "projects.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Guard : public WithProjects {
 protected:
  static std::string source() {
    const char* path = std::getenv("PALE_SOURCE");
    EXPECT_NE(path, nullptr) << "PALE_SOURCE is not set: run ./dev test";
    return path == nullptr ? "/nonexistent" : path;
  }
  static void expect_refusal(const Finished& run, const std::string& words) {
    EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, AllOf(HasSubstr(words), HasSubstr("hint: create a separate directory for the project")));
  }
  // By its path, and for who stands in it.
  void expect_refused(const std::string& place, const std::string& words, const Words& environment = {}) const {
    SCOPED_TRACE(place);
    expect_refusal(pale({"run", "--project-root", place, "--", "true"}, environment), words);
    expect_refusal(pale({"explain", "--project-root", place}, environment), words);
    expect_refusal(pale_in(place, {"run", "--project-root", ".", "--", "true"}, environment), words);
  }
  void expect_accepted(const std::string& place) const {
    SCOPED_TRACE(place);
    const Finished run = pale({"run", "--project-root", place, "--", "pwd"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, place + "\n");
  }
  // What of Pale's tree tells it apart, in a directory of this account.
  void copy_tree_to(const TemporaryDirectory& place, const std::string& name) const {
    const auto all = std::filesystem::copy_options::recursive;
    place.make_directory(name);
    for (const std::string part : {"src", "apps", "CMakeLists.txt", "README.md"})
      std::filesystem::copy(source() + "/" + part, place.path() / name / part, all);
    give_tree(place.path() / name, GetParam());
  }
  std::string bind(const std::string& from) const { return "mount --bind '" + from + "' '" + mount_.text() + "'"; }

  static constexpr const char* kTree = "Pale's own source tree";
  TemporaryDirectory mount_{GetParam(), "mount"};
};

TEST_P(Guard, TheSourceTreeAndAllInsideIt) {
  for (const std::string& place :
       {source(), source() + "/src", source() + "/src/project", source() + "/docs", source() + "/tests/integration"})
    expect_refused(place, kTree);
}

TEST_P(Guard, WhatHoldsTheSourceTree) {
  const Finished run =
      pale({"run", "--project-root", std::filesystem::path(source()).parent_path().string(), "--", "true"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("hint: "));
}

TEST_P(Guard, TheSourceTreeThroughLinksAndOtherSpellings) {
  std::filesystem::create_directory_symlink(source(), work().path() / "link");
  std::filesystem::create_directory_symlink("link", work().path() / "again");
  std::filesystem::create_directory_symlink(source() + "/src", work().path() / "inner");
  const std::string name = std::filesystem::path(source()).filename().string();
  for (const std::string& place :
       {root() + "/link", root() + "/again", root() + "/inner", root() + "/link/src/..", source() + "/../" + name,
        "/" + source() + "//", source() + "/./src/./", "/proc/self/root" + source()})
    expect_refused(place, kTree);
  for (const std::string& spelling :
       Words{"/proc/self/cwd", "/proc/thread-self/cwd", ".", "./", "../" + name, "src/.."})
    expect_refusal(pale_in(source(), {"run", "--project-root", spelling, "--", "true"}), kTree);
}

TEST_P(Guard, TheSourceTreeMountedElsewhere) {
  expect_refusal(pale_in_mounts(bind(source()), {"run", "--project-root", mount_.text(), "--", "true"}), kTree);
  expect_refusal(pale_in_mounts(bind(source() + "/src"), {"run", "--project-root", mount_.text(), "--", "true"}),
                 kTree);
  expect_refusal(
      pale_in_mounts(bind(source() + "/src"), {"run", "--project-root", mount_.text() + "/cli", "--", "true"}), kTree);
  expect_refusal(
      pale_in_mounts(bind(source() + "/src"), {"run", "--project-root", ".", "--", "true"}, {}, mount_.text()), kTree);
}

TEST_P(Guard, ATreeOnAnotherFilesystemMountedElsewhere) {
  const TemporaryDirectory copy(GetParam(), "copy");
  copy_tree_to(copy, "pale");
  const std::string other = work().text();
  const std::string mounts = "mount -t tmpfs none '" + other + "'; cp -a '" + copy.text() + "/pale' '" + other +
                             "'; mount --bind '" + other + "/pale/src' '" + mount_.text() + "'";
  expect_refusal(pale_in_mounts(mounts, {"run", "--project-root", other + "/pale", "--", "true"}), kTree);
  expect_refusal(pale_in_mounts(mounts, {"run", "--project-root", mount_.text(), "--", "true"}), kTree);
}

TEST_P(Guard, ACopyOfTheTreeIsRefusedAndLeftAsItIs) {
  copy_tree_to(work(), "fork");
  const std::string before = work().snapshot();
  for (const std::string place : {"/fork", "/fork/src", "/fork/src/boundary"}) expect_refused(root() + place, kTree);
  expect_refusal(pale({"init", root() + "/fork"}), kTree);
  expect_refusal(pale_in(root() + "/fork", {"init"}), kTree);
  expect_refusal(pale({"init", root() + "/fork/new"}), kTree);
  EXPECT_EQ(work().snapshot(), before);
  EXPECT_EQ(pale({"project", "list", "--ids"}).out, "");
}

TEST_P(Guard, AManifestInTheTreeChangesNothing) {
  copy_tree_to(work(), "fork");
  work().write("fork/.pale/project.toml", "[project]\nid = \"fork\"\n");
  expect_refusal(pale_in(root() + "/fork", {"run", "--", "true"}), kTree);
  write_pale_home("projects.json",
                  "{\"projects\": {\"fork\": {\"root\": \"" + root() + "/fork\"}}, \"default_project\": \"fork\"}");
  for (const Words& words :
       {Words{"run", "--", "true"}, Words{"run", "-p", "fork", "--", "true"}, Words{"agent", "run", "x"}})
    expect_refusal(pale(words), kTree);
}

TEST_P(Guard, TheDirectoryOfTheRunningProgramAndWhatHoldsIt) {
  work().make_directory("tools/bin/below");
  work().make_directory("beside");
  std::filesystem::copy_file(pale_program(), work().path() / "tools/bin/pale");
  const auto at = [&](const std::string& place) {
    Process process;
    process.arguments = {root() + "/tools/bin/pale", "run", "--project-root", place, "--", "true"};
    process.account = GetParam();
    process.environment = project_.environment();
    return run(process);
  };
  for (const std::string place : {"", "/tools", "/tools/bin"}) expect_refusal(at(root() + place), "program");
  for (const std::string place : {"/beside", "/tools/bin/below"}) EXPECT_EQ(at(root() + place).exit_code, 0) << place;
}

TEST_P(Guard, PaleHomeAndWhatHoldsIt) {
  work().make_directory("state/pale/homes/x");
  work().make_directory("beside");
  const Words own = {"PALE_HOME=" + root() + "/state/pale"};
  for (const std::string place : {"", "/state", "/state/pale", "/state/pale/homes", "/state/pale/homes/x"})
    expect_refused(root() + place, "Pale's own directory", own);
  EXPECT_EQ(pale({"run", "--project-root", root() + "/beside", "--", "true"}, own).exit_code, 0);
}

TEST_P(Guard, HomeAndPaleHomeThatAreGivenThroughLinks) {
  work().make_directory("real-home");
  work().make_directory("real-pale/homes");
  std::filesystem::create_directory_symlink("real-home", work().path() / "home");
  std::filesystem::create_directory_symlink("real-pale", work().path() / "pale");
  const Words links = {"HOME=" + root() + "/home", "PALE_HOME=" + root() + "/pale"};
  expect_refused(root() + "/real-home", "home directory itself", links);
  expect_refused(root() + "/home", "home directory itself", links);
  expect_refused(root() + "/real-pale", "Pale's own directory", links);
  expect_refused(root() + "/real-pale/homes", "Pale's own directory", links);
}

TEST_P(Guard, TheHomeDirectoryItself) {
  home().make_directory("project");
  std::filesystem::create_directory_symlink(home().path(), work().path() / "link");
  expect_refused(home().text(), "home directory itself");
  expect_refused(home().text() + "/project/..", "home directory itself");
  expect_refused(root() + "/link", "home directory itself");
  expect_accepted(home().text() + "/project");
}

TEST_P(Guard, HomePaleHomeAndTheProgramMountedElsewhere) {
  const auto at_mount = [&](const std::string& from) {
    return pale_in_mounts(bind(from), {"run", "--project-root", mount_.text(), "--", "true"});
  };
  expect_refusal(at_mount(home().text()), "home directory itself");
  expect_refusal(at_mount(project_.pale_home().string()), "Pale's own directory");
  expect_refusal(at_mount(std::filesystem::path(pale_program()).parent_path().string()), "Pale");
  home().make_directory("project");
  EXPECT_EQ(at_mount(home().text() + "/project").exit_code, 0);
  // The home is the mount, and the root what was mounted there.
  work().make_directory("real");
  const Finished from_behind = pale_in_mounts("mount --bind '" + root() + "/real' '" + home().text() + "'",
                                              {"run", "--project-root", root() + "/real", "--", "true"});
  expect_refusal(from_behind, "home directory itself");
}

TEST_P(Guard, TheWholeMachineAndSystemDirectories) {
  for (const std::string place : {"/", "//", "/usr/..", "/tmp", "/home", "/var", "/opt", "/mnt", "/srv"}) {
    SCOPED_TRACE(place);
    expect_refusal(pale({"run", "--project-root", place, "--", "true"}), "project root");
  }
  for (const std::string place :
       {"/etc", "/usr", "/usr/share/doc", "/bin", "/lib", "/dev/shm", "/proc", "/sys/kernel", "/run"}) {
    SCOPED_TRACE(place);
    expect_refusal(pale({"run", "--project-root", place, "--", "true"}), "system directory");
    expect_refusal(pale({"run", "--project-root", "/proc/self/root" + place, "--", "true"}), "system directory");
  }
  std::filesystem::create_directory_symlink("/etc", work().path() / "etc");
  expect_refused(root() + "/etc", "system directory");
}

TEST_P(Guard, TheWholeMachineAndSystemDirectoriesMountedElsewhere) {
  for (const std::string place : {"/", "/etc", "/usr", "/usr/share", "/var"}) {
    SCOPED_TRACE(place);
    const Finished run = pale_in_mounts(bind(place), {"run", "--project-root", mount_.text(), "--", "true"});
    EXPECT_EQ(run.exit_code, 3) << run.err;
  }
  const Finished inside = pale_in_mounts(bind("/"), {"run", "--project-root", mount_.text() + "/etc", "--", "true"});
  EXPECT_EQ(inside.exit_code, 3) << inside.err;
  const Finished home_inside =
      pale_in_mounts(bind("/"), {"run", "--project-root", mount_.text() + home().text(), "--", "true"});
  EXPECT_EQ(home_inside.exit_code, 3) << home_inside.err;
}

TEST_P(Guard, WhatMerelyMentionsPaleIsAProject) {
  work().write("README.md", "# Pale\n\nA fork of pale. project(pale VERSION 1)\n");
  work().write("CMakeLists.txt", "# after pale's: project(pale CXX)\nproject(mine)\n");
  expect_accepted(root());
  work().write("pale/CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(pale VERSION 2 LANGUAGES CXX)\n");
  work().write("pale/main.cc", "int main() {}\n");
  expect_accepted(root() + "/pale");
  work().write("game/CMakeLists.txt", "project(pale CXX)\n");
  work().write("game/src/boundary/boundary.h", "struct Boundary {};\n");
  expect_accepted(root() + "/game");
  expect_accepted(root() + "/game/src/boundary");
  work().make_directory("apps/pale");
  work().make_directory("src/sandbox");
  expect_accepted(root());
}

INSTANTIATE_TEST_SUITE_P(, Guard, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
