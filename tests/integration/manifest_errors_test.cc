// What is wrong in a manifest is said with its file, line and column and a way out, and nothing runs.
#include "projects.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Wrong {
  std::string text;
  std::string place;  // how it begins: "line 2, column 1"
  std::string words;
  std::string hint;
};

class ManifestErrors : public WithProjects {
 protected:
  void expect_error(const Wrong& wrong) const {
    write_manifest(wrong.text);
    const std::string before = work().snapshot();
    for (const Words& words : {Words{"run", "--", "touch", "ran"}, Words{"explain"}, Words{"project", "current"}}) {
      const Finished run = pale_in(root(), words);
      EXPECT_EQ(run.exit_code, 2) << wrong.text << run.err;
      EXPECT_EQ(run.out, "");
      EXPECT_THAT(run.err, HasSubstr(root() + "/.pale/project.toml: " + wrong.place)) << wrong.text;
      EXPECT_THAT(run.err, AllOf(HasSubstr(wrong.words), HasSubstr("hint: " + wrong.hint))) << wrong.text;
    }
    EXPECT_EQ(work().snapshot(), before);
  }
};

TEST_P(ManifestErrors, UnknownKeysAreNamedWithTheNearestKnown) {
  for (const Wrong& wrong : {
           Wrong{"[agent]\ntrsut = \"full\"\n", "line 2, column 1", "unknown key agent.trsut", "did you mean trust?"},
           Wrong{"\n  [agents]\n", "line 2, column 4", "unknown key agents", "did you mean agent?"},
           Wrong{"[project]\nid = \"a\"\nnmae = \"b\"\n", "line 3, column 1", "project.nmae", "did you mean name?"},
           Wrong{"[workspace]\nfolder = []\n", "line 2, column 1", "workspace.folder", "did you mean folders?"},
           Wrong{"[zones.d]\nmoed = \"ro\"\n", "line 2, column 1", "zones.d.moed", "did you mean mode?"},
           Wrong{"[zones.d]\napproval = { wrte = \"ask\" }\n", "line 2, column 14", "wrte", "did you mean write?"},
           Wrong{"[limits]\nmem = \"1G\"\n", "line 2, column 1", "limits.mem", ""},
           Wrong{"[presets.api]\nprotect = []\n", "line 2, column 1", "presets.api.protect", "did you mean protected?"},
           Wrong{"[network]\nmode = \"none\"\nlevel = 1\n", "line 3, column 1", "network.level", ""},
           Wrong{"quite = \"unknown\"\n", "line 1, column 1", "unknown key quite", "pale help manifest"},
           Wrong{"agent.trust = \"shell\"\nagent.zeal = 1\n", "line 2, column 7", "agent.zeal", ""},
       })
    expect_error(wrong);
}

TEST_P(ManifestErrors, ValuesOfTheWrongKind) {
  for (const Wrong& wrong : {
           Wrong{"agent = 1\n", "line 1, column 9", "agent must be a table", ""},
           Wrong{"[[agent]]\n", "line 1, column ", "agent must be a table", ""},
           Wrong{"[agent]\ntrust = true\n", "line 2, column 9", "agent.trust must be", ""},
           Wrong{"[agent]\nprotected = \".git\"\n", "line 2, column 13", "agent.protected must be a list of texts", ""},
           Wrong{"[agent]\nprotected = [\"a\", 5]\n", "line 2, column ", "agent.protected must be a list of texts", ""},
           Wrong{"[project]\nid = 5\n", "line 2, column 6", "project.id must be a text", ""},
           Wrong{"[project]\ncreated = 5\n", "line 2, column 11", "project.created must be a time", ""},
           Wrong{"[workspace]\nisolation = \"yes\"\n", "line 2, column 13", "true or false", ""},
           Wrong{"[limits]\npids = \"many\"\n", "line 2, column 8", "limits.pids must be a whole number", ""},
           Wrong{"[limits]\npids = -4\n", "line 2, column 8", "limits.pids must be a whole number", ""},
           Wrong{"[limits]\nmemory = 1.5\n", "line 2, column 10", "limits.memory must be a number above zero", ""},
           Wrong{"[delegation]\nmax_depth = \"5\"\n", "line 2, column 13", "delegation.max_depth must be", ""},
           Wrong{"[zones]\ndata = \"./data\"\n", "line 2, column 8", "zones.data must be a table", ""},
           Wrong{"inherit = []\n", "line 1, column 11", "inherit must be a text", ""},
       })
    expect_error(wrong);
}

