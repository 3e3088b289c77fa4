// Ways to bring a name into being in the working directory. Each must be told no, whatever road it takes there.
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "escape/attack.h"

namespace pale::attack {
namespace {

constexpr int kHigh = 500;  // a descriptor number that no other process has
constexpr int kMake = O_CREAT | O_WRONLY;
constexpr std::string_view kContent = "hacked\n";

long filled(long fd) {
  if (fd >= 0 && write(static_cast<int>(fd), kContent.data(), kContent.size()) < 0) errno = 0;
  return fd;
}
long make_at(const std::string& path) { return filled(open(path.c_str(), kMake, 0644)); }

std::string here() {
  char buffer[4096];
  if (getcwd(buffer, sizeof buffer) == nullptr) fail("getcwd");
  return buffer;
}
int directory() {
  const int fd = open(".", O_RDONLY | O_DIRECTORY);
  if (fd < 0) fail("open .");
  return fd;
}
std::string high_directory() {
  if (dup2(directory(), kHigh) != kHigh) fail("dup2");
  return std::to_string(kHigh);
}
// A file or link of one's own to start from; its name does not matter.
std::string scratch(const char* kind) {
  std::string name = std::string("scratch-") + kind;
  remove(name.c_str());
  return name;
}
std::string scratch_file() {
  const std::string name = scratch("file");
  if (make_at(name) < 0) fail("make " + name);
  return name;
}
std::string scratch_link(const std::string& target, const char* kind = "link") {
  const std::string name = scratch(kind);
  if (symlink(target.c_str(), name.c_str()) != 0) fail("make link " + name);
  return name;
}
long resolved(int at, const std::string& path, std::uint64_t resolve) {
  struct open_how how = {};
  how.flags = kMake;
  how.mode = 0644;
  how.resolve = resolve;
  return filled(syscall(SYS_openat2, at, path.c_str(), &how, sizeof how));
}
// What `body` leaves in errno counts, whichever thread it runs in.
template <typename Body>
long in_thread(Body body) {
  long result = -1;
  int number = 0;
  std::thread([&] {
    result = body();
    number = errno;
  }).join();
  errno = number;
  return result;
}
// Runs `body` while a child waits, then ends the child.
template <typename Body>
long beside_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const long result = body(child);
  const int number = errno;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  errno = number;
  return result;
}
long unnamed_file() {
  const int fd = open(".", O_TMPFILE | O_WRONLY, 0644);
  if (fd < 0) fail("O_TMPFILE");
  return filled(fd);
}
long from_secret_memory(const std::string& name) {
  const long fd = syscall(SYS_memfd_secret, 0);
  if (fd < 0) return -1;
  if (ftruncate(static_cast<int>(fd), 4096) != 0) fail("ftruncate");
  auto* page = static_cast<char*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, static_cast<int>(fd), 0));
  if (page == MAP_FAILED) return -1;
  std::memcpy(page, name.c_str(), name.size() + 1);
  return filled(open(page, kMake, 0644));
}
long from_last_bytes_of_memory(const std::string& name) {
  auto* pages = static_cast<char*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (munmap(pages + 4096, 4096) != 0) fail("munmap");
  char* text = pages + 4096 - name.size() - 1;
  std::memcpy(text, name.c_str(), name.size() + 1);
  return filled(open(text, kMake, 0644));
}
long bind_socket(const std::string& name) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  return bind(fd, reinterpret_cast<sockaddr*>(&address),
              static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size()));
}
// A program that nobody may read: its memory is closed to others.
long from_unreadable_program(const std::string& name) {
  const std::string copy = scratch("program");
  if (std::system(("cp attack " + copy + " && chmod 111 " + copy).c_str()) != 0) fail("copy");
  const int status = std::system(("./" + copy + " create open " + name + " | grep -q succeeded").c_str());
  errno = EPERM;
  return status == 0 ? 0 : -1;
}
long at_thread_own_directory(const std::string& name) {
  return in_thread([&]() -> long {
    if (unshare(CLONE_FS) != 0 || chdir("/tmp") != 0) fail("unshare");
    return make_at("/proc/self/cwd/" + name);
  });
}
long at_thread_own_descriptors(const std::string& name) {
  const std::string fd = high_directory();
  return in_thread([&]() -> long {
    if (unshare(CLONE_FILES) != 0 || close(kHigh) != 0) fail("unshare");
    return make_at("/proc/self/fd/" + fd + "/" + name);
  });
}

struct Way {
  std::string_view name;
  long (*make)(const std::string& name);
};

