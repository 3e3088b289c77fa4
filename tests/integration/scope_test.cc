// pale scope: the folders of a repository, checked, inferred from, written into a prd.json, and given to workers.
#include "projects.h"

namespace pale::test {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Scope : public WithProjects {
 protected:
  Scope() {
    work().make_directory(".git");
    work().write("lib/a.ts", "a\n");
    work().write("src/main.py", "main\n");
    work().write("library/b.ts", "b\n");
  }
  Finished scope(const Words& words, const Words& environment = {}) const {
    return pale_in(root(), Words{"scope"} + words, environment);
  }
  int check(const std::string& file, const std::string& folders) const {
    return scope({"check-file", file, folders}).exit_code;
  }
  std::vector<std::string> infer(const std::string& folders) const {
    const Finished inferred = scope({"infer-scope", folders});
    EXPECT_EQ(inferred.exit_code, 0) << inferred.err;
    return nlohmann::json::parse(inferred.out, nullptr, false).get<std::vector<std::string>>();
  }
};

// --- validate ---------------------------------------------------------------------------------------------------------

TEST_P(Scope, ValidateSaysWhatItDoes) {
  const Finished valid = scope({"validate", "lib,src"});
  EXPECT_EQ(valid.exit_code, 0);
  EXPECT_EQ(valid.out, "");
  EXPECT_EQ(valid.err,
            "[WORKSPACE] Initialized workspace manager\n"
            "[WORKSPACE]   Folders: lib,src\n"
            "[WORKSPACE]   Mode: permissive\n"
            "[WORKSPACE]   Repo Root: " +
                root() +
                "\n"
                "[WORKSPACE] Validated workspace folder: lib\n"
                "[WORKSPACE] Validated workspace folder: src\n"
                "[WORKSPACE] All workspace folders validated\n");
}

TEST_P(Scope, ValidateTakesRelativeAndAbsoluteNestedAndSpacedFolders) {
  work().make_directory("lib/utils");
  for (const std::string& list : {std::string("lib, src"), std::string("lib/"), std::string("./lib//utils"),
                                  std::string("lib,lib/utils"), root() + "/lib", root() + "/lib/utils, src"})
    EXPECT_EQ(scope({"validate", list}).exit_code, 0) << list;
}

TEST_P(Scope, ValidateRefusesWhatIsNoFolderOfTheRepository) {
  const TemporaryDirectory evil(GetParam(), "evil");
  const fs::path beside = root() + "-evil";
  fs::create_directory(beside);
  fs::create_directory_symlink("/etc", work().path() / "link");
  fs::create_directory_symlink(".", work().path() / "all");
  const std::string before = work().snapshot();
  for (const std::string& list : {std::string("missing"), std::string("lib,missing"), std::string("lib/a.ts"),
                                  std::string("lib/.."), std::string("."), std::string("all"), std::string("link"),
                                  std::string("../" + beside.filename().string()), beside.string(), std::string("/etc"),
                                  std::string("/"), std::string("lib/../../" + beside.filename().string())}) {
    const Finished refused = scope({"validate", list});
    EXPECT_EQ(refused.exit_code, 1) << list << refused.err;
    EXPECT_THAT(refused.err, AllOf(HasSubstr("[WORKSPACE] ERROR: Workspace folder "), HasSubstr("hint: ")));
  }
  EXPECT_THAT(scope({"validate", "missing"}).err, HasSubstr("Workspace folder does not exist: missing\n"));
  EXPECT_EQ(work().snapshot(), before);
  fs::remove(beside);
}

TEST_P(Scope, AListOrAModeThatMeansNothingIsRefused) {
  for (const char* list : {",", "", " ", "lib,", "lib,,src"}) EXPECT_EQ(scope({"validate", list}).exit_code, 2) << list;
  EXPECT_EQ(scope({"validate", "lib", "--workspace-mode", "bogus"}).exit_code, 2);
  EXPECT_EQ(scope({"validate", "lib", "--workspace-mode="}).exit_code, 2);
  EXPECT_EQ(scope({"validate", "lib"}, {"WORKSPACE_MODE=bogus"}).exit_code, 2);
  EXPECT_EQ(scope({"prompt-section", "lib", "bogus"}).exit_code, 2);
  EXPECT_THAT(scope({"validate", "lib"}, {"WORKSPACE_MODE=strict"}).err, HasSubstr("  Mode: strict\n"));
}

TEST_P(Scope, ALinkInsideTheRepositoryIsTheFolderItLeadsTo) {
  fs::create_directory_symlink("src", work().path() / "alias");
  EXPECT_EQ(scope({"validate", "alias"}).exit_code, 0);
  EXPECT_EQ(check("src/main.py", "alias"), 0);
  EXPECT_EQ(check("alias/main.py", "src"), 0);
  EXPECT_THAT(infer("alias").front(), "src/**/*.sh");
}

TEST_P(Scope, TheRepositoryIsTheOneAroundTheUser) {
  const Finished below = pale_in(root() + "/lib", {"scope", "validate", "lib,src"});
  EXPECT_EQ(below.exit_code, 0) << below.err;
  const Finished named = pale({"scope", "validate", "lib", "--project-root", root()});
  EXPECT_EQ(named.exit_code, 0) << named.err;
  const Finished nowhere = pale({"scope", "validate", "lib"});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("hint: "));
}

