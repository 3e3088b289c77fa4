// ESCAPES 11–20 through the tools of `pale mcp`. What is denied in E11 to E20 the kernel denies: they run once more with tools that
// check nothing and explain nothing (UncheckedTools in tests/CMakeLists.txt). What is only said has tests of its own.
#include <sys/stat.h>

#include <atomic>
#include <thread>

#include "escape/escape.h"
#include "support/tool_server.h"

namespace pale::test {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;
using Json = ToolServer::Json;

class Tools : public Escape {
 protected:
  Tools() : before_(project_.home().snapshot()) {}
  ~Tools() override { EXPECT_EQ(project_.home().snapshot(), before_); }

  void plant(const std::string& link, const std::string& target) const {
    fs::create_symlink(target, workspace().path() / link);
  }

  // Every tool that takes a path, on this one. None may give away the secret, and none may succeed in a change.
  void try_everything(ToolServer& server, const std::string& path) const {
    for (const char* tool : {"read_file", "list_directory", "tree", "file_info", "boundary"}) {
      EXPECT_THAT(server.said(tool, {{"path", path}}), Not(HasSubstr(Project::kSecret))) << tool << " " << path;
    }
    EXPECT_THAT(server.said("read_multiple_files", {{"paths", {path}}}), Not(HasSubstr(Project::kSecret))) << path;
    const Json edits = {{{"oldText", "secret"}, {"newText", "hacked"}}};
    server.refusal("edit_file", {{"path", path}, {"edits", edits}});
    server.refusal("write_file", {{"path", path}, {"content", "hacked"}});
    server.refusal("move", {{"source", path}, {"destination", "stolen"}});
    server.refusal("delete", {{"path", path + "/."}, {"recursive", true}});
    EXPECT_FALSE(workspace().exists("stolen"));
  }

