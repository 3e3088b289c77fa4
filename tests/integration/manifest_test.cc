// What a manifest says, the kernel keeps: each key of .pale/project.toml, tried out inside.
#include "projects.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ManifestKeys : public WithProjects {
 protected:
  ManifestKeys() {
    work().write("src/main.c", "int x;\n");
    work().write("notes.txt", "notes\n");
  }
  static std::string interfaces() { return "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | sort | tr '\\n' ' '"; }
};

TEST_P(ManifestKeys, WithoutAWordTheProjectIsWritableAndOffline) {
  write_manifest("");
  const Finished run = script("echo new > src/new && cat notes.txt && " + interfaces());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "notes\nlo ");
  EXPECT_EQ(work().read("src/new"), "new\n");
}

TEST_P(ManifestKeys, TrustDiscoveryShowsNamesAndNoContents) {
  write_manifest("[agent]\ntrust = \"discovery\"\n");
  const std::string before = work().snapshot();
  const Finished run = script("ls src; cat src/main.c; echo x > src/new; echo x >> notes.txt; rm notes.txt; mkdir d");
  EXPECT_THAT(run.out, HasSubstr("main.c\n"));
  EXPECT_THAT(run.out, Not(HasSubstr("int x")));
  EXPECT_THAT(run.err, HasSubstr("src/main.c: Permission denied"));
  EXPECT_EQ(work().snapshot(), before);
}

TEST_P(ManifestKeys, TrustReadOnlyReadsAndWritesNothing) {
  write_manifest("[agent]\ntrust = \"read_only\"\n");
  const std::string before = work().snapshot();
  const Finished run =
      script("cat src/main.c; echo x > src/new; echo x >> notes.txt; rm notes.txt; chmod 777 notes.txt");
  EXPECT_EQ(run.out, "int x;\n");
  EXPECT_THAT(run.err, HasSubstr("Read-only file system"));
  EXPECT_EQ(work().snapshot(), before);
}

TEST_P(ManifestKeys, TrustWorkspaceAndShellWriteAndHaveNoNetwork) {
  for (const std::string level : {"workspace", "shell"}) {
    write_manifest("[agent]\ntrust = \"" + level + "\"\n");
    const Finished run = script("echo " + level + " > made-by-" + level + "; " + interfaces());
    EXPECT_EQ(run.out, "lo ") << run.err;
    EXPECT_EQ(work().read("made-by-" + level), level + "\n");
    EXPECT_THAT(script("true", {"--dry-run"}).out, HasSubstr("  " + level + ": "));
  }
}

TEST_P(ManifestKeys, TrustFullHasTheHostsNetworkOnceTheUserAllowsIt) {
  write_manifest("[agent]\ntrust = \"full\"\n");
  EXPECT_EQ(script("touch ran").exit_code, 3);
  ASSERT_EQ(pale({"config", "set", "trust", "full", "--project-root", root()}).exit_code, 0);
  const Finished inside = script("readlink /proc/self/ns/net");
  std::error_code none;
  EXPECT_EQ(inside.out, std::filesystem::read_symlink("/proc/self/ns/net", none).string() + "\n") << inside.err;
  EXPECT_FALSE(work().exists("ran"));
}

TEST_P(ManifestKeys, ProtectedPathsStayAsTheyAreOrStayMissing) {
  work().write("migrations/001.sql", "create\n");
  work().make_directory("deep/down");
  write_manifest("[agent]\nprotected = [\"migrations\", \"CODEOWNERS\", \"notes.txt\", \"deep/down/missing\"]\n");
  const std::string before = work().snapshot();
  const Finished run = script(
      "cat migrations/001.sql; echo x >> migrations/001.sql; rm -rf migrations; mv migrations m2; touch migrations/002;"
      "echo x > CODEOWNERS; mkdir CODEOWNERS; ln -s notes.txt CODEOWNERS; rm notes.txt; mkdir -p deep/down/missing;"
      "echo x > deep/down/missing; mv deep elsewhere");
  EXPECT_THAT(run.out, HasSubstr("create\n"));
  EXPECT_THAT(run.err, HasSubstr("Read-only file system"));
  EXPECT_EQ(work().snapshot(), before) << run.err;
}

TEST_P(ManifestKeys, ProtectionIsByWholeNames) {
  work().write(".git/HEAD", "ref: refs/heads/main\n");
  write_manifest("[agent]\nprotected = [\".git\", \"lib\"]\n");
  const Finished run = script(
      "echo a > .gitignore && mkdir .github && echo b > .github/ci.yml && echo c > library && mkdir sub && echo d > "
      "sub/lib;"
      "echo x > .git/HEAD; touch .git/new; mkdir lib");
  EXPECT_EQ(work().read(".gitignore"), "a\n") << run.err;
  EXPECT_EQ(work().read(".github/ci.yml"), "b\n");
  EXPECT_EQ(work().read("library"), "c\n");
  EXPECT_EQ(work().read("sub/lib"), "d\n");
  EXPECT_EQ(work().read(".git/HEAD"), "ref: refs/heads/main\n");
  EXPECT_FALSE(work().exists(".git/new"));
  EXPECT_FALSE(work().exists("lib"));
}

