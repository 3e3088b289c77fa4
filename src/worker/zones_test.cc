#include "worker/zones.h"

#include <gmock/gmock.h>

#include "project/manifest.h"
#include "worker/golem_forge.h"

namespace pale::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

const Path kRoot = Path::literal("/w/shop");

Declaration of_yaml(std::string_view text) {
  auto declaration = parse_golem_forge(text, "golem-forge.config.yaml");
  EXPECT_TRUE(declaration.has_value()) << (declaration ? "" : declaration.error().sentence());
  return declaration ? std::move(*declaration) : Declaration();
}

Declaration of_manifest(const std::string& text) {
  const auto manifest = project::parse_manifest({"/w/shop/.pale/project.toml", ".pale/project.toml", text}, kRoot);
  EXPECT_TRUE(manifest.has_value()) << (manifest ? "" : manifest.error().sentence());
  return manifest ? declared_by(manifest->settings) : Declaration();
}

Zones good(const Declaration& declaration, const Overrides& overrides = {}) {
  auto zones = make_zones(declaration, overrides, kRoot);
  EXPECT_TRUE(zones.has_value()) << (zones ? "" : zones.error().sentence());
  return zones ? std::move(*zones) : Zones();
}

Error refused(const Declaration& declaration, const Overrides& overrides = {}) {
  const auto zones = make_zones(declaration, overrides, kRoot);
  EXPECT_FALSE(zones.has_value());
  if (zones) return {};
  EXPECT_EQ(zones.error().kind, ErrorKind::Usage);
  EXPECT_FALSE(zones.error().hint.empty());
  return zones.error();
}

std::string yaml_zone(const std::string& name, const std::string& path, const std::string& mode = "rw") {
  return "    " + name + ": {path: " + path + ", mode: " + mode + "}\n";
}
std::string direct(const std::string& zones) { return "sandbox:\n  mode: direct\n  zones:\n" + zones; }