  std::string before_;
};

TEST_P(Tools, E11_ASymlinkToTheOutsideLeadsNowhereThroughEveryTool) {
  plant("key", secret());
  plant("ssh", project_.home().text() + "/.ssh");
  plant("up", "../../../../../../../.." + project_.home().text());
  plant("root", "/root/x");
  ToolServer server(project_, {"--trust", "shell"});
  for (const std::string path : {"ssh/id_test", "up/.ssh/id_test"}) try_everything(server, path);
  try_everything(server, secret());
  try_everything(server, workspace().text() + "/../" + project_.home().path().filename().string() + "/.ssh/id_test");
  for (const char* path : {"key", "root"}) {
    server.refusal("read_file", {{"path", path}});
    server.refusal("write_file", {{"path", path}, {"content", "x"}});
  }
  server.refusal("write_file", {{"path", "ssh/authorized_keys"}, {"content", "x"}});
  server.refusal("make_directory", {{"path", "ssh/new"}});
  server.refusal("move", {{"source", "attack"}, {"destination", "ssh/attack"}});
  // The link itself is the workspace's own.
  EXPECT_EQ(server.data("delete", {{"path", "key"}})["path"], "key");
}

TEST_P(Tools, E12_AParentThatIsSwappedWhileAToolWrites) {
  workspace().make_directory("inside");
  workspace().write("inside/file", "text");
  const std::string outside = project_.home().text() + "/.ssh";
  ToolServer server(project_);
  std::atomic<bool> over = false;
  std::thread swapper([&] {
    const fs::path place = workspace().path() / "swapped";
    while (!over) {
      std::error_code ignored;
      fs::remove(place, ignored);
      fs::create_directory_symlink("inside", place, ignored);
      fs::remove(place, ignored);
      fs::create_directory_symlink(outside, place, ignored);
    }
  });
  for (int i = 0; i < 1000; ++i) {
    server.call("write_file", {{"path", "swapped/id_test"}, {"content", "hacked"}});
    EXPECT_THAT(server.said("read_file", {{"path", "swapped/id_test"}}), Not(HasSubstr(Project::kSecret)));
    server.call("delete", {{"path", "swapped/id_test"}});
  }
  over = true;
  swapper.join();
}

TEST_P(Tools, E13_SetUpMakesNothingThroughPlantedLinks) {
  plant("build", project_.home().text() + "/.ssh");
  for (const std::string flag : {"--rw", "--ro"}) {
    Process process = on_host({pale_program(), "mcp", "--project-root", workspace().text(), flag, "build"});
    EXPECT_EQ(run(process).exit_code, 3) << flag;
  }
}

TEST_P(Tools, E14_WhatMasksAHiddenFileCannotBeSwapped) {
  workspace().write(".env", "TOKEN=abc");
  ToolServer server(project_, {"--hide", ".env"});
  EXPECT_THAT(server.refusal("read_file", {{"path", ".env"}}), HasSubstr("Permission denied"));
  server.refusal("write_file", {{"path", ".env"}, {"content", "x"}});
  server.refusal("delete", {{"path", ".env"}});
  server.refusal("move", {{"source", ".env"}, {"destination", "env"}});
  server.refusal("delete", {{"path", "/run/pale"}, {"recursive", true}});
  EXPECT_EQ(workspace().read(".env"), "TOKEN=abc");
}

TEST_P(Tools, E15_AFileWithAnotherNameOutsideIsNotWrittenThrough) {
  const TemporaryDirectory library(GetParam(), "library");
  library.write("book", "text");
  fs::create_hard_link(library.path() / "book", workspace().path() / "book");
  ToolServer server(project_);
  server.data("write_file", {{"path", "book"}, {"content", "new"}});
  server.data("edit_file", {{"path", "book"}, {"edits", {{{"oldText", "new"}, {"newText", "newer"}}}}});
  EXPECT_EQ(library.read("book"), "text");
  EXPECT_EQ(workspace().read("book"), "newer");
}

TEST_P(Tools, E16_WhatIsReadOnlyOrProtectedStaysAsItIs) {
  const TemporaryDirectory library(GetParam(), "library");
  library.write("book", "text");
  workspace().write(".envrc", "export A=1");
  workspace().write(".git/config", "[core]");
  workspace().write("plan", "text");
  const std::string kept = library.snapshot();
  ToolServer server(project_, {"--ro", library.text(), "--ro", "plan"});
  for (const std::string& path : {std::string(".envrc"), std::string(".git/config"), std::string("plan"),
                                  library.text() + "/book", std::string("/usr/bin/env"), std::string("/etc/passwd")}) {
    const std::string words = server.refusal("write_file", {{"path", path}, {"content", "hacked"}});
    EXPECT_THAT(words, HasSubstr("Read-only file system")) << path;
    server.refusal("delete", {{"path", path}});
    server.refusal("move", {{"source", path}, {"destination", "stolen"}});
  }
  for (const char* missing : {".vscode/tasks.json", ".mcp.json", ".git/hooks/pre-commit", ".git/hooks"}) {
    server.refusal("write_file", {{"path", missing}, {"content", "hacked"}});
    server.refusal("make_directory", {{"path", missing}});
    server.refusal("move", {{"source", "attack"}, {"destination", missing}});
  }
  EXPECT_EQ(server.end(), 0);
  EXPECT_EQ(library.snapshot(), kept);
  EXPECT_EQ(workspace().read(".envrc") + workspace().read(".git/config") + workspace().read("plan"),
            "export A=1[core]text");
  for (const char* name : {".vscode", ".mcp.json", ".git/hooks", "stolen"})
    EXPECT_FALSE(workspace().exists(name)) << name;
}

TEST_P(Tools, ARefusalSaysWhereALinkLeadsAndWhichRuleItIs) {
  plant("key", secret());
  plant("root", "/root/x");
  workspace().write(".envrc", "export A=1");
  ToolServer server(project_);
  EXPECT_THAT(server.refusal("read_file", {{"path", "key"}}), HasSubstr("leads to " + secret()));
  EXPECT_THAT(server.refusal("write_file", {{"path", "key"}, {"content", "x"}}), HasSubstr("leads to " + secret()));
  EXPECT_THAT(server.refusal("read_file", {{"path", "root"}}), HasSubstr("It leads to /root/x. The rule: outside"));
  for (const char* path : {".envrc", "/usr/bin/env", "/etc/passwd"}) {
    EXPECT_THAT(server.refusal("write_file", {{"path", path}, {"content", "hacked"}}),
                testing::AllOf(HasSubstr("The rule: "), HasSubstr("Changes are allowed below")))
        << path;
  }
}

TEST_P(Tools, E17_OutsideNothingExistsAndErrorsTellNothing) {
  ToolServer server(project_, {"--trust", "shell"});
  const std::string home = project_.home().text();
  const std::pair<std::string, std::string> pairs[] = {{home + "/.ssh/id_test", home + "/.ssh/id_none"},
                                                       {home + "/.ssh", home + "/.non"},
                                                       {"/etc/shadow", "/etc/shadoz"},
                                                       {"/root", "/rooz"}};
  for (const auto& [there, none] : pairs) {
    for (const char* tool : {"read_file", "list_directory", "tree", "file_info"}) {
      std::string first = server.said(tool, {{"path", there}});
      std::string second = server.said(tool, {{"path", none}});
      for (std::size_t at = first.find(there); at != std::string::npos; at = first.find(there))
        first.erase(at, there.size());
      for (std::size_t at = second.find(none); at != std::string::npos; at = second.find(none))
        second.erase(at, none.size());
      EXPECT_EQ(first, second) << tool << " " << there;
    }
  }
}

TEST_P(Tools, E18_WhatIsHiddenStaysHiddenWhenItIsMadeLater) {
  ToolServer server(project_, {"--hide", "keys"});
  server.refusal("write_file", {{"path", "keys"}, {"content", "x"}});
  server.refusal("make_directory", {{"path", "keys"}});
  server.refusal("move", {{"source", "attack"}, {"destination", "keys"}});
  EXPECT_FALSE(workspace().exists("keys"));
}

TEST_P(Tools, E19_ADirectoryThatACallerNamesWidensNothing) {
  plant("away", project_.home().text());
  ToolServer server(project_, {"--trust", "shell"});
  for (const std::string& directory :
       {project_.home().text(), std::string("away"), std::string("../../.."), secret()}) {
    const std::string said =
        server.said("run_command", {{"command", "cat .ssh/id_test; ls -a"}, {"directory", directory}});
    EXPECT_THAT(said, Not(HasSubstr(Project::kSecret))) << directory;
    EXPECT_THAT(said, Not(HasSubstr(".ssh\\n"))) << directory;
  }
}

TEST_P(Tools, E20_NeitherProcNorACopiedProgramLeadsOut) {
  ToolServer server(project_, {"--trust", "shell"});
  for (const std::string& path :
       {"/proc/self/root" + secret(), "/proc/1/root" + secret(), "/proc/self/cwd/../../../.." + secret()}) {
    EXPECT_THAT(server.said("read_file", {{"path", path}}), Not(HasSubstr(Project::kSecret))) << path;
    server.refusal("write_file", {{"path", path}, {"content", "hacked"}});
  }
  EXPECT_THAT(server.said("read_file", {{"path", "/proc/1/environ"}}), HasSubstr("isError"));
  const std::string said =
      server.said("run_command", {{"command", "cp /bin/cat c; ./c " + secret() + "; /lib64/ld-linux-x86-64.so.2 ./c " +
                                                  secret() + "; /lib/ld-linux-aarch64.so.1 ./c " + secret()}});
  EXPECT_THAT(said, Not(HasSubstr(Project::kSecret)));
}

// The server is this program's own file, executed inside by a descriptor: what it was started from stays out of reach.
TEST_P(Tools, TheProgramThatServesCannotBeReachedThroughItsProcess) {
  const std::string program = file_text(pale_program());
  ToolServer server(project_, {"--trust", "shell"});
  // Whoever is older than the shell: the sandbox's first process, the server, who minds the command; and a program of its own.
  workspace().write("look", R"(
    for p in /proc/[0-9]*; do
      [ ${p#/proc/} -lt $$ ] || continue
      for f in exe environ maps; do (head -c 1 $p/$f > /dev/null) 2>/dev/null && echo read $f of $(cat $p/comm); done
      for f in exe mem fd/1; do (: >> $p/$f) 2>/dev/null && echo opened $f of $(cat $p/comm); done
    done
    exit 0)");
  const std::string said = server.said("run_command", {{"command", "sleep 3 & sleep 0.1; sh look"}});
  EXPECT_THAT(said, HasSubstr("of sleep"));
  for (const std::string& line : lines_of(Json::parse(said)["structuredContent"]["output"])) {
    EXPECT_TRUE(line.ends_with("of sleep") || line.ends_with("of sh")) << line;
  }
  EXPECT_EQ(server.end(), 0);
  EXPECT_TRUE(file_text(pale_program()) == program);
}

// So that E11 to E20 say something when it runs them: it has tools that trust would not give it, and nothing is explained.
TEST_P(Tools, TheProgramWithoutChecksHasNone) {
  const std::string checked = pale_program();
  setenv("PALE_PROGRAM", PALE_UNCHECKED, 1);
  {
    workspace().write(".envrc", "export A=1");
    ToolServer server(project_, {"--trust", "read_only", "--approval", "manual"});
    EXPECT_THAT(server.ask("tools/list").dump(), HasSubstr("run_command"));
    EXPECT_THAT(server.refusal("write_file", {{"path", ".envrc"}, {"content", "x"}}), Not(HasSubstr("The rule")));
    EXPECT_EQ(workspace().read(".envrc"), "export A=1");
  }
  setenv("PALE_PROGRAM", checked.c_str(), 1);
}

INSTANTIATE_TEST_SUITE_P(, Tools, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
