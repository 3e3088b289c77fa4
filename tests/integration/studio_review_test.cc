// Review through Studio's API: by file and by hunk, conflicts, the host-execution gate ticked one by one, undo.
#include "studio.h"

namespace pale::test {
namespace {

constexpr const char* kTwelve = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";

class StudioReview : public WithStudio {
 protected:
  StudioReview() { work().write("b.txt", kTwelve); }
  // Both ends of the file are changed, a hunk each.
  std::string stage_with(const std::string& more = "true") const {
    return stage_of(ran("sed -i 's/^1$/one/;s/^12$/twelve/' b.txt; " + more, true));
  }
  Json hunks(const std::string& stage, const std::string& path) const {
    return got("/stages/" + stage + "/diff?path=" + path)["hunks"];
  }
};

TEST_P(StudioReview, OneHunkIsTakenTheOtherStaysAndAllIsUndone) {
  const std::string stage = stage_with();
  const Json both = hunks(stage, "b.txt");
  ASSERT_EQ(both.size(), 2U) << both.dump();
  const Json done = did("POST", "/stages/" + stage + "/apply", {{"hunks", {{"b.txt", {both[1]["id"]}}}}});
  EXPECT_EQ(work().read("b.txt"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\ntwelve\n");
  EXPECT_EQ(done["left"], 1);
  EXPECT_EQ(hunks(stage, "b.txt").size(), 1U);
  did("POST", "/stages/" + stage + "/undo");
  EXPECT_EQ(work().read("b.txt"), kTwelve);
}

TEST_P(StudioReview, AHunkThatIsAnotherByNowIsRefused) {
  const std::string stage = stage_with();
  const Json both = hunks(stage, "b.txt");
  work().write("b.txt", "0\n" + std::string(kTwelve));
  const HttpAnswer answer = tried("POST", "/stages/" + stage + "/apply", {{"hunks", {{"b.txt", {both[0]["id"]}}}}});
  EXPECT_EQ(answer.status, 409) << answer.body;
  EXPECT_EQ(work().read("b.txt"), "0\n" + std::string(kTwelve));
}

// In as many lines, and even if it is made what it was again: whoever saw the one in between has accepted that.
TEST_P(StudioReview, AFileThatIsAnotherByNowIsRefused) {
  const std::string stage = stage_with();
  const auto version = [&] { return got("/stages/" + stage)["files"][0]["version"]; };
  const auto rewrite = [&](const std::string& from, const std::string& to) {
    const Finished changed =
        pale({"run", "-p", "shop", "--stage", stage, "--", "/bin/sed", "-i", "s/" + from + "/" + to + "/", "b.txt"});
    EXPECT_EQ(changed.exit_code, 0) << changed.err;
  };
  const Json seen = version();
  EXPECT_EQ(got("/stages/" + stage + "/diff?path=b.txt")["version"], seen);
  rewrite("twelve", "dozen");
  rewrite("dozen", "twelve");
  const HttpAnswer answer =
      tried("POST", "/stages/" + stage + "/apply", {{"files", {"b.txt"}}, {"versions", {{"b.txt", seen}}}});
  EXPECT_EQ(answer.status, 409) << answer.body;
  EXPECT_EQ(answer.json()["error"]["details"]["changed"], Json({"b.txt"}));
  EXPECT_EQ(work().read("b.txt"), kTwelve);
  did("POST", "/stages/" + stage + "/apply", {{"files", {"b.txt"}}, {"versions", {{"b.txt", version()}}}});
  EXPECT_EQ(work().read("b.txt"), "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\ntwelve\n");
}

TEST_P(StudioReview, FilesAreTakenAndLeftOneByOne) {
  const std::string stage = stage_with("mkdir new; echo x > new/x; echo y > new/y");
  did("POST", "/stages/" + stage + "/apply", {{"files", {"new/x"}}});
  EXPECT_EQ(work().read("new/x"), "x\n");
  EXPECT_FALSE(work().exists("new/y"));
  EXPECT_EQ(work().read("b.txt"), kTwelve);
  did("POST", "/stages/" + stage + "/discard", {{"files", {"new/y"}}});
  const Json files = got("/stages/" + stage)["files"];
  ASSERT_EQ(files.size(), 1U) << files.dump();
  EXPECT_EQ(files[0]["path"], "b.txt");
  EXPECT_EQ(tried("POST", "/stages/" + stage + "/apply", {{"files", Json::array()}}).status, 400);
  EXPECT_EQ(tried("POST", "/stages/" + stage + "/apply", {{"files", {"../x"}}}).status, 404);
}

TEST_P(StudioReview, WhatTheHostWouldExecuteMustBeTickedOneByOne) {
  const std::string stage =
      stage_with("mkdir -p .github/workflows; echo a > .github/workflows/a.yml; echo b > .github/workflows/b.yml");
  const Json gate = got("/stages/" + stage)["gate"];
  ASSERT_EQ(gate.size(), 2U) << gate.dump();
  EXPECT_EQ(gate[0]["id"].get<std::string>().size(), 64U);  // of fewer digits, two contents with the same can be found
  const HttpAnswer none = tried("POST", "/stages/" + stage + "/apply");
  EXPECT_EQ(none.status, 403) << none.body;
  EXPECT_EQ(none.json()["error"]["details"]["unticked"].size(), 2U);
  const HttpAnswer one = tried("POST", "/stages/" + stage + "/apply", {{"gate", {gate[0]["id"]}}});
  EXPECT_EQ(one.status, 403);
  EXPECT_EQ(one.json()["error"]["details"]["unticked"].size(), 1U);
  EXPECT_FALSE(work().exists(".github"));
  EXPECT_EQ(work().read("b.txt"), kTwelve);
  did("POST", "/stages/" + stage + "/apply", {{"gate", {gate[0]["id"], gate[1]["id"]}}});
  EXPECT_EQ(work().read(".github/workflows/b.yml"), "b\n");
}

TEST_P(StudioReview, ATickIsForWhatWasSeenAlone) {
  const std::string stage = stage_with("mkdir -p .github/workflows; echo a > .github/workflows/a.yml");
  const Json gate = got("/stages/" + stage)["gate"];
  const Finished changed =
      pale({"run", "-p", "shop", "--stage", stage, "--", "/bin/sh", "-c", "echo evil > .github/workflows/a.yml"});
  ASSERT_EQ(changed.exit_code, 0) << changed.err;
  EXPECT_EQ(tried("POST", "/stages/" + stage + "/apply", {{"gate", {gate[0]["id"]}}}).status, 403);
  EXPECT_FALSE(work().exists(".github"));
}

TEST_P(StudioReview, AConflictHasThreeTextsAndTakesAnAnswer) {
  const std::string stage = stage_with();
  work().write("b.txt", "uno\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
  const HttpAnswer refused = tried("POST", "/stages/" + stage + "/apply");
  EXPECT_EQ(refused.status, 409) << refused.body;
  EXPECT_EQ(refused.json()["error"]["details"]["conflicts"], Json({"b.txt"}));
  const Json texts = got("/stages/" + stage + "/conflict?path=b.txt");
  EXPECT_EQ(texts["base"], kTwelve);
  EXPECT_EQ(texts["ours"].get<std::string>().substr(0, 4), "uno\n");
  EXPECT_EQ(texts["theirs"].get<std::string>().substr(0, 4), "one\n");
  did("POST", "/stages/" + stage + "/apply", {{"resolutions", {{"b.txt", "settled\n"}}}});
  EXPECT_EQ(work().read("b.txt"), "settled\n");
  did("POST", "/stages/" + stage + "/undo");
  EXPECT_EQ(work().read("b.txt").substr(0, 4), "uno\n");
}

INSTANTIATE_TEST_SUITE_P(, StudioReview, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
