// ESCAPE 47: SIGKILL of every Pale process, at every moment of a start: nothing is left, and the next command cleans up.
#include <chrono>
#include <csignal>
#include <numeric>
#include <set>

#include "escape/escape.h"
#include "support/session.h"
#include "support/tracer.h"

namespace pale::test {
namespace {

namespace fs = std::filesystem;

class Killed : public Escape {
 protected:
  Killed() : Escape(PaleHome::Own) {}

  // Each of the family by itself, or only the process that the user started.
  enum class Victims { Each, Outer };
  void kill_at_every_moment(const Process& process, Victims victims) {
    const Family whole = run_and_kill(process, {});
    ASSERT_GE(whole.stops.size(), 3U) << "the supervisor, the first process inside, the command";
    const std::size_t members = victims == Victims::Each ? whole.stops.size() : 1;
    for (std::size_t member = 0; member < members && !HasFailure(); ++member)
      kill_one_at_every_moment(process, member, whole.stops[member]);
  }

  // In an order whose every beginning is spread over the whole, so that a slow machine may stop early.
  void kill_one_at_every_moment(const Process& process, std::size_t member, int stops) {
    using Clock = std::chrono::steady_clock;
    constexpr int kFewest = 30;
    constexpr auto kEnough = std::chrono::seconds(4);
    int stride = std::max(1, stops * 5 / 8);
    while (std::gcd(stride, stops) != 1) ++stride;
    const auto start = Clock::now();
    int tries = 0, kills = 0;
    for (; tries < stops && !HasFailure(); ++tries) {
      if (tries >= kFewest && Clock::now() - start > kEnough) break;
      const int stop = 1 + tries * stride % stops;
      const Family family = run_and_kill(process, {member, stop});
      outer_.insert(family.members[0]);
      kills += family.killed ? 1 : 0;
      EXPECT_FALSE(family.went_on && member == 1) << "without its first process, at stop " << stop << " of " << stops;
      EXPECT_TRUE(family.survivors.empty()) << "killed member " << member << " at stop " << stop << " of " << stops;
    }
    EXPECT_GT(kills, tries / 2);
  }

  // What a whole run changes nothing of, and a killed one must not either.
  std::string host_state() const {
    return workspace().snapshot() + project_.home().snapshot() + file_text("/proc/self/mountinfo");
  }

  std::set<std::string> cgroups_of_killed() const {
    std::set<std::string> left;
    std::error_code ignored;
    for (auto entry =
             fs::recursive_directory_iterator("/sys/fs/cgroup", fs::directory_options::skip_permission_denied, ignored);
         !ignored && entry != fs::recursive_directory_iterator(); entry.increment(ignored)) {
      const std::string name = entry->path().filename().string();
      if (name.starts_with("pale-") && outer_.contains(std::atoi(name.c_str() + 5)))
        left.insert(entry->path().string());
    }
    return left;
  }

  std::vector<std::string> entries(const char* name) const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(project_.pale_home() / name, none))
      names.push_back(entry.path().filename().string());
    return names;
  }

  void expect_clean_after_next_run(const std::string& before) const {
    EXPECT_EQ(host_state(), before);
    const Finished next = shell("true");
    EXPECT_EQ(next.exit_code, 0) << next.err;
    EXPECT_TRUE(project_.records_are_idle());
    EXPECT_EQ(entries("quarantine"), std::vector<std::string>{});
    EXPECT_EQ(entries("etc").size(), 1U) << testing::PrintToString(entries("etc"));
    EXPECT_EQ(cgroups_of_killed(), std::set<std::string>{});
    EXPECT_EQ(host_state(), before);
  }

  std::set<pid_t> outer_;
};

TEST_P(Killed, E47_AtEveryMomentOfAStart) {
  ASSERT_EQ(shell("true").exit_code, 0);
  workspace().write(".mcp.json", "{}");
  const std::string before = host_state();
  const Process process = on_host(pale_run({"--memory", "1G", "--pids", "100"}, {"./attack", "stay"}));
  kill_at_every_moment(process, Victims::Each);
  expect_clean_after_next_run(before);
}

TEST_P(Killed, E47_AtEveryMomentOfAnEnd) {
  ASSERT_EQ(shell("true").exit_code, 0);
  const std::string before = host_state();
  kill_at_every_moment(on_host(pale_run({"--memory", "1G", "--pids", "100"}, {"/bin/true"})), Victims::Outer);
  expect_clean_after_next_run(before);
}

TEST_P(Killed, E47_WhileTheFirstRunOfAllPreparesItsPlace) {
  const std::string before = host_state();
  const Process process = on_host(pale_run({}, {"./attack", "stay"}));
  const Family whole = run_and_kill(process, {});
  const int step = std::max(1, whole.stops[0] / 10);
  for (int stop = step; stop < whole.stops[0]; stop += step) {
    // Whole ones go, half ones stay in runs.
    for (const char* shelf : {"etc", "roots"}) fs::remove_all(project_.pale_home() / shelf);
    EXPECT_TRUE(run_and_kill(process, {0, stop}).survivors.empty());
  }
  expect_clean_after_next_run(before);
}

// While the first process cannot look, and nobody looks afterwards.
TEST_P(Killed, E47_WhatAppearedBeforeTheKillIsPutAsideByTheNextCommand) {
  workspace().write(".claude/settings.json", "{}");
  Session session(on_host(pale_run({}, {"./attack", "stay"})), Line::Pipes);
  session.expect("here");
  ASSERT_EQ(kill(descendants_of(session.pid()).at(0), SIGSTOP), 0);
  const char* const appeared[] = {".envrc", ".git", ".claude/settings.local.json"};
  for (const char* name : appeared) workspace().write(name, "hacked");
  session.send_signal(SIGKILL);
  session.finish();
  const Finished next = shell("exit 7");
  EXPECT_EQ(next.exit_code, 7) << next.err;
  for (const char* name : appeared) {
    EXPECT_FALSE(workspace().exists(name)) << name;
    EXPECT_THAT(next.err, testing::HasSubstr(workspace().text() + "/" + name));
  }
  EXPECT_EQ(workspace().read(".claude/settings.json"), "{}");
  EXPECT_EQ(entries("quarantine").size(), std::size(appeared));
  EXPECT_TRUE(project_.records_are_idle());
}

INSTANTIATE_TEST_SUITE_P(, Killed, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
