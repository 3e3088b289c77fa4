// Git is no way around a scope: whatever an agent does to the repository, no ref leads to a change outside its folders.
#include "projects.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class RefCheck : public WithProjects {
 protected:
  RefCheck() {
    work().write("lib/a.txt", "a\n");
    work().write("other/x.txt", "x\n");
    work().write("README.md", "readme\n");
    on_host(
        "git init -q -b main; git add -A; git commit -qm first; git branch topic; git tag v0; echo 2 > README.md;"
        "git commit -qam second; git checkout -q -b theirs; echo 3 > other/x.txt; git commit -qam theirs; git checkout "
        "-q "
        "main; git pack-refs --all; touch -d 2001-01-01 lib/a.txt other/x.txt README.md; git update-index -q "
        "--refresh");
    manifest("strict");
  }

  void manifest(const std::string& mode, const std::string& folders = "\"lib\"") const {
    write_manifest("[project]\nid = \"app\"\n[workspace]\nfolders = [" + folders + "]\nmode = \"" + mode +
                   "\"\ngit = \"commit\"\n");
  }

  static std::string identity() {
    return "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b\n";
  }
  Finished on_host(const std::string& line) const {
    Process process;
    process.arguments = {"/bin/sh", "-ec", identity() + line};
    process.account = GetParam();
    process.environment = project_.environment();
    process.directory = root();
    const Finished done = run(process);
    EXPECT_EQ(done.exit_code, 0) << line << done.err;
    return done;
  }
  // Inside, with $evil: a commit on main that touches other/x.txt and README.md, made without touching a file.
  Finished inside(const std::string& line) const {
    return script(identity() +
                  "set -e; blob=$(echo evil | git hash-object -w --stdin)\n"
                  "make_evil() { GIT_INDEX_FILE=$TMPDIR/index; export GIT_INDEX_FILE; git read-tree HEAD;"
                  " git update-index --add --cacheinfo 100644,$blob,other/x.txt --cacheinfo 100644,$blob,README.md;"
                  " git commit-tree -p HEAD -m evil $(git write-tree); }\n"
                  "evil=$(make_evil)\n" +
                  line);
  }
  // All refs and heads, but for what was refused; the index; what there is to be committed.
  std::string state() const {
    return on_host(
               "git for-each-ref --format='%(refname) %(objectname) %(symref)' | grep -v '^refs/pale/' || true;"
               "cat .git/HEAD; ls .git | grep _HEAD || true; git stash list; git ls-files -s | grep -v lib/ || true; "
               "git diff --cached --name-only; find .git/refs -type l")
        .out;
  }
  std::string refused() const { return on_host("git for-each-ref --format='%(objectname) %(refname)' refs/pale").out; }
};

TEST_P(RefCheck, ACommitInTheFoldersStays) {
  const Finished done = script(identity() + "echo b > lib/b.txt && git add lib && git commit -qm 'more of lib'");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  EXPECT_EQ(on_host("git log -1 --format=%s").out, "more of lib\n");
  EXPECT_EQ(on_host("git status --porcelain | grep -v .pale || true").out, "");
  EXPECT_EQ(refused(), "");
  EXPECT_THAT(names_in_pale_home("refs"), testing::SizeIs(1));
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::directory_iterator(in_pale_home("refs"))->path()));
}

TEST_P(RefCheck, HooksAndConfigurationStayProtected) {
  const Finished done =
      script("echo x > .git/hooks/pre-commit; echo x >> .git/config; git config a.b c; ls -d .git/modules");
  EXPECT_THAT(done.err, HasSubstr("Read-only file system"));
  EXPECT_FALSE(work().exists(".git/hooks/pre-commit"));
  EXPECT_THAT(work().read(".git/config"), Not(HasSubstr("x\n")));
}

TEST_P(RefCheck, ACommitOutsideIsRefusedKeptAndTold) {
  const std::string before = state();
  const Finished done = inside("git update-ref refs/heads/main $evil; echo $evil");
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.err,
              AllOf(HasSubstr("refs/heads/main: commit "), HasSubstr("\"evil\""), HasSubstr("README.md, other/x.txt"),
                    HasSubstr("refs/pale/refused/"), HasSubstr("hint: git show refs/pale/refused/")));
  EXPECT_EQ(state(), before);
  EXPECT_THAT(refused(), AllOf(HasSubstr(done.out.substr(0, 40)), HasSubstr("/heads/main")));
}