constexpr Way kWays[] = {
    {"open", [](const std::string& n) { return make_at(n); }},
    {"open-read-only", [](const std::string& n) -> long { return open(n.c_str(), O_CREAT | O_RDONLY, 0644); }},
    {"open-exclusive", [](const std::string& n) { return filled(open(n.c_str(), kMake | O_EXCL, 0644)); }},
    {"open-high-flags",
     [](const std::string& n) { return filled(syscall(SYS_openat, AT_FDCWD, n.c_str(), kMake | 1L << 32, 0644)); }},
    {"creat", [](const std::string& n) { return filled(creat(n.c_str(), 0644)); }},
    {"openat", [](const std::string& n) { return filled(openat(directory(), n.c_str(), kMake, 0644)); }},
    {"openat2", [](const std::string& n) { return resolved(AT_FDCWD, n, 0); }},
    {"openat2-beneath", [](const std::string& n) { return resolved(directory(), n, RESOLVE_BENEATH); }},
    {"openat2-in-root", [](const std::string& n) { return resolved(directory(), "/" + n, RESOLVE_IN_ROOT); }},
    {"absolute", [](const std::string& n) { return make_at(here() + "/" + n); }},
    {"slashes", [](const std::string& n) { return make_at(".//././/" + n); }},
    {"dot-dot",
     [](const std::string& n) {
       const std::string folder = scratch("folder");
       mkdir(folder.c_str(), 0755);
       return make_at(folder + "/../" + n);
     }},
    {"proc-self-cwd", [](const std::string& n) { return make_at("/proc/self/cwd/" + n); }},
    {"proc-self-root", [](const std::string& n) { return make_at("/proc/self/root" + here() + "/" + n); }},
    {"proc-self-fd",
     [](const std::string& n) { return make_at("/proc/self/fd/" + std::to_string(directory()) + "/" + n); }},
    {"proc-self-fd-high", [](const std::string& n) { return make_at("/proc/self/fd/" + high_directory() + "/" + n); }},
    {"dev-fd", [](const std::string& n) { return make_at("/dev/fd/" + std::to_string(directory()) + "/" + n); }},
    {"dev-fd-high", [](const std::string& n) { return make_at("/dev/fd/" + high_directory() + "/" + n); }},
    {"proc-self-task",
     [](const std::string& n) { return make_at("/proc/self/task/" + std::to_string(gettid()) + "/cwd/" + n); }},
    {"proc-thread-self", [](const std::string& n) { return make_at("/proc/thread-self/cwd/" + n); }},
    {"proc-number", [](const std::string& n) { return make_at("/proc/" + std::to_string(getpid()) + "/cwd/" + n); }},
    {"proc-child",
     [](const std::string& n) {
       return beside_child([&](pid_t child) { return make_at("/proc/" + std::to_string(child) + "/cwd/" + n); });
     }},
    {"link-to-name", [](const std::string& n) { return make_at(scratch_link(n)); }},
    {"link-chain",
     [](const std::string& n) { return make_at(scratch_link(scratch_link(scratch_link(n, "1"), "2"), "3")); }},
    {"link-absolute", [](const std::string& n) { return make_at(scratch_link(here() + "/" + n)); }},
    {"link-through-proc", [](const std::string& n) { return make_at(scratch_link("/proc/self/cwd/" + n)); }},
    {"link-to-directory", [](const std::string& n) { return make_at(scratch_link(".") + "/" + n); }},
    {"link-to-descriptor",
     [](const std::string& n) { return make_at(scratch_link("/proc/self/fd/" + high_directory()) + "/" + n); }},
    {"unnamed-file",
     [](const std::string& n) -> long {
       const std::string source = "/proc/self/fd/" + std::to_string(unnamed_file());
       return linkat(AT_FDCWD, source.c_str(), AT_FDCWD, n.c_str(), AT_SYMLINK_FOLLOW);
     }},
    {"unnamed-file-empty-path",
     [](const std::string& n) -> long {
       return linkat(static_cast<int>(unnamed_file()), "", AT_FDCWD, n.c_str(), AT_EMPTY_PATH);
     }},
    {"hard-link", [](const std::string& n) -> long { return link(scratch_file().c_str(), n.c_str()); }},
    {"hard-link-at",
     [](const std::string& n) -> long { return linkat(AT_FDCWD, scratch_file().c_str(), directory(), n.c_str(), 0); }},
    {"rename", [](const std::string& n) -> long { return rename(scratch_file().c_str(), n.c_str()); }},
    {"rename-at",
     [](const std::string& n) -> long { return renameat(AT_FDCWD, scratch_file().c_str(), directory(), n.c_str()); }},
    {"rename-no-replace",
     [](const std::string& n) -> long {
       return renameat2(AT_FDCWD, scratch_file().c_str(), AT_FDCWD, n.c_str(), RENAME_NOREPLACE);
     }},
    {"rename-directory",
     [](const std::string& n) -> long {
       const std::string folder = scratch("folder");
       mkdir(folder.c_str(), 0755);
       return rename(folder.c_str(), n.c_str());
     }},
    {"symlink", [](const std::string& n) -> long { return symlink("scratch", n.c_str()); }},
    {"symlink-at", [](const std::string& n) -> long { return symlinkat("scratch", directory(), n.c_str()); }},
    {"pipe", [](const std::string& n) -> long { return mkfifo(n.c_str(), 0644); }},
    {"node", [](const std::string& n) -> long { return mknod(n.c_str(), S_IFREG | 0644, 0); }},
    {"socket", [](const std::string& n) { return bind_socket(n); }},
    {"thread", [](const std::string& n) { return in_thread([&] { return make_at(n); }); }},
    {"thread-own-directory", at_thread_own_directory},
    {"thread-own-descriptors", at_thread_own_descriptors},
    {"secret-memory", from_secret_memory},
    {"last-bytes-of-memory", from_last_bytes_of_memory},
    {"unreadable-program", from_unreadable_program},
    // A directory above something protected may be made; a protected one may not.
    {"mkdir", [](const std::string& n) -> long { return mkdir(n.c_str(), 0755); }},
    {"mkdir-at", [](const std::string& n) -> long { return mkdirat(directory(), (n + "/").c_str(), 0755); }},
};

