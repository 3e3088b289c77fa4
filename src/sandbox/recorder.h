// sandbox/recorder.h: the witness of a run that somebody wants to hear of: what is told, each thing once.
#pragma once

#include <vector>

#include "sandbox/seen_before.h"
#include "sandbox/sighting_log.h"
#include "sandbox/watch.h"

namespace pale::sandbox {

class Recorder final : public Witness {
 public:
  Recorder(const Boundary& boundary, const WatchedScope& scope, SightingLog& log, Onlooker& onlooker);

  void saw(const Path& path, Act act, Found found, bool refused) override;
  bool cares_for(std::string_view written) const override;
  bool cares_for(const Path& path) const override { return is_told(boundary_, scope_, path); }
  void connects(const std::string& address) override;

  // How many times somebody asked whether anything is to be told.
  std::uint64_t looked_at() const noexcept { return looked_at_; }

 private:
  void tell(const Sighting& sighting);

  const Boundary& boundary_;
  const WatchedScope& scope_;
  SightingLog& log_;
  Onlooker& onlooker_;
  std::vector<std::string>
      elsewhere_;  // "/usr/": nothing beneath leads into the workspace, and nothing can be changed to
  SeenBefore seen_;
  mutable std::uint64_t looked_at_ = 0;
};

}  // namespace pale::sandbox
