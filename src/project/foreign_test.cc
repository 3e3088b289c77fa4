#include "project/foreign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pale::project {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Foreign sunwell(const std::string& text) {
  const auto foreign = read_sunwell({"/x/project.toml", "project.toml", text});
  EXPECT_TRUE(foreign) << foreign.error().sentence();
  return foreign ? *foreign : Foreign();
}

Foreign golem(const std::string& text) {
  const auto foreign = read_golem_forge({"/x/golem-forge.config.yaml", "config", text});
  EXPECT_TRUE(foreign) << foreign.error().sentence();
  return foreign ? *foreign : Foreign();
}

TEST(Sunwell, AProjectBecomesAManifest) {
  const Foreign foreign = sunwell(R"(
[project]
id = "shop"
name = "The \"Shop\""
created = "2026-11-15T20:10:08.590373"
[workspace]
type = "sandboxed"
[agent]
trust = "shell"
protected = [".git", "keys", "/etc"]
[state]
dir = "/var/x"
)");
  EXPECT_EQ(foreign.id, "shop");
  EXPECT_EQ(foreign.name, "The \"Shop\"");
  EXPECT_EQ(foreign.created, 1794773408);
  EXPECT_EQ(foreign.tables,
            "\n[workspace]\ntype = \"staged\"\n\n[agent]\ntrust = \"shell\"\nprotected = [\".git\", \"keys\"]\n");
  EXPECT_THAT(foreign.left, ElementsAre(HasSubstr("agent.protected: /etc (line 10"), HasSubstr("state (line 11")));
}

TEST(Sunwell, TimesAreReadInEveryForm) {
  for (const char* time : {"\"2026-01-23T14:30:00Z\"", "2026-01-23T14:30:00Z", "\"2026-01-23 14:30:00\"",
                           "\"2026-01-23T14:30:00.5+00:00\""})
    EXPECT_EQ(sunwell(std::string("[project]\ncreated = ") + time).created, 1769178600) << time;
  EXPECT_EQ(sunwell("[project]\ncreated = 2026-01-23").created, 1769126400);
  EXPECT_THAT(sunwell("[project]\ncreated = \"soon\"").left, ElementsAre(HasSubstr("not a time")));
}

TEST(Sunwell, WhatPaleDoesNotKnowIsLeft) {
  const Foreign foreign = sunwell("[project]\nid = \"a b\"\ncolor = 1\n[agent]\ntrust = \"total\"\n");
  EXPECT_EQ(foreign.id, "");
  EXPECT_THAT(foreign.taken, IsEmpty());
  EXPECT_EQ(foreign.left.size(), 3U);
}

TEST(GolemForge, AConfigurationBecomesAManifest) {
  const Foreign foreign = golem(R"(
sandbox:
  mode: sandboxed
  root: .box
  zones:
    data:
      path: ./data
      mode: ro
      approval: { write: ask, delete: blocked }
    out:
      path: "./out"
approval:
  mode: interactive
delegation:
  maxDepth: 3
models: [a, b]
)");
  EXPECT_EQ(foreign.tables,
            "\n[sandbox]\nmode = \"sandboxed\"\nroot = \".box\"\n"
            "\n[zones.data]\npath = \"./data\"\nmode = \"ro\"\napproval = { write = \"ask\", delete = \"blocked\" }\n"
            "\n[zones.out]\npath = \"./out\"\n\n[approval]\nmode = \"manual\"\n\n[delegation]\nmax_depth = 3\n");
  EXPECT_THAT(foreign.left, ElementsAre(HasSubstr("models (line 16, column 1)")));
  // What comes out is a manifest.
  EXPECT_TRUE(parse_manifest({"/p/.pale/project.toml", "m", foreign.tables}, Path::literal("/p")));
}

TEST(GolemForge, WhatIsWrongIsLeftOrNamed) {
  EXPECT_THAT(golem("sandbox:\n  mode: loose\n  root: .\napproval:\n  mode: auto_deny\n").left,
              ElementsAre(HasSubstr("sandbox.mode (line 2"), HasSubstr("sandbox.root (line 3"),
                          HasSubstr("approval.mode (line 5")));
  EXPECT_THAT(read_golem_forge({"/x/c.yaml", "c", "a: [1"}).error().sentence(), HasSubstr("/x/c.yaml: line 1"));
  EXPECT_FALSE(read_golem_forge({"/x/c.yaml", "c", "just text"}));
}

}  // namespace
}  // namespace pale::project
