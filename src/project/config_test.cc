#include "project/config.h"

#include <gmock/gmock.h>

#include "project/config_edit.h"
#include "support/directory.h"

namespace pale::project {
namespace {

using testing::HasSubstr;

class ConfigFile : public test::InADirectory {
 protected:
  Status change(ConfigChange what, const char* key, std::vector<std::string> values, const char* root = nullptr) const {
    const Path place = Path::literal(root == nullptr ? "/" : root);
    return change_config(base(), what, *find_config_key(key), values, root == nullptr ? nullptr : &place);
  }
};

TEST_F(ConfigFile, IsEmptyWhereThereIsNone) {
  const auto config = read_config(base());
  ASSERT_TRUE(config);
  EXPECT_FALSE(config->agent);
  EXPECT_EQ(config->grants_for(Path::literal("/w")), nullptr);
}

TEST_F(ConfigFile, WhatIsSetIsReadAndCommentsStay) {
  write("config.toml", "# mine\nagent = \"codex\"  # for now\n\n# the shop\n[projects.\"/w\"]\nnetwork = \"none\"\n");
  ASSERT_TRUE(change(ConfigChange::Set, "agent", {"claude"}));
  ASSERT_TRUE(change(ConfigChange::Set, "network", {"open"}, "/w"));
  ASSERT_TRUE(change(ConfigChange::Add, "ro", {"/opt/a"}, "/w"));
  ASSERT_TRUE(change(ConfigChange::Add, "ro", {"/opt/b", "/opt/a"}, "/w"));
  ASSERT_TRUE(change(ConfigChange::Set, "trust", {"full"}));
  EXPECT_THAT(read("config.toml"), HasSubstr("# mine\nagent = \"claude\"  # for now\n"));
  EXPECT_THAT(read("config.toml"),
              HasSubstr("# the shop\n[projects.\"/w\"]\nnetwork = \"open\"\nro = [\"/opt/a\", \"/opt/b\"]\n"));
  const auto config = read_config(base());
  ASSERT_TRUE(config) << config.error().sentence();
  EXPECT_EQ(config->agent->value, "claude");
  EXPECT_EQ(config->allow_trust->value, Trust::Full);
  const ProjectGrants* grants = config->grants_for(Path::literal("/w"));
  ASSERT_NE(grants, nullptr);
  EXPECT_EQ(grants->network->value, NetworkMode::Open);
  EXPECT_EQ(grants->ro.at(1).value, "/opt/b");
  EXPECT_EQ(config->grants_for(Path::literal("/w/x")), nullptr);
  ASSERT_TRUE(change(ConfigChange::Unset, "network", {}, "/w"));
  EXPECT_FALSE(read_config(base())->grants_for(Path::literal("/w"))->network);
}

TEST_F(ConfigFile, ProjectsWithAnyRootCanBeGrantedTo) {
  for (const char* root : {"/a \"b\"", "/with.dots", "/\xc3\xbc", "/line\nbreak"}) {
    ASSERT_TRUE(change(ConfigChange::Set, "trust", {"full"}, root)) << root;
    const auto config = read_config(base());
    ASSERT_TRUE(config);
    EXPECT_NE(config->grants_for(Path::literal(root)), nullptr) << root;
  }
  EXPECT_FALSE(change(ConfigChange::Set, "trust", {"full"}, "/\xff"));
}

TEST_F(ConfigFile, GrantsMoveAndAreForgottenWithTheirProject) {
  ASSERT_TRUE(change(ConfigChange::Set, "trust", {"full"}, "/old"));
  ASSERT_TRUE(change(ConfigChange::Add, "env", {"TOKEN"}, "/old"));
  ASSERT_TRUE(move_grants(base(), Path::literal("/old"), Path::literal("/new")));
  const auto moved = read_config(base());
  EXPECT_EQ(moved->grants_for(Path::literal("/old")), nullptr);
  EXPECT_EQ(moved->grants_for(Path::literal("/new"))->env.at(0).value, "TOKEN");
  ASSERT_TRUE(forget_grants(base(), Path::literal("/new")));
  EXPECT_EQ(read_config(base())->grants_for(Path::literal("/new")), nullptr);
}

TEST_F(ConfigFile, BadValuesAreRefusedAndNothingIsWritten) {
  EXPECT_FALSE(change(ConfigChange::Set, "trust", {"total"}));
  EXPECT_FALSE(change(ConfigChange::Set, "network", {"some"}));
  EXPECT_FALSE(change(ConfigChange::Add, "rw", {"relative"}, "/w"));
  EXPECT_FALSE(change(ConfigChange::Add, "rw", {"/"}, "/w"));
  EXPECT_FALSE(change(ConfigChange::Add, "env", {"A=B"}, "/w"));
  EXPECT_FALSE(std::filesystem::exists(base_ / "config.toml"));
}

TEST_F(ConfigFile, ABrokenOneIsReportedAndStaysAsItIs) {
  for (const char* text : {"agent = ", "[allow]\ntrst = \"full\"", "agent = 1", "[projects.x]\nrw = [\"y\"]"}) {
    write("config.toml", text);
    const auto config = read_config(base());
    ASSERT_FALSE(config) << text;
    EXPECT_THAT(config.error().sentence(), HasSubstr(base().text() + "/config.toml: line "));
    EXPECT_FALSE(change(ConfigChange::Set, "agent", {"claude"}));
    EXPECT_EQ(read("config.toml"), text);
  }
}

}  // namespace
}  // namespace pale::project