// Each of them a way that is not `git commit` on the branch.
TEST_P(RefCheck, NoOtherWayLeadsOutEither) {
  const std::string ways[] = {
      "rm .git/packed-refs",
      "git branch new $evil",
      "git tag light $evil",
      "git tag -a -m tag heavy $evil && git tag -a -m tag heavier heavy",
      "git tag of-a-tree $evil^{tree}",
      "git tag of-a-blob $blob",
      "git notes add -m note HEAD",
      "git update-ref refs/stash $evil",
      "git update-ref --create-reflog -m one refs/stash $evil; git update-ref -m two refs/stash HEAD",
      "git update-ref --no-deref HEAD $evil",
      "git branch new $evil; git symbolic-ref HEAD refs/heads/new",
      "git symbolic-ref HEAD refs/heads/theirs",
      "git symbolic-ref HEAD refs/heads/nowhere",
      "echo $evil > .git/MERGE_HEAD",
      "git update-ref ORIG_HEAD $evil",
      "git replace HEAD $evil",
      "git replace $(git rev-parse HEAD:README.md) $blob",
      "git update-ref refs/heads/main theirs",
      "git update-ref refs/heads/main topic",
      "git update-ref refs/heads/main $(git commit-tree -p main -p theirs -m merge theirs^{tree})",
      "git update-ref refs/heads/main $(git commit-tree -p $evil -m back main^{tree})",
      "git update-ref refs/heads/main $(git commit-tree -m root main^{tree})",
      "git branch -D topic",
      "git tag -d v0",
      "git update-ref -d refs/heads/theirs; git branch theirs/sub",
      "echo \"$evil refs/heads/packed\" >> .git/packed-refs",
      "printf 'nonsense\\n' >> .git/packed-refs",
      "mkdir -p .git/worktrees/w; echo $evil > .git/worktrees/w/HEAD; echo ../.. > .git/worktrees/w/commondir",
      "git worktree add -q --detach lib/w $evil --no-checkout",
      "printf %s $evil > '.git/refs/heads/odd name'",
      "echo garbage > .git/refs/heads/main",
      "echo 0123456789012345678901234567890123456789 > .git/refs/heads/nothing",
      "rm .git/HEAD; ln -s refs/heads/theirs .git/HEAD",
      "ln -s theirs .git/refs/heads/link",
      "git update-index --add --cacheinfo 100644,$blob,other/new.txt",
      "git update-index --cacheinfo 100644,$blob,README.md",
      "git update-index --skip-worktree README.md",
      "git rm -q --cached README.md",
      "echo nonsense > .git/index",
      "echo $evil $evil x > lib/log; mkdir -p .git/logs/refs; ln -sf ../../../lib/log .git/logs/refs/stash",
  };
  const std::string before = state();
  for (const std::string& way : ways) {
    const Finished done = inside(way);
    EXPECT_EQ(done.exit_code, 3) << way << "\n" << done.out << done.err;
    EXPECT_EQ(state(), before) << way << "\n" << done.err;
    on_host("rm -rf lib/w lib/log; git worktree prune; git fsck --connectivity-only 2>&1");
  }
}

TEST_P(RefCheck, WhatIsInTheFoldersMayGoManyWays) {
  const Finished done =
      script(identity() +
             "set -e; echo b > lib/b.txt; git add lib; git commit -qm one; git checkout -q -b fix; echo c > "
             "lib/c.txt; git add lib; git commit -qm two; git checkout -q main; git merge -q --no-ff -m "
             "merge fix; git tag v1; git tag -a -m heavy v2; echo d > lib/d.txt; git add lib; "
             "git checkout -q -b rebased HEAD~1; git commit -qm three; git rebase -q main");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, Not(HasSubstr("refs/")));
  EXPECT_EQ(on_host("git tag; git log -1 --format=%s").out, "v0\nv1\nv2\nthree\n");
}

TEST_P(RefCheck, PermissivelyItIsReported) {
  manifest("permissive");
  const Finished done = inside("git update-ref refs/heads/main $evil");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("refs/heads/main: commit "), Not(HasSubstr("as it was"))));
  EXPECT_EQ(on_host("git log -1 --format=%s main").out, "evil\n");
}

