// What goes from a stage into the project, what is in the way, and how it is taken back.
#include <sys/stat.h>

#include "stages.h"
#include "support/session.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class StageApply : public WithStages {};

TEST_P(StageApply, TakesEverythingAndTheStageIsEmptyThen) {
  work().write("changed", "1\n");
  work().write("gone/deep/x", "x\n");
  work().write("file", "file\n");
  work_in("try",
          "echo 2 >> changed; rm -r gone; rm file; mkdir file; echo x > file/x; mkdir -p a/b; echo c > a/b/c; ln -s c "
          "a/b/l");
  expect_applied({"try"});
  EXPECT_EQ(work().read("changed"), "1\n2\n");
  EXPECT_FALSE(work().exists("gone"));
  EXPECT_EQ(work().read("file/x"), "x\n");
  EXPECT_EQ(work().read("a/b/l"), "c\n");
  EXPECT_FALSE(work().exists(".pale"));
  EXPECT_EQ(changes("try"), "");
  const Finished again = stage({"apply", "try"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.err, HasSubstr("nothing to apply"));
}

TEST_P(StageApply, TakesSomePathsAndLeavesTheOthers) {
  work().write("src/a", "a\n");
  work().write("src/b", "b\n");
  work_in("try", "echo A > src/a; echo B > src/b; mkdir new; echo x > new/x; echo y > new/y");
  expect_applied({"try", "src/a", "new/x"});
  EXPECT_EQ(work().read("src/a"), "A\n");
  EXPECT_EQ(work().read("src/b"), "b\n");
  EXPECT_TRUE(work().exists("new/x"));
  EXPECT_FALSE(work().exists("new/y"));
  EXPECT_EQ(changes("try"), "created new/y\nchanged src/b\n");
}

TEST_P(StageApply, GoesOnAfterAnApply) {
  work().write("file", "1\n");
  work_in("try", "echo 2 >> file; echo x > x");
  expect_applied({"try", "file"});
  work_in("try", "cat file; echo 3 >> file");
  EXPECT_EQ(changes("try"), "changed file\ncreated x\n");
  EXPECT_THAT(stage({"show"}).out, Not(HasSubstr("Conflict")));
  expect_applied({"try"});
  EXPECT_EQ(work().read("file"), "1\n2\n3\n");
}

TEST_P(StageApply, KeepsModesAttributesAndHoles) {
  work().write("run.sh", "#!/bin/sh\n");
  on_host("chmod 700 run.sh; setfattr -n user.note -v kept run.sh");
  work_in("try", "echo true >> run.sh; truncate -s 64M sparse; chmod 640 sparse; setfattr -n user.new -v 1 sparse");
  expect_applied({"try"});
  const Finished looked = on_host(
      "stat -c '%a %s' run.sh sparse; getfattr --only-values -n user.note run.sh; getfattr "
      "--only-values -n user.new sparse; test $(stat -c %b sparse) -lt 100");
  EXPECT_EQ(looked.exit_code, 0) << looked.err;
  EXPECT_EQ(looked.out, "700 15\n640 67108864\nkept1");
}

TEST_P(StageApply, AsksAboutHunks) {
  std::string text;
  for (int line = 1; line <= 40; ++line) text += std::to_string(line) + "\n";
  work().write("file", text);
  work_in("try", "sed -i -e 's/^3$/three/' -e 's/^35$/thirty-five/' file; echo x > x");
  const Finished done = stage({"apply", "try", "--patch"}, "n\ny\nn\n");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(work().read("file"), testing::AllOf(HasSubstr("\n3\n"), HasSubstr("thirty-five")));
  EXPECT_FALSE(work().exists("x"));
  const Finished rest = stage({"diff", "try"});
  EXPECT_THAT(rest.out, testing::AllOf(HasSubstr("+three"), Not(HasSubstr("thirty"))));
}

TEST_P(StageApply, OfAChildGoesToItsParent) {
  work().write("dir/keep", "keep\n");
  work().write("dir/drop", "drop\n");
  work().write("old/x", "x\n");
  work().write("deep/sub/x/y", "deep\n");
  work().write("deep/keep", "keep\n");
  work_in("parent", "echo p > p");
  work_in("child",
          "rm dir/drop; echo new > dir/new; rm -r old; mkdir old; echo y > old/y; rm p; mkdir p; echo q > p/q; rm -r "
          "deep/sub; echo f > deep/sub",
          {"--on", "parent"});
  const std::string before = work().snapshot();
  expect_applied({"child"});
  EXPECT_EQ(work().snapshot(), before);
  EXPECT_EQ(changes("child"), "");
  EXPECT_EQ(changes("parent"),
            "retyped deep/sub\ndeleted deep/sub/x\ndeleted deep/sub/x/y\ndeleted dir/drop\ncreated dir/new\ndeleted "
            "old/x\ncreated old/y\ncreated p\ncreated p/q\n");
  EXPECT_EQ(in_stage("parent", "ls dir old p").out, "dir:\nkeep\nnew\n\nold:\ny\n\np:\nq\n");
  expect_applied({"parent"});
  EXPECT_EQ(work().read("p/q"), "q\n");
  EXPECT_FALSE(work().exists("old/x"));
}

class StageConflicts : public WithStages {
 protected:
  // The stage changes the end, the project the beginning.
  void change_both() const {
    std::string text;
    for (int line = 1; line <= 20; ++line) text += std::to_string(line) + "\n";
    work().write("file", text);
    let_a_tick_pass();
    work_in("try", "echo stage >> file; echo other > other");
    on_host("sed -i 's/^1$/project/' file");
  }
};

TEST_P(StageConflicts, AreNeverOverwritten) {
  change_both();
  const std::string before = work().snapshot();
  const Finished shown = stage({"show"});
  EXPECT_THAT(shown.out, HasSubstr("changed  file: changed beneath the stage since it began"));
  const Finished done = stage({"apply"});
  EXPECT_EQ(done.exit_code, 4);
  EXPECT_THAT(done.err, HasSubstr("nothing was applied"));
  EXPECT_EQ(work().snapshot(), before);
  expect_applied({"try", "other"});
}

TEST_P(StageConflicts, AreMergedIfTheyDoNotTouch) {
  change_both();
  expect_applied({"--merge"});
  const std::string merged = work().read("file");
  EXPECT_THAT(merged, testing::AllOf(testing::StartsWith("project\n2\n"), testing::EndsWith("20\nstage\n")));
  EXPECT_EQ(changes("try"), "") << "the stage has let go of it";
  stage({"apply"});
  EXPECT_EQ(work().read("file"), merged);
}

TEST_P(StageConflicts, ThatTouchAreShownThreeWays) {
  work().write("file", "one\n");
  let_a_tick_pass();
  work_in("try", "echo stage > file");
  on_host("echo project > file");
  const Finished done = stage({"apply", "--merge"});
  EXPECT_EQ(done.exit_code, 4) << done.err;
  EXPECT_THAT(
      done.out,
      HasSubstr("# <<<<<<< project\n# project\n# ||||||| original\n# one\n# =======\n# stage\n# >>>>>>> stage\n"));
  EXPECT_EQ(work().read("file"), "project\n");
  EXPECT_THAT(stage({"diff"}).out, HasSubstr("# ||||||| original\n# one\n"));
}

TEST_P(StageConflicts, AreSettledForOneSide) {
  change_both();
  expect_applied({"--ours"});
  EXPECT_THAT(work().read("file"), Not(HasSubstr("stage")));
  EXPECT_TRUE(work().exists("other"));
  EXPECT_EQ(changes("try"), "changed file\n");
  expect_applied({"--theirs"});
  EXPECT_EQ(work().read("file").find("project"), std::string::npos);
}

TEST_P(StageConflicts, AreOfEveryKind) {
  for (const char* name : {"edited-deleted", "deleted-edited", "dir/known", "both-deleted"}) work().write(name, "x\n");
  let_a_tick_pass();
  work_in("try", "echo y >> edited-deleted; rm deleted-edited both-deleted; rm -r dir; echo s > both-created");
  on_host("rm edited-deleted both-deleted; echo z >> deleted-edited; echo new > dir/added; echo p > both-created");
  const Finished shown = stage({"show"});
  EXPECT_THAT(shown.out, HasSubstr("both-created: created beneath the stage"));
  EXPECT_THAT(shown.out, HasSubstr("edited-deleted: deleted beneath the stage"));
  EXPECT_THAT(shown.out, HasSubstr("deleted-edited: changed beneath the stage"));
  EXPECT_THAT(shown.out, HasSubstr("dir/added: created beneath the stage"));
  expect_applied({"--ours"});
  EXPECT_EQ(work().read("dir/added"), "new\n");
  EXPECT_FALSE(work().exists("dir/known"));
  EXPECT_EQ(work().read("both-created"), "p\n");
}

TEST_P(StageConflicts, ThatDoNotTouchAreSaidToBeMergeable) {
  change_both();
  EXPECT_THAT(stage({"diff"}).out, HasSubstr("--merge puts them together"));
}

class StageUndo : public WithStages {};

TEST_P(StageUndo, PutsBackWhatAnApplyChangedAndCanBeUndone) {
  work().write("changed", "1\n");
  work().write("gone/x", "x\n");
  on_host("chmod 750 gone; ln -s x gone/link");
  const std::string before = work().snapshot();
  work_in("try", "echo 2 >> changed; rm -r gone; mkdir new; echo y > new/y");
  expect_applied({"try"});
  const std::string after = work().snapshot();
  EXPECT_EQ(stage({"undo"}).exit_code, 0);
  EXPECT_EQ(work().snapshot(), before);
  EXPECT_EQ(stage({"undo"}).exit_code, 0);
  EXPECT_EQ(work().snapshot(), after);
  EXPECT_EQ(stage({"undo", "--apply", "1"}).exit_code, 3) << "undone already";
}

TEST_P(StageUndo, RefusesWhatChangedSince) {
  work().write("file", "1\n");
  work_in("try", "echo 2 >> file; mkdir new; echo x > new/x");
  expect_applied({"try"});
  on_host("echo mine >> new/x");
  const std::string before = work().snapshot();
  const Finished done = stage({"undo"});
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.err, HasSubstr("changed after the apply"));
  EXPECT_EQ(work().snapshot(), before);
}

