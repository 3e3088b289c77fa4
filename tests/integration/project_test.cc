// pale init: a directory becomes a project; and what stands in its way is left as it was.
#include "projects.h"

namespace pale::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ProjectInit : public WithProjects {
 protected:
  json shown(const std::string& directory) const {
    const Finished show = pale({"project", "show", "--project-root", directory, "--json"});
    EXPECT_EQ(show.exit_code, 0) << show.err;
    return json::parse(show.out);
  }
  std::string directory_name() const { return work().path().filename().string(); }
  static std::string lower(std::string text) {
    for (char& byte : text) byte = static_cast<char>(std::tolower(static_cast<unsigned char>(byte)));
    return text;
  }
  // An error with a hint; nothing in the project's directory, the registry or the configuration has changed.
  void expect_unchanged(const Finished& run, int code, const std::string& words, const std::string& before) const {
    EXPECT_EQ(run.exit_code, code) << run.out << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr(words), HasSubstr("hint: ")));
    EXPECT_EQ(work().snapshot(), before);
  }
};

TEST_P(ProjectInit, WritesAManifestAndRegistersTheDirectory) {
  work().write("src/main.c", "int x;\n");
  const Finished run = pale_in(root(), {"init"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr(root()), HasSubstr(".pale/project.toml")));
  const json project = shown(root());
  EXPECT_EQ(project.at("id"), lower(directory_name()));
  EXPECT_EQ(project.at("name"), directory_name());
  EXPECT_EQ(project.at("workspace_type"), "manifest");
  EXPECT_EQ(project.at("registered"), true);
  EXPECT_EQ(entry(lower(directory_name())).at("root"), root());
  EXPECT_EQ(entry(lower(directory_name())).at("manifest"), root() + "/.pale/project.toml");
  EXPECT_TRUE(registry().at("default_project").is_null());
  EXPECT_THAT(work().read(".pale/project.toml"),
              AllOf(HasSubstr("[project]\nid = \""), HasSubstr("trust = \"workspace\""), HasSubstr("created = \"20")));
  EXPECT_EQ(work().read("src/main.c"), "int x;\n");
}

TEST_P(ProjectInit, BothSpellingsAndRelativePathsMeanTheSame) {
  for (const Words& words :
       {Words{"init", "a"}, Words{"project", "init", "./b/"}, Words{"init", root() + "/c"}, Words{"init", "c/../d"}})
    EXPECT_EQ(pale_in(root(), words).exit_code, 0) << testing::PrintToString(words);
  for (const std::string name : {"a", "b", "c", "d"}) {
    EXPECT_TRUE(work().exists(name + "/.pale/project.toml")) << name;
    EXPECT_EQ(entry(name).at("root"), root() + "/" + name);
  }
}

TEST_P(ProjectInit, IdNameAndTrustAreTakenAsGiven) {
  init(work(), {"--id", "My_App.2", "--name", "My App", "--trust", "read_only"});
  const json project = shown(root());
  EXPECT_EQ(project.at("id"), "My_App.2");
  EXPECT_EQ(project.at("name"), "My App");
  EXPECT_EQ(script("touch ran").exit_code, 1);
  EXPECT_FALSE(work().exists("ran"));
}

TEST_P(ProjectInit, TrustFullIsNotedWhereOnlyTheUserWrites) {
  init(work(), {"--id", "app", "--trust", "full"});
  EXPECT_THAT(read_pale_home("config.toml"), HasSubstr("trust = \"full\""));
  const Finished run = script("readlink /proc/self/ns/net");
  EXPECT_EQ(run.out, std::filesystem::read_symlink("/proc/self/ns/net").string() + "\n") << run.err;
}

TEST_P(ProjectInit, WithNoRegisterThereIsAManifestOnly) {
  init(work(), {"--no-register"});
  EXPECT_TRUE(work().exists(".pale/project.toml"));
  EXPECT_FALSE(std::filesystem::exists(in_pale_home("projects.json")));
  EXPECT_EQ(script("true").exit_code, 0);
}

TEST_P(ProjectInit, WithNoManifestThereIsAnEntryOnly) {
  init(work(), {"--no-manifest", "--id", "bare", "--name", "Bare \"one\""});
  EXPECT_FALSE(work().exists(".pale"));
  EXPECT_TRUE(entry("bare").at("manifest").is_null());
  EXPECT_EQ(entry("bare").at("workspace_type"), "registered");
  const json project = json::parse(pale({"project", "show", "bare", "--json"}).out);
  EXPECT_EQ(project.at("name"), "Bare \"one\"");
  EXPECT_EQ(pale({"run", "-p", "bare", "--", "pwd"}).out, root() + "\n");
}

