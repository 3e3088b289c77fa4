// scope: how long a check takes in process, as lines of "NAME NANOSECONDS" on its output: the best of several rounds, on average
// over many paths, in and outside of twenty folders.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "sandbox/sighting.h"
#include "scope/folders.h"

namespace {

using pale::Access;
using pale::Path;

constexpr int kRounds = 20;
constexpr int kFolders = 20;
constexpr int kPaths = 20'000;
const Path kRoot = Path::literal("/home/user/project");

std::string folder(int number) { return "packages/part" + std::to_string(number); }

pale::Boundary boundary() {
  pale::BoundaryParts parts;
  parts.workspace = parts.home = kRoot;
  parts.grants = {{kRoot, Access::List, kRoot, "workspace", {}},
                  {Path::literal("/usr"), Access::Read, Path::literal("/usr"), "system", {}}};
  for (int number = 0; number < kFolders; ++number)
    parts.grants.push_back({kRoot / folder(number), Access::Write, kRoot / folder(number), "project.toml:2", {}});
  return *pale::Boundary::make(std::move(parts));
}

template <typename Check>
void measure(const char* name, const std::vector<Path>& paths, Check check) {
  double best = 0;
  std::size_t found = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (const Path& path : paths) found += check(path) ? 1 : 0;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    const double each = took.count() / static_cast<double>(paths.size());
    best = round == 0 ? each : std::min(best, each);
  }
  // Half of the paths lie in a folder: what is measured has to tell them apart.
  if (found != paths.size() / 2 * kRounds) {
    std::fprintf(stderr, "scope: %s finds %zu paths\n", name, found / kRounds);
    std::exit(1);
  }
  std::printf("%s %.1f\n", name, best);
}

}  // namespace

int main() {
  using pale::sandbox::WatchedScope;
  std::vector<Path> paths;
  pale::scope::Folders folders{kRoot, {}};
  WatchedScope watched{WatchedScope::Mode::Strict, {}};
  for (int number = 0; number < kFolders; ++number) {
    folders.all.push_back({folder(number), kRoot / folder(number)});
    watched.folders.push_back(kRoot / folder(number));
  }
  for (int number = 0; number < kPaths; ++number)
    paths.push_back(kRoot / (folder(number % (2 * kFolders)) + "/src/file" + std::to_string(number) + ".ts"));
  const pale::Boundary strict = boundary();
  measure("around", paths, [&](const Path& path) { return folders.around(path) != nullptr; });
  measure("judge", paths, [&](const Path& path) {
    return !pale::sandbox::judge(strict, watched, {path, pale::sandbox::Act::Write, pale::sandbox::Found::File});
  });
}