// --- check-file -------------------------------------------------------------------------------------------------------

TEST_P(Scope, CheckFileComparesWholeNames) {
  EXPECT_EQ(check("src/main.ts", "src,lib"), 0);
  EXPECT_EQ(check("lib/a.ts", "lib"), 0);
  EXPECT_EQ(check("library/b.ts", "lib"), 1);
  EXPECT_EQ(check("lib", "lib"), 0);
  EXPECT_EQ(check("README.md", "lib"), 1);
  EXPECT_EQ(check(root() + "/lib/a.ts", "lib"), 0);
  EXPECT_EQ(check("lib/a.ts", root() + "/lib"), 0);
  EXPECT_EQ(check(root() + "-evil/lib/a.ts", "lib"), 1);
  EXPECT_EQ(check("/etc/passwd", "lib"), 1);
}

TEST_P(Scope, CheckFileGoesWhereTheKernelWould) {
  fs::create_directory_symlink("/etc", work().path() / "lib/link-to-etc");
  fs::create_symlink("/etc/not-there-yet", work().path() / "lib/dangling");
  fs::create_symlink("loop", work().path() / "lib/loop");
  EXPECT_EQ(check("lib/link-to-etc/passwd", "lib"), 1);
  EXPECT_EQ(check("lib/dangling", "lib"), 1);
  EXPECT_EQ(check("lib/..", "lib"), 1);
  EXPECT_EQ(check("lib/../library/b.ts", "lib"), 1);
  EXPECT_EQ(check("library/../lib/a.ts", "lib"), 0);
  EXPECT_EQ(check("lib/not/yet/there.ts", "lib"), 0);
  EXPECT_EQ(check("lib/not/../../src/x", "lib"), 1);
  EXPECT_EQ(check("lib/not/../link-to-etc/x", "lib"), 1);
  EXPECT_NE(check("lib/loop", "lib"), 0);
}

TEST_P(Scope, CheckFileAnswersAsJson) {
  const Finished inside = scope({"check-file", "lib/x", "src,lib", "--json"});
  EXPECT_EQ(nlohmann::json::parse(inside.out),
            (nlohmann::json{{"schemaVersion", 1}, {"file", root() + "/lib/x"}, {"inside", true}, {"folder", "lib"}}));
  EXPECT_EQ(nlohmann::json::parse(scope({"check-file", "x", "lib", "--json"}).out).at("folder"), nullptr);
}

// --- infer-scope, update-prd, prompt-section --------------------------------------------------------------------------

TEST_P(Scope, InferredPatternsAreTheUsualOnesAndWhatIsThere) {
  work().write("lib/deep/x.rs", "");
  work().write("lib/Makefile", "");
  work().write("lib/.hidden", "");
  work().write("lib/built.o", "");
  work().write(".gitignore", "*.o\n");
  EXPECT_THAT(infer("lib/"), ElementsAre("lib/**/*.sh", "lib/**/*.js", "lib/**/*.ts", "lib/**/*.py", "lib/**/*.json",
                                         "lib/**/*.md", "lib/**/*.yaml", "lib/**/*.yml", "lib/**/*.rs"));
  EXPECT_EQ(infer("lib, src").size(), 17U);
}

