// Loops about some folders: what is inferred, what a fileScope holds a story to, what flags and hooks count, and what stays when
// somebody else changes the file.
#include "loops.h"
#include "support/session.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ScopedLoop : public WithLoop {
 protected:
  nlohmann::json story(std::size_t at) const {
    return nlohmann::json::parse(work().read("prd.json")).at("userStories").at(at);
  }
  std::string file_scope(std::size_t at) const { return story(at).value("fileScope", nlohmann::json::array()).dump(); }
};

TEST_P(ScopedLoop, InfersFileScopesAtItsBeginningAndSaysSoInTheKnownLines) {
  manifest("");
  work().write("src/a.ts", "a\n");
  agent("*) true;;\n");
  work().write("prd.json", R"({"project": "p", "userStories": [{"id": "US-001", "title": "t"},
    {"id": "US-002", "title": "t", "fileScope": ["src/a.ts"]}]})");
  const Finished done = loop({"--workspace", "lib,src", "--workspace-mode", "strict"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("[WORKSPACE] Initialized workspace manager\n"
                                  "[WORKSPACE]   Folders: lib,src\n"
                                  "[WORKSPACE]   Mode: strict\n"
                                  "[WORKSPACE]   Repo Root: " +
                                  root() +
                                  "\n"
                                  "[WORKSPACE] Validated workspace folder: lib\n"
                                  "[WORKSPACE] Validated workspace folder: src\n"
                                  "[WORKSPACE] All workspace folders validated\n"
                                  "[INFO] Workspace sandboxing: Enabled (mode: strict)\n"
                                  "[WORKSPACE] Auto-inferring fileScope from workspace...\n"
                                  "[WORKSPACE] Setting fileScope for story US-001\n"
                                  "[WORKSPACE] Updated fileScope for 1 stories\n"));
  EXPECT_THAT(file_scope(0), AllOf(HasSubstr("lib/**/*.sh"), HasSubstr("src/**/*.yml")));
  EXPECT_EQ(file_scope(1), R"(["src/a.ts"])");
}

TEST_P(ScopedLoop, AnInferredScopeGrowsWithNewTypesOfFilesAndAnExplicitOneHolds) {
  for (const Words& how : {Words{"--parallel", "2"}, Words{}}) {
    manifest("[workspace]\nfolders = [\"lib\", \"src\"]\nmode = \"strict\"\n");
    work().write("src/a.ts", "a\n");
    agent("*) echo x > src/$PALE_STORY.zig;;\n");
    work().write("prd.json", R"({"project": "p", "userStories": [{"id": "dynamic", "title": "t"},
      {"id": "fixed", "title": "t", "fileScope": ["src/**/*.ts"]}]})");
    on_host("sleep 0.05");
    const Finished done = loop(how + Words{"--tries", "1"});
    EXPECT_EQ(done.exit_code, 1) << done.err;
    EXPECT_EQ(passing(), Words{"dynamic"}) << done.out << done.err;
    EXPECT_TRUE(work().exists("src/dynamic.zig"));
    EXPECT_EQ(story(0).at("fileScope").back(), "src/**/*.zig") << file_scope(0);
    EXPECT_EQ(file_scope(1), R"(["src/**/*.ts"])");
    EXPECT_THAT(done.out, HasSubstr("outside its fileScope: src/fixed.zig")) << done.out;
    std::filesystem::remove(work().path() / "src/dynamic.zig");
    std::filesystem::remove(work().path() / "src/fixed.zig");
  }
}

