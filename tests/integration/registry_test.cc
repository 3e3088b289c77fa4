// PALE_HOME/projects.json: read and changed by many at a time, killed at any moment, broken by hand; nothing in it is lost.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <set>

#include "projects.h"

namespace pale::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class RegistryFile : public WithProjects {
 protected:
  pid_t start(const Words& words) const {
    Process process;
    process.arguments = Words{pale_program()} + words;
    process.account = GetParam();
    process.environment = project_.environment();
    const pid_t pid = fork();
    if (pid == 0) {
      const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
      if (nowhere < 0 || dup2(nowhere, 1) < 0 || dup2(nowhere, 2) < 0) _exit(96);
      execute(process);
    }
    return pid;
  }
  static int finish(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  std::string directory(int number) const {
    const std::string name = "p" + std::to_string(number);
    places_.make_directory(name);
    return places_.text() + "/" + name;
  }
  // The same word for what it cannot understand, from every command that needs the file; its bytes stay.
  void expect_reported(const std::string& broken, const std::string& place) {
    write_pale_home("projects.json", broken);
    write_manifest("[project]\nid = \"here\"\n");
    const TemporaryDirectory other(GetParam(), "other");
    for (const Words& words :
         {Words{"project", "list"}, Words{"project", "list", "--json"}, Words{"project", "show", "app"},
          Words{"project", "default"}, Words{"project", "default", "app"}, Words{"project", "default", "--none"},
          Words{"project", "remove", "app"}, Words{"project", "rename", "app", "new"},
          Words{"project", "move", "app", other.text()}, Words{"project", "cleanup", "--dry-run"},
          Words{"init", other.text()}, Words{"run", "-p", "app", "--", "true"}, Words{"explain", "-p", "app"},
          Words{"project", "current"}, Words{"run", "--", "true"},
          Words{"config", "set", "network", "open", "-p", "app"}}) {
      const Finished run = pale(words);
      EXPECT_EQ(run.exit_code, 125) << testing::PrintToString(words) << broken << run.out << run.err;
      EXPECT_THAT(run.err, AllOf(HasSubstr("projects.json"), HasSubstr(place), HasSubstr("pale project cleanup")))
          << testing::PrintToString(words) << broken;
      EXPECT_EQ(read_pale_home("projects.json"), broken) << testing::PrintToString(words);
    }
    EXPECT_FALSE(other.exists(".pale"));
    EXPECT_THAT(names_in_pale_home(".new-"), IsEmpty());
  }

  TemporaryDirectory places_{GetParam(), "places"};
};

TEST_P(RegistryFile, FiftyAtATimeLoseNoEntry) {
  std::vector<pid_t> writers;
  for (int number = 0; number < 50; ++number)
    writers.push_back(start({"init", directory(number), "--id", "p" + std::to_string(number)}));
  for (const pid_t writer : writers) EXPECT_EQ(finish(writer), 0);
  EXPECT_THAT(registry().at("projects"), SizeIs(50));
  for (int number = 0; number < 50; ++number) {
    const std::string id = "p" + std::to_string(number);
    EXPECT_EQ(entry(id).at("root"), places_.text() + "/" + id);
    EXPECT_TRUE(places_.exists(id + "/.pale/project.toml"));
  }
  EXPECT_THAT(names_in_pale_home(".new-"), IsEmpty());
}

TEST_P(RegistryFile, FiftyThatWantTheSameIdGetOneEntryEach) {
  std::vector<pid_t> writers;
  for (int number = 0; number < 50; ++number) {
    places_.make_directory("p" + std::to_string(number) + "/same");
    writers.push_back(start({"init", places_.text() + "/p" + std::to_string(number) + "/same"}));
  }
  for (const pid_t writer : writers) EXPECT_EQ(finish(writer), 0);
  std::set<std::string> roots;
  const json all = registry();
  for (const auto& [id, value] : all.at("projects").items()) roots.insert(value.at("root"));
  EXPECT_THAT(roots, SizeIs(50));
}

// Some writers are killed at any moment, others finish; what a finished one said is there.
TEST_P(RegistryFile, AKillAtAnyMomentLosesNothingAndLeavesNothing) {
  std::minstd_rand random(
      GetParam() == Account::Root ? 1 : 2);  // the same moments each time, as far as the machine lets it
  std::uniform_int_distribution<int> pause(0, 6000);
  std::set<std::string> reported;
  int next = 0;
  for (int round = 0; round < 60; ++round) {
    struct Writer {
      pid_t pid;
      std::string id;
    };
    std::vector<Writer> kept;
    std::vector<pid_t> victims;
    for (int each = 0; each < 2; ++each) {
      const int number = next++;
      const std::string id = "p" + std::to_string(number);
      kept.push_back({start({"init", directory(number), "--id", id}), id});
      victims.push_back(start({"init", directory(next), "--id", "victim" + std::to_string(next)}));
      ++next;
    }
    if (!reported.empty()) {
      victims.push_back(start({"project", "default", *reported.begin()}));
      victims.push_back(start({"project", "rename", *reported.rbegin(), *reported.rbegin()}));
    }
    for (const pid_t victim : victims) {
      usleep(static_cast<useconds_t>(pause(random)));  // no synchronisation: any moment will do
      kill(victim, SIGKILL);
    }
    for (const pid_t victim : victims) finish(victim);
    for (const Writer& writer : kept) {
      EXPECT_EQ(finish(writer.pid), 0) << writer.id;
      reported.insert(writer.id);
    }
    const json now = registry();
    for (const std::string& id : reported) ASSERT_TRUE(now.at("projects").contains(id)) << id;
  }
  ASSERT_EQ(pale({"project", "default", *reported.begin()}).exit_code, 0);
  EXPECT_THAT(names_in_pale_home(".new-"), IsEmpty());
  EXPECT_EQ(registry().at("default_project"), *reported.begin());
  // A manifest is whole, or not there at all.
  for (const auto& place : std::filesystem::directory_iterator(places_.path())) {
    if (!std::filesystem::exists(place.path() / ".pale/project.toml")) continue;
    EXPECT_EQ(pale({"project", "show", "--project-root", place.path().string()}).exit_code, 0) << place.path();
  }
}

TEST_P(RegistryFile, ARenameThatIsKilledLeavesTheOldIdOrTheNewOne) {
  init(work(), {"--id", "name0"});
  init(places_, {"--id", "other"});
  ASSERT_EQ(pale({"project", "default", "name0"}).exit_code, 0);
  std::minstd_rand random(3);
  std::uniform_int_distribution<int> pause(0, 5000);
  std::string id = "name0";
  for (int round = 1; round <= 60; ++round) {
    const std::string wanted = "name" + std::to_string(round);
    const pid_t pid = start({"project", "rename", id, wanted});
    usleep(static_cast<useconds_t>(pause(random)));  // no synchronisation: any moment will do
    kill(pid, SIGKILL);
    const int code = finish(pid);
    const json now = registry();
    ASSERT_THAT(now.at("projects"), SizeIs(2));
    const bool renamed = now.at("projects").contains(wanted);
    ASSERT_TRUE(renamed || now.at("projects").contains(id));
    ASSERT_TRUE(renamed || code != 0);
    if (renamed) id = wanted;
    ASSERT_EQ(now.at("default_project"), id);
    ASSERT_EQ(pale({"run", "-p", id, "--", "true"}).exit_code, 0);
  }
  ASSERT_EQ(pale({"project", "rename", id, "last"}).exit_code, 0);
  EXPECT_THAT(names_in_pale_home(".new-"), IsEmpty());
  EXPECT_THAT(work().read(".pale/project.toml"), HasSubstr("id = \"last\""));
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(work().path() / ".pale"))
    names.push_back(file.path().filename());
  EXPECT_THAT(names, ElementsAre("project.toml"));
}

