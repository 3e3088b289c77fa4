// ESCAPES 31–37: the terminal, the kernel's own interfaces, and the first process inside.
#include <sys/utsname.h>

#include <csignal>

#include "escape/escape.h"
#include "support/session.h"

namespace pale::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class Kernel : public Escape {
 protected:
  static void expect_denied(const Finished& run, std::size_t tries) {
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_GE(lines_of(run.out).size(), tries) << run.out;
    EXPECT_THAT(run.out, Not(HasSubstr("succeeded")));
  }
};

TEST_P(Kernel, E31_NobodyTypesForTheUser) {
  const std::string user = R"("$@"; echo over; read -t 1 typed; echo "typed: <$typed>")";
  Session session(pale_run_by({"/bin/bash", "-c", user, "bash"}, {}, {"./attack", "terminal"}), Line::Terminal);
  session.expect("typed: <>");
  const Finished run = session.finish();
  EXPECT_THAT(run.out, HasSubstr("TIOCSTI EPERM"));
  EXPECT_THAT(run.out, HasSubstr("TIOCSTI+high EPERM"));
  EXPECT_THAT(run.out, HasSubstr("TIOCLINUX EPERM"));
  EXPECT_THAT(run.out, HasSubstr("TIOCLINUX+high EPERM"));
  EXPECT_THAT(run.out, Not(HasSubstr("succeeded")));
  EXPECT_THAT(run.out, Not(HasSubstr("hacked")));
}

// Only what a terminal shows as it is.
bool is_plain(const std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool c1 = byte == 0xc2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0;
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f || c1) return false;
  }
  return true;
}

TEST_P(Kernel, E32_NamesWithEscapeSequencesArePrintedHarmlessly) {
  const std::string evil = "\x1b]52;c;aGFja2Vk\x07\x1b[2J\x9b\xc2\x9b\r\x7f";
  const std::string root = workspace().text();
  workspace().make_directory(evil);
  workspace().write(evil + "/.git", "gitdir: /nowhere");
  std::filesystem::create_symlink("nowhere", workspace().path() / (evil + "-link"));
  const std::vector<std::vector<std::string>> commands = {
      {"run", "--project-root", "/" + evil, "--", "true"},
      {"run", "--project-root", root, "--", evil},
      {"run", "--project-root", root, "--", "/" + evil},
      {"run", "--project-root", root, "--rw", evil + "x", "--", "true"},
      {"run", "--project-root", root, "--protect", evil + "-link", "--", "true"},
      {"run", "--project-root", root, "--json", "--protect", evil + "-link", "--", "true"},
      {"run", "--project-root", root, "--hide", evil + "-link", "--", "true"},
      {"run", "--project-root", root, "--env", evil, "--", "true"},
      {"run", "--project-root", root, "--network", evil, "--", "true"},
      {"run", "--project-root", root, "--" + evil, "--", "true"},
      {"run", "--project-root", root, "--protect", evil, "--env", "A=" + evil, "--dry-run", "--", "true"},
      {"run", "--project-root", root, "--protect", evil, "--dry-run", "--json", "--", "true"},
      {"explain", "--project-root", root, evil},
      {evil},
      {"help", evil}};
  for (const std::vector<std::string>& command : commands) {
    const Finished run = project_.pale(command);
    EXPECT_TRUE(is_plain(run.out + run.err))
        << testing::PrintToString(command) << testing::PrintToString(run.out + run.err);
    EXPECT_FALSE((run.out + run.err).empty());
  }
}

TEST_P(Kernel, E33_IoUring) { expect_denied(attack({"ring"}), 3); }

TEST_P(Kernel, E34_CallsByTheNumbersOfAnotherArchitecture) {
  for (const std::string kind : {"x32", "int80"}) {
    const Finished run = attack({"foreign-call", kind, "made"});
#ifdef __x86_64__
    EXPECT_EQ(run.exit_code, 128 + SIGSYS) << kind << run.out;
#endif
    EXPECT_THAT(run.out, Not(HasSubstr("succeeded"))) << kind;
    EXPECT_FALSE(workspace().exists("made")) << kind;
    attack({"foreign-call", kind, ".vscode"});
    EXPECT_FALSE(workspace().exists(".vscode")) << kind;
  }
}

TEST_P(Kernel, E35_ANamespaceOfOnesOwn) {
  workspace().write(".envrc", "export A=1");
  workspace().write("notes", "old");
  const std::string mounts = file_text("/proc/self/mountinfo");
  expect_denied(attack({"namespaces", ".envrc"}), 50);
  const std::string script = R"(
    for flags in -Urm -Urmpf -m -U --map-root-user; do
      unshare $flags sh -c '
        umount -l .envrc; mount -o remount,rw,bind .envrc; mount -t tmpfs x /tmp
        echo hacked > .envrc; echo hacked > notes'
    done
    bwrap --bind / / --dev /dev true && echo succeeded
    exit 7)";
  const Finished run = shell(script, {"--ro", "notes"});
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.out, Not(HasSubstr("succeeded")));
  EXPECT_EQ(workspace().read(".envrc"), "export A=1");
  EXPECT_EQ(workspace().read("notes"), "old");
  EXPECT_EQ(file_text("/proc/self/mountinfo"), mounts);
}

TEST_P(Kernel, E36_TheFirstProcessIsOutOfReach) {
  expect_denied(attack({"first-process"}), 30);
  // Not in the least disturbed by it, and its guard stands.
  const Finished run = shell("./attack first-process > /dev/null; kill -9 1; echo hacked > .envrc; exit 7");
  EXPECT_EQ(run.exit_code, 7) << run.err;
  EXPECT_FALSE(workspace().exists(".envrc"));
}

TEST_P(Kernel, E37_WideKernelInterfaces) {
  utsname before = {}, after = {};
  ASSERT_EQ(uname(&before), 0);
  const std::string modules = file_text("/proc/modules");
  expect_denied(attack({"surface"}), 25);
  ASSERT_EQ(uname(&after), 0);
  EXPECT_STREQ(after.nodename, before.nodename);
  EXPECT_STREQ(after.domainname, before.domainname);
  EXPECT_EQ(file_text("/proc/modules"), modules);
  EXPECT_THAT(file_text("/sys/kernel/kexec_loaded"), AnyOf("0\n", ""));
  // Each gets what it holds already.
  const Finished run = shell(R"(
    for f in /proc/sys/kernel/{core_pattern,modprobe,hostname} /proc/sys/vm/overcommit_memory /proc/self/oom_score_adj; do
      value=$(cat $f); echo "$value" > $f && echo succeeded
    done
    echo h > /proc/sysrq-trigger && echo succeeded
    cat /proc/kcore /proc/kmsg /dev/kmsg /dev/mem /sys/kernel/security/lsm > out
    exit 7)");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.out, Not(HasSubstr("succeeded")));
  EXPECT_EQ(workspace().read("out"), "");
}

INSTANTIATE_TEST_SUITE_P(, Kernel, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
