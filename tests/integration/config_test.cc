// pale config: what the user allows, kept in a file that is also his own to write.
#include <thread>

#include "projects.h"

namespace pale::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Config : public WithProjects {
 protected:
  Config() { init(work(), {"--id", "app"}); }
  std::string file() const { return read_pale_home("config.toml"); }
  Finished config(const Words& words, const Words& environment = {}) const {
    return pale(Words{"config"} + words, environment);
  }
  std::string get(const std::string& key, const Words& more = {}) const { return config(Words{"get", key} + more).out; }
};

TEST_P(Config, WhatIsSetCanBeReadAndTakenBack) {
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"agent", "claude"}, {"trust", "full"}, {"network", "open"}}) {
    EXPECT_EQ(config({"get", key}).exit_code, 1) << key;
    EXPECT_EQ(config({"set", key, value}).exit_code, 0) << key;
    EXPECT_EQ(get(key), value + "\n");
    EXPECT_EQ(config({"unset", key}).exit_code, 0) << key;
    EXPECT_EQ(config({"get", key}).exit_code, 1) << key;
    EXPECT_EQ(get(key), "");
  }
}

TEST_P(Config, OneProjectsGrantsAreItsOwn) {
  const TemporaryDirectory other(GetParam(), "other");
  init(other, {"--id", "other"});
  ASSERT_EQ(config({"set", "network", "open", "-p", "app"}).exit_code, 0);
  ASSERT_EQ(config({"set", "trust", "full", "--project-root", other.text()}).exit_code, 0);
  EXPECT_EQ(get("network", {"-p", "app"}), "open\n");
  EXPECT_EQ(get("network", {"-p", "other"}), "");
  EXPECT_EQ(get("trust", {"-p", "other"}), "full\n");
  EXPECT_EQ(get("network"), "");
  ASSERT_EQ(config({"unset", "network", "-p", "app"}).exit_code, 0);
  EXPECT_EQ(get("network", {"-p", "app"}), "");
  EXPECT_EQ(get("trust", {"-p", "other"}), "full\n");
}

TEST_P(Config, ListsGrowAndHaveEachItemOnce) {
  const Words app = {"-p", "app"};
  ASSERT_EQ(config(Words{"add", "ro", "/opt/a", "/opt/b c"} + app).exit_code, 0);
  ASSERT_EQ(config(Words{"add", "ro", "/opt/a", "/opt/\"d\""} + app).exit_code, 0);
  EXPECT_EQ(get("ro", app), "/opt/a\n/opt/b c\n/opt/\"d\"\n");
  ASSERT_EQ(config(Words{"set", "ro", "/only"} + app).exit_code, 0);
  EXPECT_EQ(get("ro", app), "/only\n");
  ASSERT_EQ(config(Words{"add", "env", "A", "B"} + app).exit_code, 0);
  EXPECT_EQ(get("env", app), "A\nB\n");
  ASSERT_EQ(config(Words{"unset", "ro"} + app).exit_code, 0);
  EXPECT_EQ(get("ro", app), "");
  EXPECT_EQ(get("env", app), "A\nB\n");
}

TEST_P(Config, WhatIsGrantedIsThereInside) {
  const TemporaryDirectory read(GetParam(), "read");
  const TemporaryDirectory write(GetParam(), "write");
  read.write("file", "readable\n");
  ASSERT_EQ(config({"add", "ro", read.text(), "-p", "app"}).exit_code, 0);
  ASSERT_EQ(config({"add", "rw", write.text(), "-p", "app"}).exit_code, 0);
  ASSERT_EQ(config({"add", "env", "TOKEN", "UNSET", "-p", "app"}).exit_code, 0);
  const Finished run =
      pale({"run", "-p", "app", "--", "sh", "-c",
            "cat " + read.text() + "/file; echo x > " + read.text() + "/file; echo $TOKEN > " + write.text() + "/file"},
           {"TOKEN=t", "OTHER=o"});
  EXPECT_EQ(run.out, "readable\n") << run.err;
  EXPECT_EQ(read.read("file"), "readable\n");
  EXPECT_EQ(write.read("file"), "t\n");
}

