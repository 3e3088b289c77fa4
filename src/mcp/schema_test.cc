#include "mcp/schema.h"

#include <gtest/gtest.h>

#include "mcp/tool.h"

namespace pale::mcp {
namespace {

std::string wrong(const Json& schema, Json value) { return check_schema(schema, value).value_or(""); }

Json project() {
  Json schema = object_schema({{"name", text_schema("…")},
                               {"limits", object_schema({{"pids", number_schema("…")}})},
                               {"paths", list_schema("…", text_schema("…"))},
                               {"mode", choice_schema("…", {"fast", "safe"})}},
                              {"name"});
  schema["properties"]["limits"]["properties"]["pids"]["minimum"] = 1;
  schema["properties"]["mode"]["default"] = "safe";
  return schema;
}

TEST(Schema, NamesTheArgumentAndWhatIsExpected) {
  EXPECT_EQ(wrong(project(), {{"name", "x"}}), "");
  EXPECT_EQ(wrong(project(), Json::object()), "name: is missing, a text");
  EXPECT_EQ(wrong(project(), {{"name", 7}}), "name: must be a text, not a whole number");
  EXPECT_EQ(wrong(project(), {{"name", "x"}, {"limits", {{"pids", 0}}}}), "limits.pids: must be at least 1");
  EXPECT_EQ(wrong(project(), {{"name", "x"}, {"limits", {{"pids", 1.5}}}}),
            "limits.pids: must be a whole number, not a number");
  EXPECT_EQ(wrong(project(), {{"name", "x"}, {"paths", {"a", nullptr}}}), "paths[1]: must be a text, not null");
  EXPECT_EQ(wrong(project(), {{"name", "x"}, {"mode", "slow"}}), R"(mode: must be one of "fast", "safe")");
  EXPECT_EQ(wrong(project(), {{"nme", "x"}}), "nme: there is no such argument; did you mean name?");
  EXPECT_EQ(wrong(project(), {{"name", "x"}, {"zzzzzzzz", 1}}),
            "zzzzzzzz: there is no such argument; there are name, limits, paths, mode");
  EXPECT_EQ(wrong(project(), Json::array()), "arguments: must be an object, not a list");
  EXPECT_EQ(wrong(object_schema({}), {{"x\x1b", 1}}), "x\\x1b: there is no such argument; none is taken here");
}

TEST(Schema, FillsInDefaultsAndMakesNumbersWhole) {
  Json value{{"name", "x"}, {"limits", {{"pids", 3.0}}}};
  ASSERT_FALSE(check_schema(project(), value));
  EXPECT_EQ(value["mode"], "safe");
  EXPECT_TRUE(value["limits"]["pids"].is_number_integer());
  EXPECT_NE(wrong(project(), {{"name", "x"}, {"limits", {{"pids", 1e300}}}}), "");
}

TEST(Schema, TakesOneOfSeveralForms) {
  const Json command{{"oneOf", Json::array({text_schema("a line"), list_schema("words", text_schema("…"))})}};
  EXPECT_EQ(wrong(command, "ls -l"), "");
  EXPECT_EQ(wrong(command, Json::array({"ls", "-l"})), "");
  EXPECT_EQ(wrong(object_schema({{"command", command}}), {{"command", {"ls", 7}}}),
            "command[1]: must be a text, not a whole number");
  EXPECT_NE(wrong(command, 7), "");
  EXPECT_NE(wrong(Json{{"oneOf", Json::array({Json::object(), Json::object()})}}, 7), "");
  EXPECT_EQ(wrong(Json{{"anyOf", Json::array({Json::object(), Json::object()})}}, 7), "");
  EXPECT_EQ(wrong(Json{{"allOf", Json::array({Json{{"minimum", 1}}, Json{{"maximum", 2}}})}}, 3),
            "arguments: must be at most 2");
  EXPECT_EQ(wrong(Json{{"type", Json::array({"string", "null"})}}, nullptr), "");
  EXPECT_EQ(wrong(Json{{"type", Json::array({"string", "null"})}}, 1),
            "arguments: must be a text or null, not a whole number");
}

TEST(Schema, BoundsLengths) {
  EXPECT_EQ(wrong(Json{{"type", "string"}, {"maxLength", 2}}, "äö"), "");
  EXPECT_EQ(wrong(Json{{"type", "string"}, {"maxLength", 2}}, "äöü"), "arguments: must have at most 2 letters");
  EXPECT_EQ(wrong(Json{{"type", "array"}, {"minItems", 1}}, Json::array()), "arguments: must have at least 1 entries");
  EXPECT_EQ(wrong(Json{{"exclusiveMinimum", 0}}, 0), "arguments: must be more than 0");
}

}  // namespace
}  // namespace pale::mcp
