// The tools search and find_files of `pale mcp`, which start another program inside the boundary.
#include <gmock/gmock.h>

#include "support/tool_server.h"

namespace pale::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Json = ToolServer::Json;

class SearchByMcp : public testing::TestWithParam<Account> {
 protected:
  SearchByMcp() {
    project_.workspace().write(".gitignore", "*.o\n");
    project_.workspace().write("src/a.c", "one\nint needle = 1;\nthree\n");
    project_.workspace().write("src/a.o", "needle\n");
    project_.workspace().write("secrets/key", "needle\n");
  }

  static std::vector<std::string> paths(const Json& found) {
    std::vector<std::string> all;
    for (const Json& file : found["files"]) all.push_back(file["path"]);
    return all;
  }

  Project project_{GetParam()};
};

TEST_P(SearchByMcp, FindsLinesAndFilesThatGitDoesNotIgnore) {
  ToolServer server(project_, {"--trust", "read_only"});
  const Json found = server.data("search", {{"pattern", "need[l]e"}, {"context", 1}});
  EXPECT_THAT(paths(found), ElementsAre("secrets/key", "src/a.c"));
  EXPECT_EQ(found["files"][1]["lines"][1]["line"], 2);
  EXPECT_EQ(found["files"][1]["lines"][1]["text"], "int needle = 1;");
  EXPECT_EQ(found["files"][1]["lines"].size(), 3U);
  EXPECT_THAT(paths(server.data("search", {{"pattern", "NEEDLE"}, {"ignoreCase", true}, {"glob", "*.c"}})),
              ElementsAre("src/a.c"));
  EXPECT_THAT(paths(server.data("search", {{"pattern", "needle"}, {"includeIgnored", true}, {"path", "src"}})),
              ElementsAre("src/a.c", "src/a.o"));
  EXPECT_EQ(server.data("find_files", {{"pattern", "src/*"}})["paths"], Json({"src/a.c"}));
  EXPECT_THAT(server.refusal("search", {{"pattern", "a("}}), HasSubstr("column 3"));
}

TEST_P(SearchByMcp, UnderLandlockAloneAsWell) {
  ToolServer server(project_, {"--backend", "landlock", "--unsafe-weak-protection"});
  EXPECT_THAT(paths(server.data("search", {{"pattern", "needle"}})), ElementsAre("secrets/key", "src/a.c"));
}

TEST_P(SearchByMcp, WhatIsHiddenOrOutsideIsNotSearched) {
  const TemporaryDirectory outside(GetParam(), "outside");
  outside.write("file", "needle\n");
  std::filesystem::create_directory_symlink(outside.path(), project_.workspace().path() / "link");
  ToolServer server(project_, {"--hide", "secrets"});
  EXPECT_THAT(paths(server.data("search", {{"pattern", "needle"}})), ElementsAre("src/a.c"));
  EXPECT_THAT(server.refusal("search", {{"pattern", "needle"}, {"path", "secrets"}}), HasSubstr("secrets"));
  EXPECT_THAT(server.refusal("search", {{"pattern", "needle"}, {"path", "link"}}), HasSubstr("link"));
  EXPECT_THAT(server.refusal("search", {{"pattern", "needle"}, {"path", outside.text()}}), Not(HasSubstr("needle\n")));
  EXPECT_THAT(server.refusal("find_files", {{"pattern", "*"}, {"path", outside.text()}}), HasSubstr("No such file"));
}

TEST_P(SearchByMcp, APatternThatTakesForEverEndsAndTheServerLives) {
  std::string text;
  for (int line = 0; line < 100; ++line) text += std::string(5000, 'x') + "\n";
  project_.workspace().write("long", text);
  ToolServer server(project_);
  EXPECT_THAT(server.said("search", {{"pattern", "(x+x+)+[yz]$"}}), HasSubstr("too hard"));
  EXPECT_THAT(paths(server.data("search", {{"pattern", "needle"}, {"path", "src"}})), ElementsAre("src/a.c"));
}

TEST_P(SearchByMcp, NamesAreEnoughForFindFilesAndContentsForSearch) {
  ToolServer server(project_, {"--trust", "discovery"});
  EXPECT_EQ(server.data("find_files", {{"pattern", "*.c"}})["paths"], Json({"src/a.c"}));
  EXPECT_EQ(server.call("search", {{"pattern", "needle"}})["error"]["code"], -32602);
}

INSTANTIATE_TEST_SUITE_P(, SearchByMcp, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
