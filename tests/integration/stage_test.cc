// A stage: the project stays as it is, the work is in a layer of its own, and it can be shown as it is.
#include "stages.h"
#include "support/session.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class StageRun : public WithStages {};

TEST_P(StageRun, LeavesTheProjectByteForByteAsItWas) {
  work().write("src/main.c", "int main;\n");
  work().write("old", "old\n");
  const std::string before = work().snapshot();
  const Finished done = in_stage("try", "echo more >> src/main.c; rm old; mkdir new; echo x > new/x; cat src/main.c");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out, "int main;\nmore\n");
  EXPECT_THAT(done.err, HasSubstr("pale stage show try"));
  EXPECT_EQ(work().snapshot(), before);
}

TEST_P(StageRun, CanBeEnteredAgain) {
  work_in("try", "echo one > file");
  EXPECT_EQ(in_stage("try", "cat file; echo two >> file").out, "one\n");
  EXPECT_EQ(in_stage("try", "cat file").out, "one\ntwo\n");
  EXPECT_FALSE(work().exists("file"));
}

TEST_P(StageRun, SeveralLiveSideBySide) {
  work_in("one", "echo 1 > file");
  work_in("two", "echo 2 > file");
  EXPECT_EQ(in_stage("one", "cat file").out, "1\n");
  EXPECT_EQ(in_stage("two", "cat file").out, "2\n");
  const Finished list = stage({"list"});
  EXPECT_EQ(list.exit_code, 4);
  EXPECT_THAT(list.out, testing::AllOf(HasSubstr("one"), HasSubstr("two"), HasSubstr("1 change")));
}

TEST_P(StageRun, WithoutANameIsANewOneThatGoesIfNothingIsChanged) {
  EXPECT_EQ(pale({"run", "--project-root", root(), "--stage", "--", "true"}).exit_code, 0);
  EXPECT_THAT(stage({"list", "--json"}).out, HasSubstr("\"stages\":[]"));
  pale({"run", "--project-root", root(), "--stage", "--", "touch", "a"});
  pale({"run", "--project-root", root(), "--stage", "--", "touch", "b"});
  EXPECT_EQ(changes("s1"), "created a\n");
  EXPECT_EQ(changes("s2"), "created b\n");
}

TEST_P(StageRun, WhatIsOnlyTouchedIsNoChange) {
  on_host("git init -q; echo x > x; git add x");
  const Finished done =
      pale({"run", "--project-root", root(), "--stage", "--", "sh", "-c", "touch x; cat x > y; rm y"});
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(done.err, "");
  EXPECT_THAT(stage({"list", "--json"}).out, HasSubstr("\"stages\":[]"));
}

TEST_P(StageRun, ThatNeverStartedLeavesNone) {
  work().make_directory("mnt");
  pale_in_mounts("mount -t tmpfs none '" + root() + "/mnt'",
                 {"run", "--project-root", root(), "--stage", "try", "--", "true"});
  EXPECT_THAT(stage({"list", "--json"}).out, HasSubstr("\"stages\":[]"));
}

TEST_P(StageRun, StandsOnAnotherStage) {
  work().write("base", "base\n");
  work_in("parent", "echo parent > file; rm base");
  const Finished child = in_stage("child", "cat file; ls; echo child >> file", {"--on", "parent"});
  EXPECT_EQ(child.out, "parent\nfile\n") << child.err;
  EXPECT_EQ(in_stage("parent", "cat file").out, "parent\n");
  EXPECT_EQ(changes("child"), "changed file\n");
  EXPECT_EQ(stage({"discard", "parent", "--yes"}).exit_code, 3) << "somebody stands on it";
}

TEST_P(StageRun, IsForOneCommandAtATime) {
  work_in("try", "echo x > x");
  const Finished inner =
      on_host("'" + pale_program() + "' run --project-root . --stage try -- sleep 2 & sleep 0.7; '" + pale_program() +
              "' run --project-root . --stage try -- true; code=$?; wait; exit $code");
  EXPECT_EQ(inner.exit_code, 3) << inner.err;
  EXPECT_THAT(inner.err, HasSubstr("another command is working in the stage try"));
}

