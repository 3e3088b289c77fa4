#include "service/workspace.h"

#include <gmock/gmock.h>

namespace pale::service {
namespace {

using project::Said;
using project::Scope;
using project::Settings;
using testing::HasSubstr;

const Path kRoot = Path::literal("/w");

// A caller with just these variables.
class Variables {
 public:
  explicit Variables(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  Caller caller() { return {nullptr, pointers_.data()}; }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

WorkspaceRequest asked(std::vector<std::string> variables, WorkspaceRequest flags = {}) {
  Variables given(std::move(variables));
  auto wanted = with_variables(std::move(flags), given.caller());
  EXPECT_TRUE(wanted.has_value());
  return wanted ? std::move(*wanted) : WorkspaceRequest();
}

WorkspaceRequest flags(std::vector<std::string> folders, std::optional<Scope> mode = std::nullopt) {
  WorkspaceRequest wanted;
  if (!folders.empty()) wanted.folders = {std::move(folders), "--workspace"};
  if (mode) wanted.mode = {*mode, "--workspace-mode"};
  return wanted;
}

Settings manifest(std::vector<const char*> folders, std::optional<Scope> mode = std::nullopt) {
  Settings settings;
  for (const char* folder : folders) settings.folders.push_back({kRoot / folder, "m:1"});
  if (mode) settings.scope = Said<Scope>{*mode, "m:2"};
  return settings;
}

// "lib,src strict", and who said it.
std::string chosen(const Settings& settings, const WorkspaceRequest& wanted) {
  const auto result = choose_workspace(settings, wanted, kRoot);
  if (!result) return result.error().sentence();
  std::string text;
  for (const auto& folder : result->folders)
    text += (text.empty() ? "" : ",") + std::string(kRoot.below(folder.value)) + "(" + folder.where + ")";
  return text + (is_strict(*result) ? " strict " : " ") + (result->scope ? result->scope->where : "");
}

TEST(Workspace, AFlagCountsBeforeAVariableAndThatBeforeTheManifest) {
  const Settings settings = manifest({"docs"}, Scope::Strict);
  const std::vector<std::string> variables = {"WORKSPACE_FOLDERS=lib, src", "WORKSPACE_MODE=strict"};
  EXPECT_EQ(chosen(settings, {}), "docs(m:1) strict m:2");
  EXPECT_EQ(chosen(settings, asked(variables)), "lib(WORKSPACE_FOLDERS),src(WORKSPACE_FOLDERS) strict WORKSPACE_MODE");
  EXPECT_EQ(chosen(settings, asked(variables, flags({"a"}, Scope::Permissive))), "a(--workspace) --workspace-mode");
  EXPECT_EQ(chosen(settings, asked({}, flags({"a"}))), "a(--workspace) strict m:2");
}

TEST(Workspace, ItCanBeSwitchedOffButNotAFlag) {
  const Settings settings = manifest({"docs"}, Scope::Strict);
  EXPECT_EQ(chosen(settings, asked({"WORKSPACE_ENABLED=false", "WORKSPACE_FOLDERS=lib"})), " ");
  EXPECT_EQ(chosen(settings, asked({"WORKSPACE_ENABLED=0"}, flags({"a"}))), "a(--workspace) strict m:2");
  EXPECT_EQ(chosen(settings, asked({"WORKSPACE_ENABLED=true"})), "docs(m:1) strict m:2");
}

TEST(Workspace, AModeForAllProjectsSaysNothingOfOneWithoutFolders) {
  EXPECT_EQ(chosen({}, asked({"WORKSPACE_MODE=strict"})), " ");
  EXPECT_EQ(chosen({}, asked({}, flags({}, Scope::Strict))), " --workspace-mode");
}

TEST(Workspace, VariablesThatMeanNothingAreRefused) {
  for (const char* bogus : {"WORKSPACE_MODE=bogus", "WORKSPACE_FOLDERS=,", "WORKSPACE_ENABLED=no"}) {
    Variables given({bogus});
    const auto wanted = with_variables({}, given.caller());
    ASSERT_FALSE(wanted.has_value()) << bogus;
    EXPECT_EQ(wanted.error().kind, ErrorKind::Usage);
  }
}

TEST(Workspace, StoriesOnlyNarrow) {
  WorkspaceRequest stories;
  stories.of_stories = {{{"lib/api"}, scope::Mode::Strict}, "prd.json"};
  EXPECT_EQ(chosen({}, stories), "lib/api(prd.json) strict prd.json");
  EXPECT_EQ(chosen(manifest({"lib"}), stories), "lib/api(prd.json) strict prd.json");
  EXPECT_THAT(chosen(manifest({"docs"}), stories), HasSubstr("asks for more than"));
  stories.of_stories->value = {{}, scope::Mode::Permissive};
  EXPECT_EQ(chosen(manifest({"docs"}, Scope::Strict), stories), "docs(m:1) strict m:2");
  stories.folders = {{"a"}, "--workspace"};
  EXPECT_EQ(chosen(manifest({"docs"}, Scope::Strict), stories), "a(--workspace) strict m:2");
}

TEST(Workspace, AFolderLiesInTheProject) {
  for (const char* outside : {"..", "../x", "/etc", "/w-evil", ".", "/w", "lib/.."})
    EXPECT_FALSE(choose_workspace({}, flags({outside}), kRoot).has_value()) << outside;
  EXPECT_EQ(chosen({}, flags({"/w/lib/", "./src"})), "lib(--workspace),src(--workspace) ");
}

}  // namespace
}  // namespace pale::service
