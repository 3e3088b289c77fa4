// ESCAPES 12, 15, 48–53: a stage, its review and its apply, against whoever wrote what is in it.
#include <unistd.h>

#include "escape/escape.h"
#include "support/session.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class StageEscapes : public Escape {
 protected:
  StageEscapes() : Escape(PaleHome::Own) {}

  Finished in_stage(const std::string& script, const std::string& name = "try") const {
    return shell(script, {"--stage", name});
  }
  Finished stage(std::vector<std::string> words) const {
    words.insert(words.begin(), "stage");
    words.insert(words.end(), {"--project-root", workspace().text()});
    return project_.pale(words);
  }
  // On the host, as the user, in the project.
  Finished host(const std::string& script) const {
    Process process = on_host({"/bin/bash", "-ec", names() + script});
    process.directory = workspace().text();
    return run(process);
  }
  std::string outside() const { return project_.home().snapshot(); }
};

// A run without a stage keeps exchanging a directory for a link to the outside, while what is in it is applied.
TEST_P(StageEscapes, E12_AParentDirectoryIsSwappedWhileApplyRuns) {
  workspace().make_directory("d");
  project_.home().make_directory("victim");
  const std::string before = outside();
  Session swapper(on_host(pale_run({}, {"/bin/bash", "-c",
                                        "echo ready; while :; do mv -T d e; ln -sT '" + project_.home().text() +
                                            "/victim' d; rm d; mv -T e d; done"})),
                  Line::Pipes);
  swapper.expect("ready");
  int applied = 0;
  for (int round = 0; round < 40; ++round) {
    in_stage("mkdir -p d; for i in $(seq 50); do echo " + std::to_string(round) + " > d/f$i; done",
             "r" + std::to_string(round));
    applied += stage({"apply", "r" + std::to_string(round), "--theirs", "--yes"}).exit_code == 0 ? 1 : 0;
    ASSERT_EQ(outside(), before) << "round " << round;
  }
  swapper.send_signal(SIGTERM);
  swapper.finish();
  EXPECT_EQ(outside(), before);
  EXPECT_GT(applied, 0) << "of those that found the directory";
}

TEST_P(StageEscapes, E15_AFileWithOtherLinksIsNotWrittenThrough) {
  project_.home().write("precious", "precious\n");
  ASSERT_EQ(host("ln \"$OUTSIDE/precious\" linked").exit_code, 0);
  ASSERT_EQ(in_stage("echo hacked > linked; chmod 777 linked").exit_code, 0);
  EXPECT_EQ(stage({"apply"}).exit_code, 0);
  EXPECT_EQ(workspace().read("linked"), "hacked\n");
  EXPECT_EQ(project_.home().read("precious"), "precious\n");
  EXPECT_EQ(host("stat -c %a \"$OUTSIDE/precious\"").out, "644\n");
}

TEST_P(StageEscapes, E15_NoLinkToTheOutsideCanBeMade) {
  const Finished tried = in_stage("ln \"$SECRET\" mine || ln /proc/self/root\"$SECRET\" mine; cat mine");
  EXPECT_NE(tried.exit_code, 0);
  EXPECT_THAT(tried.out, Not(HasSubstr(Project::kSecret)));
}

// The same program, once directly and once through a stage.
TEST_P(StageEscapes, E48_OpaqueDirectoriesAndWhiteoutsAtEveryDepth) {
  const TemporaryDirectory direct(GetParam(), "direct");
  const std::string make =
      "for d in a a/b a/b/c a/b/c/d x x/y; do mkdir -p $d; echo 1 > $d/one; echo 2 > $d/two; done; rm -f attack;";
  ASSERT_EQ(host(make + "cp -a . " + direct.text()).exit_code, 0);
  const std::string program =
      "rm a/one; rm a/b/c/d/two; rm -r a/b/c; mkdir a/b/c; echo 3 > a/b/c/three; rm -r x; mkdir -p x/y; echo 4 > "
      "x/y/one; "
      "rm -r a/b/c; mkdir -p a/b/c/d; echo 5 > a/b/c/d/one; rm x/y/one; echo 6 > x/y/six; rm a/two; mkdir a/two; touch "
      "a/two/in";
  ASSERT_EQ(in_stage("set -e; " + program).exit_code, 0);
  ASSERT_EQ(host("cd " + direct.text() + "; " + program).exit_code, 0);
  EXPECT_EQ(stage({"apply"}).exit_code, 0);
  EXPECT_EQ(workspace().snapshot(), direct.snapshot());
}

