// What Pale says of a boundary: --receipt, --dry-run, explain and doctor, for people and as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "base/json_value.h"
#include "support/session.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

constexpr std::size_t kDeepest = 16;

JsonValue parsed(const std::string& text) {
  auto value = JsonValue::parse(text, kDeepest);
  EXPECT_TRUE(value.has_value()) << text;
  return value ? *value : JsonValue();
}

const JsonValue& at(const JsonValue& value, std::string_view key) {
  static const JsonValue nothing;
  const JsonValue* found = value.find(key);
  EXPECT_NE(found, nullptr) << key;
  return found == nullptr ? nothing : *found;
}

std::string text_at(const JsonValue& value, std::string_view key) {
  const std::string* text = at(value, key).text();
  EXPECT_NE(text, nullptr) << key;
  return text == nullptr ? "" : *text;
}

// The item of an array whose `key` is `text`.
const JsonValue& item(const JsonValue& array, std::string_view key, std::string_view text) {
  static const JsonValue nothing;
  const JsonValue* last = nullptr;
  for (const JsonValue& each : array.items()) {
    const JsonValue* value = each.find(key);
    if (value != nullptr && value->text() != nullptr && *value->text() == text) last = &each;
  }
  EXPECT_NE(last, nullptr) << key << " " << text;
  return last == nullptr ? nothing : *last;
}

class Shown : public testing::TestWithParam<Account> {
 protected:
  Shown() {
    project_.workspace().write("AGENTS.md", "rules");
    project_.workspace().write("src/secret", "s");
  }
  std::string root() const { return project_.workspace().text(); }
  std::string receipt_file() const { return receipts_.text() + "/receipt.json"; }

  Finished explain(std::vector<std::string> more, std::vector<std::string> environment = {}) const {
    more.insert(more.begin(), {"explain", "--project-root", root()});
    return project_.pale(more, std::move(environment));
  }

  Project project_{GetParam()};
  TemporaryDirectory receipts_{GetParam(), "receipts"};
};

