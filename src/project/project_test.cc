#include "project/project.h"

#include <gtest/gtest.h>

namespace pale::project {
namespace {

TEST(ProjectId, IsAWordThatNeedsNoQuoting) {
  for (const char* id : {"a", "my-app", "App_2.0", "9lives"}) EXPECT_TRUE(check_id(id)) << id;
  for (const char* id : {"", "-a", ".", "..", ".hidden", "a b", "a/b", "a\n", "\xc3\xbc", "a$"})
    EXPECT_FALSE(check_id(id)) << id;
  EXPECT_TRUE(check_id(std::string(64, 'a')));
  EXPECT_FALSE(check_id(std::string(65, 'a')));
}

TEST(ProjectId, IsMadeFromAnyName) {
  EXPECT_EQ(id_from("My FastAPI App"), "my-fastapi-app");
  EXPECT_EQ(id_from("--weird//name!!"), "weird-name");
  EXPECT_EQ(id_from(".config"), "config");
  EXPECT_EQ(id_from("\xff\xfe"), "project");
  for (int byte = 0; byte < 256; ++byte) {
    const std::string id = id_from(std::string(3, static_cast<char>(byte)) + "x" + static_cast<char>(byte));
    EXPECT_TRUE(check_id(id)) << byte << " " << id;
  }
  EXPECT_TRUE(check_id(id_from(std::string(200, 'a'))));
}

TEST(ProjectValue, HasAnIdAndAnAbsoluteRootOrIsNone) {
  const auto project = Project::make({"shop", "", Path::literal("/w"), WorkspaceType::Registered, 5, std::nullopt});
  ASSERT_TRUE(project);
  EXPECT_EQ(project->name(), "shop");
  EXPECT_EQ(project->root(), Path::literal("/w"));
  EXPECT_FALSE(Project::make({"a b", "", Path::literal("/w")}));
  EXPECT_FALSE(Project::make({"a", "", Path::literal("w")}));
}

TEST(ProjectValue, WorkspaceTypesHaveTheSpecsNames) {
  for (const auto type : {WorkspaceType::Manifest, WorkspaceType::Registered, WorkspaceType::Temporary})
    EXPECT_EQ(parse_workspace_type(to_text(type)), type);
  EXPECT_EQ(to_text(WorkspaceType::Temporary), "temporary");
  EXPECT_EQ(parse_workspace_type("other"), std::nullopt);
}

}  // namespace
}  // namespace pale::project
