// ESCAPES 1–10: protected paths inside a writable workspace.
#include "escape/escape.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ProtectedPaths : public Escape {
 protected:
  void make_repository() const {
    host_git({"init", "-q"});
    workspace().write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
    workspace().write("file", "content\n");
    host_git({"add", "file"});
    host_git({"commit", "-q", "--no-verify", "-m", "first"});
  }

  // Everything below `name`, as it is on the host.
  std::string kept(const std::string& name) const {
    std::string lines;
    for (const std::string& line : lines_of(workspace().snapshot())) {
      if (line.starts_with(name)) lines += line + "\n";
    }
    return lines;
  }
};

TEST_P(ProtectedPaths, E01_CreateAProtectedFileThatDoesNotExistYet) {
  const std::string before = workspace().snapshot();
  const Finished run =
      shell("echo hacked > .mcp.json; echo hacked >> .envrc; mkdir .vscode .idea .codex .pale; exit 7");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.err, HasSubstr("Read-only file system"));
  EXPECT_EQ(workspace().snapshot(), before);
}

TEST_P(ProtectedPaths, E01_ANameThatMatchesAPatternBesideOneThatExists) {
  workspace().write(".claude/settings.json", "{}");
  const std::string before = workspace().snapshot();
  const Finished run = shell("echo hacked > .claude/settings.local.json; echo hacked > .claude/settings.json; exit 7");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(workspace().snapshot(), before);
}

TEST_P(ProtectedPaths, E02_GitInitWhereGitIsMissing) {
  workspace().make_directory("sub");
  const Finished run = shell("cd sub; git rev-parse --show-toplevel; echo \"found $?\"; cd ..; git init; exit 7");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.out, HasSubstr("found 128")) << "as on the host: not a repository";
  for (const char* name : {".git/config", ".git/hooks", ".git/config.worktree", ".git/commondir"})
    EXPECT_FALSE(workspace().exists(name)) << name;
}

TEST_P(ProtectedPaths, E02_DiscoveryFromASubfolderStillWorks) {
  make_repository();
  workspace().make_directory("sub/deep");
  const Finished run = shell("cd sub/deep && git rev-parse --show-toplevel && git status --short && git log --oneline");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(workspace().text() + "\n"));
  EXPECT_THAT(run.out, HasSubstr("first"));
}

TEST_P(ProtectedPaths, E03_MakeAProtectedFolderAndAFileInIt) {
  const std::string before = workspace().snapshot();
  const Finished run = shell("mkdir secrets && echo x > secrets/x; mkdir -p deep/er/secrets; exit 7",
                             {"--protect", "secrets", "--protect", "deep/er/secrets"});
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_FALSE(workspace().exists("secrets"));
  EXPECT_FALSE(workspace().exists("deep/er/secrets"));
}

TEST_P(ProtectedPaths, E04_RenameAnAncestor) {
  make_repository();
  const std::string before = kept(".git");
  const Finished run =
      shell("mv .git x; mkdir -p .git/hooks; echo hacked > .git/hooks/pre-commit; rm -rf .git/hooks; exit 7");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(kept(".git"), before);
  EXPECT_FALSE(workspace().exists("x"));
}

TEST_P(ProtectedPaths, E05_RenameLinkOrExchangeOntoAHook) {
  make_repository();
  const std::string before = kept(".git");
  for (const char* name : {".git/hooks/pre-commit", ".git/config"}) {
    const Finished run = attack({"replace", name});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, Not(HasSubstr("succeeded"))) << name;
    EXPECT_EQ(lines_of(run.out).size(), 19U) << run.out;
  }
  for (const char* name : {".git/hooks", ".git"}) {
    const Finished run = attack({"replace-folder", name});
    EXPECT_THAT(run.out, Not(HasSubstr("succeeded"))) << name;
    EXPECT_EQ(lines_of(run.out).size(), 5U) << run.out;
  }
  EXPECT_EQ(kept(".git"), before);
  EXPECT_FALSE(workspace().exists("alias"));
  EXPECT_FALSE(workspace().exists("away"));
}

