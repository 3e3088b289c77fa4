#include "sandbox/limits.h"

#include <fcntl.h>

#include <cerrno>
#include <string_view>

#include "sys/event.h"
#include "sys/file.h"
#include "sys/mount.h"
#include "sys/process.h"

namespace pale::sandbox {
namespace {

constexpr std::size_t kMostText = 1UL << 20U;
constexpr int kRemovalTries = 50;

struct Controller {
  std::string_view name;
  const char* limit_v1;
  const char* limit_v2;
};
constexpr Controller kMemory = {"memory", "memory.limit_in_bytes", "memory.max"};
constexpr Controller kPids = {"pids", "pids.max", "pids.max"};

bool has_word(std::string_view words, std::string_view wanted) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find_first_of(" ,\n"), words.size());
    if (words.substr(0, end) == wanted) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

// The path of this process's cgroup in a hierarchy: "4:memory:/x" for version 1, "0::/x" for version 2.
std::optional<std::string> own_cgroup(std::string_view lines, std::string_view controller) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view names = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? names.empty() : has_word(names, controller)) return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

struct Hierarchy {
  std::string directory;  // this process's cgroup in it
  bool version_2;
};

// Where a child cgroup with this controller could be made.
std::optional<Hierarchy> find_hierarchy(const Controller& controller) {
  const auto own = sys::read_file(sys::kAbsolute, "/proc/self/cgroup", kMostText);
  const auto mounts = sys::read_mounts("/proc/self/mountinfo");
  if (!own || !mounts) return std::nullopt;
  for (const sys::MountLine& mount : *mounts) {
    const bool version_2 = mount.type == "cgroup2";
    if (!version_2 && (mount.type != "cgroup" || !mount.target.ends_with("/" + std::string(controller.name)))) continue;
    const auto path = own_cgroup(*own, version_2 ? std::string_view{} : controller.name);
    if (!path) continue;
    std::string directory = mount.target + (*path == "/" ? "" : *path);
    if (version_2) {
      const auto offered = sys::read_file(sys::kAbsolute, (directory + "/cgroup.subtree_control").c_str(), kMostText);
      if (!offered || !has_word(*offered, controller.name)) continue;
    }
    return Hierarchy{std::move(directory), version_2};
  }
  return std::nullopt;
}

Status write_value(const std::string& path, const std::string& text) {
  PALE_TRY(fd, sys::open_at(sys::kAbsolute, path.c_str(), O_WRONLY));
  return sys::write_all(fd.borrow(), text);
}

// False: there is no place where this user can make one.
bool plan_cgroup(LimitPlan& plan, const Controller& controller, std::uint64_t most) {
  const auto hierarchy = find_hierarchy(controller);
  if (!hierarchy || !sys::may_write(hierarchy->directory.c_str())) return false;
  const sys::Pid pid = sys::process_id();
  plan.cgroups.push_back(
      {hierarchy->directory + "/pale-" + std::to_string(pid) + "-" + std::to_string(sys::start_time(pid)),
       hierarchy->version_2 ? controller.limit_v2 : controller.limit_v1, most});
  return true;
}

}  // namespace

std::vector<std::string> LimitPlan::directories() const {
  std::vector<std::string> list;
  list.reserve(cgroups.size());
  for (const Cgroup& cgroup : cgroups) list.push_back(cgroup.directory);
  return list;
}

Result<LimitPlan> plan_limits(const Limits& limits, plan::Backend backend) {
  LimitPlan plan;
  if (limits.memory) {
    const bool kept = plan_cgroup(plan, kMemory, *limits.memory);
    plan.guards.memory = kept ? "cgroup" : "rlimit";
    if (!kept) plan.data_limit = limits.memory;
  }
  if (limits.pids) {
    const bool kept = plan_cgroup(plan, kPids, *limits.pids);
    plan.guards.pids = kept ? "cgroup" : "rlimit";
    // The resource limit counts this user's processes in this user namespace; it does not bind root, nor a shared namespace.
    if (!kept && (sys::user_id() == 0 || backend == plan::Backend::Landlock)) {
      return fail(ErrorKind::Unsupported, "no cgroup can be made here to keep", "--pids",
                  "leave it out, or run where cgroups are writable (pale doctor)");
    }
    if (!kept) plan.process_limit = limits.pids;
  }
  return plan;
}

Status make_cgroups(LimitPlan& limits) {
  for (const Cgroup& cgroup : limits.cgroups) {
    PALE_CHECK(sys::make_directory(sys::kAbsolute, cgroup.directory.c_str(), 0755));
    PALE_CHECK(write_value(cgroup.directory + "/" + cgroup.limit_file, std::to_string(cgroup.most)));
    PALE_TRY(join, sys::open_at(sys::kAbsolute, (cgroup.directory + "/cgroup.procs").c_str(), O_WRONLY));
    limits.joins.push_back(std::move(join));
  }
  return {};
}

Status join_cgroups(const LimitPlan& limits) {
  for (const sys::Fd& join : limits.joins) PALE_CHECK(sys::write_all(join.borrow(), "0"));
  return {};
}

void remove_cgroups(const std::vector<std::string>& cgroups) {
  for (const std::string& directory : cgroups) {
    for (int tries = 0; tries < kRemovalTries; ++tries) {
      const auto removed = sys::remove_directory(sys::kAbsolute, directory.c_str());
      if (removed || removed.error().number != EBUSY) break;
      (void)sys::wait_ready({}, 10);
    }
  }
}

}  // namespace pale::sandbox