TEST_P(ManifestErrors, ValuesThatMeanNothing) {
  for (const Wrong& wrong : {
           Wrong{"[agent]\ntrust = \"ful\"\n", "line 2, column 9", "not \"ful\"", "did you mean trust = \"full\"?"},
           Wrong{"[agent]\ntrust = \"Workspace\"\n", "line 2, column 9", "must be one of", ""},
           Wrong{"[network]\nmode = \"opn\"\n", "line 2, column 8", "not \"opn\"", "did you mean mode = \"open\"?"},
           Wrong{"[workspace]\nmode = \"stric\"\n", "line 2, column 8", "\"strict\"",
                 "did you mean mode = \"strict\"?"},
           Wrong{"[workspace]\ngit = \"write\"\n", "line 2, column 7", "\"none\", \"read\", \"commit\"", ""},
           Wrong{"[workspace]\ntype = \"other\"\n", "line 2, column 8", "\"existing\"", ""},
           Wrong{"[project]\nid = \"My App\"\n", "line 2, column 6", "letters, digits", "id = \"my-app\""},
           Wrong{"[project]\nid = \"../x\"\n", "line 2, column 6", "letters, digits", "id = \"x\""},
           Wrong{"[project]\ncreated = \"yesterday\"\n", "line 2, column 11", "must be a time", "created = \""},
           Wrong{"[limits]\nmemory = \"lots\"\n", "line 2, column 10", "a number above zero", ""},
           Wrong{"[limits]\ntime = \"0s\"\n", "line 2, column 8", "a number above zero", ""},
           Wrong{"[limits]\npids = 0\n", "line 2, column 8", "above zero", "pids = 200"},
           Wrong{"[network]\nmode = \"open\"\nallow = [\"a.example\"]\n", "line 3, column 9", "mode = \"allow\" only",
                 ""},
           Wrong{"[network]\nallow = [\"https://a.example/\"]\n", "line 2, column 9", "must be hosts", ""},
           Wrong{"[agent]\nname = \"claude\"\ncommand = [\"x\"]\n", "line 3, column 11", "either", ""},
           Wrong{"[zones.\"a b\"]\npath = \"x\"\n", "line 2, column 8", "not a word", "[zones.data]"},
       })
    expect_error(wrong);
}

TEST_P(ManifestErrors, PathsThatLieOutsideTheProjectOrCannotBeProtected) {
  for (const std::string key : {"protected", "folders", "protected_paths"}) {
    const std::string table = key == "protected" ? "[agent]\n" : "[workspace]\n";
    for (const std::string path : {"..", "../x", "a/../../x", "/etc/passwd", ".", "", "/", "./"})
      expect_error(
          {table + key + " = [\"" + path + "\"]\n", "line 2, column ", "below the project", "write it relative"});
  }
  expect_error({"[agent]\nprotected = [\"a*/b\"]\n", "line 2, column ", "last name only", ""});
  expect_error({"[agent]\nprotected = [\"a\\u0000b\"]\n", "line 2, column ", "agent.protected", ""});
}

TEST_P(ManifestErrors, BrokenToml) {
  for (const Wrong& wrong : {
           Wrong{"[agent\n", "line 1, column 7", "", "mend that line"},
           Wrong{"[agent]\ntrust = \"full\n", "line 2, column ", "", "mend that line"},
           Wrong{"[agent]\ntrust\n", "line 2, column 6", "", "mend that line"},
           Wrong{"[agent]\ntrust = \"shell\"\ntrust = \"full\"\n", "line 3, column 1", "", "mend that line"},
           Wrong{"[agent]\n[network]\n[agent]\n", "line 3, column ", "", "mend that line"},
           Wrong{"[agent]\ntrust = \"a\" \"b\"\n", "line 2, column 13", "", "mend that line"},
           Wrong{"\xff\xfe", "line 1, column 1", "", "mend that line"},
           Wrong{"[agent]\nprotected = [\"a\",\n\"b\"\n", "line ", "", "mend that line"},
           Wrong{std::string("a = \"\0\"\n", 8), "line 1, column ", "", "mend that line"},
           Wrong{"<<<<<<< HEAD\n[agent]\n", "line 1, column 1", "", "mend that line"},
       })
    expect_error(wrong);
}

TEST_P(ManifestErrors, WhatAManifestSaysCannotSpeakToTheTerminal) {
  write_manifest("[agent]\ntrust = \"\\u001b[2Jfull\"\n");
  const Finished run = pale_in(root(), {"run", "--", "true"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err.find('\x1b'), std::string::npos) << run.err;
}

TEST_P(ManifestErrors, AFileThatIsTooLargeOrNoFileIsRefused) {
  write_manifest("#" + std::string(3UL << 20U, 'x') + "\n");
  EXPECT_EQ(pale_in(root(), {"run", "--", "touch", "ran"}).exit_code, 2);
  std::filesystem::remove(work().path() / ".pale/project.toml");
  ASSERT_EQ(run({.arguments = {"/usr/bin/mkfifo", root() + "/.pale/project.toml"}, .account = GetParam()}).exit_code,
            0);
  const Finished fifo = pale_in(root(), {"run", "--", "touch", "ran"});
  EXPECT_EQ(fifo.exit_code, 2) << fifo.err;
  EXPECT_THAT(fifo.err, HasSubstr(".pale/project.toml"));
  EXPECT_FALSE(work().exists("ran"));
}

INSTANTIATE_TEST_SUITE_P(, ManifestErrors, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