TEST_P(ManifestKeys, AGlobProtectsWhatItMatchesThereOrNot) {
  work().write("yarn.lock", "1\n");
  work().write("src/inner.lock", "2\n");
  write_manifest("[agent]\nprotected = [\"*.lock\", \"src/?.key\"]\n");
  const Finished run = script(
      "echo x > yarn.lock; echo x > cargo.lock; mv notes.txt some.lock; echo x > src/a.key;"
      "echo x > src/inner.lock; echo x > src/ab.key; echo x > lock");
  EXPECT_EQ(work().read("yarn.lock"), "1\n") << run.err;
  for (const std::string name : {"cargo.lock", "some.lock", "src/a.key"}) EXPECT_FALSE(work().exists(name)) << name;
  EXPECT_EQ(work().read("src/inner.lock"), "x\n");
  EXPECT_EQ(work().read("src/ab.key"), "x\n");
  EXPECT_EQ(work().read("lock"), "x\n");
}

TEST_P(ManifestKeys, StrictFoldersLeaveOnlyNamesOfTheRest) {
  work().write("lib/util.c", "util\n");
  work().write("secret/plan.txt", "plan\n");
  write_manifest("[workspace]\nfolders = [\"lib\", \"src\"]\nmode = \"strict\"\n");
  const Finished run = script(
      "ls; ls secret; cat lib/util.c; cat secret/plan.txt; echo x > secret/new; echo x > top; echo x > lib/new;"
      "echo x > src/new; cat notes.txt; cat library");
  EXPECT_THAT(run.out, AllOf(HasSubstr("secret\n"), HasSubstr("plan.txt\n"), HasSubstr("util\n"),
                             Not(HasSubstr("plan\n")), Not(HasSubstr("notes\n"))));
  EXPECT_THAT(run.err, HasSubstr("secret/plan.txt: Permission denied"));
  EXPECT_EQ(work().read("lib/new"), "x\n") << run.err;
  EXPECT_EQ(work().read("src/new"), "x\n");
  EXPECT_FALSE(work().exists("secret/new"));
  EXPECT_FALSE(work().exists("top"));
}

TEST_P(ManifestKeys, StrictFoldersKeepWhatIsProtectedInThem) {
  work().write("src/fixed", "fixed\n");
  write_manifest("[workspace]\nfolders = [\"src\"]\nmode = \"strict\"\n[agent]\nprotected = [\"src/fixed\"]\n");
  const Finished run = script("echo x > src/fixed; rm src/fixed; echo free > src/free; mkdir -p .git/hooks");
  EXPECT_EQ(work().read("src/fixed"), "fixed\n") << run.err;
  EXPECT_EQ(work().read("src/free"), "free\n");
  EXPECT_FALSE(work().exists(".git"));
}

TEST_P(ManifestKeys, PermissiveFoldersMakeNoDifference) {
  for (const std::string mode : {"", "mode = \"permissive\"\n"}) {
    write_manifest("[workspace]\nfolders = [\"src\"]\n" + mode);
    const Finished run = script("cat notes.txt && echo x > outside-of-it && rm outside-of-it && echo x > src/in");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(work().read("src/in"), "x\n");
  }
}

TEST_P(ManifestKeys, AFolderThatIsMissingOrALinkToElsewhereIsNotGranted) {
  const TemporaryDirectory elsewhere(GetParam(), "elsewhere");
  elsewhere.write("file", "theirs\n");
  write_manifest("[workspace]\nfolders = [\"gone\"]\nmode = \"strict\"\n");
  const Finished missing = script("true");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("gone"));
  std::filesystem::create_directory_symlink(elsewhere.path(), work().path() / "gone");
  const std::string before = elsewhere.snapshot();
  const Finished link = script("echo x > gone/file; echo x > " + elsewhere.text() + "/new");
  EXPECT_EQ(link.exit_code, 3) << link.out;
  EXPECT_EQ(elsewhere.snapshot(), before);
}

TEST_P(ManifestKeys, GitNoneReadAndCommit) {
  const auto git = [&](const std::string& line) {
    return run({.arguments = {"/bin/sh", "-c", "cd '" + root() + "' && git -c safe.directory='*' " + line},
                .account = GetParam(),
                .environment = project_.environment()});
  };
  ASSERT_EQ(
      git("init -q . && git -c safe.directory='*' -c user.name=t -c user.email=t@t commit -q --allow-empty -m first")
          .exit_code,
      0);
  const std::string try_out =
      "git -c user.name=a -c user.email=a@a log --oneline | wc -l; git add notes.txt; "
      "git -c user.name=a -c user.email=a@a commit -q -m second";
  const auto commits = [&] { return git("rev-list --count HEAD").out; };

  write_manifest("[workspace]\ngit = \"none\"\n");
  const Finished none = script("cat .git/HEAD; ls .git; " + try_out);
  EXPECT_THAT(none.out, Not(HasSubstr("ref:")));
  EXPECT_THAT(none.err, HasSubstr(".git/HEAD: Permission denied"));
  EXPECT_EQ(commits(), "1\n");

  write_manifest("[workspace]\ngit = \"read\"\n");
  const Finished read = script(try_out + "; touch .git/new; echo x > beside");
  EXPECT_EQ(read.out, "1\n") << read.err;
  EXPECT_EQ(commits(), "1\n");
  EXPECT_FALSE(work().exists(".git/new"));
  EXPECT_EQ(work().read("beside"), "x\n");

  write_manifest("[workspace]\ngit = \"commit\"\n");
  const Finished commit = script(try_out);
  EXPECT_EQ(commit.exit_code, 0) << commit.err;
  EXPECT_EQ(commits(), "2\n");
}

