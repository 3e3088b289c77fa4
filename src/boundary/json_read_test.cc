#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "boundary/json.h"
#include "support/boundary_generators.h"

namespace pale {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;
using Pointer = nlohmann::json::json_pointer;

Json sample() {
  return Json::parse(R"({"schemaVersion": 1, "workspace": "/w", "home": "/w", "network": "none",
    "grants": [{"path": "/usr", "access": "read", "source": "/usr", "origin": "system", "layers": [], "removal": "allowed"},
               {"path": "/w", "access": "write", "source": "/w", "origin": "workspace", "layers": [], "removal": "allowed"}],
    "protected": [{"path": "/w/.git", "match": "exact", "origin": "always"}],
    "environment": [{"name": "LANG", "value": "C", "origin": "--env"}],
    "limits": {"memory": 1, "pids": null, "seconds": 3, "connections": null, "requests": null, "traffic": null,
               "hostTraffic": null},
    "hosts": [], "credentials": []})");
}

std::string refusal(std::string_view text) {
  const auto boundary = boundary_from_json(text);
  EXPECT_FALSE(boundary.has_value()) << text;
  if (boundary) return {};
  EXPECT_EQ(boundary.error().kind, ErrorKind::Usage);
  return boundary.error().sentence();
}

std::string refusal_with(const char* place, Json value) {
  Json json = sample();
  json[Pointer(place)] = std::move(value);
  return refusal(json.dump());
}

TEST(ReadBoundary, ReadsTheSample) {
  const auto boundary = boundary_from_json(sample().dump(2));
  ASSERT_TRUE(boundary.has_value()) << boundary.error().sentence();
  EXPECT_EQ(boundary->limits(), (Limits{1, std::nullopt, 3}));
  EXPECT_EQ(boundary->grants().at(1).origin, "workspace");
}

TEST(ReadBoundary, ReadsHostsAndCredentials) {
  Json json = sample();
  json["network"] = "allow";
  json["hosts"] = {{{"host", "*.Example.org:8443"}, {"origin", "--network"}}};
  json["credentials"] = {{{"name", "model"}, {"host", "api.example.org"}, {"port", 443}, {"door", 912}}};
  const auto boundary = boundary_from_json(json.dump());
  ASSERT_TRUE(boundary) << boundary.error().sentence();
  EXPECT_EQ(listed(boundary->hosts()), "*.example.org:8443");
  EXPECT_EQ(boundary->credentials().at(0), (Credential{"model", "api.example.org", 443, 912}));
  EXPECT_EQ(boundary_from_json(to_json(*boundary, Values::Written)), boundary);
  json["hosts"][0]["host"] = "a b";
  EXPECT_THAT(refusal(json.dump()), HasSubstr("hosts[0].host"));
  EXPECT_THAT(refusal_with("/credentials", Json::array({{{"name", "n"}, {"host", "h"}, {"port", 0}, {"door", 1}}})),
              HasSubstr("credentials[0].port: a port is expected"));
}

TEST(ReadBoundary, ReadsTheLayersOfAStage) {
  Json json = sample();
  json["grants"][1]["layers"] = {"/home/.pale/stages/w/upper", "/home/.pale/stages/v/upper"};
  const auto boundary = boundary_from_json(json.dump());
  ASSERT_TRUE(boundary) << boundary.error().sentence();
  ASSERT_EQ(boundary->grants().at(1).layers.size(), 2U);
  EXPECT_EQ(boundary->grants().at(1).layers.at(1).text(), "/home/.pale/stages/v/upper");
  EXPECT_EQ(boundary_from_json(to_json(*boundary, Values::Written)), boundary);
  json["grants"][1]["removal"] = "denied";
  EXPECT_EQ(boundary_from_json(json.dump())->grants().at(1).removal, Removal::Denied);
  EXPECT_THAT(refusal_with("/grants/1/removal", "maybe"), HasSubstr("\"allowed\", \"denied\""));
  EXPECT_THAT(refusal_with("/grants/1/layers", Json::array({"relative"})), HasSubstr("a layer of a grant"));
}

TEST(ReadBoundary, AWrongValueIsNamedByItsPlace) {
  EXPECT_THAT(refusal_with("/schemaVersion", 2), HasSubstr("schemaVersion: 1 is the only version"));
  EXPECT_THAT(refusal_with("/schemaVersion", 1.0), HasSubstr("schemaVersion: "));
  EXPECT_THAT(refusal_with("/workspace", 1), HasSubstr("wrong at workspace: a string"));
  EXPECT_THAT(refusal_with("/network", "some"), HasSubstr(R"(network: one of "none", "allow", "open")"));
  EXPECT_THAT(refusal_with("/grants", Json::object()), HasSubstr("grants: an array"));
  EXPECT_THAT(refusal_with("/grants/1", nullptr), HasSubstr("grants[1]: an object"));
  EXPECT_THAT(refusal_with("/grants/1/access", "all"), HasSubstr("grants[1].access: one of"));
  EXPECT_THAT(refusal_with("/grants/0/path", "/a/../b"), HasSubstr("grants[0].path: a path must not go up"));
  EXPECT_THAT(refusal_with("/grants/0/path", ""), HasSubstr("grants[0].path: a path is empty"));
  EXPECT_THAT(refusal_with("/grants/0/path", {{"base64", "?"}}), HasSubstr("grants[0].path: "));
  EXPECT_THAT(refusal_with("/grants/0/path", {{"base64", "L3c="}, {"x", 1}}), HasSubstr("grants[0].path: a string"));
  EXPECT_THAT(refusal_with("/protected/0/match", 0), HasSubstr("protected[0].match: one of"));
  EXPECT_THAT(refusal_with("/environment/0/value", Json::array()), HasSubstr("environment[0].value: "));
  EXPECT_THAT(refusal_with("/limits/pids", -1), HasSubstr("limits.pids: a whole number"));
  EXPECT_THAT(refusal_with("/limits/pids", 1.5), HasSubstr("limits.pids: a whole number"));
}

