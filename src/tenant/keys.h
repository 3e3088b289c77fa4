// tenant/keys.h: the keys of metadata.json.
#pragma once

#include <string_view>

#include "base/amount.h"
#include "tenant/settings.h"

namespace pale::tenant {

inline constexpr std::string_view kId = "id", kName = "name", kDescription = "description", kCreatedAt = "created_at",
                                  kWorkspaceIsolation = "workspace_isolation", kProtectedPaths = "protected_paths",
                                  kLimitsKey = "limits", kMaxRecursionDepth = "max_recursion_depth";
inline constexpr std::string_view kKeys[] = {
    kId, kName, kDescription, kCreatedAt, kWorkspaceIsolation, kProtectedPaths, kLimitsKey, kMaxRecursionDepth};

struct LimitKey {
  std::string_view name;
  std::optional<std::uint64_t> Limits::* member;
  Measure measure;
};
inline constexpr LimitKey kLimits[] = {{"sessions", &Limits::sessions, measure::kTasks},
                                       {"memory", &Limits::memory, measure::kBytes},
                                       {"pids", &Limits::pids, measure::kTasks},
                                       {"disk", &Limits::disk, measure::kBytes},
                                       {"seconds", &Limits::seconds, measure::kSeconds}};

}  // namespace pale::tenant
