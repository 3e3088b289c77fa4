// Inside a sandbox: tries one operation on every path of its input (each ends with NUL) and prints an errno for each, 0 if
// it was done. What it did it undoes at once, so that no path's answer depends on another's.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>

namespace {

constexpr mode_t kMode = 0755;
constexpr int kCannotUndo = 255;

int done(int result) { return result < 0 ? errno : 0; }

int make_file(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, kMode);
  if (fd < 0) return errno;
  const bool written = write(fd, "#!/bin/true\n", 12) == 12;
  close(fd);
  return written ? 0 : EIO;
}

int open_and_close(const std::string& path, int flags) {
  const int fd = open(path.c_str(), flags | O_NONBLOCK);
  if (fd < 0) return errno;
  close(fd);
  return 0;
}

int try_read(const std::string& path) { return open_and_close(path, O_RDONLY); }
int try_write(const std::string& path) { return open_and_close(path, O_WRONLY); }

int try_create_file(const std::string& path) {
  const int error = make_file(path);
  return error == 0 && unlink(path.c_str()) != 0 ? kCannotUndo : error;
}

// One above something protected can be made, and not be removed again: nothing else is tried there.
int try_create_directory(const std::string& path) {
  const int error = done(mkdir(path.c_str(), kMode));
  if (error == 0) rmdir(path.c_str());
  return error;
}

int try_place(const std::string& path) {
  const std::string beside = path.substr(0, path.rfind('/') + 1) + ".probe";
  if (const int error = make_file(beside); error != 0) return error;
  const int error = done(rename(beside.c_str(), path.c_str()));
  return unlink(error == 0 ? path.c_str() : beside.c_str()) != 0 ? kCannotUndo : error;
}

int try_remove(const std::string& path) {
  struct stat info = {};
  if (lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    const int error = done(rmdir(path.c_str()));
    if (error == ENOTEMPTY) return 0;  // Everything else was asked before that.
    return error == 0 && mkdir(path.c_str(), kMode) != 0 ? kCannotUndo : error;
  }
  const int error = done(unlink(path.c_str()));
  return error == 0 && make_file(path) != 0 ? kCannotUndo : error;
}

int try_rename(const std::string& path) {
  const std::string moved = path + ".moved";
  const int error = done(rename(path.c_str(), moved.c_str()));
  return error == 0 && rename(moved.c_str(), path.c_str()) != 0 ? kCannotUndo : error;
}

// To the mode it has: it may be the host's.
int try_chmod(const std::string& path) {
  struct stat info = {};
  const mode_t mode = lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : kMode;
  return done(chmod(path.c_str(), mode));
}

int try_execute(const std::string& path) {
  static volatile int error;
  error = 0;
  const pid_t child = vfork();
  if (child == 0) {
    char* argv[] = {const_cast<char*>(path.c_str()), nullptr};
    execve(path.c_str(), argv, environ);
    error = errno;
    _exit(1);
  }
  waitpid(child, nullptr, 0);
  return error;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, int (*)(const std::string&)> operations = {{"read", try_read},
                                                                         {"write", try_write},
                                                                         {"create-file", try_create_file},
                                                                         {"create-directory", try_create_directory},
                                                                         {"place", try_place},
                                                                         {"remove", try_remove},
                                                                         {"rename", try_rename},
                                                                         {"chmod", try_chmod},
                                                                         {"execute", try_execute}};
  const auto operation = operations.find(argc == 2 ? argv[1] : "");
  if (operation == operations.end()) return 2;
  umask(0);
  for (std::string path; std::getline(std::cin, path, '\0');) std::printf("%d\n", operation->second(path));
}
