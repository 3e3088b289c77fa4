#include "tenant/id.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pale::tenant {
namespace {

using testing::HasSubstr;

TEST(ProjectId, IsASlugOrAUuid) {
  for (const std::string good : {"a", "0", "chat-agents", "a-", "a--b", "00112233-4455-4677-8899-aabbccddeeff"})
    EXPECT_TRUE(is_project_id(good)) << good;
  EXPECT_TRUE(is_project_id(std::string(63, 'x')));
  for (const std::string bad :
       {"", "-", "-a", ".", "..", "a.lock", "a/b", "/", "A", "a_b", "a b", "ä", "a\n", ".new-a"})
    EXPECT_FALSE(check_project_id(bad)) << bad;
  EXPECT_FALSE(is_project_id(std::string(64, 'x')));
  EXPECT_FALSE(is_project_id(std::string_view("a\0b", 3)));
  // A sentence about a name stays one that can be read.
  EXPECT_LT(check_project_id(std::string(100'000, 'x')).error().sentence().size(), 300U);
}

TEST(WorkspaceId, IsAUuidInLowerCase) {
  EXPECT_TRUE(check_workspace_id("00112233-4455-4677-8899-aabbccddeeff"));
  for (const std::string bad : {"", "..", "a/b", "chat", "00112233-4455-4677-8899-AABBCCDDEEFF"})
    EXPECT_FALSE(check_workspace_id(bad)) << bad;
  EXPECT_EQ(check_workspace_id("00112233-4455-4677-8899-AABBCCDDEEFF").error().hint,
            "00112233-4455-4677-8899-aabbccddeeff");
}

TEST(Slug, OfAnyNameIsAnId) {
  EXPECT_EQ(slug_from("My Chat Agent"), "my-chat-agent");
  EXPECT_EQ(slug_from("  a__b  "), "a-b");
  EXPECT_EQ(slug_from("日本"), "project");
  EXPECT_EQ(slug_from(""), "project");
  EXPECT_EQ(slug_from("x", 2), "x-2");
  EXPECT_EQ(slug_from("..", 12), "project-12");
  for (const std::string& name : {std::string(500, 'x'), std::string(62, 'x') + " y", std::string("../../etc")}) {
    for (const unsigned number : {1U, 2U, 4'000'000'000U}) EXPECT_TRUE(is_project_id(slug_from(name, number))) << name;
  }
}

}  // namespace
}  // namespace pale::tenant
