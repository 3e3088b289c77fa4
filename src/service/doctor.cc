#include "service/doctor.h"

#include <fcntl.h>

#include "sandbox/limits.h"
#include "sandbox/survey.h"
#include "service/prepare.h"
#include "service/run.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/landlock.h"
#include "sys/mount.h"
#include "sys/process.h"
#include "sys/seccomp.h"
#include "sys/tree.h"

namespace pale::service {
namespace {

Finding ok(std::string name, std::string found) { return {std::move(name), Health::Ok, std::move(found), {}, {}}; }

std::string setting(const char* path) {
  const auto text = sys::read_file(sys::kAbsolute, path, 256);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

Finding kernel_version() {
  const std::string release = setting("/proc/sys/kernel/osrelease");
  return ok("kernel", release);
}

std::string namespaces_fix() {
  if (setting("/proc/sys/kernel/unprivileged_userns_clone") == "0") return "sysctl kernel.unprivileged_userns_clone=1";
  if (setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1")
    return "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for pale";
  if (setting("/proc/sys/user/max_user_namespaces") == "0") return "sysctl user.max_user_namespaces=10000";
  return "in a container: allow user namespaces in its seccomp and AppArmor profiles";
}

Finding namespaces(bool nested) {
  const auto made = try_namespaces();
  if (made) return ok("namespaces", "user, mount and pid namespaces can be made");
  if (nested) {
    return {"namespaces", Health::Warn, "not inside another boundary of Pale's", "runs here use the landlock backend",
            "run pale outside of the boundary"};
  }
  return {"namespaces", Health::Fail, made.error().sentence(),
          "runs use the landlock backend, which refuses what it cannot keep", namespaces_fix()};
}

Finding landlock() {
  const int abi = sys::landlock_abi();
  const std::string found = abi == 0 ? "not enabled" : "ABI " + std::to_string(abi);
  if (abi >= 6) return ok("landlock", found);
  const std::string follows = abi >= 2
                                  ? "--network open and the landlock backend are refused: host sockets could be reached"
                                  : "runs are refused, unless --unsafe-weak-protection accepts one guard less";
  return {"landlock", abi >= 2 ? Health::Warn : Health::Fail, found, follows,
          abi == 0 ? "boot with lsm=landlock,… or a newer kernel" : "Linux 6.12 or newer"};
}

// The listener is tried in a child: a filter cannot be taken off again.
int try_listener(void*) {
  const sock_filter allow_all[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  return sys::set_no_new_privileges() && sys::install_filter(allow_all, sys::Listener::Wanted) ? 0 : 1;
}

Finding notification(bool nested) {
  const auto child = sys::spawn_sharing_memory(try_listener, nullptr, sys::Descriptors::Own);
  const auto status = child ? sys::wait_for(*child) : Result<int>(1);
  if (status && *status == 0) return ok("seccomp notification", "available");
  if (nested) {
    return {"seccomp notification", Health::Warn, "taken by the boundary around this one",
            "protection rests on that boundary", "run pale outside of it"};
  }
  return {"seccomp notification", Health::Fail, "not available",
          "missing protected paths cannot be kept missing; runs are refused",
          "Linux 5.5 or newer with CONFIG_SECCOMP_FILTER"};
}

Finding directory_notification() {
  const auto root = sys::open_at(sys::kAbsolute, "/", O_RDONLY | O_DIRECTORY);
  const sys::SignalSet before = sys::block_signals(sys::kAllSignals);
  const bool works = root && sys::notify_of_changes(*root, sys::kDirectorySignal).has_value();
  (void)sys::block_signals(before);
  if (works) return ok("directory notification", "available");
  return {"directory notification", Health::Fail, "switched off",
          "the second guard of protected paths is missing; runs are refused", "sysctl fs.dir-notify-enable=1"};
}

Finding cgroups() {
  const auto limits = sandbox::plan_limits({1ULL << 30U, 1000, std::nullopt}, plan::Backend::Namespaces);
  if (limits && limits->guards.memory == "cgroup" && limits->guards.pids == "cgroup")
    return ok("cgroups", "memory and pids");
  return {"cgroups", Health::Warn, "none that this user may write",
          "--memory counts for each process by itself, --pids by a resource limit (not for root)",
          "run under a systemd user session with delegated controllers"};
}

Finding pale_home(const Caller& caller) {
  const auto home = pale_home_of(caller);
  if (!home) return {"PALE_HOME", Health::Fail, home.error().sentence(), "nothing can run", home.error().hint};
  const auto made = sys::make_directories(home->text(), 0700);
  if (!made)
    return {"PALE_HOME", Health::Fail, made.error().sentence(), "nothing can run",
            "export PALE_HOME=/a/writable/directory"};
  return ok("PALE_HOME", home->text());
}

// In a child, since only there an overlay can be mounted; three directories in PALE_HOME are all it leaves, and they go.
Status try_overlay(const std::string& place) {
  for (const char* name : {"/base", "/upper", "/work"}) PALE_CHECK(sys::make_directories(place + name, 0700));
  const unsigned user = sys::user_id();
  const unsigned group = sys::group_id();
  PALE_TRY(child, sys::fork_into(CLONE_NEWUSER | CLONE_NEWNS));
  if (child.pid == 0) {
    const bool mapped = sys::map_self(user, group).has_value();
    const std::string base = place + "/base", upper = place + "/upper", work = place + "/work";
    const bool mounted = mapped && sys::new_filesystem("overlay",
                                                       {{"userxattr", nullptr},
                                                        {"lowerdir", base.c_str()},
                                                        {"upperdir", upper.c_str()},
                                                        {"workdir", work.c_str()}},
                                                       sys::MountAccess::Writable);
    sys::exit_now(mounted ? 0 : 1);
  }
  PALE_TRY(status, sys::wait_for(child.pid));
  if (sys::exit_code_of(status) == 0) return {};
  return fail(ErrorKind::Unsupported, "an overlay cannot be mounted over", place);
}

Finding stages(const Caller& caller) {
  const auto home = pale_home_of(caller);
  const std::string place = (home ? home->text() : "") + "/runs/doctor-" + std::to_string(sys::process_id());
  const auto tried = home ? try_overlay(place) : Status();
  (void)sys::remove_tree(sys::kAbsolute, place.c_str());
  if (tried) return ok("stages", "an overlay can be mounted");
  return {"stages", Health::Warn, tried.error().sentence(), "pale run --stage is refused",
          "Linux 5.11 or newer with overlayfs, and PALE_HOME on ext4, xfs, btrfs or tmpfs"};
}

}  // namespace

std::vector<Finding> examine(const Caller& caller) {
  const auto outer = sandbox::look_around();
  const bool nested = outer && outer->has_value();
  return {kernel_version(),         namespaces(nested), landlock(),        notification(nested),
          directory_notification(), cgroups(),          pale_home(caller), stages(caller)};
}

}  // namespace pale::service
