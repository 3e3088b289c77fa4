// ESCAPES 45: what is committed in a repository can only tighten. Hostile manifests, and what an agent leaves for the next run.
#include "escape/escape.h"

namespace pale::test {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;

class Committed : public Escape {
 protected:
  void manifest(const std::string& text) const { workspace().write(".pale/project.toml", text); }
  Finished run_with(const std::string& text, const std::string& script) const {
    manifest(text);
    return shell(script);
  }
};

TEST_P(Committed, E45_AZoneOutsideTheProjectIsRefused) {
  for (const std::string& path :
       {project_.home().text(), project_.home().text() + "/.ssh", std::string("/etc"), std::string("/"),
        std::string("../../../../../../.."), std::string("x/../../../../etc")}) {
    for (const std::string mode : {"ro", "rw"}) {
      const Finished run =
          run_with("[zones.data]\npath = \"" + path + "\"\nmode = \"" + mode + "\"\n", "cat $SECRET; touch ran");
      EXPECT_EQ(run.exit_code, 3) << path << run.err;
      EXPECT_THAT(run.out, Not(HasSubstr(Project::kSecret)));
      EXPECT_THAT(run.err, HasSubstr("lies outside the project"));
      EXPECT_THAT(run.err, HasSubstr("hint: pale config add " + mode));
    }
  }
  EXPECT_FALSE(workspace().exists("ran"));
}

TEST_P(Committed, E45_ALinkInTheProjectGrantsNothingBeyondIt) {
  fs::create_symlink(project_.home().text() + "/.ssh", workspace().path() / "link");
  const std::string before = project_.home().snapshot();
  for (const char* text :
       {"[workspace]\nmode = \"strict\"\nfolders = [\"link\"]\n", "[zones.data]\npath = \"link\"\nmode = \"ro\"\n",
        "[agent]\nprotected = [\"link\"]\n", "[agent]\nprotected = [\"link/id_test\"]\n"}) {
    const Finished run = run_with(text, "cat link/id_test $SECRET; echo hacked > link/id_test; echo hacked > link/new");
    EXPECT_THAT(run.out, Not(HasSubstr(Project::kSecret))) << text;
    EXPECT_NE(run.exit_code, 0) << text;
  }
  EXPECT_EQ(project_.home().snapshot(), before);
}

TEST_P(Committed, E45_NoManifestOpensTheNetworkOrTrustsItself) {
  for (const char* text : {"[network]\nmode = \"open\"\n", "[network]\nmode = \"allow\"\nallow = [\"example.org\"]\n",
                           "[agent]\ntrust = \"full\"\n", "[presets.x]\nnetwork = \"open\"\n"}) {
    manifest(text);
    const Finished run = project_.run_script("touch ran", {"--preset", "x"});
    EXPECT_NE(run.exit_code, 0) << text;
    const Finished plain = project_.run_script("cat /proc/net/dev");
    EXPECT_THAT(plain.out, Not(HasSubstr("eth"))) << text;
  }
  EXPECT_FALSE(workspace().exists("ran"));
}

TEST_P(Committed, E45_AnInheritedManifestIsOneAroundItOrNone) {
  const TemporaryDirectory elsewhere(GetParam(), "elsewhere");
  elsewhere.write(".pale/project.toml", "[agent]\ntrust = \"full\"\n");
  for (const std::string& path : {elsewhere.text() + "/.pale/project.toml", std::string("/etc/passwd"),
                                  std::string(".pale/project.toml"), std::string("sub/.pale/project.toml")}) {
    const Finished run = run_with("inherit = \"" + path + "\"\n", "touch ran");
    EXPECT_EQ(run.exit_code, 2) << path << run.err;
  }
  EXPECT_FALSE(workspace().exists("ran"));
}

TEST_P(Committed, E45_AnotherProjectsIdBringsNoneOfItsGrants) {
  const Project trusted(GetParam(), PaleHome::Own);
  const std::vector<std::string> environment = {"PALE_HOME=" + trusted.pale_home().string()};
  ASSERT_EQ(trusted.pale({"init", trusted.workspace().text(), "--id", "bank"}).exit_code, 0);
  ASSERT_EQ(trusted.pale({"config", "add", "ro", project_.home().text(), "-p", "bank"}).exit_code, 0);
  ASSERT_EQ(trusted.pale({"config", "set", "network", "open", "-p", "bank"}).exit_code, 0);
  manifest("[project]\nid = \"bank\"\n[network]\nmode = \"open\"\n");
  EXPECT_EQ(project_.pale({"run", "--project-root", workspace().text(), "--", "true"}, environment).exit_code, 3);
  manifest("[project]\nid = \"bank\"\n");
  const Finished run = project_.pale({"run", "--project-root", workspace().text(), "--", "cat", secret()}, environment);
  EXPECT_THAT(run.out, Not(HasSubstr(Project::kSecret)));
  EXPECT_NE(run.exit_code, 0);
}

TEST_P(Committed, E45_InsideTheManifestCannotBeChangedNorMadeAnew) {
  manifest("[agent]\nprotected = [\"keys\"]\n");
  const Finished run = shell(R"(
    echo > .pale/project.toml; rm .pale/project.toml; mv .pale gone; ln -sf /dev/null .pale/project.toml; mkdir -p x && mv x .pale
    echo 'inherit = ""' > .pale/new; mkdir keys; exit 7)");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(workspace().read(".pale/project.toml"), "[agent]\nprotected = [\"keys\"]\n");
  EXPECT_FALSE(workspace().exists("keys"));
  EXPECT_FALSE(workspace().exists(".pale/new"));
}

TEST_P(Committed, E45_AnAgentsCommandInAManifestGrantsNothing) {
  const std::string vault = project_.home().text() + "/vault";
  project_.home().write("vault/bin/tool", "#!/bin/sh\necho tool\n");
  project_.home().write("vault/secret", std::string(Project::kSecret));
  fs::permissions(vault + "/bin/tool", fs::perms(0755));
  for (const std::string& line :
       {"#!" + vault + "/bin/tool", "#!/usr/bin/env -S -u " + vault + "/bin/tool sh", "#!" + secret()}) {
    workspace().write("agent", line + "\ncat " + vault + "/secret " + secret() + "\n");
    fs::permissions(workspace().path() / "agent", fs::perms(0755));
    for (const std::string& program :
         {std::string("./agent"), workspace().text() + "/agent", vault + "/bin/tool", secret()}) {
      manifest("[agent]\ncommand = [\"" + program + "\", \"{task}\"]\n");
      const Finished run = project_.pale({"agent", "run", "x", "--project-root", workspace().text()});
      EXPECT_THAT(run.out, Not(HasSubstr(Project::kSecret))) << line << program;
      EXPECT_THAT(run.out, Not(HasSubstr("tool"))) << line << program;
    }
  }
}

// A user whose PATH leads through the project finds an agent's name there.
TEST_P(Committed, E45_AProgramThatAnAgentWroteGrantsNothing) {
  const std::string vault = project_.home().text() + "/vault";
  project_.home().write("vault/bin/tool", "#!/bin/sh\necho tool\n");
  fs::permissions(vault + "/bin/tool", fs::perms(0755));
  fs::create_symlink(vault + "/bin/tool", workspace().path() / "claude");
  workspace().write("codex", "#!" + vault + "/bin/tool\n");
  fs::permissions(workspace().path() / "codex", fs::perms(0755));
  for (const std::string agent : {"claude", "codex"}) {
    const Finished run = project_.pale({"agent", "run", "x", "--agent", agent, "--project-root", workspace().text()},
                                       {"PATH=" + workspace().text() + ":/usr/bin:/bin"});
    EXPECT_THAT(run.out, Not(HasSubstr("tool"))) << agent;
    EXPECT_EQ(run.exit_code, 127) << agent;
    EXPECT_THAT(run.err, HasSubstr("does not exist inside")) << agent;  // and so it was found outside
  }
}

TEST_P(Committed, E45_PalesOwnDirectoryIsGrantedToNobody) {
  const Project own(GetParam(), PaleHome::Own);
  for (const std::string flag : {"--rw", "--ro"}) {
    const Finished run =
        own.run_script("touch " + own.pale_home().string() + "/planted", {flag, own.pale_home().string()});
    EXPECT_EQ(run.exit_code, 3) << run.err;
  }
  EXPECT_FALSE(fs::exists(own.pale_home() / "planted"));
}

TEST_P(Committed, E45_ABrokenManifestStopsEverything) {
  for (const char* text : {"[agent", "[agent]\nprotected = 1\n", "[agnt]\n", "\xff\xfe", "a = 1\na = 2\n"}) {
    const Finished run = run_with(text, "touch ran");
    EXPECT_EQ(run.exit_code, 2) << text;
    EXPECT_THAT(run.err, HasSubstr(".pale/project.toml"));
  }
  EXPECT_FALSE(workspace().exists("ran"));
}

INSTANTIATE_TEST_SUITE_P(, Committed, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
