#include "sandbox/offspring.h"

#include <fcntl.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include "base/text.h"
#include "sys/file.h"

namespace pale::sandbox {
namespace {

constexpr sys::Pid kFirst = 1;    // this process
constexpr int kMostRounds = 100;  // whoever forks faster than that is ended with the sandbox

struct Member {
  sys::Pid pid;
  sys::Lineage lineage;
};

std::vector<Member> everyone() {
  std::vector<Member> found;
  const auto proc = sys::open_at(sys::kAbsolute, "/proc", O_RDONLY | O_DIRECTORY);
  if (!proc) return found;
  const auto entries = sys::list_directory(*proc);
  if (!entries) return found;
  for (const sys::Entry& entry : *entries) {
    const auto number = parse_number(entry.name);
    if (!number) continue;
    const auto pid = static_cast<sys::Pid>(*number);
    if (const auto lineage = sys::lineage_of(pid)) found.push_back({pid, *lineage});
  }
  return found;
}

// Clocks tick a hundred times a second; of two in one tick the one with the lower number came first.
bool is_older(const Member& member, const Member& command) {
  if (member.lineage.started_at != command.lineage.started_at)
    return member.lineage.started_at < command.lineage.started_at;
  return member.pid < command.pid;
}

// Up to the command or the first process, through nobody who is older than the command.
bool belongs(const std::vector<Member>& all, const Member& member, const Member& command) {
  sys::Pid pid = member.pid;
  for (std::size_t steps = 0; steps <= all.size() && pid != kFirst; ++steps) {
    const auto found = std::ranges::find(all, pid, &Member::pid);
    if (pid == command.pid) return true;
    if (found == all.end()) return true;  // It ended just now: its children are orphans.
    if (is_older(*found, command)) return false;
    pid = found->lineage.parent;
  }
  return pid == kFirst;
}

// Until nobody is left, since they may fork meanwhile.
template <typename Choice>
void end_all(Choice is_meant) {
  for (int round = 0; round < kMostRounds; ++round) {
    const auto all = everyone();
    bool found = false;
    for (const Member& member : all) {
      if (member.pid == kFirst || member.lineage.zombie || !is_meant(all, member)) continue;
      found = true;
      (void)sys::send_signal(member.pid, SIGKILL);
    }
    if (!found) return;
  }
}

}  // namespace

void end_offspring(sys::Pid command, std::uint64_t started_at) {
  const Member first{command, {0, started_at, false}};
  end_all([&](const std::vector<Member>& all, const Member& member) { return belongs(all, member, first); });
}

void end_everyone_but(sys::Pid spared) {
  end_all([&](const std::vector<Member>&, const Member& member) { return member.pid != spared; });
}

}  // namespace pale::sandbox