TEST_P(ProtectedPaths, E06_HooksPathInTheWorkspace) {
  make_repository();
  host_git({"config", "core.hooksPath", "tools/hooks"});
  workspace().write("tools/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
  const std::string before = kept("tools");
  const Finished run =
      shell("echo hacked > tools/hooks/pre-commit; echo hacked > tools/hooks/post-commit; mv tools x; exit 7");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(kept("tools"), before);
}

TEST_P(ProtectedPaths, E06_HooksPathThatIsMadeLater) {
  make_repository();
  host_git({"config", "core.hooksPath", ".husky/_"});
  const Finished run = shell(R"(
    mkdir -p .husky/_; echo hacked > .husky/_/pre-commit
    mkdir evil; ln -s ../evil .husky/_
    rm -rf .husky; ln -s evil .husky
    exit 7)");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_FALSE(workspace().exists(".husky/_"));
  EXPECT_FALSE(std::filesystem::is_symlink(workspace().path() / ".husky"));
}

TEST_P(ProtectedPaths, E06_HooksPathOfLinkedWorktreesAndSubmodules) {
  make_repository();
  const TemporaryDirectory beside(GetParam(), "beside");
  const std::string tree = beside.text() + "/tree";
  const std::string root = workspace().text();
  host_git({"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", root, "sub"});
  host_git({"config", "core.hooksPath", ".husky/_"});
  host_git({"-C", root + "/sub", "config", "core.hooksPath", ".husky/_"});
  host_git({"worktree", "add", "-q", root + "/inner"});
  host_git({"worktree", "add", "-q", tree});
  const std::string plant = "mkdir -p .husky/_; echo hacked > .husky/_/pre-commit; ";
  const Finished run = shell("for d in . sub inner; do (cd $d; " + plant + "); done; exit 7");
  EXPECT_EQ(run.exit_code, 7) << run.err;
  for (const char* name : {".husky/_", "sub/.husky/_", "inner/.husky/_"})
    EXPECT_FALSE(workspace().exists(name)) << name;
  const Finished other = project_.pale({"run", "--project-root", tree, "--", "/bin/sh", "-c", plant + "exit 7"});
  EXPECT_EQ(other.exit_code, 7) << other.err;
  EXPECT_FALSE(beside.exists("tree/.husky/_"));
}

TEST_P(ProtectedPaths, E06_HooksPathAsGitReadsIt) {
  make_repository();
  const TemporaryDirectory settings(GetParam(), "settings");
  settings.write("git/config", "[core]\n\thooksPath = of-user\n");
  workspace().write("tools/gitconfig", "\xEF\xBB\xBF[core]\n\thooksPath = of-\\\nincluded\n");
  host_git({"config", "include.path", "../tools/gitconfig"});
  host_git({"config", "core.hooksPath", "."});
  const std::string script = R"(
    for d in of-user of-included .; do mkdir -p $d; echo hacked > $d/pre-commit; done; ln -s attack post-checkout
    exit 7)";
  const Finished run = project_.pale({"run", "--project-root", workspace().text(), "--", "/bin/sh", "-c", script},
                                     {"XDG_CONFIG_HOME=" + settings.text()});
  EXPECT_EQ(run.exit_code, 7) << run.err;
  for (const char* name : {"of-user", "of-included", "pre-commit", "post-checkout"})
    EXPECT_FALSE(workspace().exists(name)) << name;
}

TEST_P(ProtectedPaths, E07_ProgramsInTheConfiguration) {
  make_repository();
  const std::string before = kept(".git/config");
  const Finished run = shell(R"(
    for key in core.fsmonitor filter.x.clean core.sshCommand; do
      git config $key 'touch pwned'; git config --worktree $key 'touch pwned'
    done
    for file in config config.worktree; do printf '[core]\nfsmonitor = touch pwned\n' >> .git/$file; done
    echo ../evil > .git/commondir
    exit 7)");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(kept(".git/config"), before);
  EXPECT_FALSE(workspace().exists(".git/commondir"));
  host_git({"status", "--short"});
  EXPECT_FALSE(workspace().exists("pwned"));
}

