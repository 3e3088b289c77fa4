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
         std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec) + " " + std::to_string(info.st_ctim.tv_nsec) + " " +
         std::to_string(info.st_nlink) + " " + std::string(names.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
}

class Filesystem : public Escape {
 protected:
  std::string secret() const { return project_.home().text() + "/.ssh/id_test"; }
  void plant(const std::string& link, const std::string& target) const { fs::create_symlink(target, workspace().path() / link); }
};

TEST_P(Filesystem, E11_ASymlinkToTheOutsideLeadsNowhere) {
  plant("key", secret());
  plant("ssh", project_.home().text() + "/.ssh");
  plant("up", "../../../../../../../.." + project_.home().text());
  const std::string before = project_.home().snapshot();
  const Finished run = project_.run_script(
      "cat key ssh/id_test up/.ssh/id_test; cp key copy; echo hacked > key; echo hacked >> ssh/id_test; echo hacked > ssh/authorized_keys;"
      "ln -s " + secret() + " own; cat own; echo hacked > own; tar cf - --dereference key ssh up | grep -c secret; exit 7");
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
    for (const std::string& path : {std::string("build"), std::string("home/.ssh"), workspace().text() + "/build", project_.home().text() + "/alias/build"}) {
      const Finished run = project_.run_script("cat " + secret() + " build/id_test; echo hacked > " + secret(), {flag, path});
      EXPECT_EQ(run.exit_code, 3) << flag << " " << path;
      EXPECT_THAT(run.err, HasSubstr("link")) << flag << " " << path;
      EXPECT_THAT(run.out, Not(HasSubstr(Project::kSecret)));
    }
  }
  EXPECT_EQ(project_.home().snapshot(), before);
}

TEST_P(Filesystem, E13_SetUpMakesNothingThroughPlantedLinks) {
  // In an earlier run: everything that Pale may make or mount later.
  const std::string outside = project_.home().text();
  const Finished earlier = project_.run_script("for n in tmp .cache .config .pale run; do rm -rf $HOME/$n; ln -s " + outside + "/$n $HOME/$n; done; ln -s " + outside + " out");
  EXPECT_EQ(earlier.exit_code, 0) << earlier.err;
  const std::string before = project_.home().snapshot();
  project_.run_script("echo x > $HOME/tmp/x; mkdir -p $HOME/.cache/x; echo x > out/x");
  project_.run_script("echo x > $TMPDIR/x", {"--backend", "landlock", "--unsafe-weak-protection"});
  for (const std::string flag : {"--hide", "--protect"}) {
    const Finished run = project_.run_script("echo started > marker", {flag, "out/.ssh"});
    EXPECT_EQ(run.exit_code, 3) << flag << run.err;
    EXPECT_FALSE(workspace().exists("marker"));
  }
  EXPECT_EQ(project_.home().snapshot(), before);
}

TEST_P(Filesystem, E14_WhatMasksAHiddenFileCannotBeSwapped) {
  workspace().write(".env", "TOKEN=abc");
  workspace().write("dark/key", "abc");
  const Finished run = project_.run_script(
      "for m in /run/pale/*; do rm -rf $m; mv $m /tmp/; ln -sf $PWD/attack $m; echo x > $m; chmod 777 $m; done;"
      "cat .env dark/key; chmod 777 .env dark; cat .env dark/key; rm -rf .env dark; mv .env x; exit 7", {"--hide", ".env", "--hide", "dark"});
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.out, Not(HasSubstr("abc")));
  EXPECT_EQ(workspace().read(".env"), "TOKEN=abc");
  EXPECT_EQ(workspace().read("dark/key"), "abc");
  plant("swapped", secret());
  const Finished next = project_.run_script("cat swapped", {"--hide", "swapped"});
  EXPECT_EQ(next.exit_code, 3) << next.err;
  EXPECT_THAT(next.out, Not(HasSubstr(Project::kSecret)));
}

TEST_P(Filesystem, E15_AHardLinkToTheOutsideFails) {
  const TemporaryDirectory library(GetParam(), "library");
  library.write("book", "text");
  const Finished run = project_.run_script(
      "ln " + library.text() + "/book book; ln /usr/bin/env env; ln " + secret() + " key; ln -L /proc/self/exe exe; ln /etc/passwd passwd;"
      "./attack replace " + library.text() + "/book; exit 7", {"--ro", library.text()});
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.out, Not(HasSubstr("succeeded")));
  for (const char* name : {"book", "env", "key", "exe", "passwd", "alias"}) EXPECT_FALSE(workspace().exists(name)) << name;
  EXPECT_EQ(library.read("book"), "text");
  EXPECT_EQ(fs::hard_link_count(library.path() / "book"), 1U);
}

TEST_P(Filesystem, E16_AttributesOfFilesThatAreReadOnly) {
  const TemporaryDirectory library(GetParam(), "library");
  library.write("book", "text");
  workspace().write(".envrc", "export A=1");
  workspace().write("plan", "text");
  const fs::path files[] = {workspace().path() / ".envrc", workspace().path() / "plan", library.path() / "book", "/usr/bin/env"};
  std::string before;
  for (const fs::path& file : files) {
    if (file != "/usr/bin/env" && setxattr(file.c_str(), "user.mark", "1", 1, 0) != 0) ADD_FAILURE() << file;
    before += attributes_of(file) + "\n";
  }
  for (const std::string& file : {std::string(".envrc"), std::string("plan"), library.text() + "/book", std::string("/usr/bin/env"), std::string("/etc/passwd")}) {
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
  const Pair pairs[] = {{secret(), home + "/.ssh/id_none"}, {home, home + "x"}, {home + "/.ssh", home + "/.none"},
                        {"/root", "/none"}, {"/root/.bashrc", "/root/.none"}, {"/etc/shadow", "/etc/none"},
                        {"/var/lib/dpkg", "/var/lib/none"}, {"/sys/kernel", "/sys/none"}, {project_.pale_home().string(), project_.pale_home().string() + "x"},
                        {"/dev/kmsg", "/dev/none"}, {"/boot", "/nowhere"}, {workspace().text() + "/../" + project_.home().path().filename().string(), workspace().text() + "/../none"}};
  for (const auto& [there, not_there] : pairs) {
    const Finished first = attack({"probe", there});
    const Finished second = attack({"probe", not_there});
    EXPECT_EQ(first.out, second.out) << there << " and " << not_there;
    EXPECT_THAT(first.out, HasSubstr("stat ENOENT")) << there;
    EXPECT_THAT(first.out, Not(HasSubstr("succeeded"))) << there;
  }
  EXPECT_EQ(project_.home().read(".ssh/id_test"), Project::kSecret);
}

TEST_P(Filesystem, E19_TheCallersDirectoryWidensNothing) {
  const std::string home = project_.home().text();
  plant("away", home);
  const std::string script = "pwd; cat .ssh/id_test id_test " + secret() + " 2>/dev/null; ls " + home + " && echo listed; exit 7";
  for (const std::string& directory : {home, home + "/.ssh", std::string("/"), workspace().text() + "/away", workspace().text() + "/away/.ssh"}) {
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
