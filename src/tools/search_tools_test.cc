#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "search/request.h"
#include "support/workbench.h"
#include "sys/event.h"

namespace pale::tools {
namespace {

using testing::HasSubstr;

// What these tests start to search is this program itself: it answers with what it was asked.
__attribute__((constructor)) void search_if_asked(int argc, char** argv, char**) {
  if (argc < 3 || std::string_view(argv[1]) != "grep-files") return;
  const auto request = search::parse_request(argv[2]);
  if (!request) std::_Exit(1);
  if (request->pattern == "fail") {
    std::printf("%s",
                search::to_text(Result<search::Answer>(fail(ErrorKind::Usage, "the pattern is wrong:", "so"))).c_str());
    std::fflush(stdout);
    std::_Exit(0);
  }
  search::Answer answer;
  const std::string where = request->paths.empty() ? "" : request->paths.front();
  answer.files = {
      {request->prefix + "f", 2, {{7, true, request->root + "|" + where + "|" + request->glob}, {8, false, "\xff"}}},
      {"g", request->context + request->most_lines, {}}};
  answer.matching_lines = 3;
  answer.more = request->letters == search::Letters::AnyCase;
  std::printf("%s", search::to_text(Result<search::Answer>(answer)).c_str());
  std::fflush(stdout);
  std::_Exit(0);
}

class SearchTools : public Workbench {
 protected:
  SearchTools() : program_(contents("/proc/self/exe")) { place_.searcher = program_; }

  static std::string contents(const char* path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  Json search(const Json& arguments) {
    const Tool* tool = find_tool("search", place_);
    const auto json = JsonValue::parse(arguments.dump(), 64);
    const auto checked = Arguments::check(*json, tool->parameters);
    auto job = tool->start({place_, *checked});
    if (!job) return {{"ERROR", job.error().sentence()}};
    for (;;) {
      sys::Ready ready[] = {{job->line().borrow()}, {job->output().borrow()}};
      (void)sys::wait_ready({ready, job->output().is_open() ? 2U : 1U}, 1000);
      job->take_output();
      const auto end = job->take_end();
      if (!end) continue;
      const auto answer = tool->finish(*job, *end);
      if (!answer) return {{"ERROR", answer.error().sentence()}};
      Json result = Json::parse(answer->structured);
      result["TEXT"] = Json::parse(answer->content)["text"];
      return result;
    }
  }

  std::string program_;
};

TEST_F(SearchTools, SearchAsksAndTellsWhatWasFound) {
  write("s/x", "");
  const Json found = search({{"pattern", "p"}, {"path", "s"}, {"glob", "*.c"}, {"context", 2}, {"maxResults", 5}});
  ASSERT_TRUE(found.contains("files")) << found;
  EXPECT_EQ(found["files"][0]["lines"][0]["text"], base().text() + "|s|*.c");
  EXPECT_EQ(found["files"][0]["lines"][0]["line"], 7);
  EXPECT_EQ(found["files"][0]["lines"][1]["match"], false);
  EXPECT_EQ(found["files"][1]["count"], 7);
  EXPECT_EQ(found["matchingLines"], 3);
  EXPECT_EQ(found["truncated"], false);
  EXPECT_THAT(found["TEXT"].get<std::string>(), HasSubstr("f\n7: " + base().text() + "|s|*.c\n8- "));
  EXPECT_THAT(found["TEXT"].get<std::string>(), HasSubstr("g: 7\n"));
  EXPECT_EQ(search({{"pattern", "p"}, {"ignoreCase", true}})["truncated"], true);
}

TEST_F(SearchTools, AbsolutePathsAreThoseOfTheWorkspaceOrTreesOfTheirOwn) {
  write("s/x", "");
  const auto asked = [&](const std::string& path) { return search({{"pattern", "p"}, {"path", path}})["files"][0]; };
  EXPECT_EQ(asked(at("s").text())["lines"][0]["text"], base().text() + "|s|");
  EXPECT_EQ(asked(at("s").text())["path"], "f");
  EXPECT_EQ(asked("/usr/bin")["lines"][0]["text"], "/usr/bin||");
  EXPECT_EQ(asked("/usr/bin")["path"], "/usr/bin/f");
  EXPECT_EQ(asked("/usr/bin/env")["lines"][0]["text"], "/usr/bin|env|");
}

TEST_F(SearchTools, WhatIsWrongIsSaid) {
  EXPECT_EQ(search({{"pattern", "fail"}})["ERROR"], "the pattern is wrong: so");
  EXPECT_THAT(search({{"pattern", ""}})["ERROR"].get<std::string>(), HasSubstr("empty"));
  EXPECT_THAT(search({{"pattern", "p"}, {"path", "missing"}})["ERROR"].get<std::string>(), HasSubstr("missing"));
  EXPECT_THAT(search({{"pattern", "p"}, {"maxResults", 2001}})["ERROR"].get<std::string>(), HasSubstr("at most 2000"));
  place_.searcher = {};
  EXPECT_TRUE(search({{"pattern", "p"}}).contains("ERROR")) << "nothing there to start";
}

TEST_F(SearchTools, FindFilesByPattern) {
  write(".gitignore", "*.o\n");
  for (const char* file : {"a.c", "s/b.c", "s/t/c.c", "s/d.o", "node_modules/e.c"}) write(file, "");
  EXPECT_EQ(call("find_files", {{"pattern", "*.c"}, {"excludePatterns", {"node_modules"}}})["paths"],
            Json({"a.c", "s/b.c", "s/t/c.c"}));
  EXPECT_EQ(call("search_files", {{"pattern", "t/*"}, {"path", "s"}})["paths"], Json({"s/t/c.c"}));
  EXPECT_EQ(call("find_files", {{"pattern", "*.o"}})["TEXT"], "No file matches.");
  EXPECT_EQ(call("find_files", {{"pattern", "*.o"}, {"includeIgnored", true}})["paths"], Json({"s/d.o"}));
  const Json few = call("find_files", {{"pattern", "**"}, {"maxResults", 1}});
  EXPECT_EQ(few["truncated"], true);
  EXPECT_THAT(few["TEXT"].get<std::string>(), HasSubstr("There are more"));
  EXPECT_THAT(error_of("find_files", {{"pattern", "{"}}), HasSubstr("column 1"));
  EXPECT_THAT(error_of("find_files", {{"pattern", "*"}, {"path", "missing"}}), HasSubstr("missing"));
  EXPECT_EQ(call("find_files", {{"pattern", "en?"}, {"path", "/usr/bin"}})["paths"][0], "/usr/bin/env");
}

}  // namespace
}  // namespace pale::tools
