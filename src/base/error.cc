#include "base/error.h"

#include <array>
#include <cerrno>
#include <string_view>

namespace pale {
namespace {

struct Named {
  int number;
  std::string_view text;
};

// Those that Pale's own calls return; the words are the C library's, so that people can search for them.
constexpr std::array kTexts = {
    Named{EPERM, "Operation not permitted"},
    Named{ENOENT, "No such file or directory"},
    Named{ESRCH, "No such process"},
    Named{EINTR, "Interrupted system call"},
    Named{EIO, "Input/output error"},
    Named{E2BIG, "Argument list too long"},
    Named{ENOEXEC, "Exec format error"},
    Named{EBADF, "Bad file descriptor"},
    Named{EAGAIN, "Resource temporarily unavailable"},
    Named{ENOMEM, "Cannot allocate memory"},
    Named{EACCES, "Permission denied"},
    Named{EBUSY, "Device or resource busy"},
    Named{EEXIST, "File exists"},
    Named{EXDEV, "Invalid cross-device link"},
    Named{ENODEV, "No such device"},
    Named{ENOTDIR, "Not a directory"},
    Named{EISDIR, "Is a directory"},
    Named{EINVAL, "Invalid argument"},
    Named{ENFILE, "Too many open files in system"},
    Named{EMFILE, "Too many open files"},
    Named{ETXTBSY, "Text file busy"},
    Named{EFBIG, "File too large"},
    Named{ENOSPC, "No space left on device"},
    Named{EROFS, "Read-only file system"},
    Named{ENAMETOOLONG, "File name too long"},
    Named{ENOSYS, "Function not implemented"},
    Named{ENOTEMPTY, "Directory not empty"},
    Named{ELOOP, "Too many levels of symbolic links"},
    Named{EOPNOTSUPP, "Operation not supported"},
    Named{EDQUOT, "Disk quota exceeded"},
    Named{EUSERS, "Too many users"},
    Named{EADDRINUSE, "Address already in use"},
    Named{EADDRNOTAVAIL, "Cannot assign requested address"},
};

}  // namespace

std::string errno_text(int number) {
  for (const Named& named : kTexts) {
    if (named.number == number) return std::string(named.text);
  }
  return "error " + std::to_string(number);
}

std::string Error::sentence() const {
  std::string text = operation;
  if (!subject.empty()) text += (text.empty() ? "" : " ") + subject;
  if (number != 0) text += ": " + errno_text(number);
  return text;
}

}  // namespace pale