TEST_P(RegistryFile, ACorruptFileIsReportedWithItsPlaceAndStaysAsItIs) {
  const std::string good =
      "{\n  \"projects\": {\n    \"app\": {\"root\": \"" + root() + "\"}\n  },\n  \"default_project\": \"app\"\n}\n";
  expect_reported(good.substr(0, good.size() - 4), "line 5, column ");
  expect_reported(good.substr(0, 30), "line 3, column ");
  expect_reported("{\n  \"projects\": {,\n", "line 2, column 16");
  expect_reported(good + "x", "line 7, column 1");
  expect_reported("", "line 1, column 1");
  expect_reported("\n\n  garbage\n", "line 3, column 3");
  expect_reported(std::string("\0\0\0\0", 4), "line 1, column 1");
}

TEST_P(RegistryFile, ValuesOfTheWrongKindAreReportedWithTheirPlaceAndStayAsTheyAre) {
  const auto with = [](const std::string& projects) {
    return "{\n \"default_project\": \"app\",\n \"projects\": " + projects + "\n}\n";
  };
  expect_reported("[]", "line 1, column 1");
  expect_reported(with("[]"), "line 3, column ");
  expect_reported(with("{\n  \"app\": 5}"), "line 4, column ");
  expect_reported(with("{\n  \"app\": {\"root\": 5}}"), "line 4, column ");
  expect_reported(with("{\n  \"app\": {\n\"root\": \"relative\"}}"), "line 5, column ");
  expect_reported(with("{\n  \"app\": {\"manifest\": null}}"), "line 4, column ");
  expect_reported(with("{\n  \"app\": {\"root\": \"/a\",\n  \"last_used\": \"soon\"}}"), "line 5, column ");
}

TEST_P(RegistryFile, ADefaultOfTheWrongKindIsReportedToo) {
  const std::string text = "{\n \"projects\": {},\n \"default_project\": 5\n}\n";
  write_pale_home("projects.json", text);
  for (const Words& words : {Words{"project", "list"}, Words{"run", "--", "true"}, Words{"init", root()}}) {
    const Finished run = pale(words);
    EXPECT_EQ(run.exit_code, 125) << testing::PrintToString(words) << run.err;
    EXPECT_THAT(run.err, HasSubstr("line 3, column 21")) << testing::PrintToString(words);
    EXPECT_EQ(read_pale_home("projects.json"), text);
  }
}

TEST_P(RegistryFile, CleanupKeepsEachCorruptFileAsideByteForByte) {
  std::set<std::string> contents;
  for (const std::string broken : {"{\"projects\": {", "garbage\xff\n", "[1]"}) {
    write_pale_home("projects.json", broken);
    const Finished run = pale({"project", "cleanup"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr(in_pale_home("projects.json").string() + "."));
    for (const std::string& name : names_in_pale_home("projects.json.")) contents.insert(read_pale_home(name));
    EXPECT_EQ(pale({"project", "list"}).exit_code, 0);
  }
  EXPECT_THAT(contents, ElementsAre("[1]", "garbage\xff\n", "{\"projects\": {"));
  EXPECT_THAT(names_in_pale_home("projects.json."), SizeIs(3));  // none over another
  EXPECT_EQ(pale({"init", root()}).exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(, RegistryFile, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
