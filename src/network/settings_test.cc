#include "network/settings.h"

#include <gtest/gtest.h>

#include "network/visit.h"

namespace pale::network {
namespace {

TEST(ProxySettings, AreReadAsTheyWereWritten) {
  Settings settings;
  settings.mode = Settings::Mode::Observe;
  settings.rules = {*parse_host_rule("*.example.org:8443", "list"), *parse_host_rule("[2001:db8::1]", "list")};
  settings.keys = {{{"model", "api.example.org", 443, 912}, "x-api-key", "", "", {Secret::Source::File, {"/k"}}},
                   {{"code", "git.example.org", 443, 913},
                    "authorization",
                    "",
                    "token",
                    {Secret::Source::Command, {"pass", "show", "a b"}}}};
  settings.places = {{"api.test", *parse_endpoint("127.0.0.1:8443")}};
  settings.ca_file = "/ca.pem";
  settings.resolver = parse_endpoint("[::1]:53");
  settings.limits.traffic = 100;
  settings.idle_seconds = 3;
  const auto read = parse_settings(to_json(settings));
  ASSERT_TRUE(read) << read.error().sentence();
  EXPECT_EQ(*read, settings);
}

TEST(ProxySettings, ThatMakeNoSenseAreRefused) {
  EXPECT_FALSE(parse_settings("{"));
  EXPECT_FALSE(parse_settings(R"({"rules": ["a b"]})"));
  EXPECT_FALSE(parse_settings(R"({"keys": [{"name": "n"}]})"));
  EXPECT_FALSE(parse_settings(R"({"places": [{"host": "a", "at": "b"}]})"));
  EXPECT_FALSE(parse_settings(R"({"resolver": "1.2.3.4"})"));
}

TEST(AVisit, IsReadAsItWasWritten) {
  const Visit visit{Verdict::Blocked, "evil\xff", 443, "https", "it is not on the list", "evil:443", 1, 2};
  EXPECT_EQ(parse_visit(to_json(visit)), visit);
  EXPECT_EQ(place_of({.host = "::1", .port = 443}), "[::1]:443");
  EXPECT_EQ(place_of({.host = "a\x1b[2J"}), "a\\x1b[2J");
  EXPECT_FALSE(parse_visit(R"({"verdict": "x"})"));
}

}  // namespace
}  // namespace pale::network
