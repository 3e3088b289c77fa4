// --workspace: of a repository only some folders, held by the kernel; who decides which; git; the files of a story.
#include "projects.h"

namespace pale::test {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Words kStrict = {"--workspace", "lib,packages/api", "--workspace-mode", "strict"};

class Folders : public WithProjects {
 protected:
  Folders() {
    work().write("lib/a.ts", "a\n");
    work().write("library/b.ts", "contents of b\n");
    work().write("packages/api/x.ts", "x\n");
    work().write("packages/web/y.ts", "contents of y\n");
    work().write("top.txt", "contents of top\n");
    write_manifest("");
  }
  Finished with_environment(const Words& environment, const std::string& line, const Words& flags = {}) const {
    return pale_in(root(), Words{"run"} + flags + Words{"--", "/bin/sh", "-c", line}, environment);
  }
  // What `pale config list` says of one key, and why.
  std::string origin_of(const std::string& key, const Words& environment = {}) const {
    const Finished listed = pale({"config", "list", "--json", "--project-root", root()}, environment);
    const auto whole = nlohmann::json::parse(listed.out);
    for (const auto& line : whole.at("settings")) {
      if (line.at("key") == key)
        return line.at("value").get<std::string>() + " " + line.at("origin").get<std::string>();
    }
    return listed.err;
  }
  std::string make_directory(const std::string& name) const {
    work().make_directory(name);
    return root() + "/" + name;
  }
  Finished git(const std::string& line) const {
    return run({.arguments = {"/bin/sh", "-c",
                              "cd '" + root() +
                                  "' && git() { command git -c safe.directory='*' -c user.name=t -c "
                                  "user.email=t@t \"$@\"; }; " +
                                  line},
                .account = GetParam(),
                .environment = project_.environment()});
  }
};

TEST_P(Folders, StrictLeavesNamesAndRefusesTheRest) {
  const std::string before = work().snapshot();
  const Finished run = script(
      "ls . packages packages/web; cat lib/a.ts packages/api/x.ts;"
      "cat top.txt; cat library/b.ts; cat packages/web/y.ts;"
      "echo h > top.txt; echo h >> library/b.ts; echo h > packages/web/y.ts; echo h > new; echo h > packages/new;"
      "mkdir packages/web/d; rm top.txt; rm -r packages/web; mv library/b.ts lib/stolen; ln top.txt lib/hard;"
      "mv packages moved; mv lib library/lib; chmod 777 top.txt; touch -d 2001-01-01 top.txt; truncate -s 0 "
      "library/b.ts",
      kStrict);
  EXPECT_THAT(run.out, AllOf(HasSubstr("library\n"), HasSubstr("top.txt\n"), HasSubstr("web\n"), HasSubstr("y.ts\n"),
                             HasSubstr("a\nx\n"), Not(HasSubstr("contents of"))));
  for (const char* said : {"cat: top.txt: Permission denied", "cat: packages/web/y.ts: Permission denied",
                           "cannot create top.txt: Permission denied", "cannot create new: Permission denied",
                           "cannot create packages/new: Permission denied", "packages/web/d’: Permission denied",
                           "cannot remove 'top.txt': Permission denied"})
    EXPECT_THAT(run.err, HasSubstr(said));
  EXPECT_EQ(work().snapshot(), before);
}

TEST_P(Folders, StrictFoldersThemselvesAreFree) {
  const Finished run = script(
      "echo new > lib/new && mkdir -p packages/api/deep/er && mv lib/a.ts packages/api/deep/er/ && rm "
      "packages/api/x.ts",
      kStrict);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(work().read("lib/new"), "new\n");
  EXPECT_EQ(work().read("packages/api/deep/er/a.ts"), "a\n");
  EXPECT_FALSE(work().exists("packages/api/x.ts"));
}

TEST_P(Folders, PermissiveMakesNoDifferenceToTheKernel) {
  const Finished run = script("cat top.txt && echo h > new", {"--workspace", "lib"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(work().read("new"), "h\n");
}

TEST_P(Folders, ExplainSaysTheSame) {
  const Finished explained = pale(Words{"explain", "--project-root", root()} + kStrict + Words{root() + "/top.txt"});
  EXPECT_THAT(explained.out, AllOf(HasSubstr("names only"), HasSubstr("--workspace-mode")));
}

TEST_P(Folders, WhatIsNoFolderOfTheProjectIsRefused) {
  fs::create_directory_symlink("/etc", work().path() / "link");
  fs::create_directory_symlink(".", work().path() / "all");
  for (const std::string mode : {"strict", "permissive"}) {
    for (const std::string& list : {std::string("missing"), std::string("lib,missing"), std::string("top.txt"),
                                    std::string("."), std::string("all"), std::string("lib/.."), std::string("link"),
                                    std::string("/etc"), root() + "-evil", std::string(","), std::string("../x")}) {
      const Finished refused = script("touch lib/ran", {"--workspace", list, "--workspace-mode", mode});
      EXPECT_TRUE(refused.exit_code == 2 || refused.exit_code == 3) << list << refused.err;
      EXPECT_THAT(refused.err, HasSubstr("hint: ")) << list;
    }
  }
  EXPECT_EQ(script("touch lib/ran", {"--workspace", "lib", "--workspace-mode", "bogus"}).exit_code, 2);
  const Finished nothing = script("touch lib/ran", {"--workspace-mode", "strict"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("--workspace src"));
  EXPECT_FALSE(work().exists("lib/ran"));
}

TEST_P(Folders, VariablesAreTheUsersToo) {
  const std::string read = "cat lib/a.ts top.txt";
  const Words strict = {"WORKSPACE_FOLDERS=lib, packages/api", "WORKSPACE_MODE=strict"};
  EXPECT_EQ(with_environment(strict, read).out, "a\n");
  EXPECT_EQ(with_environment(strict + Words{"WORKSPACE_ENABLED=true"}, read).out, "a\n");
  EXPECT_EQ(with_environment(strict + Words{"WORKSPACE_ENABLED=false"}, read).out, "a\ncontents of top\n");
  EXPECT_EQ(with_environment(strict, read, {"--workspace-mode", "permissive"}).out, "a\ncontents of top\n");
  EXPECT_EQ(with_environment({"WORKSPACE_MODE=strict"}, read).out, "a\ncontents of top\n");
  for (const char* bogus : {"WORKSPACE_MODE=bogus", "WORKSPACE_FOLDERS=,", "WORKSPACE_ENABLED=perhaps"})
    EXPECT_EQ(with_environment({bogus}, "true").exit_code, 2) << bogus;
}

TEST_P(Folders, AFlagCountsBeforeAVariableAndThatBeforeTheManifest) {
  write_manifest(
      "[workspace]\nfolders = [\"library\", \"packages\"]\nmode = \"strict\"\n[presets.api]\nfolders = "
      "[\"packages/api\"]\n");
  const std::string read = "cat lib/a.ts; cat library/b.ts; cat packages/api/x.ts";
  EXPECT_EQ(script(read).out, "contents of b\nx\n");
  EXPECT_EQ(script(read, {"--preset", "api"}).out, "x\n");
  EXPECT_EQ(with_environment({"WORKSPACE_FOLDERS=lib"}, read).out, "a\n");
  EXPECT_EQ(with_environment({"WORKSPACE_FOLDERS=lib"}, read, {"--workspace", "packages/api"}).out, "x\n");
  EXPECT_EQ(with_environment({"WORKSPACE_ENABLED=false"}, read).out, "a\ncontents of b\nx\n");
  EXPECT_EQ(origin_of("workspace"), "library,packages .pale/project.toml:2");
  EXPECT_EQ(origin_of("mode"), "strict .pale/project.toml:3");
  EXPECT_EQ(origin_of("workspace", {"WORKSPACE_FOLDERS=lib"}), "lib WORKSPACE_FOLDERS");
  EXPECT_EQ(origin_of("mode", {"WORKSPACE_MODE=permissive"}), "permissive WORKSPACE_MODE");
}

TEST_P(Folders, StrictInAStageChangesNothingOutsideEither) {
  const std::string before = work().snapshot();
  const Finished run =
      script("cat top.txt; echo h > top.txt; echo s > lib/staged; rm -r packages/web", kStrict + Words{"--stage"});
  EXPECT_THAT(run.out, Not(HasSubstr("contents of")));
  EXPECT_THAT(run.err, HasSubstr("the changes are in stage"));
  EXPECT_EQ(work().snapshot(), before);
  const Finished shown = pale({"stage", "show", "--project-root", root()});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("lib/staged"), Not(HasSubstr("top.txt")), Not(HasSubstr("packages/web"))));
}

// --- git --------------------------------------------------------------------------------------------------------------

TEST_P(Folders, GitInStrictModeIsAsTheManifestSays) {
  ASSERT_EQ(git("git init -q . && git add -A && git commit -q -m first").exit_code, 0);
  const std::string look = "git -c safe.directory='*' show HEAD:top.txt";
  const std::string commit =
      "echo more >> lib/a.ts && git -c safe.directory='*' add lib/a.ts && git -c safe.directory='*' -c user.name=a -c "
      "user.email=a@a commit -q -m second; touch .git/hooks/pre-commit; echo '[x]' >> .git/config";
  const auto commits = [&] { return git("git rev-list --count HEAD").out; };

  EXPECT_THAT(script(look, kStrict).out, Not(HasSubstr("contents of top")));
  write_manifest("[workspace]\ngit = \"none\"\n");
  EXPECT_THAT(script(look, kStrict).out, Not(HasSubstr("contents of top")));
  write_manifest("[workspace]\ngit = \"read\"\n");
  EXPECT_EQ(script(look, kStrict).out, "contents of top\n");
  script(commit, kStrict);
  EXPECT_EQ(commits(), "1\n");
  write_manifest("[workspace]\ngit = \"commit\"\n");
  const Finished committed = script(commit, kStrict);
  EXPECT_EQ(commits(), "2\n") << committed.err;
  EXPECT_FALSE(work().exists(".git/hooks/pre-commit"));
  EXPECT_THAT(work().read(".git/config"), Not(HasSubstr("[x]")));
}

// --- the files of a story ---------------------------------------------------------------------------------------------

TEST_P(Folders, AStoryWritesOnlyWhereItsFilesCanLie) {
  const std::string before = work().snapshot();
  const std::string line =
      "cat top.txt; echo s > packages/api/new.ts; echo h > packages/new; echo h > lib/new; echo h > top.txt; rm -r "
      "library";
  const Finished run = script(line, {"--file-scope", "packages/api/**/*.ts"});
  EXPECT_EQ(run.out, "contents of top\n") << run.err;
  EXPECT_EQ(work().read("packages/api/new.ts"), "s\n");
  fs::remove(work().path() / "packages/api/new.ts");
  EXPECT_EQ(work().snapshot(), before);
}

// The kernel knows directories; what is finer is seen when the run has ended.
TEST_P(Folders, FilesThatNoPatternMatchesAreToldAndEndARunWithThree) {
  work().write("lib/old.txt", "before\n");
  work().write("lib/gone.txt", "before\n");
  git("sleep 0.05");
  const Words scope = {"--file-scope", "lib/**/*.ts"};
  EXPECT_EQ(
      script("echo s > lib/new.ts; mkdir -p lib/deep; echo s > lib/deep/x.ts; touch top.txt; true", scope).exit_code,
      0);
  const Finished run =
      script("echo s > lib/notes.txt; echo s > lib/old.txt; rm lib/gone.txt; echo s > lib/a.ts", scope);
  EXPECT_EQ(run.exit_code, 3) << run.err;
  for (const char* file : {"lib/notes.txt", "lib/old.txt", "lib/gone.txt"})
    EXPECT_THAT(run.err, HasSubstr("pale: changed outside the file scope: " + std::string(file) + "\n"));
  EXPECT_THAT(run.err, AllOf(Not(HasSubstr("lib/a.ts")), HasSubstr("hint: ")));
  EXPECT_EQ(script("echo s > lib/notes2.txt; exit 7", scope).exit_code, 7) << "the command's own code comes first";
}

TEST_P(Folders, WhatTheUserGrantedByNameIsNoneOfTheFileScopesBusiness) {
  const Finished run = script("echo s > lib/sub/any.txt; echo s > lib/a.ts",
                              {"--file-scope", "lib/*.ts", "--rw", make_directory("lib/sub")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(work().read("lib/sub/any.txt"), "s\n");
}

TEST_P(Folders, AStorysFilesNarrowFoldersFurther) {
  const std::string line =
      "echo s > lib/new; echo s > packages/api/new; echo s > library/new; cat packages/api/x.ts; cat top.txt";
  const Finished run = script(line, kStrict + Words{"--file-scope", "lib/*", "--file-scope", "library/*"});
  EXPECT_EQ(run.out, "x\n") << run.err;
  EXPECT_EQ(work().read("lib/new"), "s\n");
  EXPECT_FALSE(work().exists("packages/api/new"));
  EXPECT_FALSE(work().exists("library/new"));
}

TEST_P(Folders, AStorysFilesInAStageLeaveTheProjectAlone) {
  const std::string before = work().snapshot();
  const Finished run = script("echo s > top.txt; echo s > lib/new", {"--stage", "--file-scope", "*.txt"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(work().snapshot(), before);
}

TEST_P(Folders, APatternThatLeadsOutIsRefused) {
  for (const char* pattern : {"../*", "lib/../../x", "lib/[a"}) {
    const Finished refused = script("touch lib/ran", {"--file-scope", pattern});
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("--file-scope: "));
  }
  EXPECT_FALSE(work().exists("lib/ran"));
}

// --- inherit ----------------------------------------------------------------------------------------------------------

TEST_P(Folders, AnInnerProjectTakesOverFolders) {
  work().make_directory("packages/.pale");
  write_manifest("[workspace]\nfolders = [\"packages/api\"]\nmode = \"strict\"\n");
  work().write("packages/.pale/project.toml", "inherit = \"../.pale/project.toml\"\n");
  const auto inner = [&](const std::string& line) {
    return pale_in(root() + "/packages", {"run", "--", "/bin/sh", "-c", line});
  };
  EXPECT_EQ(inner("cat api/x.ts; cat web/y.ts; echo h > web/y.ts; echo s > api/new").out, "x\n");
  EXPECT_EQ(work().read("packages/web/y.ts"), "contents of y\n");
  EXPECT_EQ(work().read("packages/api/new"), "s\n");
  work().write("packages/.pale/project.toml",
               "inherit = \"../.pale/project.toml\"\n[workspace]\nfolders = [\"web\"]\n");
  EXPECT_EQ(inner("true").exit_code, 3);
}

INSTANTIATE_TEST_SUITE_P(, Folders, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
