// A real coding agent from npm, driven by a scripted model on loopback, works inside the boundary.
#include <thread>

#include "projects.h"
#include "support/session.h"

namespace pale::test {
namespace {

using testing::HasSubstr;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

class RealAgent : public WithProjects {
 protected:
  RealAgent() {
    model_files_.write(
        "script.json",
        R"({"command": "echo made by the agent > made.txt; cat ../.ssh/id_test", "say": "It is done."})");
  }
  Process model() const {
    Process process;
    process.arguments = {"/usr/bin/python3", variable("PALE_SOURCE") + "/tests/support/model_server.py",
                         model_files_.text() + "/port", model_files_.text() + "/script.json"};
    process.account = GetParam();
    process.environment = project_.environment();
    return process;
  }
  std::string port(const Session& session) const {
    while (!model_files_.exists("port") && state_of(session.pid()) != 'Z') std::this_thread::yield();
    const std::string text = model_files_.read("port");
    return text.substr(0, text.find('\n'));
  }

  TemporaryDirectory model_files_{GetParam(), "model"};
};

TEST_P(RealAgent, ClaudeCodeMakesAFileInTheProject) {
  const std::string agents = variable("PALE_AGENTS");
  ASSERT_FALSE(agents.empty()) << "PALE_AGENTS is not set: run ./dev test";
  ASSERT_TRUE(std::filesystem::exists(agents + "/node_modules/.bin/claude"))
      << "no agent in " << agents << ": run ./dev test";
  Session server(model(), Line::Pipes);
  const std::string at = port(server);
  ASSERT_FALSE(at.empty()) << "the model does not serve";
  const std::string before = home().snapshot();
  Process process;
  process.arguments = {pale_program(), "agent",  "run",       "--project-root", root(),
                       "--agent",      "claude", "--network", "open",           "make the file"};
  process.account = GetParam();
  process.environment = environment_with({"PATH=" + agents + "/node_modules/.bin:/usr/local/bin:/usr/bin:/bin",
                                          "ANTHROPIC_BASE_URL=http://127.0.0.1:" + at, "ANTHROPIC_API_KEY=sk-scripted",
                                          "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"});
  process.seconds = 240;
  const Finished run = test::run(process);
  server.close_input();
  const Finished served = server.finish();
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err << served.out;
  EXPECT_EQ(work().read("made.txt"), "made by the agent\n") << served.out;
  EXPECT_THAT(run.out, HasSubstr("It is done."));
  EXPECT_THAT(served.out, HasSubstr("No such file or directory"));
  EXPECT_EQ(home().snapshot(), before);
}

INSTANTIATE_TEST_SUITE_P(, RealAgent, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
