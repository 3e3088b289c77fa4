// `pale loop`: an agent works through stories, inside; what it does wrong stays without effect, and the log tells of it.
#include "loops.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class Loop : public WithLoop {};

TEST_P(Loop, TakesStoriesInOrderMarksThemAndLeavesTheRestOfTheFileAlone) {
  manifest("[hooks]\nverify = \"test -e lib/$PALE_STORY\"\n");
  agent("*) echo \"$PALE_STORY: $1\" >> lib/prompts; touch lib/$PALE_STORY;;\n");
  const std::string before =
      "{ \"project\" : \"p\",\n  \"own\": [1,\t2],\n \"userStories\": [\n"
      "   {\"id\": \"B\", \"title\": \"second\", \"dependencies\": [\"A\"], \"priority\": 1, \"passes\": false, \"x\": "
      "{}},\n"
      "   {\"id\": \"A\", \"title\": \"first\", \"priority\": \"2\", \"description\": \"do it\", \"passes\": false}\n "
      "]}\n";
  work().write("prd.json", before);
  const Finished done = loop({"-v"});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("2 of 2 pass"), HasSubstr("runs of the agent: 2"), HasSubstr("validation: "),
                              HasSubstr("log: ")));
  std::string expected = before;
  for (std::size_t at; (at = expected.find("false")) != std::string::npos;) expected.replace(at, 5, "true");
  EXPECT_EQ(work().read("prd.json"), expected);
  const std::string prompts = work().read("lib/prompts");
  EXPECT_LT(prompts.find("A: # A: first"), prompts.find("B: # B: second"));
  EXPECT_THAT(prompts, HasSubstr("do it"));
  // Nothing is left to do.
  EXPECT_THAT(loop({}).out, HasSubstr("2 of 2 pass"));
  EXPECT_EQ(work().read("lib/prompts"), prompts);
}

TEST_P(Loop, WhatIsNotVerifiedDoesNotPassAndBlocksWhatDependsOnIt) {
  manifest("[hooks]\nverify = \"test -e lib/$PALE_STORY\"\nvalidate = \"! test -e lib/bad\"\n");
  agent("lazy) true;; bad) touch lib/bad lib/bad2;; *) touch lib/$PALE_STORY;;\n");
  work().write("prd.json", R"({"project": "p", "userStories": [
    {"id": "lazy", "title": "t"}, {"id": "behind", "title": "t", "dependencies": ["lazy"]},
    {"id": "own", "title": "t", "verify": "test -e lib/own"}, {"id": "bad", "title": "t"}]})");
  const Finished done = loop({"--tries", "2"});
  EXPECT_EQ(done.exit_code, 1) << done.err;
  EXPECT_EQ(passing(), Words{"own"});
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("verify: it ended with the code 1"), HasSubstr("validate: it ended with the code 1"),
                    HasSubstr("1 of 4 pass, 2 failed, 1 blocked")));
  EXPECT_EQ(std::ranges::count(events("lazy"), "run"), 2);
  EXPECT_THAT(events("behind"), testing::IsEmpty());
}

TEST_P(Loop, NobodyMarksHisOwnWork) {
  manifest("");
  agent("*) sed -i 's/false/true/' prd.json; exit 1;;\n");
  work().write("prd.json", R"({"project": "p", "userStories": [{"id": "a", "title": "t", "passes": false}]})");
  EXPECT_EQ(loop({"--tries", "1"}).exit_code, 1);
  EXPECT_EQ(passing(), Words{});
}

TEST_P(Loop, WhatConflictsIsRunAgainOnWhatCameOfTheOthers) {
  manifest("");
  work().write("lib/list", "");
  agent("*) echo $PALE_STORY >> lib/list;;\n");
  std::string stories;
  for (const char* id : {"a", "b", "c"})
    stories += (stories.empty() ? "" : ",") + std::string("{\"id\": \"") + id + "\", \"title\": \"t\"}";
  work().write("prd.json", "{\"project\": \"p\", \"userStories\": [" + stories + "]}");
  on_host("sleep 0.05");
  const Finished done = loop({"--parallel", "3"});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_EQ(work().read("lib/list"), "a\nb\nc\n");
  EXPECT_THAT(events("c"), Contains("conflict"));
  EXPECT_EQ(nlohmann::json::parse(pale({"stage", "list", "--project-root", root(), "--json"}).out).at("stages").size(),
            0U);
}

