#include "scope/prd_edit.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/json_value.h"
#include "scope/prd.h"

namespace pale::scope {
namespace {

std::string edited(std::string_view text, std::vector<StoryEdit> edits) {
  EXPECT_TRUE(parse_prd(text, "prd.json").has_value()) << text;
  std::string after = edit_stories(text, edits);
  EXPECT_TRUE(parse_prd(after, "prd.json").has_value()) << after;
  return after;
}

std::string list(std::vector<std::string> texts) { return json_of(texts); }

TEST(PrdEdit, ANewKeyComesLastInTheStylesOfTheStory) {
  EXPECT_EQ(edited(R"({
  "project": "p",   "x" : [ 1,2 ],
  "userStories": [
    {
      "id": "S-1",
      "title": "t"
    },
    { "id" : "S-2", "title" : "t" }
  ]
}
)",
                   {{0, "fileScope", list({"lib/**/*.ts", "a\"b"})}, {1, "fileScope", list({"x", "y"})}}),
            R"({
  "project": "p",   "x" : [ 1,2 ],
  "userStories": [
    {
      "id": "S-1",
      "title": "t",
      "fileScope": [
        "lib/**/*.ts",
        "a\"b"
      ]
    },
    { "id" : "S-2", "title" : "t", "fileScope" : ["x", "y"] }
  ]
}
)");
}

TEST(PrdEdit, AValueIsReplacedWhereItStands) {
  EXPECT_EQ(edited(R"({"userStories":[{"fileScope":null,"id":"a","title":"t","passes" : false }],"project":"p"})",
                   {{0, "passes", "true"}, {0, "fileScope", list({"a", "b"})}}),
            R"({"userStories":[{"fileScope":["a", "b"],"id":"a","title":"t","passes" : true }],"project":"p"})");
}

TEST(PrdEdit, TabsAndCarriageReturnsStay) {
  EXPECT_EQ(
      edited("{\"project\":\"p\",\"userStories\":[\r\n\t{\r\n\t\t\"id\": \"a\",\r\n\t\t\"title\": \"t\"\r\n\t}\r\n]}",
             {{0, "fileScope", list({"x"})}}),
      "{\"project\":\"p\",\"userStories\":[\r\n\t{\r\n\t\t\"id\": \"a\",\r\n\t\t\"title\": \"t\",\r\n\t\t"
      "\"fileScope\": [\r\n\t\t\t\"x\"\r\n\t\t]\r\n\t}\r\n]}");
}

TEST(PrdEdit, CompactStaysCompact) {
  EXPECT_EQ(edited(R"({"project":"p","userStories":[{"id":"a","title":"t"}]})", {{0, "fileScope", list({"x", "y"})}}),
            R"({"project":"p","userStories":[{"id":"a","title":"t","fileScope":["x","y"]}]})");
}

TEST(PrdEdit, SeveralNewKeysKeepTheirOrder) {
  EXPECT_EQ(edited(R"({"project":"p","userStories":[{"id":"a","title":"t"}]})",
                   {{0, "passes", "true"}, {0, "notes", "\"n\""}}),
            R"({"project":"p","userStories":[{"id":"a","title":"t","passes":true,"notes":"n"}]})");
}

TEST(PrdEdit, StringsThatLookLikeBracketsDoNotLeadAstray) {
  EXPECT_EQ(edited(R"({"project":"}]{\"","userStories":[{"id":"a}","x":{"y":["]","\\"]},"title":"t\\"}]})",
                   {{0, "passes", "true"}}),
            R"({"project":"}]{\"","userStories":[{"id":"a}","x":{"y":["]","\\"]},"title":"t\\","passes":true}]})");
}

TEST(PrdEdit, AKeyMayBeWrittenWithEscapes) {
  EXPECT_EQ(
      edited(R"({"project":"p","userStories":[{"id":"a","title":"t","p\u0061sses":false}]})", {{0, "passes", "true"}}),
      R"({"project":"p","userStories":[{"id":"a","title":"t","p\u0061sses":true}]})");
}

RC_GTEST_PROP(PrdEdit, OnlyWhatWasMeantChanges, ()) {
  const auto space = [] { return *rc::gen::container<std::string>(rc::gen::elementOf(std::string(" \n\t"))); };
  std::string text = "{" + space() + R"("project":"p",)" + space() + R"("userStories")" + space() + ":[";
  const auto count = *rc::gen::inRange<std::size_t>(1, 4);
  for (std::size_t at = 0; at < count; ++at) {
    text += (at == 0 ? "" : ",") + space() + "{" + space() + R"("id")" + space() + ":" + space() + "\"s" +
            std::to_string(at) + "\"" + space() + "," + space() + R"("title":"t")" + space() + "}" + space();
  }
  text += "]" + space() + "}";
  const auto story = *rc::gen::inRange<std::size_t>(0, count);
  const auto names = *rc::gen::container<std::vector<std::string>>(
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127))));
  const std::string after = edit_stories(text, std::vector<StoryEdit>{{story, "fileScope", json_of(names)}});
  auto expected = *parse_prd(text, "f");
  expected.stories[story].file_scope = names;
  RC_ASSERT(*parse_prd(after, "f") == expected);
}

}  // namespace
}  // namespace pale::scope
