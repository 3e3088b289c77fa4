// Attacks on files that exist: protected ones must stay as they are, those outside must not even be known.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include <cerrno>
#include <cstdio>

#include "escape/attack.h"

namespace pale::attack {
namespace {

std::string evil_file() {
  const std::string name = "evil-" + std::to_string(getpid());
  const int fd = open(name.c_str(), O_CREAT | O_WRONLY, 0755);
  if (fd < 0) fail("make " + name);
  if (write(fd, "#!/bin/sh\n", 10) != 10) fail("write " + name);
  close(fd);
  return name;
}

std::string evil_folder() {
  const std::string name = "evil-folder-" + std::to_string(getpid());
  mkdir(name.c_str(), 0755);
  return name;
}

// replace FILE: puts something else in its place, or empties it.
int replace(const Words& words) {
  const std::string& target = words.at(0);
  const char* path = target.c_str();
  const std::string evil = evil_file();
  say("rename", rename(evil.c_str(), path));
  say("renameat2", renameat2(AT_FDCWD, evil.c_str(), AT_FDCWD, path, 0));
  say("no-replace", renameat2(AT_FDCWD, evil.c_str(), AT_FDCWD, path, RENAME_NOREPLACE));
  say("exchange", renameat2(AT_FDCWD, evil.c_str(), AT_FDCWD, path, RENAME_EXCHANGE));
  say("exchange-back", renameat2(AT_FDCWD, path, AT_FDCWD, evil.c_str(), RENAME_EXCHANGE));
  say("move-away", rename(path, "away"));
  say("unlink", unlink(path));
  say("unlinkat", unlinkat(AT_FDCWD, path, 0));
  say("link", link(evil.c_str(), path));
  say("symlink", symlink(evil.c_str(), path));
  say("link-out", link(path, "alias"));
  say("link-out-follow", linkat(AT_FDCWD, path, AT_FDCWD, "alias", AT_SYMLINK_FOLLOW));
  say("write", open(path, O_WRONLY));
  say("append", open(path, O_WRONLY | O_APPEND));
  say("empty", open(path, O_WRONLY | O_TRUNC));
  say("read-and-empty", open(path, O_RDONLY | O_TRUNC));
  say("truncate", truncate(path, 0));
  const int reading = open(path, O_RDONLY);
  say("reopen", open(("/proc/self/fd/" + std::to_string(reading)).c_str(), O_RDWR));
  say("ftruncate", ftruncate(reading, 0));
  return 0;
}

// replace-folder FOLDER: moves it, or one above it, and puts another in its place.
int replace_folder(const Words& words) {
  const char* path = words.at(0).c_str();
  const std::string evil = evil_folder();
  say("rename", rename(evil.c_str(), path));
  say("exchange", renameat2(AT_FDCWD, evil.c_str(), AT_FDCWD, path, RENAME_EXCHANGE));
  say("exchange-back", renameat2(AT_FDCWD, path, AT_FDCWD, evil.c_str(), RENAME_EXCHANGE));
  say("move-away", rename(path, "away"));
  say("rmdir", rmdir(path));
  return 0;
}

// attributes FILE: everything that changes a file without writing to it.
int attributes(const Words& words) {
  const char* path = words.at(0).c_str();
  const int fd = open(path, O_RDONLY);
  const int handle = open(path, O_PATH);
  const std::string by_handle = "/proc/self/fd/" + std::to_string(handle);
  const timespec times[2] = {{1, 0}, {1, 0}};
  const utimbuf old_times = {1, 1};
  int flags = FS_NODUMP_FL;
  say("chmod", chmod(path, 0777));
  say("fchmodat", fchmodat(AT_FDCWD, path, 0777, 0));
  say("fchmodat2", syscall(452, AT_FDCWD, path, 0777, 0));
  say("fchmod", fchmod(fd, 0777));
  say("chmod-handle", chmod(by_handle.c_str(), 0777));
  say("chown", chown(path, getuid(), getgid()));
  say("lchown", lchown(path, getuid(), getgid()));
  say("fchown", fchown(fd, getuid(), getgid()));
  say("fchownat", fchownat(handle, "", getuid(), getgid(), AT_EMPTY_PATH));
  say("utime", utime(path, &old_times));
  say("utimensat", utimensat(AT_FDCWD, path, times, 0));
  say("futimens", futimens(fd, times));
  say("utimensat-handle", utimensat(AT_FDCWD, by_handle.c_str(), times, 0));
  say("setxattr", setxattr(path, "user.hacked", "1", 1, 0));
  say("lsetxattr", lsetxattr(path, "user.hacked", "1", 1, 0));
  say("fsetxattr", fsetxattr(fd, "user.hacked", "1", 1, 0));
  say("removexattr", removexattr(path, "user.mark"));
  say("truncate", truncate(path, 0));
  say("fallocate", fallocate(fd, 0, 0, 1 << 20));
  say("set-flags", ioctl(fd, FS_IOC_SETFLAGS, &flags));
  return 0;
}

// probe PATH: what every kind of call answers about it. Two paths that do not exist here must get the same answers.
int probe(const Words& words) {
  const char* path = words.at(0).c_str();
  struct stat info = {};
  char buffer[64];
  const std::string below = words[0] + "/below";
  say("stat", stat(path, &info));
  say("lstat", lstat(path, &info));
  say("access", access(path, F_OK));
  say("open", open(path, O_RDONLY));
  say("open-write", open(path, O_WRONLY));
  say("open-path", open(path, O_PATH));
  say("open-directory", open(path, O_RDONLY | O_DIRECTORY));
  say("readlink", readlink(path, buffer, sizeof buffer));
  say("getxattr", getxattr(path, "user.x", buffer, sizeof buffer));
  say("stat-below", stat(below.c_str(), &info));
  say("chdir", chdir(path));
  return 0;
}

// probe-harder PATH: also with calls that would change something.
int probe_harder(const Words& words) {
  probe(words);
  const char* path = words[0].c_str();
  const std::string below = words[0] + "/below";
  char* const nothing[] = {nullptr};
  say("truncate", truncate(path, 0));
  say("chmod", chmod(path, 0777));
  say("unlink", unlink(path));
  say("rmdir", rmdir(path));
  say("rename", rename(path, "stolen"));
  say("link", link(path, "stolen"));
  say("exec", execve(path, nothing, nothing));
  say("mkdir-below", mkdir(below.c_str(), 0755));
  say("create-below", open(below.c_str(), O_CREAT | O_WRONLY, 0644));
  return 0;
}

}  // namespace

std::vector<Attack> file_attacks() {
  return {{"replace", replace},
          {"replace-folder", replace_folder},
          {"attributes", attributes},
          {"probe", probe},
          {"probe-harder", probe_harder}};
}

}  // namespace pale::attack