TEST_P(StageEscapes, E49_ApplyFollowsNoLinkThatStandsInTheProject) {
  workspace().write("d/file", "1\n");
  project_.home().write("victim/file", "mine\n");
  ASSERT_EQ(in_stage("echo 2 > d/file; echo new > d/new; mkdir d/sub; echo x > d/sub/x").exit_code, 0);
  ASSERT_EQ(host("mv d e; ln -s \"$OUTSIDE/victim\" d").exit_code, 0);
  const std::string before = outside();
  const std::string project = workspace().snapshot();
  const Finished shown = stage({"show"});
  EXPECT_EQ(shown.exit_code, 4);
  for (const std::string flag : {"--yes", "--theirs", "--merge"}) {
    stage({"apply", flag, "d/file", "d/new", "d/sub"});
    EXPECT_EQ(outside(), before) << flag;
  }
  EXPECT_TRUE(workspace().snapshot() == project || !std::filesystem::is_symlink(workspace().path() / "d"));
}

TEST_P(StageEscapes, E49_ALinkInTheStageStaysALink) {
  project_.home().write("victim", "mine\n");
  workspace().write("file", "1\n");
  ASSERT_EQ(
      in_stage("rm file; ln -s \"$OUTSIDE/victim\" file; ln -s \"$OUTSIDE\" dir; ln -s ../../../etc up").exit_code, 0);
  const std::string before = outside();
  EXPECT_EQ(stage({"apply"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(workspace().path() / "file"));
  EXPECT_TRUE(std::filesystem::is_symlink(workspace().path() / "dir"));
  EXPECT_EQ(outside(), before);
  EXPECT_EQ(stage({"undo"}).exit_code, 0);
  EXPECT_EQ(workspace().read("file"), "1\n");
  EXPECT_EQ(outside(), before);
}

TEST_P(StageEscapes, E50_WhatChangedInTheProjectIsNotOverwritten) {
  workspace().write("file", "1\n");
  ASSERT_EQ(in_stage("echo stage > file").exit_code, 0);
  ASSERT_EQ(host("sleep 0.02; echo mine > file").exit_code, 0);
  EXPECT_EQ(stage({"apply", "--yes"}).exit_code, 4);
  EXPECT_EQ(workspace().read("file"), "mine\n");
}

TEST_P(StageEscapes, E51_EveryDeletionIsListed) {
  ASSERT_EQ(host("for d in a a/b a/b/c; do mkdir -p $d; for i in $(seq 40); do echo $i > $d/f$i; done; done").exit_code,
            0);
  ASSERT_EQ(in_stage("rm -r a; mkdir a; echo x > a/kept").exit_code, 0);
  const std::string shown = stage({"show"}).out;
  for (const std::string directory : {"a/", "a/b/", "a/b/c/"}) {
    for (int file = 1; file <= 40; ++file)
      EXPECT_THAT(shown, HasSubstr("deleted  " + directory + "f" + std::to_string(file) + "\n"));
  }
  EXPECT_THAT(shown, HasSubstr("deleted  a/b/c/\n"));
}

TEST_P(StageEscapes, E52_TheLayersAreInvisibleInside) {
  const std::string home = project_.pale_home().string();
  const Finished looked =
      in_stage("echo x > x; ls -d '" + home + "' '" + home +
               "/stages' 2>&1; find / -xdev \\( -name stage.json -o -name upper -o -path '*/work/work' \\) "
               "-not -path '/usr/*' 2>/dev/null; cat /proc/self/mountinfo; ls /proc/1/fd /proc/1/root 2>&1");
  EXPECT_THAT(looked.out, HasSubstr("No such file or directory"));
  EXPECT_THAT(looked.out, Not(HasSubstr("stage.json")));
  EXPECT_THAT(looked.out, Not(HasSubstr("/upper\n")));
  EXPECT_THAT(looked.out, HasSubstr("overlay"));
  EXPECT_THAT(looked.out, Not(HasSubstr("upperdir=/")));
  EXPECT_THAT(looked.out, HasSubstr("Permission denied")) << "descriptors of the first process";
}

TEST_P(StageEscapes, E53_ReviewRunsNoCodeOfTheRepository) {
  host_git({"init", "-q"});
  const std::string run = "touch " + project_.home().text() + "/ran; cat";
  for (const char* key : {"core.fsmonitor", "diff.evil.textconv", "diff.evil.command", "diff.external",
                          "filter.evil.clean", "filter.evil.smudge", "core.pager", "core.editor", "merge.evil.driver"})
    host_git({"config", key, run});
  workspace().write(".gitattributes", "* diff=evil filter=evil merge=evil\n");
  workspace().write("file", "1\n");
  ASSERT_EQ(in_stage("echo 2 >> file; echo 3 > new").exit_code, 0);
  ASSERT_EQ(host("sleep 0.02; sed -i 's/1/one/' file").exit_code, 0);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"list"},
                                                {"show"},
                                                {"diff"},
                                                {"diff", "--stat"},
                                                {"apply"},
                                                {"apply", "--merge"},
                                                {"apply", "--theirs"},
                                                {"undo"}})
    stage(words);
  EXPECT_FALSE(project_.home().exists("ran"));
  EXPECT_EQ(workspace().read("file"), "one\n");
}