TEST_P(Config, CommentsAndOrderAreKept) {
  const std::string text = "# mine\n\nagent = 'codex'   # for now\n\n[allow]  # most\nnetwork = \"none\"\n\n# the end";
  write_pale_home("config.toml", text);
  ASSERT_EQ(config({"set", "agent", "claude"}).exit_code, 0);
  ASSERT_EQ(config({"set", "trust", "full"}).exit_code, 0);
  EXPECT_THAT(file(), AllOf(HasSubstr("# mine\n\nagent = \"claude\"   # for now\n"), HasSubstr("[allow]  # most\n"),
                            HasSubstr("# the end")));
  ASSERT_EQ(config({"unset", "trust"}).exit_code, 0);
  ASSERT_EQ(config({"set", "agent", "codex"}).exit_code, 0);
  std::string expected = text;
  expected.replace(expected.find("'codex'"), 7, "\"codex\"");
  EXPECT_EQ(file(), expected);
  EXPECT_EQ(std::filesystem::status(in_pale_home("config.toml")).permissions() & std::filesystem::perms::others_all,
            std::filesystem::perms::none);
}

TEST_P(Config, TheListSaysWhatCountsAndWhereItStands) {
  write_pale_home("config.toml", "agent = \"codex\"\n[allow]\nnetwork = \"open\"\n");
  ASSERT_EQ(config({"set", "trust", "full", "-p", "app"}).exit_code, 0);
  const std::string plain = config({}).out;
  EXPECT_EQ(config({"list"}).out, plain);
  EXPECT_THAT(plain,
              AllOf(ContainsRegex("agent +codex\n"), ContainsRegex("allow.network +open\n"),
                    HasSubstr("\n" + root() + "\n"), ContainsRegex("trust +full\n"), Not(HasSubstr("config.toml:"))));
  const std::string origins = config({"list", "--show-origin"}).out;
  EXPECT_THAT(origins,
              AllOf(ContainsRegex("agent +codex +config.toml:1\n"), ContainsRegex("allow.trust +shell +default\n"),
                    ContainsRegex("allow.network +open +config.toml:3\n")));
  EXPECT_THAT(config({"list", "--show-origin"}, {"PALE_AGENT=aider"}).out, ContainsRegex("agent +aider +PALE_AGENT\n"));
  EXPECT_THAT(config({"list", "--show-origin", "-p", "app"}).out,
              ContainsRegex("trust +workspace +.pale/project.toml:[0-9]+\n"));
  const json all = json::parse(config({"list", "--json"}).out);
  bool found = false;
  for (const json& line : all.at("settings"))
    found |= line.at("project") == root() && line.at("key") == "trust" && line.at("value") == "full";
  EXPECT_TRUE(found) << all;
}

TEST_P(Config, BadValuesChangeNothing) {
  ASSERT_EQ(config({"set", "agent", "claude"}).exit_code, 0);
  const std::string before = file();
  struct Case {
    Words words;
    std::string says;
  };
  for (const Case& each : {
           Case{{"set", "trust", "ful"}, "discovery, read_only, workspace, shell or full"},
           Case{{"set", "network", "yes"}, "none, allow or open"},
           Case{{"set", "agent", ""}, "not a value"},
           Case{{"set", "agent", "a", "b"}, "one value"},
           Case{{"set", "agent", "\xff"}, "not a value"},
           Case{{"add", "agent", "b"}, "none"},
           Case{{"add", "ro", "/opt"}, "-p ID or --project-root DIR"},
           Case{{"add", "ro", "relative", "-p", "app"}, "an absolute path"},
           Case{{"add", "rw", "/", "-p", "app"}, "an absolute path"},
           Case{{"add", "rw", "/a/../b", "-p", "app"}, "an absolute path"},
           Case{{"add", "env", "A=b", "-p", "app"}, "the name of a variable"},
           Case{{"set", "agent", "codex", "-p", "app"}, ".pale/project.toml"},
           Case{{"set", "network", "open", "-p", "nobody"}, "'nobody'"},
           Case{{"set", "netwrok", "open"}, "did you mean network?"},
           Case{{"get", "trsut"}, "did you mean trust?"},
           Case{{"unset", "quite-unknown"}, "pale help configuration"},
           Case{{"set", "agent"}, "pale config set KEY VALUE"},
           Case{{"set"}, "pale config set KEY VALUE"},
       }) {
    const Finished run = config(each.words);
    EXPECT_EQ(run.exit_code, 2) << testing::PrintToString(each.words) << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr(each.says), HasSubstr("hint: "))) << testing::PrintToString(each.words);
    EXPECT_EQ(file(), before) << testing::PrintToString(each.words);
  }
}

