#include "service/tool_terms.h"

#include <gtest/gtest.h>

#include "service/tool_workers.h"

namespace pale::service {
namespace {

using project::Approval;
using project::ApprovalMode;
using tools::Consent;
using tools::Deed;

TEST(Consents, TheModeAndTheZoneDecide) {
  const auto nothing = std::optional<Approval>();
  for (const Deed deed : {Deed::Write, Deed::Remove, Deed::Run}) {
    for (const ApprovalMode mode : {ApprovalMode::Auto, ApprovalMode::Manual, ApprovalMode::Tool, ApprovalMode::Deny}) {
      EXPECT_EQ(consent_of(mode, deed, Approval::Blocked), Consent::Blocked);
      EXPECT_EQ(consent_of(mode, deed, Approval::PreApproved), Consent::Free);
    }
    EXPECT_EQ(consent_of(ApprovalMode::Auto, deed, Approval::Ask), Consent::Free);
    EXPECT_EQ(consent_of(ApprovalMode::Auto, deed, nothing), Consent::Free);
    EXPECT_EQ(consent_of(ApprovalMode::Manual, deed, nothing), Consent::Ask);
    EXPECT_EQ(consent_of(ApprovalMode::Tool, deed, Approval::Ask), Consent::Ask);
    EXPECT_EQ(consent_of(ApprovalMode::Deny, deed, Approval::Ask), Consent::Blocked);
    EXPECT_EQ(consent_of(ApprovalMode::Deny, deed, nothing), Consent::Blocked);
  }
  EXPECT_EQ(consent_of(ApprovalMode::Tool, Deed::Write, nothing), Consent::Free);
  EXPECT_EQ(consent_of(ApprovalMode::Tool, Deed::Remove, nothing), Consent::Ask);
  EXPECT_EQ(consent_of(ApprovalMode::Tool, Deed::Run, nothing), Consent::Ask);
}

class Narrowed : public testing::Test {
 protected:
  static Path at(const char* path) { return Path::literal(path); }
  static Boundary made(std::vector<Grant> grants, std::vector<Protection> protections = {},
                       Network network = Network::None) {
    BoundaryParts parts;
    parts.workspace = parts.home = at("/tmp");
    parts.grants = std::move(grants);
    parts.protections = std::move(protections);
    parts.network = network;
    return *Boundary::make(std::move(parts));
  }
  static Grant grant(const char* path, Access access, const char* source, const char* origin) {
    return {at(path), access, at(source), origin, {}};
  }

  // What a project has for its workers.
  const Boundary ceiling_ =
      made({grant("/usr", Access::Read, "/usr", "system"), grant("/data", Access::Write, "/w/data", "zone data"),
            grant("/out", Access::Write, "/w/out", "zone out")},
           {}, Network::Open);
};

TEST_F(Narrowed, WhatTheToolsDoNotSeeIsNotThere) {
  const auto boundary = narrowed_to(ceiling_, made({grant("/w/out", Access::Write, "/w/out", "workspace")}));
  ASSERT_TRUE(boundary) << boundary.error().sentence();
  EXPECT_EQ(boundary->grant_for(at("/data/x")), nullptr);
  EXPECT_EQ(boundary->grant_for(at("/out/x"))->access, Access::Write);
  EXPECT_EQ(boundary->grant_for(at("/usr/bin"))->access, Access::Read);
  EXPECT_EQ(boundary->network(), Network::None);
}

TEST_F(Narrowed, WhatIsLessForTheToolsIsLessForTheWorker) {
  const auto boundary = narrowed_to(
      ceiling_, made({grant("/w", Access::Write, "/w", "workspace"), grant("/w/data", Access::Read, "/w/data", "--ro"),
                      grant("/w/out/secret", Access::None, "/w/out/secret", "--hide")},
                     {{at("/w/out/kept"), Match::Exact, "--protect"}}));
  ASSERT_TRUE(boundary) << boundary.error().sentence();
  EXPECT_EQ(boundary->grant_for(at("/data/x"))->access, Access::Read);
  EXPECT_EQ(boundary->grant_for(at("/out/secret/x"))->access, Access::None);
  EXPECT_NE(boundary->protection_for(at("/out/kept")), nullptr);
  EXPECT_EQ(boundary->grant_for(at("/out/x"))->source, at("/w/out"));
}

TEST_F(Narrowed, WhatIsHiddenOfTheSystemIsHiddenFromTheWorker) {
  const auto boundary = narrowed_to(ceiling_, made({grant("/usr", Access::Read, "/usr", "--ro"),
                                                    grant("/usr/secret", Access::None, "/usr/secret", "--hide")}));
  ASSERT_TRUE(boundary) << boundary.error().sentence();
  EXPECT_EQ(boundary->grant_for(at("/usr/secret/x"))->access, Access::None);
  EXPECT_EQ(boundary->grant_for(at("/usr/bin"))->access, Access::Read);
}

// What a stage shows is not the project.
TEST_F(Narrowed, WhatIsStagedIsNotHandedOn) {
  Grant staged = grant("/w", Access::Write, "/w", "workspace");
  staged.layers = {at("/stages/s/upper")};
  const auto boundary = narrowed_to(ceiling_, made({staged}));
  ASSERT_TRUE(boundary) << boundary.error().sentence();
  EXPECT_EQ(boundary->grant_for(at("/out/x")), nullptr);
}

TEST(WorkersInWords, HaveTheirNamesAndWhatTheyAreFor) {
  std::vector<worker::Worker> workers(2);
  workers[0].file.name = "index";
  workers[0].file.description = "sums up";
  workers[1].file.name = "check";
  EXPECT_EQ(in_words(workers), "index (sums up); check");
  EXPECT_EQ(in_words({}), "");
}

}  // namespace
}  // namespace pale::service
