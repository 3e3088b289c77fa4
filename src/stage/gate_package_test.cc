// What of a package.json, and of others that name commands, a gate asks about.
#include <gmock/gmock.h>

#include <sstream>
#include <string>

#include "stage/gate.h"
#include "stage/gate_rules.h"

namespace pale::stage {
namespace {

using ::testing::HasSubstr;

std::string reason_of_package(std::string_view before, std::string_view after, std::string_view path = "package.json") {
  return gate_reason({.path = path, .existed = !before.empty(), .text_before = before, .text_after = after});
}

TEST(PackageJson, OnlyNewOrChangedLifecycleScriptsAreGated) {
  const std::string_view plain = R"({"name": "x", "scripts": {"test": "jest", "postinstall": "node a.js"}})";
  EXPECT_EQ(reason_of_package(plain, R"({"scripts": {"postinstall": "node a.js", "test": "evil", "build": "tsc"}})"),
            "");
  EXPECT_EQ(reason_of_package(plain, R"({"name": "x"})"), "");
  EXPECT_EQ(reason_of_package(plain, R"({"scripts": {"postinstall": "node b.js"}})"),
            "npm runs its script postinstall");
  EXPECT_EQ(reason_of_package("", plain), "npm runs its script postinstall");
  EXPECT_EQ(reason_of_package("{}", R"({"scripts": {"prepare": "x", "preinstall": "y"}})"),
            "npm runs its script preinstall, prepare");
  EXPECT_EQ(reason_of_package("{}", R"({"scripts": {"post\u0069nstall": "y"}})"), "npm runs its script postinstall");
  EXPECT_EQ(reason_of_package("{}", R"({"lint-staged": {"*.js": "evil"}})"),
            "a git hook runs commands of its lint-staged");
}

TEST(PackageJson, EveryNameOfTheTableIsGated) {
  for (const gate::Commands& commands : gate::kCommands) {
    std::istringstream names{std::string(commands.names)};
    for (std::string name; names >> name;) {
      const std::string inner = R"({")" + name + R"(": "x"})";
      const std::string text =
          commands.object.empty() ? inner : R"({")" + std::string(commands.object) + R"(": )" + inner + "}";
      EXPECT_EQ(reason_of_package("{}", text, commands.file), std::string(commands.reason) + name);
      EXPECT_EQ(reason_of_package(text, text, commands.file), "");
    }
  }
}

TEST(PackageJson, WhatCannotBeReadIsGated) {
  const std::string deep(100000, '[');
  const std::string large = R"({"a": ")" + std::string(kMostGateText, 'x') + R"("})";
  for (const std::string_view text :
       {std::string_view(), std::string_view("{"), std::string_view(deep), std::string_view(large),
        std::string_view(R"({"scripts": {}, "scripts": {"install": "x"}})"), std::string_view("\xEF\xBB\xBF{}"),
        std::string_view("\xff\0", 2)}) {
    EXPECT_THAT(reason_of_package("{}", text), HasSubstr("cannot be read as JSON"));
  }
  for (const std::string_view text : {"[]", "null", "3", R"({"scripts": "install"})", R"({"scripts": ["install"]})"}) {
    EXPECT_EQ(reason_of_package("{", text), "") << text;
  }
}

TEST(PackageJson, CountsAtAnyDepthButNotAmongInstalledPackages) {
  const std::string_view script = R"({"scripts": {"install": "x", "post-install-cmd": ["x"]}})";
  EXPECT_NE(reason_of_package("", script, "apps/web/package.json"), "");
  EXPECT_EQ(reason_of_package("", script, "node_modules/a/package.json"), "");
  EXPECT_EQ(reason_of_package("", script, "web/node_modules/a/b/package.json"), "");
  EXPECT_EQ(reason_of_package("", script, "vendor/a/b/composer.json"), "");
  EXPECT_NE(reason_of_package("", script, "api/composer.json"), "");
  EXPECT_TRUE(needs_text("apps/web/package.json"));
  for (const std::string_view path :
       {"", "src/main.c", "package.json/x", "node_modules/a/package.json", ".envrc", ".git/config"}) {
    EXPECT_FALSE(needs_text(path)) << path;
  }
}

}  // namespace
}  // namespace pale::stage