int list_ways(const Words&) {
  for (const Way& way : kWays) std::printf("%s\n", std::string(way.name).c_str());
  return 0;
}

// create WAY NAME
int create(const Words& words) {
  for (const Way& way : kWays) {
    if (way.name != words.at(0)) continue;
    say(words[0], way.make(words.at(1)));
    return 0;
  }
  fail("no such way");
}

// The text that all threads hand to the kernel. Its beginning changes in one store.
struct Flipping {
  std::atomic<std::uint64_t> beginning = 0;
  char rest[256] = {};
  const char* text() const { return reinterpret_cast<const char*>(this); }
};
Flipping flipping;
std::atomic<bool> over = false;

std::uint64_t beginning_of(const std::string& name) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, name.data(), std::min(name.size(), sizeof bytes));
  return bytes;
}

void race_once(const std::string& kind, const std::string& allowed, const std::string& own) {
  const char* path = flipping.text();
  if (kind == "open") {
    const long fd = filled(open(path, kMake | O_EXCL, 0644));
    if (fd >= 0) close(static_cast<int>(fd));
  } else if (kind == "mkdir") {
    mkdir(path, 0755);
  } else if (kind == "symlink") {
    (void)!symlink("evil", path);
  } else if (kind == "rename") {
    mkdir(own.c_str(), 0755);
    const int fd = open((own + "/settings.json").c_str(), kMake, 0644);
    if (fd >= 0) close(fd);
    rename(own.c_str(), path);
    unlink((allowed + "/settings.json").c_str());
  } else {
    fail("no such race");
  }
  unlink(allowed.c_str());
  rmdir(allowed.c_str());
}

// race KIND NAME MILLISECONDS: between the answer to another name and the kernel's own look, it becomes NAME.
int race(const Words& words) {
  const std::string& forbidden = words.at(1);
  const std::string allowed = "x" + forbidden.substr(1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(std::stoi(words.at(2)));
  flipping.beginning = beginning_of(allowed);
  if (forbidden.size() > sizeof flipping.beginning)
    forbidden.copy(flipping.rest, sizeof flipping.rest - 1, sizeof flipping.beginning);
  std::thread flipper([&] {
    while (!over) {
      flipping.beginning.store(beginning_of(forbidden), std::memory_order_relaxed);
      flipping.beginning.store(beginning_of(allowed), std::memory_order_relaxed);
    }
  });
  const auto attack = [&](const std::string& own) {
    while (std::chrono::steady_clock::now() < end) race_once(words[0], allowed, own);
  };
  std::thread second(attack, "second");
  attack("first");
  second.join();
  over = true;
  flipper.join();
  return 0;
}

}  // namespace

std::vector<Attack> naming_attacks() { return {{"ways", list_ways}, {"create", create}, {"race", race}}; }

}  // namespace pale::attack
