// A committed manifest asks; the user allows. It narrows as far as it likes, and widens nothing.
#include "projects.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ManifestTerms : public WithProjects {
 protected:
  // Refused, nothing ran, and what the hint says, done word for word, makes it work.
  void expect_refused_until_granted(const std::string& manifest, const std::string& line, const std::string& expected) {
    write_manifest(manifest);
    const std::string before = work().snapshot();
    const Finished refused = script("touch ran; " + line);
    EXPECT_EQ(refused.exit_code, 3) << refused.err;
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, HasSubstr(".pale/project.toml:"));
    EXPECT_EQ(work().snapshot(), before);
    const Finished granted = run_hint(hint_of(refused));
    EXPECT_EQ(granted.exit_code, 0) << hint_of(refused) << "\n" << granted.err;
    const Finished run = script(line);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, expected);
  }
  static std::string network_of_the_host() {
    return std::filesystem::read_symlink("/proc/self/ns/net").string() + "\n";
  }
  static std::string network() { return "readlink /proc/self/ns/net"; }
  static std::string interfaces() { return "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | sort | tr '\\n' ' '"; }

  TemporaryDirectory outside_{GetParam(), "out side"};
};

TEST_P(ManifestTerms, NetworkOpenIsTheUsersToGrant) {
  expect_refused_until_granted("[network]\nmode = \"open\"\n", network(), network_of_the_host());
}

TEST_P(ManifestTerms, TrustFullIsTheUsersToGrant) {
  expect_refused_until_granted("[agent]\ntrust = \"full\"\n", network(), network_of_the_host());
}

TEST_P(ManifestTerms, AReadableZoneOutsideIsTheUsersToGrant) {
  outside_.write("file", "theirs\n");
  const std::string file = "'" + outside_.text() + "/file'";
  expect_refused_until_granted("[zones.shared]\npath = \"" + outside_.text() + "\"\nmode = \"ro\"\n", "cat " + file,
                               "theirs\n");
  const Finished run = script("echo x > " + file);
  EXPECT_THAT(run.err, HasSubstr("Read-only file system"));
  EXPECT_EQ(outside_.read("file"), "theirs\n");
}

TEST_P(ManifestTerms, AWritableZoneOutsideIsTheUsersToGrant) {
  expect_refused_until_granted("[zones.shared]\npath = \"../" + outside_.path().filename().string() + "\"\n",
                               "echo new > '" + outside_.text() + "/new'", "");
  EXPECT_EQ(outside_.read("new"), "new\n");
}

TEST_P(ManifestTerms, WhatAHintQuotesFromAManifestIsNoCommand) {
  const std::string mark = home().text() + "/ran-by-the-hint";
  for (const std::string& name : {std::string("$(touch MARK)"), std::string("; touch MARK; :"),
                                  std::string("`touch MARK`"), std::string("' ; touch MARK; '")}) {
    std::string path = outside_.text() + "/" + name;
    path.replace(path.find("MARK"), 4, mark);
    write_manifest("[zones.z]\npath = \"" + path + "\"\n");
    const Finished refused = script("true");
    ASSERT_EQ(refused.exit_code, 3) << refused.err;
    run_hint(hint_of(refused));
    EXPECT_FALSE(std::filesystem::exists(mark)) << hint_of(refused);
    std::filesystem::remove(mark);
  }
}

TEST_P(ManifestTerms, AGrantToReadIsNoneToWrite) {
  write_manifest("[zones.shared]\npath = \"" + outside_.text() + "\"\nmode = \"rw\"\n");
  ASSERT_EQ(pale({"config", "add", "ro", outside_.text(), "--project-root", root()}).exit_code, 0);
  EXPECT_EQ(script("true").exit_code, 3);
  EXPECT_EQ(script("true", {"--ro", outside_.text()}).exit_code, 3);
  EXPECT_EQ(script("echo x > '" + outside_.text() + "/new'", {"--rw", outside_.text()}).exit_code, 0);
  EXPECT_EQ(outside_.read("new"), "x\n");
}

