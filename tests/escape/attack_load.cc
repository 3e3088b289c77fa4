// Too many processes, too much memory; and processes that try to outlive their session.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "escape/attack.h"

namespace pale::attack {
namespace {

// processes MOST: says how many it could start at a time.
int processes(const Words& words) {
  const int most = std::stoi(words.at(0));
  int started = 0;
  for (; started < most; ++started) {
    const pid_t pid = fork();
    if (pid == 0) {
      pause();
      _exit(0);
    }
    if (pid < 0) break;
  }
  std::printf("started %d\n", started);
  return 0;
}

// memory MEBIBYTES: says how many it could touch.
int memory(const Words& words) {
  constexpr std::size_t kChunk = 1UL << 20U;
  const int most = std::stoi(words.at(0));
  int touched = 0;
  for (; touched < most; ++touched) {
    void* chunk = mmap(nullptr, kChunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == MAP_FAILED) break;
    std::memset(chunk, 1, kChunk);
  }
  std::printf("touched %d\n", touched);
  return 0;
}

// space PATH…: how much a filesystem can hold, in MiB.
int space(const Words& words) {
  for (const std::string& path : words) {
    struct statvfs info = {};
    if (statvfs(path.c_str(), &info) != 0) fail("statvfs " + path);
    std::printf("%s %lu\n", path.c_str(), static_cast<unsigned long>(info.f_blocks * info.f_frsize >> 20U));
  }
  return 0;
}

// daemon MARKER: leaves its parents, its session and its signals behind, and writes to MARKER for as long as it lives.
int daemon(const Words& words) {
  if (fork() != 0) return 0;
  setsid();
  if (fork() != 0) _exit(0);
  signal(SIGHUP, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {0, 1, 2}) dup2(null, fd);
  for (int beat = 0; beat < 600; ++beat) {
    const int fd = open(words.at(0).c_str(), O_CREAT | O_WRONLY | O_APPEND, 0644);
    if (fd < 0 || write(fd, ".", 1) != 1) _exit(1);
    close(fd);
    usleep(20'000);
  }
  _exit(0);
}

// stay: says so, and waits to be ended.
int stay(const Words&) {
  std::printf("here\n");
  std::fflush(stdout);
  for (;;) pause();
}

}  // namespace

std::vector<Attack> load_attacks() {
  return {{"processes", processes}, {"memory", memory}, {"space", space}, {"daemon", daemon}, {"stay", stay}};
}

}  // namespace pale::attack
