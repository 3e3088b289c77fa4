// sys/fd.h: sole owner of one open file descriptor.
#pragma once

#include <utility>

#include "sys/call.h"

namespace pale::sys {

class Fd {
 public:
  Fd() noexcept = default;
  explicit Fd(long raw) noexcept : raw_(static_cast<int>(raw)) {}
  Fd(Fd&& other) noexcept : raw_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    reset();
    raw_ = other.release();
    return *this;
  }
  ~Fd() { reset(); }

  bool is_open() const noexcept { return raw_ >= 0; }
  int borrow() const noexcept { return raw_; }  // Ownership stays here.
  [[nodiscard]] int release() noexcept { return std::exchange(raw_, -1); }
  // Not retried on EINTR: Linux has freed the number by then.
  void reset() noexcept {
    if (raw_ >= 0) (void)call(SYS_close, release());
  }

 private:
  int raw_ = -1;
};

}  // namespace pale::sys
