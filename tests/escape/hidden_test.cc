// ESCAPES 18 and 20–22: what is hidden stays hidden, and nothing of the host shows through processes.
#include <csignal>

#include "escape/escape.h"
#include "support/session.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Hidden : public Escape {};

TEST_P(Hidden, E18_AHiddenFileIsNotRenamedIntoView) {
  workspace().write(".env", "TOKEN=abc");
  workspace().write("conf/deep/.env", "TOKEN=abc");
  const std::string before = workspace().snapshot();
  const std::string script = R"(
    for f in .env conf/deep/.env; do
      cat $f; mv $f x; ln $f y; cp $f z; ln -s $f s && cat s; rm s; cat < $f
    done
    mv conf c; mv conf/deep d
    ./attack replace .env; rm -f evil-*
    cat /proc/self/cwd/.env
    exit 7)";
  const Finished run = shell(script, {"--hide", ".env", "--hide", "conf/deep/.env"});
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.out, Not(HasSubstr("abc")));
  EXPECT_THAT(run.out, Not(HasSubstr("succeeded")));
  EXPECT_EQ(workspace().snapshot(), before);
}

TEST_P(Hidden, E18_AHiddenFileThatTheHostMakesLaterStaysHidden) {
  const std::string script = R"(
    echo abc > .env; mkdir vault; ln -s .env alias; ln -s vault/key door
    echo ready; read go
    cat .env alias vault/key door; cat < .env; cp .env copy; ln .env hard; mv .env moved; cat hard moved copy
    exec 9< /proc/self/cwd/.env
    ./attack replace .env
    echo again; read go
    cat .env alias; mv vault v; cat v/key
    exit 7)";
  Session session(on_host(pale_run({"--hide", ".env", "--hide", "vault/key"}, {"/bin/bash", "-c", script})),
                  Line::Pipes);
  session.expect("ready");
  EXPECT_FALSE(workspace().exists(".env")) << "nor can the agent make it";
  workspace().write(".env", "TOKEN=secret-1");
  workspace().write("vault/key", "secret-2");
  session.type("go\n");
  session.expect("again");
  // As an editor saves it: a new file in its place.
  workspace().write(".env.new", "TOKEN=secret-3");
  std::filesystem::rename(workspace().path() / ".env.new", workspace().path() / ".env");
  session.type("go\n");
  const Finished run = session.finish();
  EXPECT_EQ(run.exit_code, 7) << run.out;
  EXPECT_THAT(run.out, Not(HasSubstr("secret-")));
  EXPECT_EQ(workspace().read(".env"), "TOKEN=secret-3");
  EXPECT_EQ(workspace().read("vault/key"), "secret-2");
}

TEST_P(Hidden, E20_ProcLeadsOnlyBackInside) {
  const Finished run = shell(R"(
    for p in /proc/self /proc/thread-self /proc/[0-9]*; do
      for l in root cwd root/../.. cwd/../../../..; do
        cat $p/$l$SECRET; echo hacked > $p/$l$SECRET; ls $p/$l$OUTSIDE
      done
      for f in $p/fd/*; do cat $f/../..$SECRET; done
    done
    exit 7)");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.out, Not(HasSubstr(Project::kSecret)));
  EXPECT_THAT(run.out, Not(HasSubstr("id_test")));
  EXPECT_EQ(project_.home().read(".ssh/id_test"), Project::kSecret);
}

TEST_P(Hidden, E20_ACopiedProgramAndTheLoaderAreHeldToo) {
  workspace().write(".mcp.json", "{}");
  const Finished run = shell(R"(
    cp /bin/sh own; cp /bin/cat reader; chmod 4755 own reader
    loader=$(ls /lib64/ld-linux* /lib/ld-linux* 2>/dev/null | head -1)
    for run in ./own "$loader ./own" "$loader /bin/sh"; do
      $run -c 'echo hacked > .envrc'; $run -c 'echo hacked > .mcp.json'; $run -c "echo hacked > $SECRET"
    done
    ./reader $SECRET; $loader ./reader $SECRET
    exit 7)");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.out, Not(HasSubstr(Project::kSecret)));
  EXPECT_FALSE(workspace().exists(".envrc"));
  EXPECT_EQ(workspace().read(".mcp.json"), "{}");
  EXPECT_EQ(project_.home().read(".ssh/id_test"), Project::kSecret);
}

TEST_P(Hidden, E21_NoProcessInsideShowsTheCallersSecrets) {
  const std::string script = R"(
    show() { cat "$@" 2>/dev/null | tr '\0' '\n'; }
    show /proc/[0-9]*/{environ,cmdline,comm,status,stat,auxv,wchan} /proc/[0-9]*/task/*/{environ,cmdline,comm,status}
    echo; echo '== first'
    show /proc/1/{environ,cmdline,comm,status} /proc/1/task/*/{environ,cmdline,comm}
    ls -l /proc/1/fd /proc/1/exe /proc/1/cwd)";
  Process process = on_host(pale_run({"--env", "TOKEN=token-value"}, {"/bin/bash", "-c", script}));
  process.environment.emplace_back("HOST_SECRET=host-secret-value");
  const Finished run = test::run(process);
  const std::string first = run.out.substr(std::min(run.out.rfind("== first"), run.out.size()));
  EXPECT_THAT(first, HasSubstr("Name:")) << "it was looked at";
  EXPECT_THAT(run.out, HasSubstr("TOKEN=token-value")) << "the command has it";
  EXPECT_THAT(run.out, Not(HasSubstr("host-secret-value")));
  EXPECT_THAT(run.out, Not(HasSubstr("HOST_SECRET")));
  EXPECT_THAT(run.out, Not(HasSubstr("PALE_HOME")));
  EXPECT_THAT(first, Not(HasSubstr("token-value")));
  EXPECT_THAT(first, Not(HasSubstr("--project-root")));
}

TEST_P(Hidden, E22_NoHelperCarriesSecretsInItsArgumentsOrEnvironment) {
  Process process = on_host(pale_run({"--env", "TOKEN=token-value"}, {"./attack", "stay"}));
  process.environment.emplace_back("HOST_SECRET=host-secret-value");
  Session session(process, Line::Pipes);
  session.expect("here");
  const std::vector<pid_t> family = descendants_of(session.pid());
  ASSERT_GE(family.size(), 2U) << "the first process inside and the command";
  int commands = 0;
  for (const pid_t pid : family) {
    const std::string place = "/proc/" + std::to_string(pid);
    const bool command = file_text(place + "/comm") == "attack\n";
    const std::string shown = file_text(place + "/environ") + file_text(place + "/cmdline");
    EXPECT_EQ(shown.find("token-value") != std::string::npos, command) << "only the command has it";
    EXPECT_THAT(shown, Not(HasSubstr("host-secret-value")));
    commands += command ? 1 : 0;
  }
  EXPECT_EQ(commands, 1);
  session.send_signal(SIGTERM);
  EXPECT_EQ(session.finish().exit_code, 128 + SIGTERM);
}

INSTANTIATE_TEST_SUITE_P(, Hidden, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