TEST_P(RefCheck, ARepositoryThatWasBrokenIsSaidAndItsRefsAreAsTheyWere) {
  const std::string before = state();
  const Finished done = inside(
      "git update-ref refs/heads/main $evil; f=.git/objects/$(echo $evil | cut -c1-2)/$(echo $evil | cut -c3-);"
      "chmod u+w $f; echo nonsense > $f; true");
  EXPECT_EQ(done.exit_code, 3) << done.err;
  EXPECT_EQ(state(), before) << done.err;
}

TEST_P(RefCheck, InAStageItIsRefusedThere) {
  const std::string before = state();
  const Finished done =
      script(identity() + "git update-ref refs/heads/main $(git commit-tree -p HEAD -m x $(git mktree </dev/null))",
             {"--stage", "work"});
  EXPECT_EQ(done.exit_code, 3) << done.err;
  EXPECT_EQ(state(), before);
  pale({"stage", "apply", "work", "--project-root", root(), "--yes"});
  EXPECT_EQ(state(), before);
}

TEST_P(RefCheck, ARunThatWasKilledIsCheckedLater) {
  const std::string before = state();
  const std::string kill =
      "'" + pale_program() + "' run --project-root '" + root() +
      "' -- /bin/sh -c 'git update-ref refs/heads/main theirs; touch lib/done; sleep 60' & pid=$!;"
      "n=0; until test -e lib/done; do sleep 0.05; n=$((n+1)); test $n -lt 600; done; kill -KILL $pid;"
      "wait $pid || true";
  on_host(kill);
  EXPECT_NE(state(), before);
  const Finished found = pale({"scope", "check-git", "--project-root", root()});
  EXPECT_EQ(found.exit_code, 3) << found.out << found.err;
  EXPECT_THAT(found.out, HasSubstr("refs/heads/main: commit "));
  EXPECT_EQ(state(), before);
  EXPECT_EQ(pale({"scope", "check-git", "--project-root", root()}).exit_code, 0);
  on_host("rm lib/done; " + kill);
  const Finished next = script("true");
  EXPECT_THAT(next.err, HasSubstr("refs/heads/main: commit "));
  EXPECT_EQ(state(), before);
}

TEST_P(RefCheck, AFileAmongTheFoldersMayBeCommittedAndIsNoLink) {
  manifest("strict", "\"lib\", \"README.md\"");
  const Finished done = script(identity() + "echo 4 > README.md && git commit -qam 'the file'");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(on_host("git log -1 --format=%s; git show main:README.md").out, "the file\n4\n");
  const std::string before = state();
  const std::string ways[] = {
      "git update-index --cacheinfo 120000,$blob,README.md",
      "GIT_INDEX_FILE=$TMPDIR/link; export GIT_INDEX_FILE; git read-tree HEAD; git update-index --cacheinfo "
      "120000,$blob,README.md; git update-ref refs/heads/main $(git commit-tree -p HEAD -m link $(git write-tree))",
  };
  for (const std::string& way : ways) {
    EXPECT_EQ(inside(way).exit_code, 3) << way;
    EXPECT_EQ(state(), before) << way;
  }
}

// By plumbing, so that no file is written: the kernel has nothing to say about it.
TEST_P(RefCheck, ACommitOutsideTheFileScopeOfAStoryDoesNotPass) {
  work().write("lib/agent.sh",
               identity() +
                   "set -e; blob=$(echo new | git hash-object -w --stdin); GIT_INDEX_FILE=$TMPDIR/index\n"
                   "export GIT_INDEX_FILE; git read-tree HEAD\n"
                   "case $PALE_STORY in good) path=lib/x.ts;; file) path=lib/x.txt;; *) path=README.md;; esac\n"
                   "git update-index --add --cacheinfo 100644,$blob,$path\n"
                   "git update-ref refs/heads/main $(git commit-tree -p HEAD -m $PALE_STORY $(git write-tree))\n");
  write_manifest(
      "[project]\nid = \"app\"\n[workspace]\ngit = \"commit\"\n[agent]\ncommand = [\"/bin/sh\", \"lib/agent.sh\", "
      "\"{task}\"]\n");
  on_host("git branch -f before main");
  for (const Words& how : {Words{}, Words{"--parallel", "2"}}) {
    std::string stories;
    for (const std::string id : {"file", "other", "good"})
      stories += (stories.empty() ? "" : ", ") + std::string("{\"id\": \"") + id +
                 "\", \"title\": \"t\", \"fileScope\": [\"lib/**/*.ts\"]}";
    work().write("prd.json", "{\"project\": \"p\", \"userStories\": [" + stories + "]}");
    const Finished done = pale_in(root(), Words{"loop", "--tries", "1"} + how);
    EXPECT_NE(done.exit_code, 0) << done.out;
    EXPECT_THAT(done.out + done.err, AllOf(HasSubstr("lib/x.txt"), HasSubstr("README.md"))) << done.err;
    EXPECT_EQ(on_host("git log before..main --format=%s").out, "good\n") << done.out << done.err;
    on_host("git update-ref refs/heads/main before; rm -rf .git/index.lock; git reset -q --hard");
    std::filesystem::remove_all(in_pale_home("loops"));
  }
}

