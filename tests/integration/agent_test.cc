// pale agent run: a scripted agent, wherever it is installed, gets its task, its variables and nothing else.
#include "projects.h"

namespace pale::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class Agent : public WithProjects {
 protected:
  Agent() { write_manifest("[project]\nid = \"app\"\n"); }

  // A program below HOME, which writes down its words and its environment.
  void install(const std::string& place, const std::string& label) const {
    home().write(
        place,
        "#!/bin/sh\nfor word in \"$@\"; do printf '%s\\0' \"$word\"; done > words\nenv -0 > env\necho " + label + "\n");
    make_executable(place);
  }
  void make_executable(const std::string& place) const {
    std::filesystem::permissions(home().path() / place, std::filesystem::perms(0755));
  }
  void adapter(const std::string& name, const std::string& more = "") const {
    write_pale_home("agents/" + name + ".toml",
                    "name = \"" + name + "\"\ntask = [\"" + name + "\", \"--yes\", \"{task}\"]\n" + more);
  }
  std::string path_with(const std::string& directory) const {
    return "PATH=" + home().text() + "/" + directory + ":/usr/local/bin:/usr/bin:/bin";
  }
  Finished agent(const Words& words, const Words& environment = {}) const {
    return pale_in(root(), Words{"agent", "run"} + words, Words{path_with("tools")} + environment);
  }
  Words words_seen() const { return split(work().read("words")); }
  Words environment_seen() const { return split(work().read("env")); }
  static Words split(const std::string& text) {
    Words parts;
    for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) parts.emplace_back(text.c_str() + at);
    return parts;
  }
};