TEST_P(ScopedLoop, WithoutAStageAFileOutsideItsFileScopeFailsAStoryToo) {
  manifest("");
  work().write("src/one.ts", "one\n");
  agent(
      "made) echo x > src/two.zig;; changed) echo x > src/old.md;; gone) rm src/gone.md;; *) echo x > src/one.ts;;\n");
  for (const char* file : {"src/old.md", "src/gone.md"}) work().write(file, "before\n");
  std::string stories;
  for (const std::string id : {"made", "changed", "gone", "right"})
    stories +=
        (stories.empty() ? "" : ",") + ("{\"id\": \"" + id + "\", \"title\": \"t\", \"fileScope\": [\"src/**/*.ts\"]}");
  work().write("prd.json", "{\"project\": \"p\", \"userStories\": [" + stories + "]}");
  on_host("sleep 0.05");
  const Finished done = loop({"--tries", "1"});
  EXPECT_EQ(passing(), Words{"right"}) << done.err;
  EXPECT_THAT(text_of("failed", "made"), HasSubstr("outside its fileScope: src/two.zig"));
  EXPECT_THAT(text_of("failed", "changed"), HasSubstr("outside its fileScope: src/old.md"));
  EXPECT_THAT(text_of("failed", "gone"), HasSubstr("outside its fileScope: src/gone.md"));
}

TEST_P(ScopedLoop, FlagsAndPresetsSayWhichFolders) {
  manifest("[presets.docs]\nfolders = [\"lib\", \"docs\"]\nmode = \"strict\"\n");
  for (const char* file : {"src/a", "docs/a"}) work().write(file, "before\n");
  agent("*) cat src/a docs/a; true;;\n");
  const auto refused = [&](const Words& flags) {
    work().write("prd.json", R"({"project": "p", "userStories": [{"id": "a", "title": "t"}]})");
    const Finished done = loop(flags);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.err.substr(done.err.find(" was refused: ") + 1);
  };
  EXPECT_THAT(refused({"--workspace", "lib,src", "--workspace-mode", "strict"}),
              AllOf(HasSubstr("read docs/a"), Not(HasSubstr("read src/a"))));
  EXPECT_THAT(refused({"--preset", "docs"}), AllOf(HasSubstr("read src/a"), Not(HasSubstr("read docs/a"))));
}

TEST_P(ScopedLoop, MaxIterationsStopsItAndTheNextGoesOn) {
  manifest("");
  agent("*) touch lib/$PALE_STORY;;\n");
  work().write("prd.json",
               R"({"project": "p", "userStories": [{"id": "a", "title": "t"}, {"id": "b", "title": "t"}]})");
  const Finished first = loop({"--max-iterations", "1"});
  EXPECT_EQ(first.exit_code, 1);
  EXPECT_THAT(first.out, HasSubstr("1 of 2 pass, 1 waiting"));
  EXPECT_THAT(first.err, HasSubstr("no more runs were allowed"));
  EXPECT_EQ(passing(), Words{"a"});
  EXPECT_EQ(loop({}).exit_code, 0);
  EXPECT_EQ(passing(), (Words{"a", "b"}));
}

TEST_P(ScopedLoop, TheOutputOfEachRunIsKept) {
  manifest("");
  agent("*) echo said by $PALE_STORY in $(cat lib/count);;\n");
  for (const char* round : {"one", "two"}) {
    work().write("lib/count", round);
    work().write("prd.json", R"({"project": "p", "userStories": [{"id": "a", "title": "t"}]})");
    EXPECT_EQ(loop({}).exit_code, 0);
  }
  EXPECT_THAT(output_of("a"), AllOf(HasSubstr("said by a in one\n"), HasSubstr("said by a in two\n")));
}

TEST_P(ScopedLoop, InterruptedWithSeveralAtATimeItStopsCleanlyAndGoesOn) {
  manifest("");
  agent("*) touch lib/$PALE_STORY; exec sleep 100;;\n");
  work().write("prd.json",
               R"({"project": "p", "userStories": [{"id": "a", "title": "t"}, {"id": "b", "title": "t"}]})");
  const Finished stopped =
      on_host("set +e; '" + pale_program() + "' loop --parallel 2 --project-root '" + root() +
              "' 2>errors & pid=$!; n=0; until grep -q 'a begins' errors && grep -q 'b begins' errors; do sleep 0.05; "
              "n=$((n+1)); test $n -lt 1200 || exit 9; done; kill -INT $pid; wait $pid; echo \"code $?\"");
  EXPECT_THAT(stopped.out, AllOf(HasSubstr("code 130"), HasSubstr("0 of 2 pass, 2 waiting")));
  EXPECT_FALSE(work().exists("lib/a")) << "it was in a stage";
  EXPECT_EQ(nlohmann::json::parse(pale({"stage", "list", "--project-root", root(), "--json"}).out).at("stages").size(),
            0U);
  agent("*) touch lib/$PALE_STORY;;\n");
  EXPECT_EQ(loop({"--parallel", "2"}).exit_code, 0);
  EXPECT_TRUE(project_.records_are_idle()) << "what was ended before it had begun is cleaned up by the next one";
  EXPECT_EQ(passing(), (Words{"a", "b"}));
}