TEST(ReadBoundary, AnUnknownOrMissingKeyIsNamedAtEveryLevel) {
  EXPECT_THAT(refusal_with("/more", 1), HasSubstr(R"(the top: unknown key "more")"));
  EXPECT_THAT(refusal_with("/grants/0/mode", 1), HasSubstr(R"(grants[0]: unknown key "mode")"));
  EXPECT_THAT(refusal_with("/limits/disk", 1), HasSubstr(R"(limits: unknown key "disk")"));
  const Json whole = sample().flatten();
  for (auto item = whole.begin(); item != whole.end(); ++item) {
    Json json = sample();
    const Pointer place(item.key());
    json[place.parent_pointer()].erase(place.back());
    EXPECT_THAT(refusal(json.dump()), HasSubstr("\"" + place.back() + "\" is missing"));
  }
}

TEST(ReadBoundary, AKeySaidTwiceIsRefusedAtEveryLevel) {
  std::string text = sample().dump();
  text.insert(1, R"("network":"open",)");
  EXPECT_THAT(refusal(text), HasSubstr(R"(the key "network" stands twice)"));
  text = sample().dump();
  text.insert(text.find(R"("access")"), R"("access":"write",)");
  EXPECT_THAT(refusal(text), HasSubstr(R"(the key "access" stands twice)"));
}

TEST(ReadBoundary, WhatTheBoundaryItselfRefusesIsRefused) {
  EXPECT_THAT(refusal_with("/home", "/home"), HasSubstr("nothing grants the home /home"));
  EXPECT_THAT(refusal_with("/environment/0/name", "A=B"), HasSubstr("must not hold '='"));
  EXPECT_THAT(refusal_with("/grants/0/source", "usr"), HasSubstr("absolute path for the source of a grant"));
}

TEST(ReadBoundary, SizeAndDepthAreBounded) {
  EXPECT_THAT(refusal(std::string((1 << 20) + 1, ' ')), HasSubstr("larger than 1 MiB"));
  EXPECT_THAT(refusal(std::string(1 << 20, '[')), HasSubstr("line 1, column 9: it nests too deep"));
  EXPECT_THAT(refusal("[[[[[[[[1]]]]]]]]"), HasSubstr("wrong at the top: an object"));
  EXPECT_THAT(refusal("[[[[[[[[[1]]]]]]]]]"), HasSubstr("it nests too deep"));
  // Brackets in strings are no nesting, not even after an escaped quote.
  EXPECT_THAT(refusal_with("/network", "\"[[[[[[[[[\\"), HasSubstr("network: one of"));
}

TEST(ReadBoundary, WhatIsNoJsonIsRefused) {
  const std::string whole = sample().dump();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THAT(refusal(whole.substr(0, length)), HasSubstr("cannot be read"));
  }
  for (const auto* text : {"null", "1e999", "\"\xff\"", "{\"a\":1}{", "// x\n{}", "]", R"({"\ud800":1})"})
    refusal(text);
  EXPECT_THAT(refusal(whole + " x"), HasSubstr("something follows the end"));
}

RC_GTEST_PROP(ReadBoundaryProperty, MutatedTextIsRefusedOrStillABoundary, ()) {
  std::string text = to_json(*testing::boundary());
  const std::string_view bytes = "{}[]\",:\\0-e.u\xff\xc3\n /tn";
  for (int left = *testing::number(1, 6); left > 0; --left) {
    const std::size_t place = *testing::number<std::size_t>(0, text.size());
    const std::string with = *rc::gen::container<std::string>(rc::gen::elementOf(std::string(bytes)));
    text.replace(place, *testing::number<std::size_t>(0, 8), with);
  }
  const auto boundary = boundary_from_json(text);
  if (!boundary) return;
  const auto again = boundary_from_json(to_json(*boundary));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == *boundary);
}

RC_GTEST_PROP(ReadBoundaryProperty, MutatedTreesAreRefusedOrStillABoundary, ()) {
  Json json = Json::parse(to_json(*testing::boundary()));
  const Json flat = json.flatten();
  std::vector<std::string> places;
  for (auto item = flat.begin(); item != flat.end(); ++item) places.push_back(item.key());
  const Pointer place(*rc::gen::elementOf(places));
  const Json values = Json::parse(R"([null, 0, -1, 1e300, true, "", "/", "..", "/w", "read", [], {}, [[]],
                                      {"base64": "AA=="}, {"base64": 1}])");
  json[*rc::gen::arbitrary<bool>() ? place : place.parent_pointer()] =
      *rc::gen::elementOf(values.get<std::vector<Json>>());
  const auto boundary = boundary_from_json(json.dump());
  if (boundary) RC_ASSERT(boundary_from_json(to_json(*boundary)).has_value());
}

RC_GTEST_PROP(ReadBoundaryProperty, GarbageIsRefused, (const std::string& text)) {
  RC_ASSERT(!boundary_from_json(text).has_value());
}

}  // namespace
}  // namespace pale
