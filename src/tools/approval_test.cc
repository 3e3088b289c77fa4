#include "tools/approval.h"

#include <gtest/gtest.h>

#include "tools/desk.h"

namespace pale::tools {
namespace {

Approvals some() {
  Approvals approvals;
  approvals.rules = {{Path::root(), Consent::Free, Consent::Ask, "default"},
                     {Path::literal("/w/data"), Consent::Ask, Consent::Blocked, "zone data (project.toml:4)", "data"},
                     {Path::literal("/w/data/free"), Consent::Free, Consent::Free, "zone free"}};
  approvals.run = Consent::Ask;
  approvals.run_origin = "trust workspace";
  return approvals;
}

TEST(Approvals, TheClosestRuleCounts) {
  const Approvals approvals = some();
  EXPECT_EQ(approvals.consent(Deed::Write, Path::literal("/w/a")), Consent::Free);
  EXPECT_EQ(approvals.consent(Deed::Remove, Path::literal("/w/a")), Consent::Ask);
  EXPECT_EQ(approvals.consent(Deed::Write, Path::literal("/w/data/x/y")), Consent::Ask);
  EXPECT_EQ(approvals.consent(Deed::Write, Path::literal("/w/database")), Consent::Free);
  EXPECT_EQ(approvals.consent(Deed::Write, Path::literal("/w/data/free/x")), Consent::Free);
  EXPECT_EQ(approvals.consent(Deed::Run, Path::literal("/w/data/free")), Consent::Ask);
  EXPECT_EQ(approvals.zone_of(Path::literal("/w/data/free/x"))->zone, "data");
  EXPECT_EQ(approvals.zone_of(Path::literal("/w/database")), nullptr);
  EXPECT_TRUE(approvals.concern_files());
  EXPECT_FALSE(Approvals{}.concern_files());
}

// Whoever deletes a folder deletes what is in it.
TEST(Approvals, WhatIsDeletedTakesTheStrictestRuleBelowItAlong) {
  const Approvals approvals = some();
  EXPECT_EQ(approvals.consent(Deed::Remove, Path::literal("/w")), Consent::Blocked);
  EXPECT_EQ(approvals.rule_for(Deed::Remove, Path::literal("/w"))->origin, "zone data (project.toml:4)");
  EXPECT_EQ(approvals.consent(Deed::Write, Path::literal("/w")), Consent::Free);
  EXPECT_EQ(approvals.consent(Deed::Bring, Path::literal("/w")), Consent::Ask);
  EXPECT_EQ(approvals.consent(Deed::Bring, Path::literal("/w/other")), Consent::Free);
}

TEST(Approvals, WhatIsWrittenIsReadBackEqual) {
  EXPECT_EQ(parse_approvals(to_json(some())), some());
  for (const char* wrong : {"", "{}", "[]", R"({"run":"maybe","runOrigin":"","rules":[]})",
                            R"({"run":"ask","runOrigin":"","rules":[{"path":"/x"}]})"})
    EXPECT_FALSE(parse_approvals(wrong)) << wrong;
}

TEST(Desk, WhatIsSaidIsHeard) {
  const ToDesk ask{.kind = ToDesk::Kind::Ask, .number = 7, .summary = "write /a", .details = "+x\n\xff"};
  EXPECT_EQ(parse_to_desk(to_line(ask)), ask);
  const ToDesk answer{.kind = ToDesk::Kind::Answer, .number = 7, .approved = true};
  EXPECT_EQ(parse_to_desk(to_line(answer)), answer);
  const ToDesk call{.kind = ToDesk::Kind::Call, .number = 8, .worker = "index", .input = "{\"a\":1}"};
  EXPECT_EQ(parse_to_desk(to_line(call)), call);
  const FromDesk answered{
      .kind = FromDesk::Kind::Answered, .number = 8, .answer = "x", .exit_code = 3, .code = "NOT_FOUND"};
  EXPECT_EQ(parse_from_desk(to_line(answered)), answered);
  for (const char* wrong : {"", "{}", "[1]", R"({"kind":"ask"})", R"({"kind":"bribe","number":1})",
                            R"({"kind":"ask","number":-1})", R"({"kind":"ask","number":1,"summary":7})"})
    EXPECT_FALSE(parse_to_desk(wrong)) << wrong;
  EXPECT_FALSE(parse_from_desk(R"({"kind":"answered","number":1,"exitCode":1000})"));
}

}  // namespace
}  // namespace pale::tools