TEST_P(ProtectedPaths, E07_AConfigurationThatTheConfigurationIncludes) {
  make_repository();
  workspace().write("tools/gitconfig", "[alias]\n\ts = status\n");
  host_git({"config", "include.path", "../tools/gitconfig"});
  const Finished run = shell(R"(
    printf '[core]\nfsmonitor = touch pwned\n' >> tools/gitconfig
    mv tools x
    exit 7)");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(workspace().read("tools/gitconfig"), "[alias]\n\ts = status\n");
  host_git({"status", "--short"});
  EXPECT_FALSE(workspace().exists("pwned"));
}

TEST_P(ProtectedPaths, E08_HooksOfNestedRepositories) {
  make_repository();
  const std::string root = workspace().text();
  host_git({"init", "-q", root + "/a/b/nested"});
  host_git({"init", "-q", "--bare", root + "/bare.git"});
  host_git({"init", "-q", "--bare", root + "/.git/modules/deep/sub"});
  workspace().write("sub/.git", "gitdir: ../.git/modules/deep/sub\n");
  const auto guarded = [this] {
    return kept("a/b/nested/.git") + kept("bare.git") + kept(".git/modules") + workspace().read("sub/.git");
  };
  const std::string before = guarded();
  const Finished run = shell(R"(
    for r in a/b/nested/.git bare.git .git/modules/deep/sub; do
      echo hacked > $r/hooks/pre-commit; echo hacked >> $r/config; echo hacked > $r/commondir
      mv $r $r.old; mv $r/hooks $r/x; rm -rf $r/hooks
    done
    mv a x; mv a/b x
    echo 'gitdir: /evil' > sub/.git; rm -f sub/.git; mv sub y
    exit 7)");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(guarded(), before);
}

