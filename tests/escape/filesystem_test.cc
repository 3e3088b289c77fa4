// ESCAPES 11 and 13–17, 19: files outside the workspace, and ways to reach, change or guess them.
#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>

#include "escape/escape.h"

namespace pale::test {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;

// What Landlock and modes say nothing about, but a file has.
std::string attributes_of(const fs::path& path) {
  struct stat info = {};
  EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
  std::array<char, 256> names = {};
  const ssize_t length = listxattr(path.c_str(), names.data(), names.size());
  return std::to_string(info.st_mode) + " " + std::to_string(info.st_uid) + " " + std::to_string(info.st_size) + " " +
         std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec) + " " +
         std::to_string(info.st_ctim.tv_nsec) + " " + std::to_string(info.st_nlink) + " " +
         std::string(names.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
}

class Filesystem : public Escape {
 protected:
  void plant(const std::string& link, const std::string& target) const {
    fs::create_symlink(target, workspace().path() / link);
  }
};

TEST_P(Filesystem, E11_ASymlinkToTheOutsideLeadsNowhere) {
  plant("key", secret());
  plant("ssh", project_.home().text() + "/.ssh");
  plant("up", "../../../../../../../.." + project_.home().text());
  const std::string before = project_.home().snapshot();
  const Finished run = shell(R"(
    cat key ssh/id_test up/.ssh/id_test
    cp key copy
    echo hacked > key; echo hacked >> ssh/id_test; echo hacked > ssh/authorized_keys
    ln -s $SECRET own; cat own; echo hacked > own
    tar cf - --dereference key ssh up | grep -c secret
    exit 7)");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.out + run.err, Not(HasSubstr(Project::kSecret)));
  EXPECT_THAT(run.err, HasSubstr("No such file or directory"));
  EXPECT_FALSE(workspace().exists("copy"));
  EXPECT_EQ(project_.home().snapshot(), before);
}

TEST_P(Filesystem, E13_AGrantInTheProjectDoesNotFollowAPlantedLink) {
  plant("build", project_.home().text() + "/.ssh");
  plant("home", project_.home().text());
  fs::create_symlink(workspace().path(), project_.home().path() / "alias");
  const std::string before = project_.home().snapshot();
  for (const std::string flag : {"--rw", "--ro"}) {
    for (const std::string& path : {std::string("build"), std::string("home/.ssh"), workspace().text() + "/build",
                                    project_.home().text() + "/alias/build"}) {
      const Finished run = shell("cat $SECRET build/id_test; echo hacked > $SECRET", {flag, path});
      EXPECT_EQ(run.exit_code, 3) << flag << " " << path;
      EXPECT_THAT(run.err, HasSubstr("link")) << flag << " " << path;
      EXPECT_THAT(run.out, Not(HasSubstr(Project::kSecret)));
    }
  }
  EXPECT_EQ(project_.home().snapshot(), before);
}

TEST_P(Filesystem, E13_SetUpMakesNothingThroughPlantedLinks) {
  // In an earlier run: everything that Pale may make or mount later.
  const Finished earlier = shell(R"(
    for n in tmp .cache .config .pale run; do rm -rf $HOME/$n; ln -s $OUTSIDE/$n $HOME/$n; done
    ln -s $OUTSIDE out)");
  EXPECT_EQ(earlier.exit_code, 0) << earlier.err;
  const std::string before = project_.home().snapshot();
  shell("echo x > $HOME/tmp/x; mkdir -p $HOME/.cache/x; echo x > out/x");
  shell("echo x > $TMPDIR/x", {"--backend", "landlock", "--unsafe-weak-protection"});
  for (const std::string flag : {"--hide", "--protect"}) {
    const Finished run = shell("echo started > marker", {flag, "out/.ssh"});
    EXPECT_EQ(run.exit_code, 3) << flag << run.err;
    EXPECT_FALSE(workspace().exists("marker"));
  }
  EXPECT_EQ(project_.home().snapshot(), before);
}

TEST_P(Filesystem, E14_WhatMasksAHiddenFileCannotBeSwapped) {
  workspace().write(".env", "TOKEN=abc");
  workspace().write("dark/key", "abc");
  const std::string script = R"(
    for m in /run/pale/*; do rm -rf $m; mv $m /tmp/; ln -sf $PWD/attack $m; echo x > $m; chmod 777 $m; done
    cat .env dark/key; chmod 777 .env dark; cat .env dark/key
    rm -rf .env dark; mv .env x
    exit 7)";
  const Finished run = shell(script, {"--hide", ".env", "--hide", "dark"});
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.out, Not(HasSubstr("abc")));
  EXPECT_EQ(workspace().read(".env"), "TOKEN=abc");
  EXPECT_EQ(workspace().read("dark/key"), "abc");
  plant("swapped", secret());
  const Finished next = shell("cat swapped", {"--hide", "swapped"});
  EXPECT_EQ(next.exit_code, 3) << next.err;
  EXPECT_THAT(next.out, Not(HasSubstr(Project::kSecret)));
}

TEST_P(Filesystem, E15_AHardLinkToTheOutsideFails) {
  const TemporaryDirectory library(GetParam(), "library");
  library.write("book", "text");
  const std::string script = R"(
    ln $LIBRARY/book book; ln /usr/bin/env env; ln $SECRET key; ln -L /proc/self/exe exe; ln /etc/passwd passwd
    ./attack replace $LIBRARY/book
    exit 7)";
  const Finished run = shell(script, {"--ro", library.text()}, library.text());
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.out, Not(HasSubstr("succeeded")));
  for (const char* name : {"book", "env", "key", "exe", "passwd", "alias"})
    EXPECT_FALSE(workspace().exists(name)) << name;
  EXPECT_EQ(library.read("book"), "text");
  EXPECT_EQ(fs::hard_link_count(library.path() / "book"), 1U);
}

TEST_P(Filesystem, E15_AFileThatIsHeldHasNoOtherHardLink) {
  struct Held {
    const char* file;
    std::vector<std::string> flags;
  };
  const Held held[] = {{"AGENTS.md", {"--protect", "AGENTS.md"}},
                       {"plan", {"--ro", "plan"}},
                       {".env", {"--hide", ".env"}},
                       {".env", {"--hide", ".env", "--trust", "read_only"}},
                       {".envrc", {}},
                       {".claude/settings.json", {}}};
  for (const auto& [file, flags] : held) {
    workspace().write(file, "TOKEN=abc");
    fs::create_hard_link(workspace().path() / file, workspace().path() / "alias");
    const Finished run = shell("cat alias; echo hacked > alias", flags);
    EXPECT_EQ(run.exit_code, 3) << file << run.err;
    EXPECT_THAT(run.out, Not(HasSubstr("abc"))) << file;
    const std::string path = workspace().text() + "/" + file;
    EXPECT_THAT(run.err, HasSubstr("hint: sed -i '' " + path + ","));
    EXPECT_EQ(workspace().read(file), "TOKEN=abc");
    EXPECT_EQ(pale::test::run(on_host({"/usr/bin/sed", "-i", "", path})).exit_code, 0);
    EXPECT_EQ(workspace().read(file), "TOKEN=abc");
    EXPECT_EQ(shell("exit 7", flags).exit_code, 7) << file;
    fs::remove(workspace().path() / "alias");
    fs::remove(workspace().path() / file);
  }
}

TEST_P(Filesystem, E15_InAStageTheOtherHardLinkIsChangedByItself) {
  workspace().write("AGENTS.md", "rules");
  fs::create_hard_link(workspace().path() / "AGENTS.md", workspace().path() / "alias");
  const Finished run = shell("echo hacked > alias; cat AGENTS.md", {"--stage", "s", "--protect", "AGENTS.md"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("rules"));
  EXPECT_EQ(workspace().read("AGENTS.md"), "rules");
  EXPECT_EQ(shell("cat alias", {"--stage", "s", "--hide", "AGENTS.md"}).exit_code, 3);
}

// Of the system, but nothing that would be missed if a sandbox failed to keep it.
constexpr const char* kSystem = "/usr/share/common-licenses/BSD";

TEST_P(Filesystem, E16_AttributesOfFilesThatAreReadOnly) {
  const TemporaryDirectory library(GetParam(), "library");
  library.write("book", "text");
  workspace().write(".envrc", "export A=1");
  workspace().write("plan", "text");
  const fs::path files[] = {workspace().path() / ".envrc", workspace().path() / "plan", library.path() / "book",
                            kSystem};
  std::string before;
  for (const fs::path& file : files) {
    if (file != kSystem && setxattr(file.c_str(), "user.mark", "1", 1, 0) != 0) ADD_FAILURE() << file;
    before += attributes_of(file) + "\n";
  }
  for (const std::string& file : {std::string(".envrc"), std::string("plan"), library.text() + "/book",
                                  std::string(kSystem), std::string("/etc/passwd")}) {
    const Finished run = attack({"attributes", file}, {"--ro", library.text(), "--ro", "plan"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(lines_of(run.out).size(), 20U) << run.out;
    EXPECT_THAT(run.out, Not(HasSubstr("succeeded"))) << file;
  }
  std::string after;
  for (const fs::path& file : files) after += attributes_of(file) + "\n";
  EXPECT_EQ(after, before);
  EXPECT_EQ(library.read("book"), "text");
}

TEST_P(Filesystem, E17_OutsideNothingExistsAndErrorsTellNothing) {
  const std::string home = project_.home().text();
  struct Pair {
    std::string there;
    std::string not_there;
  };
  const Pair pairs[] = {
      {secret(), home + "/.ssh/id_none"},
      {home, home + "x"},
      {home + "/.ssh", home + "/.none"},
      {project_.pale_home().string(), project_.pale_home().string() + "x"},
      {workspace().text() + "/../" + project_.home().path().filename().string(), workspace().text() + "/../none"},
      {"/root", "/none"},
      {"/root/.bashrc", "/root/.none"},
      {"/etc/shadow", "/etc/none"},
      {"/var/lib/dpkg", "/var/lib/none"},
      {"/sys/kernel", "/sys/none"},
      {"/dev/kmsg", "/dev/none"},
      {"/boot", "/nowhere"}};
  for (const auto& [there, not_there] : pairs) {
    // Only the test's own files are worth the risk of trying to change them.
    const std::string way = there.starts_with(fs::temp_directory_path().string()) ? "probe-harder" : "probe";
    const Finished first = attack({way, there});
    const Finished second = attack({way, not_there});
    EXPECT_EQ(first.out, second.out) << there << " and " << not_there;
    EXPECT_THAT(first.out, HasSubstr("stat ENOENT")) << there;
    EXPECT_THAT(first.out, Not(HasSubstr("succeeded"))) << there;
  }
  EXPECT_EQ(project_.home().read(".ssh/id_test"), Project::kSecret);
}

TEST_P(Filesystem, E19_TheCallersDirectoryWidensNothing) {
  const std::string home = project_.home().text();
  plant("away", home);
  const std::string script = names() + "pwd; cat .ssh/id_test id_test $SECRET; ls $OUTSIDE && echo listed; exit 7";
  for (const std::string& directory :
       {home, home + "/.ssh", std::string("/"), workspace().text() + "/away", workspace().text() + "/away/.ssh"}) {
    Process process = on_host(pale_run({}, {"/bin/sh", "-c", script}));
    process.directory = directory;
    const Finished run = test::run(process);
    EXPECT_EQ(run.exit_code, 7) << directory << run.err;
    EXPECT_EQ(run.out, workspace().text() + "\n") << directory;
  }
  // A relative root is the caller's own choice; what it leads to is still all there is.
  Process process = on_host({pale_program(), "run", "--project-root", ".", "--", "/bin/sh", "-c", script});
  process.directory = workspace().text();
  EXPECT_EQ(test::run(process).out, workspace().text() + "\n");
}

INSTANTIATE_TEST_SUITE_P(, Filesystem, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