TEST_P(Agent, APlainScriptOnThePathGetsItsTask) {
  install("tools/my-agent", "plain");
  adapter("my-agent");
  const Finished run = agent({"--agent", "my-agent", "make it so"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "plain\n");
  EXPECT_THAT(words_seen(), testing::ElementsAre("--yes", "make it so"));
}

TEST_P(Agent, ATaskArrivesWordForWord) {
  install("tools/my-agent", "");
  adapter("my-agent");
  for (const std::string& task :
       {std::string("  leading and trailing  "), std::string("\"quoted\" and 'quoted' `no` $(no) $HOME"),
        std::string("two\nlines\n"), std::string("{task} %s \\n * ?"), std::string("\xc3\xa4\xf0\x9f\x98\x80"),
        std::string("a=b"), std::string(100'000, 'x')}) {
    const Finished run = agent({"--agent", "my-agent", task});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(words_seen(), testing::ElementsAre("--yes", task));
  }
}

TEST_P(Agent, WhatAgentsDoIsBounded) {
  home().write("tools/my-agent", "#!/bin/sh\ncat " + home().text() +
                                     "/.ssh/id_test; echo x > .git/hooks/pre-commit; echo x > " + home().text() +
                                     "/tools/my-agent; ls " + home().text() +
                                     "/tools; tail -n +3 /proc/net/dev | wc -l; exit 7\n");
  make_executable("tools/my-agent");
  home().write("tools/beside", "private\n");
  work().make_directory(".git/hooks");
  adapter("my-agent");
  const std::string before = home().snapshot();
  const Finished run = agent({"--agent", "my-agent", "x"});
  EXPECT_EQ(run.exit_code, 7) << run.err;
  EXPECT_EQ(run.out, "my-agent\n1\n");
  EXPECT_EQ(home().snapshot(), before);
  EXPECT_FALSE(work().exists(".git/hooks/pre-commit"));
}

TEST_P(Agent, OneThatNpmInstalledUnderAPrefixStarts) {
  home().write(".npm-global/lib/node_modules/my-agent/cli.js",
               "#!/usr/bin/env node\nconst helper = require('./lib/helper.js');\nconst friend = require('my-friend');\n"
               "require('fs').writeFileSync('made', helper + friend + process.argv[3]);\n");
  home().write(".npm-global/lib/node_modules/my-agent/lib/helper.js", "module.exports = 'helped ';\n");
  home().write(".npm-global/lib/node_modules/my-agent/node_modules/my-friend/index.js",
               "module.exports = 'by a friend: ';\n");
  home().make_directory(".npm-global/bin");
  make_executable(".npm-global/lib/node_modules/my-agent/cli.js");
  std::filesystem::create_symlink("../lib/node_modules/my-agent/cli.js", home().path() / ".npm-global/bin/my-agent");
  adapter("my-agent");
  const Finished run =
      pale_in(root(), {"agent", "run", "--agent", "my-agent", "the task"}, {path_with(".npm-global/bin")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(work().read("made"), "helped by a friend: the task");
}

TEST_P(Agent, OneInAVirtualEnvironmentStarts) {
  home().make_directory("env/bin");
  std::filesystem::create_symlink("/usr/bin/python3", home().path() / "env/bin/python");
  home().write("env/bin/my-agent",
               "#!" + home().text() + "/env/bin/python\nimport sys\nsys.path.insert(0, '" + home().text() +
                   "/env/lib')\nimport my_agent\nopen('made', 'w').write(my_agent.word + sys.argv[2])\n");
  home().write("env/lib/my_agent.py", "word = 'from its library: '\n");
  make_executable("env/bin/my-agent");
  adapter("my-agent");
  const Finished run = pale_in(root(), {"agent", "run", "--agent", "my-agent", "the task"}, {path_with("env/bin")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(work().read("made"), "from its library: the task");
}

TEST_P(Agent, AnInterpreterOfTheUsersOwnIsShownToo) {
  home().make_directory("versions/bin");
  std::filesystem::create_symlink("/usr/bin/node", home().path() / "versions/bin/my-node");
  home().write("tools/my-agent", "#!/usr/bin/env my-node\nrequire('fs').writeFileSync('made', process.argv[3])\n");
  make_executable("tools/my-agent");
  adapter("my-agent");
  const Finished run = pale_in(root(), {"agent", "run", "--agent", "my-agent", "yes"},
                               {"PATH=" + home().text() + "/tools:" + home().text() + "/versions/bin:/usr/bin:/bin"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(work().read("made"), "yes");
}

TEST_P(Agent, TheFlagComesBeforeTheEnvironmentBeforeTheManifestBeforeTheConfiguration) {
  for (const std::string name : {"by-flag", "by-environment", "by-manifest", "by-config"}) {
    install("tools/" + name, name);
    adapter(name);
  }
  ASSERT_EQ(pale({"config", "set", "agent", "by-config"}).exit_code, 0);
  EXPECT_EQ(agent({"t"}).out, "by-config\n");
  write_manifest("[agent]\nname = \"by-manifest\"\n");
  EXPECT_EQ(agent({"t"}).out, "by-manifest\n");
  EXPECT_EQ(agent({"t"}, {"PALE_AGENT=by-environment"}).out, "by-environment\n");
  EXPECT_EQ(agent({"t", "--agent", "by-flag"}, {"PALE_AGENT=by-environment"}).out, "by-flag\n");
}

TEST_P(Agent, AManifestMayNameItsOwnCommand) {
  install("tools/my-agent", "own");
  work().make_directory("tools");
  std::filesystem::copy_file(home().path() / "tools/my-agent", work().path() / "tools/my-agent");
  write_manifest("[agent]\ncommand = [\"./tools/my-agent\", \"--task={task}\", \"-v\"]\n");
  ASSERT_EQ(pale({"config", "set", "agent", "claude"}).exit_code, 0);
  EXPECT_EQ(agent({"do it"}).out, "own\n");
  EXPECT_THAT(words_seen(), testing::ElementsAre("--task=do it", "-v"));
  write_manifest("[agent]\ncommand = [\"./tools/my-agent\"]\n");
  EXPECT_EQ(agent({"do it"}).exit_code, 2);
}

TEST_P(Agent, NamedVariablesArePassedAndOthersAreNot) {
  install("tools/my-agent", "");
  adapter("my-agent", "environment = [\"MY_KEY\", \"NOT_SET\"]\n[set]\nMY_SANDBOX = \"off\"\nMY_MODE = \"adapter\"\n");
  const Finished run = agent({"--agent", "my-agent", "--env", "MY_MODE=user", "--env", "MORE", "t"},
                             {"MY_KEY=k e y", "OTHER_KEY=secret", "MORE=m", "AWS_SECRET_ACCESS_KEY=secret"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Words seen = environment_seen();
  EXPECT_THAT(seen, AllOf(testing::Contains("MY_KEY=k e y"), testing::Contains("MY_SANDBOX=off"),
                          testing::Contains("MY_MODE=user"), testing::Contains("MORE=m"),
                          testing::Contains("HOME=/home/agent")));
  EXPECT_THAT(seen, Not(testing::Contains(AnyOf(HasSubstr("secret"), HasSubstr("NOT_SET"), HasSubstr("PALE_")))));
}

TEST_P(Agent, WhatTheUserSaysOfThePathCounts) {
  install("tools/my-agent", "");
  home().make_directory("versions/bin");
  std::filesystem::create_symlink("/bin/sh", home().path() / "versions/bin/my-sh");
  home().write("tools/my-agent", "#!/usr/bin/env my-sh\nenv -0 > env\n");
  make_executable("tools/my-agent");
  adapter("my-agent");
  const std::string versions = home().text() + "/versions/bin";
  const std::string mine = versions + ":/usr/bin";
  const Finished run = pale_in(root(), {"agent", "run", "--agent", "my-agent", "--env", "PATH=" + mine, "t"},
                               {"PATH=" + home().text() + "/tools:" + versions + ":/usr/bin:/bin"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(environment_seen(), testing::Contains("PATH=" + mine));
}

TEST_P(Agent, WithoutATaskItShowsItsOwnScreenIfItHasOne) {
  install("tools/my-agent", "");
  adapter("my-agent");
  const Finished none = agent({"--agent", "my-agent"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("what is the task?"));
  adapter("my-agent", "chat = [\"my-agent\", \"chat\"]\n");
  EXPECT_EQ(agent({"--agent", "my-agent"}).exit_code, 0);
  EXPECT_THAT(words_seen(), testing::ElementsAre("chat"));
}

TEST_P(Agent, WhatIsMissingIsSaidWithAWayToGetIt) {
  adapter("my-agent", "install = \"npm install -g my-agent\"\n");
  const Finished missing = agent({"--agent", "my-agent", "t"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("not on your PATH: my-agent\nhint: npm install -g my-agent\n"));
  const Finished unknown = agent({"--agent", "my-agnt", "t"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("'my-agnt'\nhint: --agent my-agent\n"));
  const Finished none = agent({"t"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err,
              AllOf(HasSubstr("which agent?"), HasSubstr("pale agent list"), HasSubstr("pale config set agent")));
}

TEST_P(Agent, ABrokenAdapterIsReportedWithItsPlace) {
  write_pale_home("agents/bad.toml", "name = \"bad\"\ntask = [\"bad\"]\n");
  EXPECT_THAT(agent({"--agent", "bad", "t"}).err,
              AllOf(HasSubstr("agents/bad.toml: line 2, column 8"), HasSubstr("{task}")));
  write_pale_home("agents/bad.toml", "name = \"bad\"\ntask = [\"bad\", \"{task}\"]\nenviron = []\n");
  EXPECT_THAT(agent({"--agent", "bad", "t"}).err, AllOf(HasSubstr("line 3, column 1"), HasSubstr("environment")));
  for (const std::string path : {"/etc/shadow", "../other", "a/../../b"}) {
    write_pale_home("agents/bad.toml",
                    "name = \"bad\"\ntask = [\"bad\", \"{task}\"]\n[home]\ncopy = [\"" + path + "\"]\n");
    EXPECT_THAT(agent({"--agent", "bad", "t"}).err, HasSubstr("line 4, column ")) << path;
  }
}

TEST_P(Agent, TheNoteAboutTheNetworkComesOnlyWhereThereIsNone) {
  install("tools/my-agent", "ran");
  adapter("my-agent", "network = true\n");
  const Finished offline = agent({"--agent", "my-agent", "t"});
  EXPECT_EQ(offline.out, "ran\n");
  EXPECT_THAT(offline.err,
              AllOf(HasSubstr("my-agent reaches its model over the network"), HasSubstr("--network open")));
  EXPECT_EQ(agent({"--agent", "my-agent", "--network", "open", "t"}).err, "");
  adapter("my-agent");
  EXPECT_EQ(agent({"--agent", "my-agent", "t"}).err, "");
}

TEST_P(Agent, TheListSaysWhichAreInstalledAndWhoseTheyAre) {
  install("tools/my-agent", "");
  adapter("my-agent", "about = \"Mine\"\ninstall = \"make install\"\n");
  const Finished list = pale({"agent", "list"}, {path_with("tools")});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_THAT(list.out, testing::ContainsRegex("my-agent +Mine +" + home().text() + "/tools/my-agent"));
  EXPECT_THAT(list.out, testing::ContainsRegex("codex +.*not installed: npm install -g @openai/codex\n"));
  const json all = json::parse(pale({"agent", "list", "--json"}, {path_with("tools")}).out);
  Words names;
  for (const json& each : all.at("agents")) {
    names.push_back(each.at("name"));
    const bool own = each.at("name") == "my-agent";
    EXPECT_EQ(each.at("installed"), own) << each;
    EXPECT_EQ(each.at("program"), own ? json(home().text() + "/tools/my-agent") : json());
  }
  EXPECT_THAT(names, testing::ElementsAre("aider", "claude", "codex", "copilot", "droid", "gemini", "my-agent",
                                          "opencode", "qwen"));
}

INSTANTIATE_TEST_SUITE_P(, Agent, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