TEST_P(Loop, AFileOutsideItsFileScopeKeepsAStoryFromBeingApplied) {
  manifest("");
  agent("*) touch lib/mine lib/other;;\n");
  work().write("prd.json",
               R"({"project": "p", "userStories": [{"id": "a", "title": "t", "fileScope": ["lib/mine"]}]})");
  const Finished done = loop({"--parallel", "1"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, HasSubstr("outside its fileScope: lib/other"));
  EXPECT_FALSE(work().exists("lib/mine"));
}

TEST_P(Loop, TheFileSaysWhichFoldersItIsAboutAndAStoryWhichFiles) {
  manifest("");
  for (const char* file : {"lib/a", "src/a", "other/a"}) work().write(file, "before\n");
  agent("*) cat other/a; echo x > other/a; echo x > src/a; echo x > lib/$PALE_STORY; echo \"$1\" > lib/prompt;;\n");
  work().write("prd.json", R"({"project": "p", "workspace": {"folders": ["lib", "src"], "mode": "strict"},
    "userStories": [{"id": "a", "title": "t", "fileScope": ["lib/**"]}]})");
  const Finished done = loop({});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(work().read("lib/a"), "x\n");
  EXPECT_EQ(work().read("src/a"), "before\n");
  EXPECT_EQ(work().read("other/a"), "before\n");
  EXPECT_THAT(text_of("blocked", "a"), AllOf(HasSubstr("read other/a"), HasSubstr("write other/a")));
  EXPECT_THAT(done.err, HasSubstr("a was refused: read other/a"));
  EXPECT_THAT(work().read("lib/prompt"), AllOf(HasSubstr("# Workspace Sandboxing"), HasSubstr("**Mode**: strict")));
}

TEST_P(Loop, InterruptedItStopsAndTheNextOneGoesOn) {
  manifest("");
  agent("slow) test -e lib/quick && exec sleep 100;; *) touch lib/$PALE_STORY;;\n");
  work().write("prd.json", R"({"project": "p", "userStories": [{"id": "quick", "title": "t", "priority": 1},
    {"id": "slow", "title": "t", "priority": 2}]})");
  const Finished stopped = on_host("set +e; '" + pale_program() + "' loop --project-root '" + root() +
                                   "' 2>errors & pid=$!; n=0; until grep -q 'slow begins' errors; do sleep 0.05; "
                                   "n=$((n+1)); test $n -lt 1200 || exit 9; done;"
                                   "kill -INT $pid; wait $pid; echo \"code $?\"");
  EXPECT_THAT(stopped.out, AllOf(HasSubstr("code 130"), HasSubstr("1 of 2 pass, 1 waiting")));
  EXPECT_EQ(passing(), Words{"quick"});
  agent("*) touch lib/$PALE_STORY;;\n");
  EXPECT_EQ(loop({}).exit_code, 0);
  EXPECT_EQ(passing(), (Words{"quick", "slow"}));
  EXPECT_EQ(std::ranges::count(events("quick"), "run"), 1);
}

TEST_P(Loop, KilledItLeavesNothingThatTheNextOneDoesNotSettle) {
  manifest("");
  agent("slow) touch lib/half; exec sleep 100;; *) touch lib/$PALE_STORY;;\n");
  work().write("prd.json", R"({"project": "p", "userStories": [{"id": "slow", "title": "t"}]})");
  on_host(
      "set +e; '" + pale_program() + "' loop --parallel 2 --project-root '" + root() +
      "' 2>errors & pid=$!; n=0; until grep -q 'slow begins' errors; do sleep 0.05; n=$((n+1)); test $n -lt 1200 || "
      "exit 9; done; kill -KILL $pid; wait $pid; true");
  // As if it had been killed after it applied a story, and before it marked that.
  work().write("prd.json",
               R"({"project": "p", "userStories": [{"id": "slow", "title": "t"}, {"id": "was", "title": "t"}]})");
  for (const auto& entry : std::filesystem::directory_iterator(in_pale_home("loops")))
    std::ofstream(entry.path() / "log.jsonl", std::ios::app)
        << R"({"event":"applied","at":1,"story":"was"})" << "\n{\"half";
  agent("*) touch lib/$PALE_STORY;;\n");
  const Finished next = loop({"--parallel", "2"});
  EXPECT_EQ(next.exit_code, 0) << next.err;
  EXPECT_THAT(next.err, HasSubstr("was was done when the last loop ended"));
  EXPECT_EQ(passing(), (Words{"slow", "was"}));
  EXPECT_FALSE(work().exists("lib/was"));
  EXPECT_FALSE(work().exists("lib/half"));
  EXPECT_EQ(nlohmann::json::parse(pale({"stage", "list", "--project-root", root(), "--json"}).out).at("stages").size(),
            0U);
}