TEST_P(Shown, AReceiptSaysWhatTheKernelWasAskedForAndWhatWasReadBack) {
  const Finished run = project_.run_command(
      {"--receipt", receipt_file(), "--protect", "AGENTS.md", "--hide", "src/secret", "--memory", "1G"}, {"true"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const JsonValue receipt = parsed(receipts_.read("receipt.json"));
  EXPECT_EQ(text_at(receipt, "backend"), "namespaces");
  EXPECT_EQ(at(receipt, "noNewPrivileges").boolean(), true);
  EXPECT_EQ(text_at(receipt, "capabilities"), "none");
  EXPECT_EQ(at(at(receipt, "seccomp"), "mode").whole_number(), 2U);
  EXPECT_GT(at(at(receipt, "seccomp"), "instructions").whole_number(), 50U);
  EXPECT_EQ(at(at(receipt, "landlock"), "denies").boolean(), true);
  EXPECT_EQ(text_at(item(at(at(receipt, "landlock"), "rules"), "path", root()), "access"), "write");
  EXPECT_EQ(at(receipt, "inheritableDescriptors").whole_number(), 0U);
  EXPECT_THAT(text_at(at(receipt, "limits"), "memory"), MatchesRegex("cgroup|rlimit"));
  const JsonValue& mounts = at(receipt, "mounts");
  EXPECT_EQ(at(item(mounts, "target", "/"), "readOnly").boolean(), true);
  EXPECT_EQ(at(item(mounts, "target", "/usr"), "readOnly").boolean(), true);
  EXPECT_EQ(at(item(mounts, "target", root()), "readOnly").boolean(), false);
  EXPECT_EQ(at(item(mounts, "target", root() + "/AGENTS.md"), "readOnly").boolean(), true);
  EXPECT_EQ(at(item(mounts, "target", root() + "/src/secret"), "readOnly").boolean(), true);
  for (const JsonValue& mount : mounts.items()) {
    const std::string target = text_at(mount, "target");
    const bool device = target.starts_with("/dev/") || target == "/proc/keys";
    EXPECT_EQ(at(mount, "nosuid").boolean(), true) << target;
    EXPECT_TRUE(device || at(mount, "nodev").boolean() == true) << target;
  }
  EXPECT_THAT(at(receipt, "weaker").items(), IsEmpty());
  EXPECT_EQ(text_at(at(receipt, "boundary"), "workspace"), root());
}

TEST_P(Shown, AReceiptIsThereWhileTheCommandRuns) {
  Process process;
  process.arguments = {pale_program(),
                       "run",
                       "--project-root",
                       root(),
                       "--receipt",
                       receipt_file(),
                       "--",
                       "sh",
                       "-c",
                       "echo up; read line; exit 2"};
  process.account = GetParam();
  process.environment = project_.environment();
  Session session(process, Line::Pipes);
  session.expect("up");
  // Written by another process than the one that said "up", right after it has started that one.
  while (!receipts_.exists("receipt.json") && state_of(session.pid()) != 'Z') std::this_thread::yield();
  const JsonValue receipt = parsed(receipts_.read("receipt.json"));
  EXPECT_EQ(at(receipt, "noNewPrivileges").boolean(), true);
  session.type("\n");
  EXPECT_EQ(session.finish().exit_code, 2);
}

TEST_P(Shown, ThereIsNoReceiptOfACommandThatWasNotRun) {
  const Finished run = project_.run_command({"--receipt", receipt_file(), "--protect", "/outside"}, {"true"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_FALSE(receipts_.exists("receipt.json"));
}

TEST_P(Shown, AReceiptThatTheCommandCouldWriteIsRefused) {
  std::filesystem::create_directory_symlink(root(), receipts_.path() / "link");
  for (const std::string& place : {root() + "/receipt.json", receipts_.text() + "/link/receipt.json"}) {
    const Finished run = project_.run_command({"--receipt", place}, {"touch", "ran"});
    EXPECT_EQ(run.exit_code, 3) << place;
    EXPECT_THAT(run.err, AllOf(HasSubstr("could write its own receipt"), HasSubstr("hint: --receipt a file outside")));
    EXPECT_FALSE(project_.workspace().exists("ran"));
    EXPECT_FALSE(project_.workspace().exists("receipt.json"));
  }
  // What is protected there the command cannot write.
  project_.workspace().make_directory(".pale");
  EXPECT_EQ(project_.run_command({"--receipt", root() + "/.pale/receipt.json"}, {"true"}).exit_code, 0);
  EXPECT_TRUE(project_.workspace().exists(".pale/receipt.json"));
}

TEST_P(Shown, WithJsonACommandThatCannotBeStartedIsAnErrorInJson) {
  project_.workspace().write("plain", "");
  for (const auto& [command, code] : {std::pair{"missing", 127}, {"./plain", 126}}) {
    const Finished run = project_.run_command({"--json"}, {command});
    EXPECT_EQ(run.exit_code, code);
    EXPECT_EQ(text_at(at(parsed(run.err), "error"), "code"), "not_found") << run.err;
  }
}

TEST_P(Shown, ALinkToTheProjectIsShownHoweverItIsNamed) {
  std::filesystem::create_directory_symlink(root(), receipts_.path() / "link");
  Process process;
  process.arguments = {pale_program(), "explain", "--project-root", "link"};
  process.account = GetParam();
  process.environment = project_.environment();
  process.directory = receipts_.text();
  EXPECT_THAT(run(process).out, HasSubstr("through a symbolic link"));
  process.arguments.emplace_back("--json");
  EXPECT_EQ(at(parsed(run(process).out), "through_link").boolean(), true);
}

TEST_P(Shown, SecretsAreInNoReceiptAndNoExplanation) {
  const std::vector<std::string> secret = {"TOKEN=hunter2-the-value"};
  project_.pale({"run", "--project-root", root(), "--receipt", receipt_file(), "--env", "TOKEN", "--", "true"}, secret);
  EXPECT_THAT(receipts_.read("receipt.json"), AllOf(HasSubstr("TOKEN"), Not(HasSubstr("hunter2"))));
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--env", "TOKEN"}, {"--env", "TOKEN", "--json"}}) {
    EXPECT_THAT(explain(flags, secret).out, AllOf(HasSubstr("TOKEN"), Not(HasSubstr("hunter2"))));
  }
}

TEST_P(Shown, ADryRunPrintsTheBoundaryAndTheStepsAndRunsNothing) {
  const std::string before = project_.workspace().snapshot();
  const Finished run = project_.run_script("touch ran", {"--dry-run", "--hide", "src/secret"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("\n  " + root() + "  "), HasSubstr("none: loopback only"), HasSubstr("hidden"),
                             HasSubstr("\nSteps\n"), HasSubstr("bind rw " + root() + "\n"),
                             HasSubstr("hide " + root() + "/src/secret\n"), HasSubstr("instructions")));
  EXPECT_EQ(project_.workspace().snapshot(), before);
  const Finished json = project_.run_script("touch ran", {"--dry-run", "--json"});
  EXPECT_EQ(text_at(parsed(json.out), "project"), root());
  EXPECT_EQ(project_.workspace().snapshot(), before);
}

TEST_P(Shown, ExplainShowsTheBoundaryAsATreeWithEachRulesOrigin) {
  const Finished run = explain({"--protect", "AGENTS.md", "--ro", "src"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("workspace\n"), HasSubstr("--protect\n"), HasSubstr("--ro\n"),
                             HasSubstr(".git/hooks"), HasSubstr("everything else does not exist inside")));
  EXPECT_THAT(run.out, Not(HasSubstr("\x1b")));
  const JsonValue json = parsed(explain({"--protect", "AGENTS.md", "--ro", "src", "--json"}).out);
  const JsonValue& boundary = at(json, "boundary");
  EXPECT_EQ(text_at(item(at(boundary, "grants"), "path", root()), "access"), "write");
  EXPECT_EQ(text_at(item(at(boundary, "grants"), "path", root() + "/src"), "access"), "read");
  EXPECT_EQ(text_at(item(at(boundary, "protected"), "path", root() + "/AGENTS.md"), "origin"), "--protect");
}

TEST_P(Shown, ExplainSaysOfAPathWhatMayBeDoneThereAndWhy) {
  const Finished run = explain({"--protect", "AGENTS.md", "AGENTS.md"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(
      run.out,
      MatchesRegex("(.|\n)*read +allowed(.|\n)*write +read-only +protected /.*/AGENTS.md  \\(--protect\\)(.|\n)*"));
  const JsonValue json = parsed(explain({"--json", root() + "//src/./new"}).out);
  EXPECT_EQ(text_at(json, "path"), root() + "/src/new");
  EXPECT_EQ(text_at(item(at(json, "verdicts"), "operation", "create"), "outcome"), "allowed");
  EXPECT_EQ(explain({"src/../new"}).exit_code, 2);  // what ".." means only the kernel knows
  EXPECT_EQ(text_at(item(at(parsed(explain({"--json", "/root/x"}).out), "verdicts"), "operation", "read"), "outcome"),
            "not found");
}

// Names that the host has, and some that it has not: what is there inside is said to be, and nothing else.
TEST_P(Shown, ExplainKnowsWhatIsInTheSmallDirectoriesOfASandbox) {
  std::vector<std::string> paths = {"/bin/sh",           "/sbin",
                                    "/etc/no-such-name", "/dev/no-such-name",
                                    "/run/docker.sock",  "/run/pale/boundary.json",
                                    "/dev/pts/ptmx",     "/etc/ssl/certs/no-such-name",
                                    "/etc/passwd",       "/etc/shadow"};
  for (const std::string directory : {"/etc", "/dev", "/run"}) {
    std::size_t room = 25;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().filename() == "console") continue;  // It is there if there is a terminal.
      if (room-- == 0) break;
      paths.push_back(entry.path());
    }
  }
  std::vector<std::string> look = {"bash", "-c",
                                   "for path; do [[ -e $path || -L $path ]] && echo \"$path\"; done; true", "-"};
  look.insert(look.end(), paths.begin(), paths.end());
  const Finished inside = project_.run_command({}, look);
  ASSERT_EQ(inside.exit_code, 0) << inside.err;
  for (const std::string& path : paths) {
    const bool exists = ("\n" + inside.out).contains("\n" + path + "\n");
    const JsonValue said = parsed(explain({"--json", path}).out);
    EXPECT_EQ(text_at(item(at(said, "verdicts"), "operation", "read"), "outcome"), exists ? "allowed" : "not found")
        << path;
    const std::string create = text_at(item(at(said, "verdicts"), "operation", "create"), "outcome");
    EXPECT_EQ(create, path == "/dev/shm" ? "allowed" : "read-only") << path;
  }
  EXPECT_EQ(text_at(parsed(explain({"--json", "/bin/sh"}).out), "leads_to"), "/usr/bin/sh");
  EXPECT_THAT(inside.out, AllOf(HasSubstr("/bin/sh\n"), HasSubstr("/etc/passwd\n"), Not(HasSubstr("/etc/shadow"))));
}

TEST_P(Shown, DoctorSaysWhatTheKernelOffers) {
  const Finished text = project_.pale({"doctor"});
  const Finished json = project_.pale({"doctor", "--json"});
  const JsonValue findings = parsed(json.out);
  for (const std::string name :
       {"kernel", "namespaces", "landlock", "seccomp notification", "directory notification", "cgroups", "PALE_HOME"}) {
    EXPECT_THAT(text.out, HasSubstr(name));
    EXPECT_THAT(text_at(item(at(findings, "findings"), "name", name), "health"), MatchesRegex("ok|warn|fail"));
  }
  EXPECT_EQ(text_at(item(at(findings, "findings"), "name", "namespaces"), "health"), "ok");
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(json.exit_code, 0);
  EXPECT_THAT(text.out, Not(HasSubstr("\x1b")));
}

INSTANTIATE_TEST_SUITE_P(, Shown, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
