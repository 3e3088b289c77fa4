// stage: what bench/stage.py times, one thing at a call; writes how many nanoseconds it took.
//
//   stage once CODE COMMAND…
//     Runs the command, which has no input and whose output goes nowhere, and must exit with CODE.
//   stage copy FROM TO PATH…
//     Copies the files FROM/PATH, each to a new name in the directory TO, and each to disk.
//
// The clock runs around that alone: not while this program, or the one that called it, starts and ends.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace {

[[noreturn]] void die(const char* what, const char* subject) {
  fprintf(stderr, "stage: %s %s\n", what, subject);
  exit(1);
}

[[noreturn]] void die_of_error(const std::string& path) { die(strerror(errno), path.c_str()); }

int64_t now() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

int64_t time_of_command(int code, char** argv) {
  posix_spawn_file_actions_t nowhere;
  posix_spawn_file_actions_init(&nowhere);
  posix_spawn_file_actions_addopen(&nowhere, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&nowhere, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  int status = 0;
  const int64_t start = now();
  if (posix_spawnp(&pid, argv[0], &nowhere, nullptr, argv, environ) != 0) die("cannot start", argv[0]);
  if (waitpid(pid, &status, 0) != pid) die("cannot wait for", argv[0]);
  const int64_t time = now() - start;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != code) die("did not end as it should:", argv[0]);
  return time;
}

void copy_to_disk(const std::string& from, const std::string& to) {
  char buffer[1 << 16];
  const int source = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (source < 0) die_of_error(from);
  const int target = open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (target < 0) die_of_error(to);
  ssize_t got = 0;
  while ((got = read(source, buffer, sizeof buffer)) > 0) {
    if (write(target, buffer, static_cast<size_t>(got)) != got) die_of_error(to);
  }
  if (got < 0) die_of_error(from);
  if (fsync(target) != 0 || close(target) != 0 || close(source) != 0) die_of_error(to);
}

int64_t time_of_copies(const std::string& from, const std::string& to, char** paths) {
  std::vector<std::string> sources, targets;
  for (int number = 0; paths[number] != nullptr; ++number) {
    sources.push_back(from + "/" + paths[number]);
    targets.push_back(to + "/" + std::to_string(number));
  }
  const int64_t start = now();
  for (size_t at = 0; at < sources.size(); ++at) copy_to_disk(sources[at], targets[at]);
  return now() - start;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  int64_t time = 0;
  if (mode == "once" && argc > 3) {
    time = time_of_command(atoi(argv[2]), argv + 3);
  } else if (mode == "copy" && argc > 4) {
    time = time_of_copies(argv[2], argv[3], argv + 4);
  } else {
    die("usage:", "stage once CODE COMMAND… | stage copy FROM TO PATH…");
  }
  printf("%lld\n", static_cast<long long>(time));
  return 0;
}