TEST_P(Scope, OddNamesGiveGoodJson) {
  work().write("say \"hi\" \\o/x.q\"t", "");
  const auto patterns = infer("say \"hi\" \\o");
  EXPECT_EQ(patterns.front(), R"(say "hi" \\o/**/*.sh)");
  EXPECT_EQ(patterns.back(), R"(say "hi" \\o/**/*.q"t)");
}

TEST_P(Scope, UpdatePrdKeepsAllThatIsNotItsBusiness) {
  const std::string head =
      "{\n\t\"project\":  \"p\", \"mine\": [1,  2.50],\n\t\"userStories\": [\n\t\t{ \"id\": \"US-001\", ";
  const std::string rest =
      " },\n\t\t{ \"id\": \"US-002\", \"title\": \"t\", \"fileScope\": [], \"x\": null },\n"
      "\t\t{ \"fileScope\": [\"lib/**/*.ts\"], \"id\": \"US-003\", \"title\": \"\\u0041\" }\n\t] }\n\n";
  work().write("prd.json", head + "\"title\": \"t\"" + rest);
  fs::permissions(work().path() / "prd.json", fs::perms(0640));
  const Finished updated = scope({"update-prd", "lib", "prd.json"});
  EXPECT_EQ(updated.exit_code, 0) << updated.err;
  EXPECT_EQ(updated.err,
            "[WORKSPACE] Auto-inferring fileScope from workspace...\n"
            "[WORKSPACE] Setting fileScope for story US-001\n"
            "[WORKSPACE] Updated fileScope for 1 stories\n");
  EXPECT_EQ(work().read("prd.json"), head +
                                         "\"title\": \"t\", \"fileScope\": [\"lib/**/*.sh\", \"lib/**/*.js\", "
                                         "\"lib/**/*.ts\", \"lib/**/*.py\", \"lib/**/*.json\", \"lib/**/*.md\", "
                                         "\"lib/**/*.yaml\", \"lib/**/*.yml\"]" +
                                         rest);
  EXPECT_EQ(fs::status(work().path() / "prd.json").permissions(), fs::perms(0640));
  const std::string once = work().snapshot();
  EXPECT_THAT(scope({"update-prd", "lib", "prd.json"}).err, HasSubstr("for 0 stories"));
  EXPECT_EQ(work().snapshot(), once);
}

TEST_P(Scope, NewTypesOfFilesUpdateWhatWasInferred) {
  work().write(
      "prd.json",
      R"({"project":"p","userStories":[{"id":"a","title":"t"},{"id":"b","title":"t","fileScope":["lib/**/*.ts"]}]})");
  ASSERT_EQ(scope({"update-prd", "lib", "prd.json"}).exit_code, 0);
  work().write("lib/new.zig", "");
  EXPECT_THAT(scope({"update-prd", "lib", "prd.json"}).err, HasSubstr("for 1 stories"));
  const auto prd = nlohmann::json::parse(work().read("prd.json"));
  EXPECT_EQ(prd["userStories"][0]["fileScope"].back(), "lib/**/*.zig");
  EXPECT_EQ(prd["userStories"][1]["fileScope"].size(), 1U);
  // What was inferred for other folders is kept.
  EXPECT_THAT(scope({"update-prd", "src", "prd.json"}).err, HasSubstr("for 0 stories"));
}

TEST_P(Scope, ABrokenPrdStaysAsItIs) {
  for (const std::string text : {"{", "[]", R"({"project":"p"})", R"({"project":"p","userStories":[{"id":"a"}]})"}) {
    work().write("prd.json", text);
    const Finished refused = scope({"update-prd", "lib", "prd.json"});
    EXPECT_EQ(refused.exit_code, 2) << text;
    EXPECT_THAT(refused.err, HasSubstr("prd.json"));
    EXPECT_EQ(work().read("prd.json"), text);
  }
  EXPECT_EQ(scope({"update-prd", "lib", "none.json"}).exit_code, 2);
}

TEST_P(Scope, PromptSectionIsOnStdout) {
  const Finished section = scope({"prompt-section", "lib/, src", "strict"});
  EXPECT_EQ(section.exit_code, 0);
  EXPECT_EQ(section.err, "");
  EXPECT_THAT(section.out, StartsWith("# Workspace Sandboxing\n"));
  EXPECT_THAT(section.out,
              AllOf(HasSubstr("**Mode**: strict\n**Allowed Folders**: lib,src\n"), HasSubstr("- `lib/`\n")));
  EXPECT_THAT(scope({"prompt-section", "lib"}).out, HasSubstr("**Mode**: permissive\n"));
}

