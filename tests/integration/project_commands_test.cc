// pale project list, show, default, current, remove, rename, move and cleanup: the registry changes, the files do not.
#include "projects.h"

namespace pale::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class ProjectCommands : public WithProjects {
 protected:
  ProjectCommands() {
    work().write("src/main.c", "int x;\n");
    init(work(), {"--id", "app", "--name", "The App"});
    init(other_, {"--id", "other", "--no-manifest"});
  }
  TemporaryDirectory other_{GetParam(), "other"};
};

TEST_P(ProjectCommands, ListHasThreeColumnsAndTheLastUsedFirst) {
  json all = registry();
  all["projects"]["app"]["last_used"] = "2026-01-23T15:00:00Z";
  all["projects"]["gone"] = {{"root", root() + "/gone"}, {"last_used", "2001-01-01T00:00:00Z"}};
  all["default_project"] = "app";
  write_pale_home("projects.json", all.dump());
  const Finished list = pale({"project", "list"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_THAT(list.out, MatchesRegex("ID +ROOT +LAST USED\n"
                                     "other +" +
                                     other_.text() +
                                     " +just now\n"
                                     "app +" +
                                     root() +
                                     " +[0-9]+ [a-z]+ ago  \\(default\\)\n"
                                     "gone +" +
                                     root() + "/gone +[0-9]+ years ago  \\(gone\\)\n"));
  const std::size_t column = list.out.find("ROOT");
  for (std::size_t at = 0; at < list.out.size(); at = list.out.find('\n', at) + 1)
    EXPECT_TRUE(list.out[at + column] == '/' || list.out[at + column] == 'R') << list.out;
  EXPECT_EQ(pale({"project", "list", "--ids"}).out, "other\napp\ngone\n");
}

TEST_P(ProjectCommands, ListAsJsonSaysTheSame) {
  ASSERT_EQ(pale({"project", "default", "other"}).exit_code, 0);
  std::filesystem::remove_all(work().path());
  const json list = json::parse(pale({"project", "list", "--json"}).out);
  EXPECT_EQ(list.at("schemaVersion"), 1);
  ASSERT_EQ(list.at("projects").size(), 2U);
  for (const json& each : list.at("projects")) {
    const bool app = each.at("id") == "app";
    EXPECT_EQ(each.at("root"), app ? root() : other_.text());
    EXPECT_EQ(each.at("exists"), !app);
    EXPECT_EQ(each.at("default"), !app);
    EXPECT_EQ(each.at("manifest").is_null(), !app);
    EXPECT_THAT(each.at("last_used").get<std::string>(), MatchesRegex("20[0-9-]+T[0-9:]+Z"));
  }
  std::filesystem::create_directory(work().path());
}

TEST_P(ProjectCommands, AnEmptyListSaysHowToBegin) {
  std::filesystem::remove(in_pale_home("projects.json"));
  const Finished list = pale({"project", "list"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.err, HasSubstr("pale init"));
  EXPECT_EQ(json::parse(pale({"project", "list", "--json"}).out).at("projects"), json::array());
}

TEST_P(ProjectCommands, ShowAndInfoSayAllThatIsKnown) {
  const Finished show = pale({"project", "show", "app"});
  EXPECT_EQ(show.exit_code, 0) << show.err;
  EXPECT_THAT(
      show.out,
      AllOf(ContainsRegex("id +app\n"), ContainsRegex("name +The App\n"), ContainsRegex("root +" + root() + "\n"),
            ContainsRegex("type +manifest\n"), ContainsRegex("created +20"), ContainsRegex("last used +just now\n"),
            ContainsRegex("manifest +" + root() + "/.pale/project.toml\n"), ContainsRegex("registered +yes\n")));
  EXPECT_EQ(pale({"project", "info", "app"}).out, show.out);
  EXPECT_EQ(pale({"project", "show", "-p", "app"}).out, show.out);
  EXPECT_EQ(pale_in(root(), {"project", "show"}).out, show.out);
  const json other = json::parse(pale({"project", "info", "other", "--json"}).out);
  EXPECT_EQ(other.at("workspace_type"), "registered");
  EXPECT_TRUE(other.at("manifest").is_null());
  EXPECT_EQ(pale({"project", "show", "nobody"}).exit_code, 2);
}

TEST_P(ProjectCommands, TheDefaultIsSetShownAndTakenBack) {
  EXPECT_EQ(pale({"project", "default"}).exit_code, 1);
  EXPECT_EQ(pale({"project", "default", "app"}).exit_code, 0);
  EXPECT_EQ(pale({"project", "default"}).out, "app\n");
  EXPECT_EQ(pale({"project", "default", "nobody"}).exit_code, 2);
  EXPECT_EQ(pale({"project", "default"}).out, "app\n");
  EXPECT_EQ(pale({"run", "--", "pwd"}).out, root() + "\n");
  EXPECT_EQ(pale({"project", "default", "--none"}).exit_code, 0);
  EXPECT_TRUE(registry().at("default_project").is_null());
  EXPECT_EQ(pale({"run", "--", "pwd"}).exit_code, 2);
}

TEST_P(ProjectCommands, AnEmptyDefaultIsNoWayToTakeItBack) {
  ASSERT_EQ(pale({"project", "default", "app"}).exit_code, 0);
  EXPECT_EQ(pale({"project", "default", ""}).exit_code, 2);
  EXPECT_EQ(registry().at("default_project"), "app");
}

TEST_P(ProjectCommands, CurrentSaysWhichAndWhy) {
  ASSERT_EQ(pale({"project", "default", "other"}).exit_code, 0);
  const auto current = [&](const std::string& directory, const Words& flags) {
    return pale_in(directory, Words{"project", "current"} + flags).out;
  };
  EXPECT_EQ(current("/", {"--project-root", root()}), "app  " + root() + "\nbecause of --project-root\n");
  EXPECT_EQ(current("/", {"-p", "app"}), "app  " + root() + "\nbecause of -p\n");
  EXPECT_EQ(current(root(), {}), "app  " + root() + "\nbecause of .pale/project.toml in the current directory\n");
  EXPECT_EQ(current("/", {}), "other  " + other_.text() + "\nbecause of the default project\n");
  EXPECT_EQ(json::parse(current("/", {"--json"})).at("reason"), "the default project");
  ASSERT_EQ(pale({"project", "default", "--none"}).exit_code, 0);
  const Finished none = pale({"project", "current"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err,
              MatchesRegex("pale: no project context[^\n]*\n(hint: [^\n]*\n)(hint: [^\n]*\n)(hint: [^\n]*\n)"));
  EXPECT_THAT(none.err, AllOf(HasSubstr(".pale/project.toml"), HasSubstr("-p ID"), HasSubstr("--project-root DIR")));
}

TEST_P(ProjectCommands, RemoveForgetsGrantsAndTouchesNoFile) {
  ASSERT_EQ(pale({"config", "set", "network", "open", "-p", "app"}).exit_code, 0);
  ASSERT_EQ(pale({"config", "add", "ro", other_.text(), "-p", "other"}).exit_code, 0);
  ASSERT_EQ(pale({"project", "default", "app"}).exit_code, 0);
  const std::string before = work().snapshot();
  const Finished run = pale({"project", "remove", "app"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_FALSE(is_registered("app"));
  EXPECT_TRUE(is_registered("other"));
  EXPECT_TRUE(registry().at("default_project").is_null());
  EXPECT_EQ(work().snapshot(), before);
  EXPECT_THAT(read_pale_home("config.toml"),
              AllOf(Not(HasSubstr(root())), HasSubstr("ro = [\"" + other_.text() + "\"]")));
  EXPECT_EQ(pale({"project", "remove", "app"}).exit_code, 2);
  EXPECT_EQ(script("tail -n +3 /proc/net/dev | wc -l").out, "1\n");
}

TEST_P(ProjectCommands, RenameKeepsTheDefaultAndAllElseOfTheManifest) {
  const std::string text =
      "# first\n[agent]  # agents\ntrust = 'shell'\n\n  [project]   # who\n  name = \"The \\\"App\\\"\"\n  id   =   "
      "'app'   # the id\n"
      "created = 2026-01-23T14:30:00Z\n# last";
  write_manifest(text);
  std::filesystem::permissions(work().path() / ".pale/project.toml", std::filesystem::perms(0640));
  ASSERT_EQ(pale({"project", "default", "app"}).exit_code, 0);
  const Finished run = pale({"project", "rename", "app", "shop"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  std::string expected = text;
  expected.replace(expected.find("'app'"), 5, "\"shop\"");
  EXPECT_EQ(work().read(".pale/project.toml"), expected);
  EXPECT_EQ(std::filesystem::status(work().path() / ".pale/project.toml").permissions(), std::filesystem::perms(0640));
  EXPECT_EQ(registry().at("default_project"), "shop");
  EXPECT_FALSE(is_registered("app"));
  EXPECT_EQ(entry("shop").at("root"), root());
  EXPECT_EQ(json::parse(pale({"project", "current", "--json"}).out).at("id"), "shop");
}

TEST_P(ProjectCommands, RenameToAnIdThatIsTakenOrNoneChangesNothing) {
  const std::string before = work().snapshot();
  const std::string registered = read_pale_home("projects.json");
  for (const std::string id : {"other", "a b", "", "../x"}) {
    const Finished run = pale({"project", "rename", "app", id});
    EXPECT_EQ(run.exit_code, 2) << id << run.err;
    EXPECT_THAT(run.err, HasSubstr("hint: ")) << id;
  }
  EXPECT_EQ(pale({"project", "rename", "nobody", "x"}).exit_code, 2);
  EXPECT_EQ(read_pale_home("projects.json"), registered);
  EXPECT_EQ(work().snapshot(), before);
}

TEST_P(ProjectCommands, RenameOfABrokenManifestChangesNothing) {
  write_manifest("[project]\nid = \n");
  const std::string registered = read_pale_home("projects.json");
  EXPECT_EQ(pale({"project", "rename", "app", "shop"}).exit_code, 2);
  EXPECT_EQ(work().read(".pale/project.toml"), "[project]\nid = \n");
  EXPECT_EQ(read_pale_home("projects.json"), registered);
}

TEST_P(ProjectCommands, RenameWritesThroughNoLink) {
  const TemporaryDirectory elsewhere(GetParam(), "elsewhere");
  elsewhere.write("project.toml", "[project]\nid = \"app\"\n");
  std::filesystem::remove_all(work().path() / ".pale");
  std::filesystem::create_directory_symlink(elsewhere.path(), work().path() / ".pale");
  const std::string before = elsewhere.snapshot();
  pale({"project", "rename", "app", "shop"});
  EXPECT_EQ(elsewhere.snapshot(), before);
}

TEST_P(ProjectCommands, MoveTakesGrantsAndThePrivateHomeAlong) {
  ASSERT_EQ(pale({"config", "set", "network", "open", "-p", "app"}).exit_code, 0);
  ASSERT_EQ(pale({"config", "add", "env", "TOKEN", "OTHER", "-p", "app"}).exit_code, 0);
  ASSERT_EQ(pale({"run", "-p", "app", "--", "sh", "-c", "echo kept > ~/memory"}).exit_code, 0);
  const TemporaryDirectory parent(GetParam(), "parent");
  const std::string place = parent.text() + "/new place";
  std::filesystem::rename(root(), place);
  EXPECT_EQ(pale({"run", "-p", "app", "--", "true"}).exit_code, 2);
  const Finished run = pale({"project", "move", "app", place});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(entry("app").at("root"), place);
  EXPECT_EQ(entry("app").at("manifest"), place + "/.pale/project.toml");
  const Finished inside =
      pale({"run", "-p", "app", "--", "sh", "-c", "pwd; cat ~/memory; echo $TOKEN; readlink /proc/self/ns/net"},
           {"TOKEN=t"});
  EXPECT_EQ(inside.out, place + "\nkept\nt\n" + std::filesystem::read_symlink("/proc/self/ns/net").string() + "\n")
      << inside.err;
  // Whoever comes to the old place is a stranger.
  std::filesystem::create_directory(root());
  give_tree(root(), GetParam());
  EXPECT_THAT(read_pale_home("config.toml"), Not(HasSubstr("\"" + root() + "\"")));
  EXPECT_EQ(pale({"run", "--project-root", root(), "--", "sh", "-c", "ls ~; tail -n +3 /proc/net/dev | wc -l"}).out,
            "1\n");
}

TEST_P(ProjectCommands, MoveToWhereItCannotBeChangesNothing) {
  const std::string registered = read_pale_home("projects.json");
  const TemporaryDirectory bare(GetParam(), "bare");
  EXPECT_EQ(pale({"project", "move", "app", bare.text()}).exit_code, 2);  // its manifest is not there
  EXPECT_EQ(pale({"project", "move", "app", other_.text()}).exit_code, 2);
  EXPECT_EQ(pale({"project", "move", "app", bare.text() + "/missing"}).exit_code, 2);
  EXPECT_EQ(pale({"project", "move", "other", root()}).exit_code, 2);
  EXPECT_EQ(pale({"project", "move", "other", home().text()}).exit_code, 3);
  EXPECT_EQ(pale({"project", "move", "nobody", bare.text()}).exit_code, 2);
  EXPECT_EQ(read_pale_home("projects.json"), registered);
}

TEST_P(ProjectCommands, CleanupForgetsWhatIsGoneAndSaysSoFirst) {
  ASSERT_EQ(pale({"config", "set", "network", "open", "-p", "other"}).exit_code, 0);
  ASSERT_EQ(pale({"project", "default", "other"}).exit_code, 0);
  EXPECT_THAT(pale({"project", "cleanup"}).out, HasSubstr("Nothing to forget"));
  const std::string before = read_pale_home("projects.json");
  std::filesystem::remove_all(other_.path());
  const Finished dry = pale({"project", "cleanup", "--dry-run"});
  EXPECT_EQ(dry.exit_code, 0);
  EXPECT_EQ(dry.out, "Would forget other: " + other_.text() + " is gone\n");
  EXPECT_EQ(read_pale_home("projects.json"), before);
  const Finished run = pale({"project", "cleanup"});
  EXPECT_EQ(run.out, "Forgot other: " + other_.text() + " is gone\n") << run.err;
  EXPECT_FALSE(is_registered("other"));
  EXPECT_TRUE(is_registered("app"));
  EXPECT_TRUE(registry().at("default_project").is_null());
  EXPECT_THAT(read_pale_home("config.toml"), Not(HasSubstr(other_.text())));
}

INSTANTIATE_TEST_SUITE_P(, ProjectCommands, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