TEST_P(ManifestKeys, AReadOnlyZoneCannotBeChangedAndAWritableOneCan) {
  work().write("data/prices.csv", "1,2\n");
  write_manifest("[zones.data]\npath = \"./data\"\nmode = \"ro\"\n[zones.out]\npath = \"out\"\n");
  work().make_directory("out");
  const Finished run = script("cat data/prices.csv; echo x > data/prices.csv; rm data/prices.csv; echo x > out/result");
  EXPECT_EQ(run.out, "1,2\n");
  EXPECT_THAT(run.err, HasSubstr("Read-only file system"));
  EXPECT_EQ(work().read("data/prices.csv"), "1,2\n");
  EXPECT_EQ(work().read("out/result"), "x\n");
}

TEST_P(ManifestKeys, ZonesOfASandboxedProjectLieInItsSandbox) {
  work().write(".sandbox/data/in", "in\n");
  work().write("data/in", "beside\n");
  write_manifest("[sandbox]\nmode = \"sandboxed\"\n[zones.data]\nmode = \"ro\"\n");
  const Finished run = script("echo x > .sandbox/data/in; echo x > data/in");
  EXPECT_EQ(work().read(".sandbox/data/in"), "in\n") << run.err;
  EXPECT_EQ(work().read("data/in"), "x\n");
}

TEST_P(ManifestKeys, LimitsOfMemoryAndTime) {
  write_manifest("[limits]\nmemory = \"64M\"\n");
  EXPECT_NE(script("head -c 300M /dev/zero | tail -c 300M | wc -c").out, "314572800\n");
  EXPECT_EQ(script("head -c 300M /dev/zero | tail -c 300M | wc -c", {"--memory", "2G"}).out, "314572800\n");
  write_manifest("[limits]\ntime = \"1s\"\n");
  const Finished late = script("sleep 300");
  EXPECT_EQ(late.exit_code, 143);
  EXPECT_THAT(late.err, HasSubstr("time limit"));
}

TEST_P(ManifestKeys, LimitsOfProcesses) {
  write_manifest("[limits]\npids = 20\n");
  const Finished run = script("for i in 1 2 3 4 5 6 7 8 9 10; do sleep 100 & sleep 100 & sleep 100 & done; echo all");
  EXPECT_THAT(run.out, Not(HasSubstr("all"))) << run.err;
  EXPECT_THAT(script("for i in 1 2 3 4 5; do sleep 100 & done; echo all").out, HasSubstr("all"));
}

TEST_P(ManifestKeys, NetworkNoneIsLoopbackEvenWhereTheUserGrantsMore) {
  write_manifest("[network]\nmode = \"none\"\n");
  ASSERT_EQ(pale({"config", "set", "network", "open", "--project-root", root()}).exit_code, 0);
  EXPECT_EQ(script(interfaces()).out, "lo ");
}

TEST_P(ManifestKeys, AnAgentInsideCannotChangeItsManifestNorItsDirectory) {
  write_manifest("[agent]\ntrust = \"workspace\"\n");
  const std::string before = work().snapshot();
  const Finished run = script(
      "echo '[network]' >> .pale/project.toml; rm -rf .pale; mv .pale old; touch .pale/new; chmod -R 777 .pale;"
      "ln -s notes.txt .pale/link; cp notes.txt .pale/project.toml; mkdir n; mv n .pale; rmdir n");
  EXPECT_THAT(run.err, HasSubstr("Read-only file system"));
  EXPECT_EQ(work().snapshot(), before);
}

TEST_P(ManifestKeys, AProjectWithoutAManifestCannotBeGivenOneFromInside) {
  const Finished run =
      script("mkdir .pale; echo x > .pale/project.toml; mkdir p; echo > p/project.toml; mv p .pale; ln -s src .pale",
             {"--project-root", root()});
  EXPECT_THAT(run.err, HasSubstr("Read-only file system"));
  EXPECT_FALSE(work().exists(".pale"));
}

TEST_P(ManifestKeys, StagedWorkLeavesTheProjectAsItIs) {
  for (const std::string type : {"staged", "sandboxed"}) {
    write_manifest("[workspace]\ntype = \"" + type + "\"\n");
    const std::string before = work().snapshot();
    const Finished run = script("echo x > through");
    EXPECT_EQ(run.exit_code, 0) << type << run.err;
    EXPECT_THAT(run.err, HasSubstr("the changes are in stage work"));
    EXPECT_EQ(work().snapshot(), before);
  }
}

INSTANTIATE_TEST_SUITE_P(, ManifestKeys, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