// --- mount and unmount ------------------------------------------------------------------------------------------------

TEST_P(Scope, AWorkersCopiesShareNoWrites) {
  work().write("lib/deep/run.sh", "#!/bin/sh\n");
  fs::permissions(work().path() / "lib/deep/run.sh", fs::perms(0755));
  fs::create_symlink("a.ts", work().path() / "lib/srclink");
  const TemporaryDirectory worker(GetParam(), "worker");
  const std::string before = work().snapshot();
  const Finished mounted = scope({"mount", "lib,src,lib/deep", worker.text()});
  EXPECT_EQ(mounted.exit_code, 0) << mounted.err;
  EXPECT_THAT(mounted.err, AllOf(HasSubstr("[WORKSPACE] Mounted workspace folder: lib in "),
                                 HasSubstr("Mounted workspace folder: src"), Not(HasSubstr("lib/deep"))));
  EXPECT_FALSE(fs::is_symlink(worker.path() / "lib"));
  EXPECT_EQ(worker.read("lib/a.ts"), "a\n");
  EXPECT_EQ(fs::status(worker.path() / "lib/deep/run.sh").permissions() & fs::perms::owner_exec, fs::perms::owner_exec);
  worker.write("lib/srclink", "changed by the worker\n");
  fs::remove_all(worker.path() / "src");
  fs::create_directory(worker.path() / "src");
  EXPECT_EQ(work().snapshot(), before);
}

TEST_P(Scope, UnmountTakesAwayWhatWasMountedAndNothingElse) {
  fs::create_symlink("a.ts", work().path() / "lib/srclink");
  work().write("packages/api/x", "x\n");
  const TemporaryDirectory worker(GetParam(), "worker");
  worker.write("own", "own\n");
  const std::string empty = worker.snapshot();
  const std::string before = work().snapshot();
  ASSERT_EQ(scope({"mount", "lib,packages/api", worker.text()}).exit_code, 0);
  EXPECT_EQ(scope({"unmount", "lib/srclink,lib", worker.text()}).exit_code, 2);
  EXPECT_TRUE(fs::exists(worker.path() / "lib/srclink"));
  const Finished unmounted = scope({"unmount", "lib,packages/api/", worker.text()});
  EXPECT_EQ(unmounted.exit_code, 0) << unmounted.err;
  EXPECT_EQ(worker.snapshot(), empty);
  EXPECT_EQ(work().snapshot(), before);
  EXPECT_EQ(scope({"unmount", "lib", worker.text()}).exit_code, 2);
}

TEST_P(Scope, ChangesOfAWorkerAreNotLostUnasked) {
  const TemporaryDirectory worker(GetParam(), "worker");
  ASSERT_EQ(scope({"mount", "lib", worker.text()}).exit_code, 0);
  worker.write("lib/new.ts", "work\n");
  const Finished refused = scope({"unmount", "lib", worker.text()});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("lib/new.ts"), HasSubstr("hint: pale scope unmount lib")));
  EXPECT_EQ(worker.read("lib/new.ts"), "work\n");
  EXPECT_EQ(scope({"unmount", "lib", worker.text(), "--discard"}).exit_code, 0);
  EXPECT_FALSE(worker.exists("lib"));
  EXPECT_FALSE(work().exists("lib/new.ts"));
}

TEST_P(Scope, UnmountNeverTouchesTheSourceWhateverAWorkerDid) {
  const TemporaryDirectory worker(GetParam(), "worker");
  const std::string before = work().snapshot();
  // In the repository itself nothing was mounted.
  EXPECT_EQ(scope({"unmount", "lib", root()}).exit_code, 2);
  ASSERT_EQ(scope({"mount", "lib", worker.text()}).exit_code, 0);
  fs::remove_all(worker.path() / "lib");
  fs::create_directory_symlink(root() + "/lib", worker.path() / "lib");
  for (const Words& more : {Words{}, Words{"--discard"}})
    EXPECT_NE(scope(Words{"unmount", "lib", worker.text()} + more).exit_code, 0);
  fs::remove(worker.path() / "lib");
  fs::create_directory(worker.path() / "lib");
  EXPECT_EQ(scope({"unmount", "lib", worker.text(), "--discard"}).exit_code, 3);
  EXPECT_EQ(work().snapshot(), before);
}