TEST_P(ProjectInit, WithNeitherThereIsNothingToDo) {
  const std::string before = work().snapshot();
  expect_unchanged(pale({"init", root(), "--no-manifest", "--no-register"}), 2, "neither", before);
  EXPECT_FALSE(std::filesystem::exists(in_pale_home("projects.json")));
}

TEST_P(ProjectInit, TwiceIsAnErrorThatChangesNothing) {
  init(work(), {"--id", "app"});
  const std::string before = work().snapshot();
  const std::string registered = read_pale_home("projects.json");
  for (const Words& more :
       {Words{}, Words{"--id", "other"}, Words{"--name", "x"}, Words{"--no-register"}, Words{"--no-manifest"}})
    expect_unchanged(pale(Words{"init", root()} + more), 2, "project already", before);
  EXPECT_EQ(read_pale_home("projects.json"), registered);
}

TEST_P(ProjectInit, AManifestThatCameWithACloneIsRegisteredAsItIs) {
  const std::string text = "# ours\n[project]\nid = \"shop\"\nname = 'Shop'\n";
  write_manifest(text);
  init(work());
  EXPECT_EQ(work().read(".pale/project.toml"), text);
  EXPECT_EQ(entry("shop").at("root"), root());
  const TemporaryDirectory second(GetParam(), "second");
  second.write(".pale/project.toml", text);
  const Finished taken = pale({"init", second.text()});
  EXPECT_EQ(taken.exit_code, 2);
  EXPECT_THAT(taken.err, AllOf(HasSubstr("'shop' is taken"), HasSubstr(root()), HasSubstr("--id")));
  init(second, {"--id", "shop-2"});
  EXPECT_EQ(second.read(".pale/project.toml"), text);
  EXPECT_EQ(entry("shop").at("root"), root());
  EXPECT_EQ(entry("shop-2").at("root"), second.text());
  EXPECT_EQ(pale({"run", "-p", "shop-2", "--", "pwd"}).out, second.text() + "\n");
}

TEST_P(ProjectInit, AManifestThatIsThereDecidesNameAndTrust) {
  write_manifest("[project]\nid = \"shop\"\n");
  const std::string before = work().snapshot();
  expect_unchanged(pale({"init", root(), "--name", "x"}), 2, "manifest already", before);
  expect_unchanged(pale({"init", root(), "--trust", "full"}), 2, "manifest already", before);
  EXPECT_FALSE(is_registered("shop"));
  EXPECT_FALSE(std::filesystem::exists(in_pale_home("config.toml")));
}

TEST_P(ProjectInit, ABrokenManifestIsNotRegistered) {
  write_manifest("[project\n");
  expect_unchanged(pale({"init", root()}), 2, "line 1", work().snapshot());
  EXPECT_EQ(pale({"project", "list", "--ids"}).out, "");
}

TEST_P(ProjectInit, AnIdThatIsTakenKeepsTheOthersEntry) {
  const TemporaryDirectory first(GetParam(), "first");
  init(first, {"--id", "app"});
  const std::string registered = read_pale_home("projects.json");
  const std::string before = work().snapshot();
  expect_unchanged(pale({"init", root(), "--id", "app"}), 2, first.text(), before);
  expect_unchanged(pale({"init", root(), "--id", "app", "--trust", "full"}), 2, first.text(), before);
  EXPECT_EQ(read_pale_home("projects.json"), registered);
  EXPECT_FALSE(std::filesystem::exists(in_pale_home("config.toml")));
  EXPECT_EQ(pale({"run", "-p", "app", "--", "pwd"}).out, first.text() + "\n");
}

TEST_P(ProjectInit, ANameThatIsTakenGetsANumber) {
  for (const std::string parent : {"x", "y", "z"}) work().make_directory(parent + "/My App!");
  for (const std::string parent : {"x", "y", "z"})
    EXPECT_EQ(pale({"init", root() + "/" + parent + "/My App!"}).exit_code, 0);
  EXPECT_EQ(entry("my-app").at("root"), root() + "/x/My App!");
  EXPECT_EQ(entry("my-app-2").at("root"), root() + "/y/My App!");
  EXPECT_EQ(entry("my-app-3").at("root"), root() + "/z/My App!");
}

TEST_P(ProjectInit, IdsThatAreNoneAreRefusedWithOneThatIs) {
  const std::string before = work().snapshot();
  for (const std::string& id :
       {std::string("a b"), std::string("../x"), std::string("-x"), std::string("a/b"), std::string("\xc3\xa9"),
        std::string("a\nb"), std::string(65, 'a'), std::string(".git")})
    expect_unchanged(pale({"init", root(), "--id=" + id}), 2, "not an id", before);
  expect_unchanged(pale({"init", root(), "--id", ""}), 2, "not an id", before);
  EXPECT_FALSE(std::filesystem::exists(in_pale_home("projects.json")));
}

