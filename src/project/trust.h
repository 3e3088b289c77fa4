// project/trust.h: how far an agent is trusted in a project, in five steps, and what each means for its boundary.
#pragma once

#include <optional>
#include <string_view>

#include "boundary/boundary.h"

namespace pale::project {

// In the order of what they allow.
enum class Trust { Discovery, ReadOnly, Workspace, Shell, Full };

struct TrustLevel {
  Trust trust;
  std::string_view name;
  Access access;    // to the project's root
  Network network;  // if nothing else is said of it
  std::string_view meaning;
};

inline constexpr TrustLevel kTrustLevels[] = {
    {Trust::Discovery, "discovery", Access::List, Network::None,
     "the names of the project's files, not their contents"},
    {Trust::ReadOnly, "read_only", Access::Read, Network::None, "the project can be read, not changed"},
    {Trust::Workspace, "workspace", Access::Write, Network::None,
     "the project can be changed, but for what is protected"},
    {Trust::Shell, "shell", Access::Write, Network::None, "as workspace, and tools may run commands without asking"},
    {Trust::Full, "full", Access::Write, Network::Open, "as shell, and the host's network"},
};
// What is trusted where nobody says anything, and the most that a committed file may say unasked: neither reaches beyond
// the project.
inline constexpr Trust kUsualTrust = Trust::Workspace;
inline constexpr Trust kMostUnasked = Trust::Shell;

constexpr const TrustLevel& level_of(Trust trust) { return kTrustLevels[static_cast<std::size_t>(trust)]; }
std::optional<Trust> parse_trust(std::string_view name);

}  // namespace pale::project
