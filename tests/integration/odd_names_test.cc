// Directories with names that are hard to write down: registered, shown and found again like any other.
#include "projects.h"

namespace pale::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class OddlyNamedProjects : public WithProjects {};

TEST_P(OddlyNamedProjects, ADirectoryOfAnyNameIsAProject) {
  int number = 0;
  for (const std::string& name : {std::string("caf\xe9"), std::string("new\nline"), std::string("\"quoted\" 'twice'"),
                                  std::string("\x1b[31mred"), std::string("$(touch here)"), std::string("-p"),
                                  std::string("back\\slash"), std::string("\xe2\x82\xac"), std::string("...")}) {
    const std::string id = "odd" + std::to_string(++number);
    const std::string directory = root() + "/" + name;
    work().make_directory(name);
    const Finished made = pale({"init", directory, "--id", id});
    EXPECT_EQ(made.exit_code, 0) << id << made.err;
    EXPECT_EQ(made.out.find('\x1b'), std::string::npos);
    EXPECT_EQ(pale({"run", "-p", id, "--", "pwd"}).out, directory + "\n") << id;
    EXPECT_EQ(pale_in(directory, {"run", "--", "pwd"}).out, directory + "\n") << id;
    EXPECT_EQ(pale({"project", "current", "-p", id}).exit_code, 0) << id;
  }
  const Finished list = pale({"project", "list"});
  EXPECT_EQ(std::ranges::count(list.out, '\n'), number + 1) << list.out;
  EXPECT_EQ(list.out.find('\x1b'), std::string::npos);
  const Finished all = pale({"project", "list", "--json"});
  EXPECT_EQ(json::parse(all.out).at("projects").size(), static_cast<std::size_t>(number));
  EXPECT_THAT(pale({"project", "cleanup"}).out, HasSubstr("Nothing to forget"));
}

TEST_P(OddlyNamedProjects, AnIdIsMadeFromAnyName) {
  for (const auto& [name, id] :
       std::vector<std::pair<std::string, std::string>>{{"My FastAPI App", "my-fastapi-app"},
                                                        {"...", "project"},
                                                        {"\xe2\x82\xac", "project-2"},
                                                        {"--x--", "x"},
                                                        {"a.b_c", "a.b_c"},
                                                        {std::string(100, 'y'), std::string(64, 'y')}}) {
    work().make_directory(name);
    EXPECT_EQ(pale({"init", root() + "/" + name}).exit_code, 0) << name;
    EXPECT_EQ(entry(id).at("root"), root() + "/" + name);
  }
}

// As with files that a user keeps in one place and links from another.
TEST_P(OddlyNamedProjects, ARegistryThatIsALinkIsReadAndUsed) {
  init(work(), {"--id", "app"});
  const TemporaryDirectory dotfiles(GetParam(), "dotfiles");
  nlohmann::json known = registry();
  const std::string long_ago = "2020-01-01T00:00:00Z";
  known.at("projects").at("app")["last_used"] = long_ago;
  dotfiles.write("projects.json", known.dump());
  std::filesystem::remove(in_pale_home("projects.json"));
  std::filesystem::create_symlink(dotfiles.path() / "projects.json", in_pale_home("projects.json"));
  EXPECT_EQ(pale({"project", "list", "--ids"}).out, "app\n");
  const Finished run = pale({"run", "-p", "app", "--", "pwd"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, root() + "\n");
  EXPECT_NE(entry("app").at("last_used"), long_ago);
  EXPECT_EQ(pale({"project", "default", "app"}).exit_code, 0);
  EXPECT_EQ(registry().at("default_project"), "app");
}

INSTANTIATE_TEST_SUITE_P(, OddlyNamedProjects, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
