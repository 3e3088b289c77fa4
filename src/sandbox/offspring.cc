#include "sandbox/offspring.h"

#include <fcntl.h>

#include <csignal>
#include <map>

#include "base/text.h"
#include "sys/file.h"

namespace pale::sandbox {
namespace {

constexpr sys::Pid kFirst = 1;    // this process
constexpr int kMostRounds = 100;  // whoever forks faster than that is ended with the sandbox

std::map<sys::Pid, sys::Lineage> everyone() {
  std::map<sys::Pid, sys::Lineage> found;
  const auto proc = sys::open_at(sys::kAbsolute, "/proc", O_RDONLY | O_DIRECTORY);
  if (!proc) return found;
  const auto entries = sys::list_directory(*proc);
  if (!entries) return found;
  for (const sys::Entry& entry : *entries) {
    const auto number = parse_number(entry.name);
    if (!number) continue;
    const auto pid = static_cast<sys::Pid>(*number);
    if (const auto lineage = sys::lineage_of(pid)) found.emplace(pid, *lineage);
  }
  return found;
}

// Up to the first process, through nobody who is older than the command.
bool belongs(const std::map<sys::Pid, sys::Lineage>& all, sys::Pid pid, sys::Pid command, std::uint64_t started_at) {
  for (std::size_t steps = 0; steps <= all.size(); ++steps) {
    if (pid == command) return true;
    if (pid == kFirst) return true;
    const auto found = all.find(pid);
    if (found == all.end()) return true;  // It ended just now: its children are orphans.
    if (found->second.started_at < started_at) return false;
    pid = found->second.parent;
  }
  return false;
}

}  // namespace

void end_offspring(sys::Pid command, std::uint64_t started_at) {
  for (int round = 0; round < kMostRounds; ++round) {
    const auto all = everyone();
    bool found = false;
    for (const auto& [pid, lineage] : all) {
      if (pid == kFirst || lineage.zombie || lineage.started_at < started_at) continue;
      if (!belongs(all, pid, command, started_at)) continue;
      found = true;
      (void)sys::send_signal(pid, SIGKILL);
    }
    if (!found) return;
  }
}

}  // namespace pale::sandbox