TEST_P(ManifestTerms, AFlagGrantsForOneRun) {
  write_manifest("[network]\nmode = \"open\"\n");
  EXPECT_EQ(script(network(), {"--network", "open"}).out, network_of_the_host());
  EXPECT_EQ(script(network(), {"--network", "none"}).exit_code, 0);
  EXPECT_EQ(script(network()).exit_code, 3);
  write_manifest("[agent]\ntrust = \"full\"\n");
  EXPECT_EQ(script(network(), {"--trust", "full"}).out, network_of_the_host());
  EXPECT_EQ(script(interfaces(), {"--trust", "shell"}).out, "lo ");
  EXPECT_EQ(script(network()).exit_code, 3);
}

TEST_P(ManifestTerms, WhatTheUserAllowsEverywhereIsAMostAndNoGift) {
  ASSERT_EQ(pale({"config", "set", "network", "open"}).exit_code, 0);
  write_manifest("");
  EXPECT_EQ(script(interfaces()).out, "lo ");
  write_manifest("[network]\nmode = \"open\"\n");
  EXPECT_EQ(script(network()).out, network_of_the_host());
  ASSERT_EQ(pale({"config", "set", "trust", "read_only"}).exit_code, 0);
  write_manifest("[agent]\ntrust = \"workspace\"\n");
  EXPECT_EQ(script("touch ran").exit_code, 3);
  write_manifest("[agent]\ntrust = \"discovery\"\n");
  EXPECT_EQ(script("true").exit_code, 0);
  EXPECT_FALSE(work().exists("ran"));
}

TEST_P(ManifestTerms, AnAllowListNeedsTheUsersWordAndIsShown) {
  write_manifest("[network]\nmode = \"allow\"\nallow = [\"api.example.org\"]\n");
  const Finished refused = script("true");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_EQ(run_hint(hint_of(refused)).exit_code, 0) << hint_of(refused);
  EXPECT_EQ(script(interfaces()).out, "lo ");
  EXPECT_THAT(pale_in(root(), {"explain"}).out,
              AllOf(HasSubstr("these hosts, through a proxy"), HasSubstr("api.example.org")));
}

TEST_P(ManifestTerms, GrantsBelongToADirectoryAndNotToAnId) {
  const TemporaryDirectory hostile(GetParam(), "hostile");
  const std::string manifest =
      "[project]\nid = \"trusted\"\n[network]\nmode = \"open\"\n[zones.z]\npath = \"" + outside_.text() + "\"\n";
  write_manifest(manifest);
  init(work());
  ASSERT_EQ(pale({"config", "set", "network", "open", "-p", "trusted"}).exit_code, 0);
  ASSERT_EQ(pale({"config", "add", "rw", outside_.text(), "-p", "trusted"}).exit_code, 0);
  ASSERT_EQ(pale({"config", "add", "env", "TOKEN", "-p", "trusted"}).exit_code, 0);
  EXPECT_EQ(script(network()).out, network_of_the_host());
  hostile.write(".pale/project.toml", manifest);
  const Finished run = script(hostile, "touch ran; echo x > '" + outside_.text() + "/new'");
  EXPECT_EQ(run.exit_code, 3) << run.out;
  EXPECT_FALSE(hostile.exists("ran"));
  EXPECT_FALSE(outside_.exists("new"));
  // With nothing asked for, nothing comes either.
  hostile.write(".pale/project.toml", "[project]\nid = \"trusted\"\n");
  const Finished plain = pale_in(
      hostile.text(), {"run", "--", "sh", "-c", "echo ${TOKEN:-none}; ls '" + outside_.text() + "'; " + interfaces()},
      {"TOKEN=secret"});
  EXPECT_EQ(plain.out, "none\nlo ") << plain.err;
}