TEST_P(ProtectedPaths, E08_ARepositoryThatIsNoneForOneRun) {
  make_repository();
  const std::string root = workspace().text();
  host_git({"init", "-q", root + "/nested"});
  host_git({"init", "-q", "--bare", root + "/bare.git"});
  host_git({"init", "-q", "--bare", root + "/.git/modules/sub"});
  host_git({"worktree", "add", "-q", root + "/tree"});
  workspace().write("sub/.git", "gitdir: ../.git/modules/sub\n");
  const auto guarded = [this] {
    std::string all = kept(".git/config") + kept(".git/hooks") + workspace().read("sub/.git");
    for (const std::string name : {"nested/.git", "bare.git", ".git/modules/sub", ".git/worktrees/tree"})
      for (const char* part : {"/config", "/hooks", "/commondir"}) all += kept(name + part);
    return all;
  };
  const std::string before = guarded();
  const std::string each = "for r in .git nested/.git bare.git .git/modules/sub .git/worktrees/tree; do ";
  EXPECT_EQ(shell(each + "mkdir $r/away; mv $r/HEAD $r/objects $r/refs $r/away; done; exit 7").exit_code, 7);
  EXPECT_FALSE(workspace().exists("nested/.git/HEAD"));
  const Finished run = shell(each + R"(
      mv $r/away/* $r; echo hacked > $r/commondir; echo hacked > $r/hooks/pre-commit
      printf '[core]\n\tfsmonitor = "touch pwned; false"\n' >> $r/config
    done; exit 7)");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(guarded(), before);
}

TEST_P(ProtectedPaths, E08_ARepositoryThatCannotBeLookedIntoForOneRun) {
  make_repository();
  for (const char* mode : {"311", "644", "000"}) {
    for (const std::string closed : {"a/nested/.git", "b/nested", "c"}) {
      const std::string git = closed.substr(0, 1) + "/nested/.git";
      host_git({"init", "-q", workspace().text() + "/" + git.substr(0, git.rfind('/'))});
      const std::string before = kept(git + "/config") + kept(git + "/hooks");
      shell("chmod " + std::string(mode) + " " + closed);  // That Pale cannot look once more may be said in the end.
      const Finished run = shell("chmod 755 " + closed + "; echo hacked > " + git +
                                 "/hooks/pre-commit; echo hacked >> " + git + "/config; mv " + closed + " x; exit 7");
      EXPECT_EQ(run.exit_code, 7) << closed << " " << mode << ": " << run.err;
      std::filesystem::permissions(workspace().path() / closed, std::filesystem::perms(0755));
      EXPECT_EQ(kept(git + "/config") + kept(git + "/hooks"), before) << closed << " " << mode;
      EXPECT_FALSE(workspace().exists("x"));
    }
  }
}

TEST_P(ProtectedPaths, E08_AGrantThatCannotBeLookedIntoIsRefused) {
  const TemporaryDirectory library(GetParam(), "library");
  std::filesystem::permissions(library.path(), std::filesystem::perms(0311));
  const Finished run = shell("exit 7", {"--rw", library.text()});
  std::filesystem::permissions(library.path(), std::filesystem::perms(0755));
  if (GetParam() == Account::Root) return;  // It looks into everything.
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("hint: chmod u+rx " + library.text()));
}

TEST_P(ProtectedPaths, E08_AConfigurationThatIncludesItselfTenTimesOver) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += "[include]\npath=config\n";
  workspace().write("planted/.git/config", text);
  EXPECT_EQ(shell("exit 7").exit_code, 7);
  // By names that are all different.
  workspace().write("planted/.git/config", "[include]\npath=x/config\n[include]\npath=y/config\n");
  for (const char* link : {"x", "y"})
    std::filesystem::create_directory_symlink(".", workspace().path() / "planted/.git" / link);
  const Finished run = shell("exit 7");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr(workspace().text() + "/planted/.git/"));
  EXPECT_THAT(run.err, HasSubstr("hint: "));
}

TEST_P(ProtectedPaths, E09_APointerToAWorktreeIsNeitherRewrittenNorFollowed) {
  make_repository();
  host_git({"worktree", "add", "-q", workspace().text() + "/tree"});
  const std::string pointer = workspace().read("tree/.git");
  const Finished run = shell(R"(
    echo 'gitdir: /evil' > tree/.git; rm -f tree/.git; mv tree x
    echo hacked > .git/worktrees/tree/commondir
    exit 7)");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(workspace().read("tree/.git"), pointer);
  EXPECT_EQ(workspace().read(".git/worktrees/tree/commondir"), "../..\n");
  // Planted in an earlier run, it must not show what it points at.
  workspace().write("planted/.git", "gitdir: " + project_.home().text() + "/.ssh\n");
  const Finished next = shell("cat $SECRET; ls $OUTSIDE");
  EXPECT_NE(next.exit_code, 0);
  EXPECT_THAT(next.out, Not(HasSubstr(Project::kSecret)));
}

TEST_P(ProtectedPaths, E10_AProtectedPathThatIsOrCrossesASymlink) {
  workspace().write("real/settings.json", "{}");
  workspace().write("real/hooks/x", "x");
  workspace().make_directory("nested");
  struct Planted {
    const char* link;
    const char* target;
  };
  for (const auto& [link, target] : {Planted{".envrc", "real/settings.json"},
                                     {".vscode", "real"},
                                     {".claude", "real"},
                                     {".git", "real"},
                                     {"nested/.git", "../real"},
                                     {".mcp.json", "/nowhere"}}) {
    std::filesystem::create_symlink(target, workspace().path() / link);
    const std::string before = workspace().snapshot();
    const Finished run = shell("echo started > marker");
    EXPECT_EQ(run.exit_code, 3) << link;
    EXPECT_THAT(run.err, HasSubstr("symbolic link")) << link;
    EXPECT_THAT(run.err, HasSubstr(workspace().text() + "/" + link));
    EXPECT_THAT(run.err, HasSubstr("hint: "));
    EXPECT_EQ(workspace().snapshot(), before);
    std::filesystem::remove(workspace().path() / link);
  }
}

INSTANTIATE_TEST_SUITE_P(, ProtectedPaths, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
