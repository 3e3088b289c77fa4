// service/watch_report.h: what a watch saw, in words: while a run does it, and in the end. Pure; what comes from inside is made safe
// to show.
#pragma once

#include <string>
#include <vector>

#include "sandbox/outside.h"

namespace pale::service {

// A few whole lines for the moment it happens; empty: there is nothing to say then.
std::string block_of(const sandbox::WatchedScope& scope, const Boundary& boundary, const sandbox::Sighting& sighting);

// "lib,src", safe to show.
std::string folder_list(const sandbox::WatchedScope& scope, const Path& root, std::string_view between);
// Below the root, or as it is.
std::string relative_to(const Path& root, const std::string& path);

struct WatchSummary {
  std::string text;                // whole lines; empty: there is nothing to say
  std::vector<std::string> hints;  // commands, or what to write where
};

// Whether something in the folders was changed as well.
enum class StageHolds { FoldersToo, OutsideOnly };

// `root`: where the project lies. `stage`: which holds what was changed; else empty.
WatchSummary summary_of(const sandbox::WatchedScope& scope, const Path& root,
                        const std::vector<sandbox::Sighting>& sightings, const std::string& stage,
                        StageHolds holds = StageHolds::FoldersToo);

}  // namespace pale::service