// The example of the specification, in its own words and in a manifest's.
TEST(ProjectConfig, MapsEachZoneBelowTheSandbox) {
  const Zones of_config = good(of_yaml(R"(
sandbox:
  mode: sandboxed
  root: .sandbox
  zones:
    cache: {path: ./cache, mode: rw}
    workspace: {path: ./workspace, mode: rw}
    data: {path: ./data, mode: ro}
approval: {mode: auto}
delegation: {maxDepth: 5}
)"));
  const Zones of_toml = good(of_manifest(R"(
[sandbox]
mode = "sandboxed"
root = ".sandbox"
[zones.cache]
path = "./cache"
[zones.workspace]
path = "./workspace"
[zones.data]
path = "./data"
mode = "ro"
[approval]
mode = "auto"
[delegation]
max_depth = 5
)"));
  for (const Zones& zones : {of_config, of_toml}) {
    EXPECT_EQ(zones.base, kRoot / ".sandbox");
    ASSERT_THAT(zones.zones, SizeIs(3));
    EXPECT_EQ(zones.zones[0].folder, kRoot / ".sandbox/cache");
    EXPECT_EQ(zones.zones[1].access, Access::Write);
    EXPECT_EQ(zones.zones[2].folder, kRoot / ".sandbox/data");
    EXPECT_EQ(zones.zones[2].access, Access::Read);
    EXPECT_EQ(zones.approval, ApprovalMode::Auto);
    EXPECT_EQ(zones.max_depth, 5U);
  }
}

TEST(ProjectConfig, DirectZonesLieInTheProjectWhateverTheRoot) {
  EXPECT_EQ(good(of_yaml("sandbox: {mode: direct, root: elsewhere, zones: {out: {path: ./out/}}}")).zones[0].folder,
            kRoot / "out");
  EXPECT_EQ(good(of_yaml(direct(yaml_zone("all", "\".\"")))).zones[0].folder, kRoot);
  EXPECT_EQ(good(of_manifest("[zones.out]\n")).zones[0].folder, kRoot / "out");
}

TEST(ProjectConfig, WhatIsNotSaidIsAsUsual) {
  const Zones zones = good(of_yaml("sandbox: {zones: {data: {path: d}}}"));
  EXPECT_EQ(zones.mode, SandboxMode::Sandboxed);
  EXPECT_EQ(zones.base, kRoot / ".sandbox");
  EXPECT_EQ(zones.max_depth, 5U);
  EXPECT_EQ(zones.approval, ApprovalMode::Manual);
  EXPECT_EQ(zones.zones[0].access, Access::Write);
  EXPECT_EQ(good(of_manifest("[zones.data]\n")).mode, SandboxMode::Direct);
}

TEST(ProjectConfig, FlagsCountBeforeTheProjectAndThatBeforeWhatIsUsual) {
  const Overrides flags{SandboxMode::Sandboxed, "box", ApprovalMode::Tool, 2};
  for (const Declaration& declaration :
       {of_yaml(direct(yaml_zone("data", "./d")) + "approval: {mode: auto}\ndelegation: {maxDepth: 9}\n"),
        of_manifest("[zones.data]\npath = \"./d\"\n[approval]\nmode = \"auto\"\n[delegation]\nmax_depth = 9")}) {
    EXPECT_EQ(good(declaration).zones[0].folder, kRoot / "d");
    EXPECT_EQ(good(declaration).max_depth, 9U);
    const Zones zones = good(declaration, flags);
    EXPECT_EQ(zones.zones[0].folder, kRoot / "box/d");
    EXPECT_EQ(zones.max_depth, 2U);
    EXPECT_EQ(zones.approval, ApprovalMode::Tool);
  }
}

TEST(ProjectConfig, AZoneThatLeavesItsPlaceIsRefusedByName) {
  for (const std::string path : {"../x", "a/../../x", "a/..", "..", "/etc", "/w/shop/data", "\"\""}) {
    for (const std::string mode : {"direct", "sandboxed"}) {
      const Error error = refused(of_yaml("sandbox:\n  mode: " + mode + "\n  zones:\n" + yaml_zone("data", path)));
      EXPECT_THAT(error.sentence(), HasSubstr("golem-forge.config.yaml:4: the zone 'data' has a")) << path;
    }
  }
  for (const std::string path : {"../x", "/etc", "/w/shop/data", "a/../../.."})
    EXPECT_THAT(refused(of_manifest("[zones.data]\npath = \"" + path + "\"")).sentence(),
                HasSubstr(".pale/project.toml:2: the zone 'data' has a"))
        << path;
  Declaration with_nul = of_yaml(direct(yaml_zone("data", "d")));
  with_nul.zones[0].path = std::string("d\0/../..", 8);
  EXPECT_THAT(refused(with_nul).sentence(), HasSubstr("the zone 'data' has a path that holds NUL"));
}

TEST(ProjectConfig, ARootThatLeavesTheProjectIsRefused) {
  for (const std::string root : {"..", "/tmp", "a/../../b", "\"\""})
    EXPECT_THAT(refused(of_yaml("sandbox: {root: " + root + ", zones: {}}")).sentence(),
                HasSubstr("sandbox.root must be a folder below the project"))
        << root;
  EXPECT_THAT(refused(of_yaml(""), {SandboxMode::Sandboxed, "../x"}).sentence(), HasSubstr("--sandbox-root must be"));
}

TEST(ProjectConfig, ANameThatTheSystemHasIsRefused) {
  for (const std::string_view name : kReservedNames)
    EXPECT_THAT(refused(of_yaml(direct(yaml_zone(std::string(name), "d")))).sentence(),
                HasSubstr("would appear at /" + std::string(name) + ", which belongs to the system"));
  for (const Fixture& fixture : kFixtures)
    EXPECT_TRUE(is_reserved(Path::literal(fixture.path).components().front())) << fixture.path;
  good(of_yaml(direct(yaml_zone("users", "d") + yaml_zone("workspace", "w"))));
}

TEST(ProjectConfig, ANameThatIsNoWordIsRefused) {
  for (const std::string name : {"\"a/b\"", "\"a b\"", "\"..\"", "\"\"", "\"-x\"", "\"caf\xc3\xa9\"", "\"a\\nb\""})
    EXPECT_THAT(refused(of_yaml(direct(yaml_zone(name, "d")))).sentence(), HasSubstr("has a name that is not a word"))
        << name;
}

TEST(ProjectConfig, ZonesInOneAnotherMustAllowTheSame) {
  for (const std::string& pair :
       std::vector<std::string>{yaml_zone("all", "a", "rw") + yaml_zone("data", "a/b", "ro"),
                                yaml_zone("data", "a/b", "rw") + yaml_zone("all", "a", "ro"),
                                yaml_zone("one", "a", "rw") + yaml_zone("other", "./a/", "ro")})
    EXPECT_THAT(refused(of_yaml(direct(pair))).sentence(), HasSubstr("with different modes")) << pair;
  EXPECT_THAT(
      refused(of_yaml(direct("    a: {path: a}\n    b: {path: a/b, approval: {write: blocked}}\n"))).sentence(),
      HasSubstr("the zones 'a' (golem-forge.config.yaml:4) and 'b' lie in one another with different approvals"));
  good(of_yaml(direct(yaml_zone("all", "a") + yaml_zone("part", "a/b"))));
  good(of_yaml(direct(yaml_zone("a", "src", "ro") + yaml_zone("b", "srcs", "rw"))));
}

TEST(ProjectConfig, NoZoneAllowsMoreThanTrustAndProtectionsDo) {
  Zones zones =
      good(of_yaml(direct(yaml_zone("data", "d", "ro") + yaml_zone("own", ".pale/x") + yaml_zone("out", "o"))));
  protect(zones, {{kRoot / ".pale", Match::Exact, "default"}});
  EXPECT_EQ(zones.zones[1].access, Access::Read);
  EXPECT_EQ(zones.zones[1].narrowed_by, "protected: default");
  EXPECT_EQ(zones.zones[2].access, Access::Write);
  narrow_all(zones, Access::Read, "trust read_only");
  EXPECT_EQ(zones.zones[2].access, Access::Read);
  EXPECT_EQ(zones.zones[2].narrowed_by, "trust read_only");
  EXPECT_EQ(zones.zones[0].narrowed_by, "");
  EXPECT_EQ(zones.without_zones, Access::Read);
}

TEST(ProjectConfig, ZonesOfAnEnclosingProjectAreWhereItSays) {
  Declaration declaration = of_yaml(direct(yaml_zone("own", "own")));
  declaration.zones.push_back({"theirs", "", kRoot / "deep/data", Access::Read, {}, "/w/.pale/project.toml:3"});
  EXPECT_EQ(good(declaration).zones[1].folder, kRoot / "deep/data");
  EXPECT_THAT(good(declaration, {SandboxMode::Sandboxed}).zones, SizeIs(1));
}

TEST(ProjectConfig, TheFirstPlaceOfAManifestThatSpeaksOfItIsKnown) {
  const auto first = [](const std::string& text) {
    const auto manifest = project::parse_manifest({"f", "m", text}, kRoot);
    return manifest ? first_place(manifest->settings) : "refused";
  };
  EXPECT_EQ(first("[agent]\nname = \"x\"\n"), "");
  EXPECT_EQ(first("\n[zones.a]\npath = \"a\"\n"), "m:3");
  EXPECT_EQ(first("[sandbox]\nmode = \"direct\"\n"), "m:2");
  EXPECT_EQ(first("[approval]\nmode = \"auto\"\n"), "m:2");
  EXPECT_EQ(first("[delegation]\nmax_depth = 2\n"), "m:2");
  EXPECT_EQ(first("[workers]\npaths = [\"w\"]\n"), "m:2");
}

}  // namespace
}  // namespace pale::worker
