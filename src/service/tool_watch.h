// service/tool_watch.h: the tools hear what a strict run was refused, as whoever looks on does: along a line of theirs.
#pragma once

#include <memory>

#include "sandbox/sighting.h"
#include "sys/event.h"

namespace pale::service {

class ToolWatch final : public sandbox::Onlooker {
 public:
  // For `other`, too.
  static Result<std::unique_ptr<ToolWatch>> make(sandbox::Onlooker& other);
  ToolWatch(sandbox::Onlooker& other, sys::Pipe pipe) : other_(other), pipe_(std::move(pipe)) {}

  const sys::Fd& line() const noexcept { return pipe_.read_end; }

  bool tell_now(const sandbox::WatchedScope& scope, const Boundary& boundary,
                const sandbox::Sighting& sighting) override {
    return other_.tell_now(scope, boundary, sighting);
  }
  void hear(const sandbox::WatchedScope& scope, const Boundary& boundary, const sandbox::Sighting& sighting,
            bool told) override {
    other_.hear(scope, boundary, sighting, told);
  }
  void tried(const sandbox::Sighting& sighting) override;

 private:
  sandbox::Onlooker& other_;
  sys::Pipe pipe_;
};

}  // namespace pale::service
