// ESCAPES 44 and 45: what is committed in a repository can only tighten, and nobody inside edits it. Hostile manifests, and what an agent leaves for the next run.
#include "escape/escape.h"
#include "support/tool_server.h"

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

// Which zones there are, who works in them and who may be called: by a shell, and by every tool that writes.
class Declared : public Committed {
 protected:
  // What decides, whether it is there or not; changed, made anew, moved away, put in its place.
  void expect_kept(const std::vector<std::string>& there, const std::vector<std::string>& missing) const {
    workspace().write("evil", "hacked");
    const std::string before = texts_of(there);
    std::string script;
    for (const std::string& name : there)
      script += "echo hacked > " + name + "; rm " + name + "; mv " + name + " gone; mv evil " + name + ";\n";
    for (const std::string& name : missing)
      script += "mkdir -p $(dirname " + name + "); echo hacked > " + name + "; ln -s evil " + name + ";\n";
    EXPECT_EQ(shell(script + "echo x > free; exit 7").exit_code, 7);
    ToolServer server(project_, {"--trust", "shell", "--approval", "auto"});
    for (const std::string& name : there) {
      EXPECT_THAT(server.refusal("write_file", {{"path", name}, {"content", "hacked"}}), HasSubstr("protect")) << name;
      server.refusal("delete", {{"path", name}});
      server.refusal("move", {{"source", name}, {"destination", "gone"}});
      server.call("run_command", {{"command", "echo hacked > " + name + "; mv evil " + name}});
    }
    for (const std::string& name : missing) {
      server.refusal("write_file", {{"path", name}, {"content", "hacked"}});
      server.refusal("move", {{"source", "evil"}, {"destination", name}});
    }
    EXPECT_EQ(texts_of(there), before);
    for (const std::string& name : missing) EXPECT_FALSE(workspace().exists(name)) << name;
    EXPECT_EQ(workspace().read("free"), "x\n");
    EXPECT_EQ(quarantined(), 0U);
  }

 private:
  std::string texts_of(const std::vector<std::string>& names) const {
    std::string texts;
    for (const std::string& name : names) texts += workspace().read(name) + "|";
    return texts;
  }
};

constexpr const char* kWorker = "---\nname: clerk\nrun: [\"true\"]\n---\n";

TEST_P(Declared, E44_TheConfigurationOfZonesIsNotTheAgents) {
  expect_kept({}, {"golem-forge.config.yaml", "golem-forge.config.yml", "index.worker", "main.worker"});
  workspace().write("golem-forge.config.yaml",
                    "sandbox: {mode: direct, zones: {data: {path: ./data, mode: ro}}}\nworkerPaths: [./staff]\n");
  workspace().write("clerk.worker", kWorker);
  workspace().write("staff/other.worker", "---\nname: other\nrun: [\"true\"]\n---\n");
  workspace().write("data/rows", "rows");
  expect_kept(
      {"golem-forge.config.yaml", "clerk.worker", "staff/other.worker", "data/rows"},
      {"golem-forge.config.yml", "index.worker", "new.worker", "workers/x.worker", "staff/new.worker", "data/new"});
}

TEST_P(Declared, E44_WorkersWhereverTheManifestSaysAreNotTheAgents) {
  manifest("[workers]\npaths = [\"staff\", \"one.worker\"]\n[zones.data]\napproval = { write = \"blocked\" }\n");
  workspace().write("staff/deep/clerk.worker", kWorker);
  workspace().write("one.worker", "---\nname: one\nrun: [\"true\"]\n---\n");
  workspace().write("data/rows", "rows");
  expect_kept({"staff/deep/clerk.worker", "one.worker", "data/rows"}, {"staff/new.worker", "data/new"});
  fs::remove(workspace().path() / ".pale/project.toml");
  workspace().write("golem-forge.config.yaml", "workerPaths: [.]\n");
  expect_kept({"staff/deep/clerk.worker", "one.worker"}, {"index.worker"});
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
INSTANTIATE_TEST_SUITE_P(, Declared, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
