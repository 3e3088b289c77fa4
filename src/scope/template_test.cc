#include "scope/template.h"

#include <gmock/gmock.h>

#include "scope/order.h"
#include "scope/prd.h"

namespace pale::scope {
namespace {

using ::testing::ElementsAre;

TEST(PrdTemplate, EachIsAGoodPrd) {
  const std::vector<std::string> folders = {"src", "odd \"name\""};
  for (const Template& kind : templates()) {
    const std::string text = prd_text(kind, "my \"shop\"", folders);
    const auto prd = parse_prd(text, "prd.json");
    ASSERT_TRUE(prd.has_value()) << kind.name << (prd ? "" : prd.error().sentence());
    EXPECT_EQ(prd->project, "my \"shop\"");
    EXPECT_EQ(prd->workspace, (Workspace{folders, kind.mode}));
    EXPECT_EQ(prd->stories.size(), kind.stories.size());
    EXPECT_EQ(ready_stories(prd->stories).size(), 1U);
    EXPECT_EQ(find_template(kind.name), &kind);
  }
  EXPECT_EQ(find_template("none"), nullptr);
}

TEST(PrdTemplate, WithoutFoldersThereIsNoWorkspace) {
  const auto prd = parse_prd(prd_text(*find_template("bugfix"), "p", {}), "prd.json");
  EXPECT_FALSE(prd->workspace.has_value());
  EXPECT_THAT(prd->stories.back().dependencies, ElementsAre("US-001"));
}

}  // namespace
}  // namespace pale::scope
