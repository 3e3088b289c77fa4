// A real coding agent from npm, driven by a scripted model on loopback, works inside the boundary.
#include <thread>

#include "projects.h"
#include "support/session.h"
#include "support/web.h"

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

// It has the model, and nothing else; and no key of its own.
TEST_P(RealAgent, ClaudeCodeReachesItsModelAloneAndHasNoKey) {
  const std::string agents = variable("PALE_AGENTS");
  ASSERT_FALSE(agents.empty()) << "PALE_AGENTS is not set: run ./dev test";
  constexpr const char* kKey = "sk-this-key-stays-outside";
  const Web web(project_);
  model_files_.write(
      "script.json",
      R"({"command": "echo made by the agent > made.txt; env | grep KEY; curl -sS -m 9 http://plain.test/echo; curl -sS --noproxy '*' -m 9 https://plain.test/; true", "say": "It is done."})");
  model_files_.write("key", std::string(kKey) + "\n");
  Process serving = model();
  serving.arguments.insert(serving.arguments.end(),
                           {web.files().text() + "/host.pem", web.files().text() + "/host.key"});
  Session server(serving, Line::Pipes);
  const std::string at = port(server);
  ASSERT_FALSE(at.empty()) << "the model does not serve";
  write_pale_home(
      "config.toml",
      "[network]\nca_file = \"" + web.trusted() + "\"\n[network.hosts]\n\"api.test\" = \"127.0.0.1:" + at +
          "\"\n\"plain.test\" = \"127.0.0.1:" + std::to_string(web.plain_port()) +
          "\"\n[network.credentials.model]\nhost = \"api.test\"\nkind = \"anthropic\"\nsecret = { file = \"" +
          model_files_.text() + "/key\" }\n");
  Process process;
  process.arguments = {pale_program(), "agent",  "run",       "--project-root", root(),
                       "--agent",      "claude", "--network", "allow:api.test", "make the file"};
  process.account = GetParam();
  process.environment = environment_with({"PATH=" + agents + "/node_modules/.bin:/usr/local/bin:/usr/bin:/bin",
                                          "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"});
  process.seconds = 240;
  const Finished run = test::run(process);
  server.close_input();
  const Finished served = server.finish();
  const std::string said = served.out + served.err;
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err << said;
  EXPECT_EQ(work().read("made.txt"), "made by the agent\n") << said;
  EXPECT_THAT(said, HasSubstr("POST /v1/messages?beta=true key " + std::string(kKey)));
  EXPECT_THAT(said, HasSubstr("ANTHROPIC_API_KEY=kept-outside-by-pale"));
  EXPECT_THAT(said, HasSubstr("plain.test:80: it is not on the list"));
  EXPECT_THAT(said, HasSubstr("Could not resolve host: plain.test"));
  EXPECT_EQ(web.log(), "");
}

INSTANTIATE_TEST_SUITE_P(, RealAgent, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