TEST_P(Loop, WhatIsWrongWithTheFileIsSaid) {
  manifest("");
  EXPECT_THAT(loop({}).err, AllOf(HasSubstr("there are no stories"), HasSubstr("hint: ")));
  work().write("prd.json", R"({"project": "p", "userStories": [{"id": "a", "title": "t", "dependencies": ["b"]},
    {"id": "b", "title": "t", "dependencies": ["a"]}]})");
  const Finished cycle = loop({});
  EXPECT_EQ(cycle.exit_code, 2);
  EXPECT_THAT(cycle.err, HasSubstr("a -> b -> a"));
  EXPECT_EQ(loop({"--parallel", "0"}).exit_code, 2);
}

// Twelve stories in three folders, four at a time, strictly; six of them misbehave, each in its own way.
TEST_P(Loop, SixThatMisbehaveDoNoHarmAndTheRightNinePass) {
  manifest(
      "[workspace]\nfolders = [\"lib\", \"src\", \"tests\"]\nmode = \"strict\"\ngit = \"commit\"\n"
      "[hooks]\nverify = \"test -e lib/$PALE_STORY -o -e src/$PALE_STORY -o -e tests/$PALE_STORY\"\n");
  for (const char* file : {"lib/a", "src/a", "tests/a", "docs/guide.md", "README.md"}) work().write(file, "before\n");
  // They write where they should, and then try something else; what they try is refused by the kernel.
  agent(
      "writes-outside) touch lib/$PALE_STORY; echo evil > README.md; echo evil > docs/new; true;;\n"
      "commits-outside) touch lib/$PALE_STORY; b=$(echo evil | git hash-object -w --stdin);\n"
      "  export GIT_INDEX_FILE=$TMPDIR/i; git read-tree HEAD; git update-index --add --cacheinfo "
      "100644,$b,docs/guide.md;\n"
      "  git update-ref HEAD $(git commit-tree -p HEAD -m evil $(git write-tree));;\n"
      "edits-hooks) touch src/$PALE_STORY; echo evil > .git/hooks/pre-commit; git config core.fsmonitor evil; true;;\n"
      "deletes-a-sibling) touch src/$PALE_STORY; rm -rf docs; rm README.md; true;;\n"
      "runs-forever) touch tests/$PALE_STORY; while :; do sleep 1; done;;\n"
      "crashes) touch tests/$PALE_STORY; kill -SEGV $$;;\n"
      "lib-*) touch lib/$PALE_STORY;; src-*) test -e lib/lib-1; touch src/$PALE_STORY;; *) touch "
      "tests/$PALE_STORY;;\n");
  work().write("prd.json", R"({"project": "p", "parallelization": {"enabled": true, "maxWorkers": 4}, "userStories": [
    {"id": "lib-1", "title": "t", "priority": 1}, {"id": "lib-2", "title": "t", "priority": 2},
    {"id": "src-1", "title": "t", "dependencies": ["lib-1"]}, {"id": "src-2", "title": "t", "dependencies": ["src-1", "lib-2"]},
    {"id": "tests-1", "title": "t", "dependencies": ["src-2"]}, {"id": "tests-2", "title": "t", "dependencies": ["writes-outside"]},
    {"id": "writes-outside", "title": "t"}, {"id": "commits-outside", "title": "t"}, {"id": "edits-hooks", "title": "t"},
    {"id": "deletes-a-sibling", "title": "t"}, {"id": "runs-forever", "title": "t"}, {"id": "crashes", "title": "t"}]})");
  on_host("git init -q -b main; git add -A; git commit -qm first; sleep 0.05");
  const std::string refs = on_host("git for-each-ref; cat .git/HEAD").out;
  const auto outside = [&] {
    return on_host(
               "find . \\( -path ./lib -o -path ./src -o -path ./tests -o -path ./prd.json \\) -prune -o -type f "
               "-print0 | sort -z | xargs -0 sha256sum; find . -type d | sort | grep -v '^./\\(lib\\|src\\|tests\\)'")
        .out;
  };
  const std::string before = outside();
  const Finished done = loop({"--tries", "1", "--timeout", "10"});
  EXPECT_EQ(done.exit_code, 1) << done.out << done.err;
  EXPECT_THAT(done.out, HasSubstr("9 of 12 pass, 3 failed")) << done.err;
  EXPECT_THAT(passing(), testing::UnorderedElementsAre("lib-1", "lib-2", "src-1", "src-2", "tests-1", "tests-2",
                                                       "writes-outside", "edits-hooks", "deletes-a-sibling"));
  // Nothing outside changed, and of those that failed nothing is there.
  EXPECT_EQ(work().read("README.md"), "before\n");
  EXPECT_EQ(work().read("docs/guide.md"), "before\n");
  EXPECT_FALSE(work().exists("docs/new"));
  EXPECT_FALSE(work().exists(".git/hooks/pre-commit"));
  EXPECT_THAT(work().read(".git/config"), Not(HasSubstr("evil")));
  EXPECT_EQ(on_host("git for-each-ref; cat .git/HEAD").out, refs);
  for (const char* file : {"lib/commits-outside", "tests/runs-forever", "tests/crashes"})
    EXPECT_FALSE(work().exists(file)) << file;
  for (const char* file : {"lib/lib-1", "lib/lib-2", "src/src-1", "src/src-2", "tests/tests-1", "tests/tests-2",
                           "lib/writes-outside", "src/edits-hooks", "src/deletes-a-sibling"})
    EXPECT_TRUE(work().exists(file)) << file;
  EXPECT_EQ(outside(), before);
  EXPECT_EQ(most_at_once(), 4U);
  // The log tells what happened.
  EXPECT_THAT(text_of("failed", "commits-outside"), AllOf(HasSubstr("docs/guide.md"), HasSubstr("outside the scope")));
  EXPECT_THAT(text_of("failed", "runs-forever"), HasSubstr("the time limit was reached"));
  EXPECT_THAT(text_of("failed", "crashes"), HasSubstr("139"));
  EXPECT_THAT(events("src-2"), Contains("applied"));
  EXPECT_THAT(text_of("blocked", "writes-outside"), AllOf(HasSubstr("write README.md"), HasSubstr("create docs/new")));
  EXPECT_THAT(text_of("blocked", "deletes-a-sibling"), AllOf(HasSubstr("remove docs"), HasSubstr("remove README.md")));
  EXPECT_THAT(text_of("blocked", "edits-hooks"), HasSubstr(".git/hooks/pre-commit"));
  EXPECT_THAT(events("lib-1"), Not(Contains("blocked")));
  EXPECT_THAT(output_of("writes-outside"),
              AllOf(HasSubstr("[WORKSPACE] BLOCKED: File access outside workspace\n[WORKSPACE]   File: " + root() +
                              "/README.md\n[WORKSPACE]   Operation: write\n[WORKSPACE]   Workspace folders: "
                              "lib,src,tests\n"),
                    HasSubstr("and refused: 2 accesses")));
  EXPECT_GT(session().at("denials"), 0);
  EXPECT_GT(session().at("runs").at(0).at("receipt").at("times").at("startUs"), 0);
  EXPECT_THAT(pale({"session", "log", text_of("begun", "")}).out,
              AllOf(HasSubstr("[WORKSPACE] BLOCKED: File access outside workspace\n[WORKSPACE]   File: " + root() +
                              "/README.md\n"),
                    HasSubstr("denied: create " + root() + "/.git/hooks/pre-commit")));
  // No stage is left, and no process.
  EXPECT_EQ(nlohmann::json::parse(pale({"stage", "list", "--project-root", root(), "--json"}).out).at("stages").size(),
            0U);
  EXPECT_TRUE(project_.records_are_idle());
}

INSTANTIATE_TEST_SUITE_P(, Loop, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