TEST_P(StageRun, ByTheManifestWorksInTheStageCalledWork) {
  write_manifest("[project]\nid = \"staged\"\n[workspace]\ntype = \"staged\"\n");
  const Finished done = script("echo x > x; echo y > y");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_FALSE(work().exists("x"));
  EXPECT_EQ(changes("work"), "created x\ncreated y\n");
}

TEST_P(StageRun, StrictFoldersAreWritableInTheStageAlone) {
  work().write("src/a", "a\n");
  work().write("other/b", "b\n");
  write_manifest("[project]\nid = \"strict\"\n[workspace]\nfolders = [\"src\"]\nmode = \"strict\"\n");
  const std::string before = work().snapshot();
  const Finished done = in_stage("try", "echo more >> src/a; cat src/a; cat other/b; echo x > other/x; exit 7");
  EXPECT_EQ(done.exit_code, 7);
  EXPECT_EQ(done.out, "a\nmore\n");
  EXPECT_THAT(done.err, HasSubstr("Permission denied"));
  EXPECT_EQ(work().snapshot(), before);
  EXPECT_EQ(changes("try"), "changed src/a\n");
}

TEST_P(StageRun, KeepsWhatIsProtectedAsADirectRunDoes) {
  work().write("AGENTS.md", "rules\n");
  const std::string before = work().snapshot();
  const Finished done = in_stage("try",
                                 "echo x > AGENTS.md; rm AGENTS.md; echo x > .envrc; mkdir .vscode; mkdir -p .git; "
                                 "mkdir .git/hooks; ln -s x .mcp.json; ls -A; exit 7",
                                 {"--protect", "AGENTS.md"});
  EXPECT_EQ(done.exit_code, 7) << done.err;
  EXPECT_THAT(done.err, HasSubstr("AGENTS.md: Read-only file system"));
  EXPECT_THAT(done.err, HasSubstr(".envrc: Read-only file system"));
  EXPECT_EQ(done.out, ".git\nAGENTS.md\n");
  EXPECT_EQ(work().snapshot(), before);
  EXPECT_EQ(changes("try"), "created .git\n");
}

TEST_P(StageRun, AGrantInsideTheProjectIsTheStages) {
  work().write("docs/a", "a\n");
  const std::string before = work().snapshot();
  const Finished done = in_stage("try", "echo x > docs/x; echo y > y; exit 7", {"--ro", "docs"});
  EXPECT_EQ(done.exit_code, 7);
  EXPECT_THAT(done.err, HasSubstr("Read-only file system"));
  EXPECT_EQ(work().snapshot(), before);
  EXPECT_EQ(changes("try"), "created y\n");
  work_in("try", "echo x > docs/x", {"--rw", "docs"});
  EXPECT_EQ(work().snapshot(), before);
}

TEST_P(StageRun, RefusesWhatItCannotKeep) {
  const Finished landlock = in_stage("try", "true", {"--backend", "landlock"});
  EXPECT_EQ(landlock.exit_code, 125);
  EXPECT_THAT(landlock.err, HasSubstr("cannot keep changes apart"));
  const Finished name = in_stage("../x", "true");
  EXPECT_EQ(name.exit_code, 2);
  EXPECT_THAT(name.err, HasSubstr("not a name for a stage"));
  const Finished nowhere = in_stage("x", "true", {"--on", "nowhere"});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("there is no stage to stand on called nowhere"));
  EXPECT_EQ(pale({"run", "--temporary", "--stage", "--", "true"}).exit_code, 2);
}

TEST_P(StageRun, SaysWhenAFilesystemIsMountedInTheProject) {
  work().make_directory("mnt");
  const Finished done = pale_in_mounts("mount -t tmpfs none '" + root() + "/mnt'",
                                       {"run", "--project-root", root(), "--stage", "try", "--", "true"});
  EXPECT_EQ(done.exit_code, 3) << done.err;
  EXPECT_THAT(done.err, HasSubstr("cannot lay a stage over this directory"));
}

