#include "tools/parameters.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace pale::tools {
namespace {

using testing::HasSubstr;

constexpr Parameter kParameters[] = {
    {"path", Kind::Path, Presence::Required, "a path"},      {"content", Kind::Text, Presence::Optional, "a text"},
    {"head", Kind::Number, Presence::Optional, "a number"},  {"dryRun", Kind::Flag, Presence::Optional, "a flag"},
    {"paths", Kind::Texts, Presence::Optional, "paths"},     {"edits", Kind::Edits, Presence::Optional, "edits"},
    {"command", Kind::Command, Presence::Optional, "words"},
};

std::string refused(std::string_view json) {
  const auto value = JsonValue::parse(json, 8);
  const auto checked = Arguments::check(*value, kParameters);
  return checked ? "" : checked.error().sentence() + " " + checked.error().hint;
}

TEST(Parameters, TheSchemaSaysWhatIsChecked) {
  JsonWriter out;
  write_schema(out, kParameters);
  const auto schema = nlohmann::json::parse(out.text());
  EXPECT_EQ(schema["required"], nlohmann::json::array({"path"}));
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["head"]["type"], "integer");
  EXPECT_EQ(schema["properties"]["edits"]["items"]["required"].size(), 2U);
  EXPECT_EQ(schema["properties"]["command"]["anyOf"].size(), 2U);
}

TEST(Parameters, WhatFitsIsTaken) {
  const auto value = JsonValue::parse(
      R"({"path": "a", "content": "x\u0000y", "head": 3, "dryRun": true, "paths": ["b", {"base64": "/w=="}],
          "edits": [{"oldText": "", "newText": "n"}], "command": "ls"})",
      8);
  const auto arguments = Arguments::check(*value, kParameters);
  ASSERT_TRUE(arguments) << arguments.error().sentence();
  EXPECT_EQ(arguments->text("path"), "a");
  EXPECT_EQ(arguments->number("head"), 3U);
  EXPECT_TRUE(arguments->flag("dryRun"));
  EXPECT_EQ(arguments->texts("paths"), (std::vector<std::string>{"b", "\xff"}));
  EXPECT_TRUE(arguments->texts("command").empty());
  EXPECT_EQ(refused(R"({"path": "a", "head": null})"), "");
}

TEST(Parameters, APathHasNoSlashAtItsEnd) {
  const auto value = JsonValue::parse(R"({"path": "a/b//", "paths": ["/", "//", "c/", "d"]})", 8);
  const auto arguments = Arguments::check(*value, kParameters);
  ASSERT_TRUE(arguments) << arguments.error().sentence();
  EXPECT_EQ(arguments->path("path"), "a/b");
  EXPECT_EQ(arguments->paths("paths"), (std::vector<std::string>{"/", "/", "c", "d"}));
}

TEST(Parameters, WhatDoesNotFitIsNamed) {
  EXPECT_THAT(refused("{}"), HasSubstr("path: is missing"));
  EXPECT_THAT(refused(R"({"path": null})"), HasSubstr("path: is missing"));
  EXPECT_THAT(refused(R"({"path": 7})"), HasSubstr("path: must be a text"));
  EXPECT_THAT(refused(R"({"path": ""})"), HasSubstr("path: must be a text that is not empty"));
  EXPECT_THAT(refused(R"({"path": "a\u0000b"})"), HasSubstr("no NUL"));
  EXPECT_THAT(refused(R"({"path": "a", "head": -1})"), HasSubstr("head: must be a whole number"));
  EXPECT_THAT(refused(R"({"path": "a", "head": 1.5})"), HasSubstr("head: must be a whole number"));
  EXPECT_THAT(refused(R"({"path": "a", "dryRun": "yes"})"), HasSubstr("dryRun: must be true or false"));
  EXPECT_THAT(refused(R"({"path": "a", "paths": []})"), HasSubstr("paths: must be a list"));
  EXPECT_THAT(refused(R"({"path": "a", "paths": ["x\u0000"]})"), HasSubstr("paths: must be a list"));
  EXPECT_THAT(refused(R"({"path": "a", "edits": [{"oldText": "x"}]})"), HasSubstr("edits: must be a list"));
  EXPECT_THAT(refused(R"({"path": "a", "edits": [{"oldText": "x", "newText": "y", "all": true}]})"),
              HasSubstr("edits:"));
  EXPECT_THAT(refused(R"({"path": "a", "command": ""})"), HasSubstr("command: must be"));
  EXPECT_THAT(refused(R"(["path"])"), HasSubstr("must be an object"));
}

TEST(Parameters, AnUnknownNameIsAnErrorThatKnowsTheRightOne) {
  EXPECT_THAT(refused(R"({"path": "a", "dry_run": true})"), HasSubstr("did you mean \"dryRun\"?"));
  EXPECT_THAT(refused(R"({"path": "a", "zzzzzz": true})"), HasSubstr("there is no argument \"zzzzzz\""));
}

}  // namespace
}  // namespace pale::tools