TEST_P(StageEscapes, ForgedMarkersFoolNobody) {
  workspace().write("dir/a", "a\n");
  workspace().write("dir/b", "b\n");
  const Finished forged = in_stage(
      "mknod w c 0 0; mkdir new; echo x > new/x; touch empty; "
      "for f in dir new; do for n in opaque whiteout redirect metacopy origin; do setfattr -n user.overlay.$n -v y $f; "
      "done; done; "
      "setfattr -n user.overlay.whiteout -v y empty; setfattr -n user.overlay.opaque -v x dir; setfattr -n "
      "user.overlay.redirect -v "
      "/../../etc dir/a; rm dir/b; ls dir new; exit 0");
  EXPECT_THAT(forged.err, HasSubstr("mknod: w: Operation not permitted"));
  EXPECT_EQ(forged.out, "dir:\na\n\nnew:\nx\n");
  const std::string shown = stage({"show"}).out;
  EXPECT_THAT(shown, HasSubstr("deleted  dir/b\n"));
  EXPECT_THAT(shown, HasSubstr("created  empty\n"));
  EXPECT_THAT(shown, HasSubstr("created  new/x\n"));
  EXPECT_THAT(shown, Not(HasSubstr("deleted  dir/a\n")));
  EXPECT_EQ(stage({"apply"}).exit_code, 0);
  EXPECT_EQ(workspace().read("dir/a"), "a\n");
  EXPECT_EQ(workspace().read("new/x"), "x\n");
  EXPECT_TRUE(workspace().exists("empty"));
  EXPECT_FALSE(workspace().exists("dir/b"));
  // As a base of the next stage they are the project's own files, whatever they are called.
  EXPECT_EQ(in_stage("ls -A dir new; cat dir/a new/x", "next").out, "dir:\na\n\nnew:\nx\na\nx\n");
}

INSTANTIATE_TEST_SUITE_P(, StageEscapes, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