TEST_P(Scope, MountWritesOverNothingAndLeavesNothingBehind) {
  const TemporaryDirectory worker(GetParam(), "worker");
  worker.write("src/theirs", "theirs\n");
  const std::string before = worker.snapshot();
  EXPECT_EQ(scope({"mount", "lib,src", worker.text()}).exit_code, 3);
  EXPECT_EQ(worker.snapshot(), before);
  for (const std::string& place : {root() + "/lib/worker", root(), root() + "/lib"})
    EXPECT_EQ(scope({"mount", "lib", place}).exit_code, 3) << place;
  EXPECT_FALSE(work().exists("lib/worker"));
  EXPECT_EQ(scope({"mount", "missing", worker.text()}).exit_code, 1);
  EXPECT_EQ(worker.snapshot(), before);
}

TEST_P(Scope, ACopyIsChangedOnlyIfTheWorkerChangedIt) {
  const TemporaryDirectory worker(GetParam(), "worker");
  ASSERT_EQ(scope({"mount", "lib", worker.text()}).exit_code, 0);
  work().write("lib/later.ts", "made in the repository meanwhile\n");
  const Finished unmounted = scope({"unmount", "lib", worker.text()});
  EXPECT_EQ(unmounted.exit_code, 0) << unmounted.err;
  EXPECT_FALSE(worker.exists("lib"));
  EXPECT_TRUE(work().exists("lib/later.ts"));
}

TEST_P(Scope, WithACommandTheFoldersAreMountedForAsLongAsItLives) {
  const TemporaryDirectory worker(GetParam(), "worker");
  const std::string before = worker.snapshot();
  const Finished run = scope({"mount", "lib,src", worker.text(), "--", "/bin/sh", "-c",
                              "pwd; ls; cat lib/a.ts; echo new > lib/written; ls '" + worker.text() + "'; exit 7"});
  EXPECT_EQ(run.exit_code, 7) << run.err;
  EXPECT_EQ(run.out, worker.text() + "\nlib\nsrc\na\nlib\nsrc\n");
  EXPECT_EQ(work().read("lib/written"), "new\n") << "it is the folder itself";
  EXPECT_EQ(worker.snapshot(), before);
  const Finished made = scope({"mount", "lib", worker.text() + "/made", "--", "true"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_FALSE(worker.exists("made"));
  EXPECT_NE(scope({"mount", "lib", worker.text(), "--", "none-such-command"}).exit_code, 0);
  EXPECT_EQ(scope({"mount", "lib", root() + "/lib", "--", "true"}).exit_code, 3);
}

TEST_P(Scope, AMissingPlaceForAWorkerIsSaidWithWhatMakesIt) {
  const TemporaryDirectory worker(GetParam(), "worker");
  const Finished refused = scope({"mount", "lib", worker.text() + "/none/such"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.err, HasSubstr("hint: mkdir -p " + worker.text() + "/none\n"));
}

TEST_P(Scope, AWordThatIsNoCommandOfItsListsThoseThatAre) {
  const Finished refused = pale({"scope", "frob"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("unknown command scope frob"),
                                 HasSubstr("hint: pale scope validate, check-file, infer-scope, update-prd, mount")));
  EXPECT_THAT(pale({"scope", "validat"}).err, HasSubstr("did you mean pale scope validate?"));
}

TEST_P(Scope, ATemplateBeginsAFile) {
  const Finished made = pale_in(root(), {"loop", "init", "--template", "bugfix"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("Wrote " + root() + "/prd.json\n"));
  const auto prd = nlohmann::json::parse(work().read("prd.json"));
  EXPECT_TRUE(prd.at("userStories").is_array());
  const std::string before = work().read("prd.json");
  EXPECT_NE(pale_in(root(), {"loop", "init"}).exit_code, 0) << "nothing is written over";
  EXPECT_EQ(work().read("prd.json"), before);
  EXPECT_EQ(pale_in(root(), {"loop", "init", "--template", "none-such", "other.json"}).exit_code, 2);
  EXPECT_EQ(pale_in(root(), {"loop", "init", "--workspace", "lib", "other.json"}).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(work().read("other.json")).at("workspace").at("folders").at(0), "lib");
}

INSTANTIATE_TEST_SUITE_P(, Scope, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