TEST_P(StageUndo, OfANamedOneAndItsEndByPruning) {
  work_in("one", "echo 1 > one");
  work_in("two", "echo 2 > two");
  expect_applied({"one"});
  expect_applied({"two"});
  EXPECT_EQ(stage({"undo", "one"}).exit_code, 0);
  EXPECT_FALSE(work().exists("one"));
  EXPECT_TRUE(work().exists("two"));
  EXPECT_THAT(stage({"undo", "--list"}).out, HasSubstr("applied from stage one, undone by 3"));
  EXPECT_EQ(stage({"prune", "--older", "0s"}).exit_code, 0);
  const Finished nothing = stage({"undo"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("nothing to undo"));
  EXPECT_TRUE(work().exists("two"));
}

TEST_P(StageUndo, IsPossibleForAsLongAsTheUserKeepsHistory) {
  work_in("try", "echo 1 > one");
  expect_applied({"try"});
  EXPECT_EQ(pale({"config", "set", "history", "soon"}).exit_code, 2);
  EXPECT_EQ(pale({"config", "set", "history", "0s"}).exit_code, 0);
  work_in("try", "echo 2 > two");
  expect_applied({"try"});
  EXPECT_EQ(stage({"undo"}).exit_code, 2);
  EXPECT_TRUE(work().exists("one") && work().exists("two"));
}

class StageGate : public WithStages {};

TEST_P(StageGate, ListsApartWhatTheHostWouldExecute) {
  work().write("package.json", "{\"name\": \"x\", \"scripts\": {\"test\": \"t\"}}\n");
  work_in(
      "try",
      "echo all: > Makefile; mkdir -p .github/workflows sub; echo on: > .github/workflows/ci.yml; echo x > sub/.envrc; "
      "echo '{\"scripts\": {\"postinstall\": \"evil\"}}' > package.json; echo x > plain; cp /bin/true tool; chmod 4755 "
      "tool");
  const Finished refused = stage({"apply", "try"});
  EXPECT_EQ(refused.exit_code, 3);
  for (const char* name : {"Makefile: ", ".github/workflows/ci.yml: ", "sub/.envrc: ", "package.json: ", "tool: "})
    EXPECT_THAT(refused.out, HasSubstr(name));
  EXPECT_THAT(refused.out, Not(HasSubstr("plain")));
  EXPECT_FALSE(work().exists("plain"));
  expect_applied({"try", "plain"});
  expect_applied({"try", "Makefile", "--allow-exec", "Makefile"});
  EXPECT_TRUE(work().exists("Makefile"));
  expect_applied({"try", "--yes"});
  EXPECT_TRUE(work().exists("sub/.envrc"));
}

TEST_P(StageGate, NamesPathsInAnyWay) {
  work_in("try", "echo all: > Makefile; echo x > justfile");
  EXPECT_EQ(stage({"apply", "try", "Makefile", "--allow-exec", "nothing-there"}).exit_code, 2);
  expect_applied({"try", "./Makefile", "--allow-exec", root() + "/Makefile"});
  EXPECT_TRUE(work().exists("Makefile"));
  expect_applied({"try", ".", "--allow-exec", "./justfile"});
  EXPECT_TRUE(work().exists("justfile"));
  EXPECT_EQ(stage({"show", "try", "/etc"}).exit_code, 2);
}

TEST_P(StageGate, WhatARepositoryInTheProjectObeysCannotBeAppliedAtAll) {
  on_host("mkdir -p sub bare; git init -q sub; git init -q --bare bare/repo");
  work_in("try",
          "echo x > sub/.git/hooks/post-checkout; echo x >> sub/.git/config; echo x > bare/repo/hooks/update; echo y > "
          "sub/y");
  const Finished refused = stage({"apply", "try", "--yes"});
  EXPECT_EQ(refused.exit_code, 3);
  for (const char* name : {"sub/.git/hooks/post-checkout: ", "sub/.git/config: ", "bare/repo/hooks/update: "})
    EXPECT_THAT(refused.out, HasSubstr(name + std::string("a git repository in the project")));
  EXPECT_FALSE(work().exists("sub/y"));
  expect_applied({"try", "sub/y"});
}

TEST_P(StageGate, TakesAYesOnATerminal) {
  work_in("try", "echo all: > Makefile");
  Process process;
  process.arguments = {pale_program(), "stage", "apply", "--project-root", root()};
  process.account = GetParam();
  process.environment = project_.environment();
  for (const auto& [answer, applied] : {std::pair("n\n", false), std::pair("y\n", true)}) {
    Session session(process, Line::Terminal);
    session.expect("Apply these as well?");
    session.type(answer);
    EXPECT_EQ(session.finish().exit_code, applied ? 0 : 3);
    EXPECT_EQ(work().exists("Makefile"), applied);
  }
}

INSTANTIATE_TEST_SUITE_P(, StageApply, testing::ValuesIn(accounts()), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(, StageConflicts, testing::ValuesIn(accounts()), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(, StageUndo, testing::ValuesIn(accounts()), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(, StageGate, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
