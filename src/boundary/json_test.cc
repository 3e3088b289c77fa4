#include "boundary/json.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "support/boundary_generators.h"

namespace pale {
namespace {

Path at(std::string_view text) { return Path::literal(text); }

TEST(BoundaryJson, IsWrittenAsDocumented) {
  BoundaryParts parts;
  parts.workspace = at("/w");
  parts.home = at("/w/home");
  parts.grants = {{at("/w"), Access::Write, at("/srv/w"), "--rw"},
                  {at("/w/\xff"), Access::None, at("/srv/w/\xff"), ""}};
  parts.protections = {{at("/w/.git/hooks"), Match::Exact, "always"}, {at("/w/a*"), Match::Glob, "manifest"}};
  parts.network = Network::Open;
  parts.environment = {{"LANG", "C", "--env"}};
  parts.limits.memory = 18446744073709551615u;
  EXPECT_EQ(
      to_json(*Boundary::make(parts)),
      R"({"schemaVersion":1,"workspace":"/w","home":"/w/home","network":"open",)"
      R"("grants":[{"path":"/w","access":"write","source":"/srv/w","origin":"--rw","layers":[],"removal":"allowed"},)"
      R"({"path":{"base64":"L3cv/w=="},"access":"none","source":{"base64":"L3Nydi93L/8="},"origin":"","layers":[],"removal":"allowed"}],)"
      R"("protected":[{"path":"/w/.git/hooks","match":"exact","origin":"always"},)"
      R"({"path":"/w/a*","match":"glob","origin":"manifest"}],)"
      R"("environment":[{"name":"LANG","value":"C","origin":"--env"}],)"
      R"("limits":{"memory":18446744073709551615,"pids":null,"seconds":null,"connections":null,"requests":null,)"
      R"("traffic":null,"hostTraffic":null},"hosts":[],"credentials":[]})");
}

TEST(BoundaryJson, StandsInsideALargerDocument) {
  const Boundary boundary =
      *Boundary::make({at("/w"), at("/w"), {{at("/w"), Access::Read, at("/w"), ""}}, {}, {}, {}, {}});
  JsonWriter out;
  out.begin_object().field("session", 1).key("boundary");
  write_json(out, boundary, Values::Written);
  out.field("after", true).end_object();
  const auto document = nlohmann::json::parse(out.text());
  EXPECT_EQ(document["after"], true);
  const auto again = boundary_from_json(document["boundary"].dump());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(*again, boundary);
}

TEST(BoundaryJson, WithheldValuesAreNotWrittenAndReadBackEmpty) {
  BoundaryParts parts;
  parts.workspace = parts.home = at("/w");
  parts.grants = {{at("/w"), Access::Read, at("/w"), ""}};
  parts.environment = {{"TOKEN", "hunter2", "--env"}};
  const std::string text = to_json(*Boundary::make(parts), Values::Withheld);
  EXPECT_THAT(text, ::testing::HasSubstr(R"({"name":"TOKEN","value":null,"origin":"--env"})"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("hunter2")));
  const auto again = boundary_from_json(text);
  ASSERT_TRUE(again.has_value());
  EXPECT_THAT(again->environment(), ::testing::ElementsAre(Variable{"TOKEN", "", "--env"}));
}

RC_GTEST_PROP(BoundaryJsonProperty, WhatIsWrittenIsReadBackEqual, ()) {
  const Boundary boundary = *testing::boundary();
  const auto again = boundary_from_json(to_json(boundary));
  if (!again) RC_FAIL(again.error().sentence());
  RC_ASSERT(*again == boundary);
}

RC_GTEST_PROP(BoundaryJsonProperty, AnyJsonParserCanReadIt, ()) {
  RC_ASSERT(nlohmann::json::accept(to_json(*testing::boundary())));
}

}  // namespace
}  // namespace pale