TEST_P(ProjectInit, AnyNameComesBackAsItWasGiven) {
  int number = 0;
  for (const std::string& name :
       {std::string("quote\" and 'apostrophe'"), std::string("line\none\r\ntwo\ttab"),
        std::string("back\\slash \\u0041 \\"), std::string("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 \xd7\xa9"),
        std::string("\"\"\"''' ]\n[agent]\ntrust = \"full\""), std::string("\x01\x1b[31m\x7f"),
        std::string(" # not a comment "), std::string("trailing \\\n")}) {
    const std::string directory = root() + "/n" + std::to_string(++number);
    const Finished run = pale({"init", directory, "--name", name});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(shown(directory).at("name"), name);
    EXPECT_THAT(pale({"explain", "--project-root", directory}).out, HasSubstr("\n  workspace: "));
    const Finished text = pale({"project", "show", "--project-root", directory});
    EXPECT_THAT(text.out, Not(HasSubstr("\x1b"))) << text.out;
  }
  EXPECT_EQ(pale({"init", root() + "/bad", "--name", "\xff\xfe"}).exit_code, 2);
  EXPECT_FALSE(work().exists("bad"));
}

TEST_P(ProjectInit, AReadOnlyDirectoryIsNamedWithAWayOut) {
  const TemporaryDirectory host(GetParam(), "readonly");
  host.make_directory("project");
  const std::string directory = host.text() + "/project";
  // Not by its mode, which does not stop root.
  const auto in_read_only = [&](const Words& words) {
    const std::string quoted = "'" + directory + "'";
    return pale_in_mounts("mount --bind " + quoted + " " + quoted + "; mount -o remount,ro,bind " + quoted, words);
  };
  const Finished refused = in_read_only({"init", directory, "--id", "app"});
  EXPECT_EQ(refused.exit_code, 125) << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("Read-only file system"), HasSubstr("--no-manifest")));
  EXPECT_FALSE(is_registered("app"));
  EXPECT_FALSE(host.exists("project/.pale"));
  const Finished registered = in_read_only({"init", directory, "--id", "app", "--no-manifest"});
  EXPECT_EQ(registered.exit_code, 0) << registered.err;
  EXPECT_EQ(entry("app").at("root"), directory);
}

TEST_P(ProjectInit, AMissingDirectoryIsMadeAndNotLeftBehindOnFailure) {
  EXPECT_EQ(pale({"init", root() + "/new"}).exit_code, 0);
  EXPECT_TRUE(work().exists("new/.pale/project.toml"));
  const std::string before = work().snapshot();
  EXPECT_EQ(pale({"init", root() + "/other", "--id", "new"}).exit_code, 2);
  EXPECT_EQ(pale({"init", root() + "/other", "--id", "a b"}).exit_code, 2);
  EXPECT_EQ(pale({"init", root() + "/other", "--trust", "most"}).exit_code, 2);
  EXPECT_EQ(pale({"init", project_.pale_home().string() + "/inside"}).exit_code, 3);
  EXPECT_NE(pale({"init", root() + "/many/levels"}).exit_code, 0);
  EXPECT_EQ(work().snapshot(), before);
  EXPECT_FALSE(std::filesystem::exists(in_pale_home("inside")));
}

TEST_P(ProjectInit, AFileInThePlaceOfADirectoryStays) {
  work().write(".pale", "mine\n");
  expect_unchanged(pale({"init", root()}), 2, root() + "/.pale", work().snapshot());
  EXPECT_EQ(pale({"init", root() + "/.pale"}).exit_code, 2);
  EXPECT_EQ(work().read(".pale"), "mine\n");
  EXPECT_EQ(pale({"project", "list", "--ids"}).out, "");
}

TEST_P(ProjectInit, ALinkInThePlaceOfADirectoryIsNotWrittenThrough) {
  const TemporaryDirectory elsewhere(GetParam(), "elsewhere");
  std::filesystem::create_directory_symlink(elsewhere.path(), work().path() / ".pale");
  const std::string before = work().snapshot();
  for (const Words& more : {Words{}, Words{"--no-register"}})
    expect_unchanged(pale(Words{"init", root()} + more), 2, ".pale", before);
  std::filesystem::remove(work().path() / ".pale");
  std::filesystem::create_directory_symlink("nowhere", work().path() / ".pale");
  EXPECT_EQ(pale({"init", root()}).exit_code, 2);
  EXPECT_EQ(elsewhere.snapshot(), "");
  EXPECT_EQ(pale({"project", "list", "--ids"}).out, "");
}

INSTANTIATE_TEST_SUITE_P(, ProjectInit, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
