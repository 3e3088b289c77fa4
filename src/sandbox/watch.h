// sandbox/watch.h: answers the calls that the filter asks about, from the one value that decides.
#pragma once

#include "boundary/explain.h"
#include "sandbox/originals.h"
#include "sys/fd.h"
#include "sys/seccomp.h"

namespace pale::sandbox {

// Who is told what the watch sees. It decides nothing.
class Witness {
 public:
  Witness() = default;
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  virtual ~Witness() = default;
  virtual void denied(const Path& path, Operation operation) = 0;
  // The boundary lets it: the kernel may still not.
  virtual void changes(const Path& path, Operation operation) = 0;
};

class Watch {
 public:
  // `witness`: null if nobody wants to know.
  Watch(const Boundary& boundary, sys::Fd listener, const StagedFiles* staged, Witness* witness)
      : boundary_(boundary), listener_(std::move(listener)), staged_(staged), witness_(witness) {}

  const sys::Fd& listener() const noexcept { return listener_; }
  // Nobody is left who could ask.
  void end() noexcept { listener_.reset(); }
  // One notification: refused with the errno the boundary gives, or left to the kernel.
  Status answer_next();

 private:
  int decide(const sys::Notification& notification) const;
  int decide_attribute(sys::Pid thread, int descriptor) const;
  bool may_change(const Path& path) const;
  int tell(const Path& path, Operation operation, int number) const;

  const Boundary& boundary_;
  sys::Fd listener_;
  const StagedFiles* staged_;  // null without a stage
  Witness* witness_;
  bool loopback_raised_ = false;
};

}  // namespace pale::sandbox
