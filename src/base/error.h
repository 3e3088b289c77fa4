// base/error.h: what went wrong, said once and completely; and the Result that carries it.
#pragma once

#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace pale {

// The kind decides the exit code (cli/exit_code.h); the rest is for the reader of the message.
enum class ErrorKind {
  Usage,        // the request itself is wrong
  NotFound,     // something named does not exist
  Refused,      // a boundary, or a guard, says no
  Unsupported,  // this kernel or machine cannot keep what was asked
  System,       // the kernel said no to Pale
  Mismatch,     // what was read back differs from the plan
};

struct Error {
  ErrorKind kind = ErrorKind::System;
  int number = 0;                        // errno, or 0 where the kernel was not involved
  std::string operation;                 // what was tried: "open", "mount tmpfs"
  std::string subject;                   // on what: a path, an option
  std::string hint;                      // a command or an action that helps; may be empty
  std::vector<std::string> other_hints;  // further ways out

  // One sentence without the hint: "open /x: No such file or directory".
  std::string sentence() const;

  Error with_hint(std::string text) && {
    hint = std::move(text);
    other_hints.clear();
    return std::move(*this);
  }
  Error or_hint(std::string text) && {
    other_hints.push_back(std::move(text));
    return std::move(*this);
  }

  bool operator==(const Error&) const = default;
};

template <typename T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

inline std::unexpected<Error> fail(Error error) { return std::unexpected(std::move(error)); }

inline std::unexpected<Error> fail(ErrorKind kind, std::string operation, std::string subject, std::string hint = {}) {
  return fail(Error{kind, 0, std::move(operation), std::move(subject), std::move(hint)});
}

inline std::unexpected<Error> fail_errno(int number, std::string operation, std::string subject) {
  return fail(Error{ErrorKind::System, number, std::move(operation), std::move(subject), {}});
}

// The text of an errno, as strerror has it, without its locale machinery.
std::string errno_text(int number);

// Passes an Error up; otherwise goes on with the value. `PALE_TRY(fd, open(path));`
#define PALE_JOIN2(a, b) a##b
#define PALE_JOIN(a, b) PALE_JOIN2(a, b)
#define PALE_TRY_AS(slot, name, expression)                   \
  auto slot = (expression);                                   \
  if (!slot) return std::unexpected(std::move(slot).error()); \
  auto name = std::move(*slot)
#define PALE_TRY(name, expression) PALE_TRY_AS(PALE_JOIN(pale_try_, __LINE__), name, expression)
#define PALE_CHECK(expression) \
  if (auto pale_check = (expression); !pale_check) return std::unexpected(std::move(pale_check).error())

}  // namespace pale