TEST_P(ManifestTerms, ExplainShowsWhatIsOnlyDeclared) {
  write_manifest(
      "[workspace]\nisolation = true\nprotected_paths = [\"AGENTS.md\"]\n"
      "[sandbox]\nmode = \"direct\"\nroot = \".box\"\n"
      "[zones.data]\npath = \"data\"\nmode = \"ro\"\napproval = { write = \"ask\", delete = \"blocked\" }\n"
      "[approval]\nmode = \"manual\"\n[delegation]\nmax_depth = 3\n[limits]\ndisk = \"1G\"\n"
      "[hooks]\nvalidate = \"make check\"\n");
  const Finished shown = pale_in(root(), {"explain"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  for (const std::string line :
       {"workspace.isolation = true  .pale/project.toml:2\n",
        "workspace.protected_paths = AGENTS.md  .pale/project.toml:3\n",
        "sandbox.mode = direct  .pale/project.toml:5\n", "sandbox.root = .box  .pale/project.toml:6\n",
        "zones.data.approval.write = ask  .pale/project.toml:10\n",
        "zones.data.approval.delete = blocked  .pale/project.toml:10\n",
        "approval.mode = manual  .pale/project.toml:12\n", "delegation.max_depth = 3  .pale/project.toml:14\n",
        "limits.disk = 1073741824  .pale/project.toml:16\n", "hooks.validate = make check  .pale/project.toml:18\n"})
    EXPECT_THAT(shown.out, HasSubstr("  " + line));
}

TEST_P(ManifestTerms, ExplainSaysWhereEachRuleOfAManifestStands) {
  work().make_directory("data");
  write_manifest(
      "[agent]\ntrust = \"shell\"\nprotected = [\n  \"a\",\n  \"b\",\n]\n[limits]\nmemory = \"1G\"\n"
      "[zones.data]\npath = \"data\"\nmode = \"ro\"\n");
  const std::string out = pale_in(root(), {"explain"}).out;
  EXPECT_THAT(out, testing::ContainsRegex("shell: .*\\.pale/project.toml:2\n"));
  EXPECT_THAT(out, testing::ContainsRegex(" a +protected +\\.pale/project.toml:4\n"));
  EXPECT_THAT(out, testing::ContainsRegex(" b +protected +\\.pale/project.toml:5\n"));
  EXPECT_THAT(out, testing::ContainsRegex("memory 1073741824 +\\.pale/project.toml:8\n"));
  EXPECT_THAT(out, testing::ContainsRegex(" data +protected +\\.pale/project.toml:10\n"));
}

TEST_P(ManifestTerms, APresetIsChosenByNameAndNarrows) {
  work().write("api/a", "a\n");
  work().write("web/w", "w\n");
  write_manifest(
      "[presets.api]\nfolders = [\"api\"]\nmode = \"strict\"\nprotected = [\"api/a\"]\n"
      "[presets.look]\ntrust = \"read_only\"\ntime = \"10m\"\n[presets.online]\nnetwork = \"open\"\n");
  const Finished api = script("cat web/w; echo x > api/a; echo x > api/b", {"--preset", "api"});
  EXPECT_EQ(api.out, "") << api.err;
  EXPECT_EQ(work().read("api/a"), "a\n");
  EXPECT_EQ(work().read("api/b"), "x\n");
  EXPECT_THAT(script("echo x > web/w; cat web/w", {"--preset", "look"}).out, "w\n");
  EXPECT_EQ(script("true", {"--preset", "online"}).exit_code, 3);
  EXPECT_EQ(script("echo y > web/w").exit_code, 0);
  EXPECT_EQ(work().read("web/w"), "y\n");
  const Finished unknown = script("touch ran", {"--preset", "apj"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(hint_of(unknown), "--preset api");
  EXPECT_FALSE(work().exists("ran"));
}

TEST_P(ManifestTerms, APresetCannotWidenItsManifest) {
  const std::string base =
      "[workspace]\nfolders = [\"api\"]\nmode = \"strict\"\ngit = \"read\"\n[agent]\ntrust = \"read_only\"\n"
      "[limits]\nmemory = \"1G\"\npids = 10\ntime = \"1m\"\n[presets.p]\n";
  work().make_directory("api");
  work().make_directory("web");
  for (const std::string wider :
       {"folders = [\"web\"]", "folders = [\"api2\"]", "mode = \"permissive\"", "git = \"commit\"",
        "trust = \"workspace\"", "memory = \"2G\"", "pids = 11", "time = \"2m\""}) {
    write_manifest(base + wider + "\n");
    const Finished run = script("touch ran", {"--preset", "p"});
    EXPECT_EQ(run.exit_code, 3) << wider << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr(".pale/project.toml:12"), HasSubstr("more than"))) << wider;
    EXPECT_EQ(script("true").exit_code, 0) << wider;
  }
  EXPECT_FALSE(work().exists("ran"));
}

INSTANTIATE_TEST_SUITE_P(, ManifestTerms, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