TEST_P(StageRun, WorksOnTmpfs) {
  const TemporaryDirectory place(GetParam(), "memory");
  const std::string user = GetParam() == Account::Root ? "0:0" : "pale-test:pale-test";
  const std::string mount = "mount -t tmpfs none '" + place.text() + "'; mkdir '" + place.text() + "/project' '" +
                            place.text() + "/home'; echo one > '" + place.text() + "/project/file'; chown -R " + user +
                            " '" + place.text() + "'";
  const std::string line =
      "cd " + place.text() + "/project; pale() { '" + pale_program() +
      "' \"$@\"; }; pale run --project-root . --stage try -- sh -c 'echo two >> file; mkdir d'; cat file; "
      "pale stage apply --project-root .; cat file; ls";
  const Finished done = in_mounts(mount, {"/bin/sh", "-ec", line}, {"PALE_HOME=" + place.text() + "/home"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, testing::MatchesRegex("one\nApplied 2 changes .*\none\ntwo\nd\nfile\n"));
}

TEST_P(StageRun, ADryRunMakesNone) {
  const Finished shown = pale({"run", "--project-root", root(), "--stage", "try", "--dry-run", "--", "true"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("overlay rw " + root()));
  EXPECT_THAT(stage({"list", "--json"}).out, HasSubstr("\"stages\":[]"));
}

class StageShow : public WithStages {};

TEST_P(StageShow, ListsEveryKindOfChange) {
  for (const char* name :
       {"changed", "deleted", "mode", "retyped", "renamed-from", "untouched", "dir/a", "dir/sub/b", "gone/x"})
    work().write(name, std::string(name) + "\n");
  work_in("try",
          "echo more >> changed; rm deleted; chmod 755 mode; rm retyped; mkdir retyped; mv renamed-from renamed-to; "
          "rm -r dir; mkdir dir; echo a > dir/new; rm -r gone; ln -s nowhere link; touch untouched; echo x > x; rm x");
  EXPECT_EQ(
      changes("try"),
      "changed changed\ndeleted deleted\ndeleted dir/a\ncreated dir/new\ndeleted dir/sub\ndeleted dir/sub/b\n"
      "deleted gone\ndeleted gone/x\ncreated link\nmode mode\nrenamed-from renamed renamed-to\nretyped retyped\n");
  const Finished shown = stage({"show"});
  EXPECT_EQ(shown.exit_code, 4);
  EXPECT_THAT(shown.out, HasSubstr("  deleted  gone/\n"));
  EXPECT_THAT(shown.out, HasSubstr("  mode     mode  644 -> 755\n"));
  EXPECT_THAT(shown.out, HasSubstr("  retyped  retyped/  file -> directory\n"));
  EXPECT_THAT(shown.out, HasSubstr("  renamed  renamed-from -> renamed-to\n"));
}

TEST_P(StageShow, OnlySomePaths) {
  work_in("try", "mkdir src; echo a > src/a; echo b > b");
  const Finished shown = stage({"show", "try", "src"});
  EXPECT_THAT(shown.out, testing::AllOf(HasSubstr("src/a"), Not(HasSubstr("  b"))));
  const Finished wrong = stage({"show", "try", "nothing-there"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("changes nothing at nothing-there"));
}

TEST_P(StageShow, SeesThroughModesThatAProgramHasClosed) {
  work_in("try", "mkdir closed; echo x > closed/x; chmod 000 closed/x closed");
  EXPECT_EQ(changes("try"), "created closed\ncreated closed/x\n");
  expect_applied({"try"});
  EXPECT_TRUE(work().exists("closed/x"));
  on_host("chmod 755 closed");
}

// Deeper than any path is long, and than a process has room for.
TEST_P(StageShow, DirectoriesInOneAnotherWithoutEndAreAnErrorAndCanBeDiscarded) {
  const Finished made = pale({"run", "--project-root", root(), "--stage", "deep", "--", "python3", "-c",
                              "import os\nfor i in range(6000):\n  os.mkdir('q')\n  os.chdir('q')\n"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  for (const Words& words : {Words{"show", "deep"}, {"diff", "deep"}, {"list"}, {"apply", "deep", "--yes"}}) {
    const Finished done = stage(words);
    EXPECT_EQ(done.exit_code, 3) << words[0] << done.err;
    EXPECT_THAT(done.err, testing::AllOf(HasSubstr("more than 256 directories"), HasSubstr("q/q/q"),
                                         HasSubstr("hint: pale stage discard deep --yes")))
        << words[0];
  }
  const Finished kept = stage({"discard", "deep"});
  EXPECT_EQ(kept.exit_code, 3);
  EXPECT_THAT(kept.err, HasSubstr("changes that cannot be counted"));
  EXPECT_EQ(stage({"discard", "deep", "--yes"}).exit_code, 0);
  EXPECT_THAT(stage({"list", "--json"}).out, HasSubstr("\"stages\":[]"));
}

TEST_P(StageShow, ADiffIsAcceptedByGitAndPatch) {
  work().write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  work().write("with space", "x\n");
  work().write("gone", "x\n");
  on_host(
      "printf 'no newline' > tail; printf '\\0bin' > binary; mkdir copy; cp a.txt 'with space' gone tail binary copy");
  work_in("try",
          "sed -i 's/5/five/' a.txt; echo more >> 'with space'; rm gone; echo ' and more' >> tail; printf '\\0BIN' > "
          "binary; "
          "echo new > 'ne\"w'; ln -s a.txt link; chmod 755 a.txt");
  const Finished diff = stage({"diff", "try"});
  EXPECT_EQ(diff.exit_code, 4);
  EXPECT_THAT(diff.out, HasSubstr("Binary files a/binary and b/binary differ\n"));
  home().write("the.patch", diff.out);
  const std::string patch = home().text() + "/the.patch";
  for (const std::string& tool : Words{"git apply -p1 " + patch, "patch -s -p1 < " + patch}) {
    const Finished applied =
        on_host("rm -rf try; cp -r copy try; cd try; " + tool +
                "; cat a.txt; cat 'with space' 'ne\"w' tail; readlink link; test ! -e gone; test -x a.txt");
    EXPECT_EQ(applied.exit_code, 0) << tool << applied.err;
    EXPECT_EQ(applied.out, "1\n2\n3\n4\nfive\n6\n7\n8\n9\nx\nmore\nnew\nno newline and more\na.txt\n") << tool;
  }
  EXPECT_THAT(stage({"diff", "try", "--stat"}).out, HasSubstr(" a.txt "));
}

TEST_P(StageShow, ADiffHasColoursOnATerminalAndMarksTheWordsThatDiffer) {
  work().write("file", "one two three four\n");
  work_in("try", "echo 'one two 3 four' > file");
  Process process;
  process.arguments = {pale_program(), "stage", "diff", "--project-root", root()};
  process.account = GetParam();
  process.environment = project_.environment();
  Session coloured(process, Line::Terminal);
  const std::string shown = coloured.finish().out;
  EXPECT_THAT(shown, HasSubstr("\x1b["));
  EXPECT_THAT(shown, Not(HasSubstr("+one two 3 four"))) << "a mark stands before the word";
  process.environment.push_back("NO_COLOR=1");
  Session plain(process, Line::Terminal);
  EXPECT_THAT(plain.finish().out, HasSubstr("+one two 3 four"));
}

TEST_P(StageShow, EveryCommandAnswersAProgram) {
  work().write("file", "one\n");
  work_in("try", "echo two >> file");
  const auto answer = [&](const Words& words) {
    const Finished done = stage(words + Words{"--json"});
    auto parsed = nlohmann::json::parse(done.out, nullptr, false);
    EXPECT_FALSE(parsed.is_discarded()) << words.front() << ": " << done.out << done.err;
    return parsed;
  };
  EXPECT_EQ(answer({"list"}).at("stages").at(0).at("changes"), 1);
  EXPECT_EQ(answer({"show"}).at("changes").at(0).at("kind"), "changed");
  EXPECT_THAT(answer({"diff"}).at("files").at(0).at("patch").get<std::string>(), HasSubstr("+two\n"));
  EXPECT_EQ(answer({"apply"}).at("apply"), 1);
  EXPECT_EQ(answer({"undo"}).at("applies").at(0).at("undoes"), 1);
  EXPECT_EQ(answer({"undo", "--list"}).at("applies").size(), 2U);
  EXPECT_EQ(answer({"prune", "--older", "0s"}).at("applies").size(), 2U);
  EXPECT_EQ(answer({"discard", "--yes"}).at("discarded"), true);
  const auto error = nlohmann::json::parse(stage({"show", "--json"}).err, nullptr, false);
  EXPECT_EQ(error.at("error").at("code"), "not_found");
}

INSTANTIATE_TEST_SUITE_P(, StageRun, testing::ValuesIn(accounts()), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(, StageShow, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
