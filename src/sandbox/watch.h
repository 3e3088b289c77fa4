// sandbox/watch.h: answers the calls that the filter asks about, from the one value that decides.
#pragma once

#include "boundary/boundary.h"
#include "sandbox/originals.h"
#include "sys/fd.h"
#include "sys/seccomp.h"

namespace pale::sandbox {

class Watch {
 public:
  Watch(const Boundary& boundary, sys::Fd listener, const StagedFiles* staged)
      : boundary_(boundary), listener_(std::move(listener)), staged_(staged) {}

  const sys::Fd& listener() const noexcept { return listener_; }
  // Nobody is left who could ask.
  void end() noexcept { listener_.reset(); }
  // One notification: refused with the errno the boundary gives, or left to the kernel.
  Status answer_next();

 private:
  int decide(const sys::Notification& notification) const;
  int decide_attribute(sys::Pid thread, int descriptor) const;
  bool may_change(const Path& path) const;

  const Boundary& boundary_;
  sys::Fd listener_;
  const StagedFiles* staged_;  // null without a stage
  bool loopback_raised_ = false;
};

}  // namespace pale::sandbox