// A variable that is empty in somebody's script must not turn a grant to one project into one to all.
TEST_P(Config, AnEmptyNameOfAProjectIsAnError) {
  for (const std::string flag : {"-p", "--project-root"}) {
    EXPECT_EQ(config({"set", "network", "open", flag, ""}).exit_code, 2) << flag;
    EXPECT_EQ(config({"list", flag, ""}).exit_code, 2) << flag;
    EXPECT_EQ(config({"get", "network", flag, ""}).exit_code, 2) << flag;
  }
  EXPECT_FALSE(std::filesystem::exists(in_pale_home("config.toml"))) << file();
}

TEST_P(Config, ABrokenFileIsReportedByAllAndStaysAsItIs) {
  struct Case {
    std::string text;
    std::string place;
  };
  for (const Case& each :
       {Case{"agent = \n", "line 1, column 9"}, Case{"\n[allow]\ntrsut = \"full\"\n", "line 3, column 1"},
        Case{"[projects.\"/a\"]\nro = [\"relative\"]\n", "line 2, column 6"},
        Case{"[allow]\nnetwork = 5\n", "line 2, column 11"}}) {
    write_pale_home("config.toml", each.text);
    for (const Words& words :
         {Words{"config", "list"}, Words{"config", "set", "agent", "claude"}, Words{"config", "unset", "agent"},
          Words{"config", "get", "agent"}, Words{"run", "-p", "app", "--", "true"}, Words{"explain", "-p", "app"}}) {
      const Finished run = pale(words);
      EXPECT_EQ(run.exit_code, 2) << testing::PrintToString(words) << run.out << run.err;
      EXPECT_THAT(run.err,
                  AllOf(HasSubstr(in_pale_home("config.toml").string() + ": " + each.place), HasSubstr("hint: ")))
          << testing::PrintToString(words);
      EXPECT_EQ(file(), each.text);
    }
  }
}

TEST_P(Config, ManyAtATimeLoseNothing) {
  std::vector<std::thread> writers;
  for (int number = 0; number < 20; ++number)
    writers.emplace_back(
        [this, number] { EXPECT_EQ(config({"add", "env", "V" + std::to_string(number), "-p", "app"}).exit_code, 0); });
  for (std::thread& writer : writers) writer.join();
  const std::string all = get("env", {"-p", "app"});
  EXPECT_EQ(std::ranges::count(all, '\n'), 20) << all;
}

// Flag, variable, manifest, prd.json, preset: each where what comes before it says nothing.
TEST_P(Config, WhoDecidesWhichFoldersIsShownForEachOfTheFive) {
  for (const char* folder : {"flag", "env", "own", "prd", "preset"}) work().make_directory(folder);
  work().write("prd.json", R"({"project": "p", "workspace": {"folders": ["prd"]}, "userStories": []})");
  const std::string presets = "[presets.some]\nfolders = [\"preset\"]\n";
  const auto workspace = [&](const Words& flags, const Words& environment = {}) {
    const Finished listed = pale_in(root(), Words{"config", "list", "--show-origin"} + flags, environment);
    EXPECT_EQ(listed.exit_code, 0) << listed.err;
    const std::size_t at = listed.out.find("\n  workspace ") + 1;
    return at == 0 ? listed.out : listed.out.substr(at, listed.out.find('\n', at) - at);
  };
  const Words flag = {"--workspace", "flag"}, prd = {"--prd", "prd.json"}, preset = {"--preset", "some"};
  const Words env = {"WORKSPACE_FOLDERS=env"};
  write_manifest("[project]\nid = \"app\"\n" + presets);
  EXPECT_THAT(workspace(preset), ContainsRegex("preset +.pale/project.toml:[0-9]+"));
  EXPECT_THAT(workspace(preset + prd), ContainsRegex("prd +prd.json"));
  EXPECT_THAT(workspace(preset + prd, env), ContainsRegex("env +WORKSPACE_FOLDERS"));
  EXPECT_THAT(workspace(preset + prd + flag, env), ContainsRegex("flag +--workspace"));
  write_manifest("[project]\nid = \"app\"\n[workspace]\nfolders = [\"own\", \"prd\"]\n");
  EXPECT_THAT(workspace({}), ContainsRegex("own,prd +.pale/project.toml:4"));
  EXPECT_THAT(workspace(prd), ContainsRegex("prd +prd.json")) << "it narrows, as the manifest allows";
  EXPECT_THAT(workspace(flag, env), ContainsRegex("flag +--workspace"));
  EXPECT_THAT(
      pale_in(root(), {"config", "list", "--show-origin", "--workspace", "own", "--workspace-mode", "strict"}).out,
      ContainsRegex("mode +strict +--workspace-mode"));
  EXPECT_EQ(pale_in(root(), {"config", "--show-origin"}).exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(, Config, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