TEST_P(RefCheck, WhatIsKeptStaysAsItIs) {
  EXPECT_EQ(inside("git update-ref refs/heads/main $evil").exit_code, 3);
  const std::string kept = refused();
  EXPECT_THAT(kept, HasSubstr("/heads/main"));
  for (const std::string way :
       {"git for-each-ref --format='delete %(refname)' refs/pale | git update-ref --stdin",
        "git update-ref refs/pale/refused/20200101T000000Z/heads/main $evil",
        "for ref in $(git for-each-ref --format='%(refname)' refs/pale); do git update-ref $ref HEAD; done"}) {
    const Finished done = inside(way);
    EXPECT_EQ(done.exit_code, 3) << way << done.err;
    EXPECT_THAT(done.err, HasSubstr("is where Pale keeps what it refused")) << way;
    EXPECT_EQ(refused(), kept) << way;
  }
}

TEST_P(RefCheck, WhatAnotherRunsCheckKeepsMeanwhileStays) {
  const std::string program = "'" + pale_program() + "' run --project-root '" + root() + "' -- /bin/sh -c ";
  const Finished both =
      on_host(program +
              "'touch lib/ready; until test -e lib/go; do sleep 0.05; done' & pid=$!; n=0;"
              "until test -e lib/ready; do sleep 0.05; n=$((n+1)); test $n -lt 600; done;" +
              program + "'git update-ref refs/heads/main theirs' || echo $?; touch lib/go; wait $pid; echo done");
  EXPECT_EQ(both.out, "3\ndone\n") << both.err;
  EXPECT_THAT(refused(), HasSubstr("/heads/main"));
}

TEST_P(RefCheck, ARebaseThatWouldRunACommandIsMovedAside) {
  const std::string leave =
      "mkdir .git/rebase-merge; echo refs/heads/main > .git/rebase-merge/head-name; git rev-parse HEAD | tee "
      ".git/rebase-merge/onto .git/rebase-merge/orig-head; printf 'exec touch \"$HOME\"/ran\\n' > "
      ".git/rebase-merge/git-rebase-todo";
  const Finished done = script(leave);
  EXPECT_EQ(done.exit_code, 3) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr(".git/rebase-merge/git-rebase-todo"), HasSubstr("exec touch"),
                              HasSubstr(in_pale_home("quarantine").string())));
  EXPECT_FALSE(work().exists(".git/rebase-merge"));
  EXPECT_THAT(names_in_pale_home("quarantine"), testing::SizeIs(1));
  // Nor through a link.
  EXPECT_EQ(script("mkdir lib/r; echo x id > lib/r/git-rebase-todo; ln -s ../lib/r .git/rebase-merge").exit_code, 3);
  EXPECT_FALSE(work().exists(".git/rebase-merge"));
  manifest("permissive");
  const Finished told = script(leave);
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.err, HasSubstr("exec touch"));
  EXPECT_TRUE(work().exists(".git/rebase-merge/git-rebase-todo"));
}

TEST_P(RefCheck, TheCommandsOfTheUsersOwnRebaseStay) {
  work().write(".git/rebase-merge/git-rebase-todo", "exec make\nexec make test\n");
  EXPECT_EQ(script("echo exec make test > .git/rebase-merge/git-rebase-todo").exit_code, 0);
  EXPECT_EQ(work().read(".git/rebase-merge/git-rebase-todo"), "exec make test\n");
  EXPECT_EQ(script("echo exec id >> .git/rebase-merge/git-rebase-todo").exit_code, 3);
  EXPECT_EQ(work().read(".git/rebase-merge/git-rebase-todo"), "exec make test\n");
}

