// sandbox/watch.h: answers the calls that the filter asks about, from the one value that decides.
#pragma once

#include "boundary/explain.h"
#include "plan/plan.h"
#include "sandbox/glimpse.h"
#include "sandbox/originals.h"
#include "sandbox/sighting.h"
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
  // `refused`: the watch answered for the boundary. Else the kernel has the last word.
  virtual void saw(const Path& path, Act act, Found found, bool refused) = 0;
  // Only where the plan has accesses reported. Whether anything at a path as it was written, or as it leads, is worth a look.
  virtual bool cares_for(std::string_view written) const = 0;
  virtual bool cares_for(const Path& path) const = 0;
  virtual void connects(const std::string& address) = 0;
};

struct NameArgument;  // of a call

class Watch {
 public:
  // `witness`: null if nobody wants to know.
  Watch(const Boundary& boundary, const plan::Plan& plan, sys::Fd listener, const StagedFiles* staged, Witness* witness)
      : boundary_(boundary),
        watching_(plan.watching),
        reports_(witness != nullptr && plan.reporting != plan::Reporting::Nothing),
        listener_(std::move(listener)),
        staged_(staged),
        witness_(witness) {}

  const sys::Fd& listener() const noexcept { return listener_; }
  // Nobody is left who could ask.
  void end() noexcept { listener_.reset(); }
  // One notification: refused with the errno the boundary gives, or left to the kernel.
  Status answer_next();

 private:
  bool is_only_reported(const sys::Notification& notification) const;
  void report(const sys::Notification& notification);
  int decide(const sys::Notification& notification);
  int decide_name(const sys::Notification& notification, const NameArgument& argument) const;
  int decide_attribute(sys::Pid thread, int descriptor) const;
  int decide_attribute(sys::Pid thread, int directory, const std::string& text) const;
  int decide_attribute_at(const std::string& where) const;
  bool may_change(const Path& path) const;

  const Boundary& boundary_;
  plan::Watching watching_;
  bool reports_;
  sys::Fd listener_;
  const StagedFiles* staged_;  // null without a stage
  Witness* witness_;
  Glimpses glimpses_;
  bool loopback_raised_ = false;
};

}  // namespace pale::sandbox
