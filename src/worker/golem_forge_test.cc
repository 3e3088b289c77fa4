#include "worker/golem_forge.h"

#include <gmock/gmock.h>

namespace pale::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

const std::string kFile = "/p/golem-forge.config.yaml";

Declaration read(std::string_view text) {
  auto declaration = parse_golem_forge(text, kFile);
  EXPECT_TRUE(declaration.has_value()) << text << "\n" << (declaration ? "" : declaration.error().sentence());
  return declaration ? std::move(*declaration) : Declaration();
}

TEST(GolemForgeConfig, SaysAllThatAProjectCanSay) {
  const Declaration declaration = read(R"(# a project
model: "someone:large"
sandbox:
  mode: direct
  root: "."
  zones:
    invoices:
      path: ./in/invoices
      mode: ro
    sorted:
      path: sorted
      approval: {write: preApproved, delete: blocked}
approval:
  mode: tool
delegation:
  maxDepth: 3
workerPaths: [./clerks, more/one.worker]
)");
  EXPECT_EQ(declaration.mode, SandboxMode::Direct);
  EXPECT_EQ(declaration.root, ".");
  ASSERT_THAT(declaration.zones, SizeIs(2));
  EXPECT_EQ(declaration.zones[0].name, "invoices");
  EXPECT_EQ(declaration.zones[0].path, "./in/invoices");
  EXPECT_EQ(declaration.zones[0].access, Access::Read);
  EXPECT_EQ(declaration.zones[0].where, "golem-forge.config.yaml:7");
  EXPECT_EQ(declaration.zones[1].access, Access::Write);
  EXPECT_EQ(declaration.zones[1].approval, (ZoneApproval{Approval::PreApproved, Approval::Blocked}));
  EXPECT_EQ(declaration.approval, ApprovalMode::Tool);
  EXPECT_EQ(declaration.max_depth, 3U);
  ASSERT_THAT(declaration.worker_paths, SizeIs(2));
  EXPECT_EQ(declaration.worker_paths[1].value, "more/one.worker");
  ASSERT_THAT(declaration.other, SizeIs(1));
  EXPECT_EQ(declaration.other[0], (OtherKey{"model", 2}));
}

TEST(GolemForgeConfig, MayBeEmptyAndIsThenSandboxedAsUsual) {
  for (const char* text : {"", "# nothing\n", "{}"}) {
    const Declaration declaration = read(text);
    EXPECT_THAT(declaration.zones, IsEmpty());
    EXPECT_EQ(declaration.mode, std::nullopt);
    EXPECT_EQ(declaration.usual_mode, SandboxMode::Sandboxed);
  }
}

TEST(GolemForgeConfig, KnowsTheNamesThatApprovalModesHadBefore) {
  EXPECT_EQ(read("approval: {mode: interactive}").approval, ApprovalMode::Manual);
  EXPECT_EQ(read("approval: {mode: approve_all}").approval, ApprovalMode::Auto);
  EXPECT_EQ(read("approval: {mode: auto_deny}").approval, ApprovalMode::Deny);
  EXPECT_EQ(read("approval: {mode: manual}").approval, ApprovalMode::Manual);
}

TEST(GolemForgeConfig, AMistakeIsNamedWithItsPlaceAndWhatWouldBeRight) {
  struct Case {
    const char* text;
    const char* sentence;
    const char* hint;
  };
  for (const Case& each : std::vector<Case>{
           {"sandbox:\n  zone: {}", "line 2, column 3: unknown key sandbox.zone", "did you mean zones?"},
           {"sandbxo: {}", "line 1, column 1: unknown key sandbxo", "did you mean sandbox?"},
           {"sandbox: {mode: directly}", "sandbox.mode must be one of direct, sandboxed", "mode: direct"},
           {"sandbox:\n  zones:\n    data:\n      mode: ro", "sandbox.zones.data.path is missing", "path: ./data"},
           {"sandbox:\n  zones:\n    data: {path: d, mode: r}", "line 3, column 27: sandbox.zones.data.mode must be",
            "mode: ro"},
           {"sandbox:\n  zones:\n    data: {path: d, modes: ro}", "unknown key sandbox.zones.data.modes", "mode"},
           {"sandbox:\n  zones:\n    data:", "sandbox.zones.data must be a mapping", "keys"},
           {"sandbox:\n  zones: [data]", "sandbox.zones must be a mapping", "keys"},
           {"sandbox:\n  zones:\n    data: {path: [d]}", "sandbox.zones.data.path must be a text", "path"},
           {"sandbox:\n  zones:\n    data: {path: \"a\\0b\"}", "sandbox.zones.data.path must be a text", "path"},
           {"sandbox:\n  zones:\n    data: {path: d, approval: {writ: ask}}",
            "unknown key sandbox.zones.data.approval.writ", "write"},
           {"sandbox:\n  zones:\n    data: {path: d, approval: {write: no}}",
            "must be one of preApproved, ask, blocked", "write: "},
           {"sandbox:\n  zones:\n    data: {path: d}\n    data: {path: e}", "line 4", "mend that line"},
           {"approval: {mode: always}", "approval.mode must be one of auto, manual, tool, interactive", "mode: "},
           {"delegation: {maxDepth: 0}", "delegation.maxDepth must be a whole number above zero", "maxDepth: 5"},
           {"delegation: {maxDepth: -1}", "delegation.maxDepth must be a whole number above zero", "maxDepth: 5"},
           {"delegation: {maxDepth: 2.5}", "delegation.maxDepth must be a whole number above zero", "maxDepth: 5"},
           {"delegation: {max_depth: 5}", "unknown key delegation.max_depth", "did you mean maxDepth?"},
           {"workerPaths: ./workers", "workerPaths must be a list of texts", "workerPaths"},
           {"workerPaths: [../elsewhere]", "workerPaths must be paths below the project", "workerPaths"},
           {"workerPaths: [/etc]", "workerPaths must be paths below the project", "workerPaths"},
           {"- sandbox", "a configuration consists of keys", "sandbox"},
           {"sandbox: {", "line 1", "mend that line"},
       }) {
    const auto declaration = parse_golem_forge(each.text, kFile);
    ASSERT_FALSE(declaration.has_value()) << each.text;
    EXPECT_EQ(declaration.error().kind, ErrorKind::Usage) << each.text;
    EXPECT_THAT(declaration.error().sentence(), StartsWith(kFile + ":")) << each.text;
    EXPECT_THAT(declaration.error().sentence(), HasSubstr(each.sentence)) << each.text;
    EXPECT_THAT(declaration.error().hint, HasSubstr(each.hint)) << each.text;
  }
}

}  // namespace
}  // namespace pale::worker