TEST_P(RefCheck, AWorktreeThatTheRunMadeIsLookedAt) {
  const Finished staged = inside(
      "git worktree add -q --detach lib/w HEAD; git -C lib/w update-index --cacheinfo 100644,$blob,README.md;"
      "git -C lib/w update-index --add --cacheinfo 100644,$blob,lib/new.txt");
  EXPECT_EQ(staged.exit_code, 3) << staged.err;
  EXPECT_THAT(staged.err, HasSubstr("worktrees/w: README.md"));
  EXPECT_EQ(on_host("git -C lib/w diff --cached --name-only").out, "lib/new.txt\n");
  EXPECT_EQ(inside("git worktree add -q --detach --no-checkout lib/v $evil").exit_code, 3);
  EXPECT_FALSE(work().exists(".git/worktrees/v"));
  EXPECT_TRUE(work().exists(".git/worktrees/w/HEAD"));
}

// In a worktree of its own, where all files can be written.
TEST_P(RefCheck, ARebaseThatCarriesACommitFromOutsideIsRefused) {
  const std::string before = state();
  const Finished done = script(
      identity() +
      "set -e; git worktree add -q -b carried lib/w topic; cd lib/w; echo evil > other/x.txt; git commit -qam evil;"
      "git rebase -q main; git log --format=%s main.. >&2; git update-ref refs/heads/main carried");
  EXPECT_EQ(done.exit_code, 3) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("refs/heads/carried: commit "), HasSubstr("refs/heads/main: commit ")));
  on_host("rm -rf lib/w; git worktree prune");
  EXPECT_EQ(state(), before);
}

TEST_P(RefCheck, ARunThatLivesIsLookedAtAndNothingIsPutBack) {
  const std::string before = state();
  const Finished both = on_host(
      "'" + pale_program() + "' run --project-root '" + root() +
      "' -- /bin/sh -c 'git update-ref refs/heads/main theirs; touch lib/ready; until test -e lib/go; do sleep 0.05; "
      "done' & pid=$!; n=0; until test -e lib/ready; do sleep 0.05; n=$((n+1)); test $n -lt 600; done;"
      "'" +
      pale_program() + "' scope check-git --project-root '" + root() +
      "' || echo code $?;"
      "git rev-parse main theirs | uniq | wc -l; touch lib/go; wait $pid || echo code $?");
  EXPECT_THAT(both.out, AllOf(HasSubstr("refs/heads/main: commit "), testing::EndsWith("code 1\n1\ncode 3\n")))
      << both.err;
  EXPECT_EQ(state(), before);
}

TEST_P(RefCheck, WhatARunThatLivesIsAboutToNoteIsLeftToIt) {
  const std::string run = "'" + pale_program() + "' run --project-root '" + root() + "' -- ";
  const Finished both =
      on_host(run + "/bin/sh -c 'touch lib/ready; until test -e lib/go; do sleep 0.05; done' & pid=$!; n=0;" +
              "until test -e lib/ready; do sleep 0.05; n=$((n+1)); test $n -lt 600; done;"
              "note=$(ls \"$PALE_HOME\"/refs/*/*); touch \"$note-2.new\";" +
              run + "/bin/true; ls \"$note-2.new\" | grep -c new; touch lib/go; wait $pid;" + run +
              "/bin/true; ls \"$PALE_HOME\"/refs/*");
  EXPECT_EQ(both.out, "1\n") << both.err;
}

TEST_P(RefCheck, ARepositoryThatCannotBeCheckedIsSaidBeforeTheRun) {
  on_host("git update-index --split-index");
  const Finished done = script("touch lib/ran");
  EXPECT_NE(done.exit_code, 0);
  EXPECT_THAT(done.err, AllOf(HasSubstr("could not be checked"), HasSubstr("hint: git = \"read\"")));
  EXPECT_FALSE(work().exists("lib/ran"));
  on_host("git update-index --no-split-index; git config extensions.worktreeConfig true");
  EXPECT_EQ(script("touch lib/ran").exit_code, 0);
}

TEST_P(RefCheck, WithoutAScopeNothingIsChecked) {
  write_manifest("[workspace]\ngit = \"commit\"\n");
  EXPECT_EQ(inside("git update-ref refs/heads/main $evil").exit_code, 0);
  EXPECT_THAT(names_in_pale_home("refs"), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(, RefCheck, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