TEST_P(ScopedLoop, ValidateRunsConfined) {
  work().write("docs/secret", "what stands in it\n");
  manifest(
      "[workspace]\nfolders = [\"lib\"]\nmode = \"strict\"\n[hooks]\nvalidate = \"echo x > docs/new; "
      "cat docs/secret\"\n");
  agent("*) true;;\n");
  work().write("prd.json", R"({"project": "p", "userStories": [{"id": "a", "title": "t"}]})");
  const Finished done = loop({"--tries", "1"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, HasSubstr("validate: it ended with the code 1"));
  EXPECT_THAT(text_of("blocked", "a"), AllOf(HasSubstr("create docs/new"), HasSubstr("read docs/secret")));
  EXPECT_THAT(output_of("a"), Not(HasSubstr("what stands in it")));
  EXPECT_FALSE(work().exists("docs/new"));
}

TEST_P(ScopedLoop, OnATerminalATableOfTheStoriesStays) {
  manifest("");
  agent("*) touch lib/$PALE_STORY;;\n");
  work().write(
      "prd.json",
      R"({"project": "p", "userStories": [{"id": "US-001", "title": "First things"}, {"id": "b", "title": "t"}]})");
  Process process;
  process.arguments = {pale_program(), "loop", "--project-root", root()};
  process.account = GetParam();
  process.environment = environment_with({"TERM=xterm", "NO_COLOR=1"});
  Session terminal(process, Line::Terminal);
  const Finished done = terminal.finish();
  const std::string& seen = done.out;
  EXPECT_EQ(done.exit_code, 0) << seen;
  EXPECT_THAT(seen, AllOf(testing::ContainsRegex("US-001 +agent"), HasSubstr("First things"),
                          HasSubstr("\x1b[2A\x1b[J"), testing::ContainsRegex("US-001 +passed")));
}

TEST_P(ScopedLoop, MarksAndEditsOfTheFileAtTheSameTimeAreAllThere) {
  manifest("");
  work().write("src/a.ts", "a\n");
  agent("*) true;;\n");
  std::string stories;
  for (int at = 0; at < 20; ++at)
    stories += (at == 0 ? "" : ",") + ("\n  {\"id\": \"s" + std::to_string(at) + "\", \"title\": \"t\"}");
  work().write("prd.json", "{\"project\": \"p\", \"userStories\": [" + stories + "]}\n");
  const std::string names = on_host("ls -A").out;
  // Each edit infers for other folders, so that each of them writes.
  on_host("set +e; '" + pale_program() + "' loop --parallel 4 --project-root '" + root() +
          "' > /dev/null 2>&1 & loop=$!\n"
          "for i in $(seq 20); do '" +
          pale_program() +
          "' scope update-prd src prd.json > /dev/null 2>&1 & all=\"$all $!\"; done\n"
          "wait $all; wait $loop; echo $?");
  EXPECT_EQ(passing().size(), 20U);
  const auto prd = nlohmann::json::parse(work().read("prd.json"));
  for (const auto& story : prd.at("userStories")) EXPECT_EQ(story.at("fileScope").size(), 8U) << story;
  EXPECT_EQ(on_host("ls -A").out, names) << "nothing is left beside it";
}

INSTANTIATE_TEST_SUITE_P(, ScopedLoop, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
