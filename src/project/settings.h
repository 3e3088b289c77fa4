// project/settings.h: what a manifest says of the boundary, each word with the place where it stands; and how one set of
// settings narrows another.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "project/table.h"
#include "project/trust.h"

namespace pale::project {

// Each in the order of what it allows.
enum class Scope { Strict, Permissive };
enum class GitUse { None, Read, Commit };
enum class NetworkMode { None, Allow, Open };

inline constexpr auto kTrusts = [] {
  std::array<Choice<Trust>, std::size(kTrustLevels)> choices = {};
  std::ranges::transform(kTrustLevels, choices.begin(),
                         [](const TrustLevel& level) { return Choice<Trust>{level.name, level.trust}; });
  return choices;
}();
inline constexpr Choice<Scope> kScopes[] = {{"strict", Scope::Strict}, {"permissive", Scope::Permissive}};
inline constexpr Choice<GitUse> kGitUses[] = {
    {"none", GitUse::None}, {"read", GitUse::Read}, {"commit", GitUse::Commit}};
inline constexpr Choice<NetworkMode> kNetworkModes[] = {
    {"none", NetworkMode::None}, {"allow", NetworkMode::Allow}, {"open", NetworkMode::Open}};

// As a manifest and a command line write them.
inline std::string name_of(Trust trust) { return std::string(level_of(trust).name); }
inline std::string name_of(NetworkMode mode) { return std::string(kNetworkModes[static_cast<std::size_t>(mode)].name); }

struct ProtectedPath {
  Path path;  // absolute, below the root
  Match match;
};

struct Zone {
  std::string name;
  Path path;  // absolute; where it lies outside the root, only the user can grant it
  Access access;
  std::string where;
};

// A word that another part of Pale enforces: shown, not folded into the boundary.
struct Declared {
  std::string key;
  std::string value;
  std::string where;
};

struct Settings {
  std::optional<Said<Trust>> trust;
  std::optional<Said<NetworkMode>> network;
  std::optional<Said<Scope>> scope;
  std::optional<Said<GitUse>> git;
  std::optional<Said<std::uint64_t>> memory;
  std::optional<Said<std::uint64_t>> pids;
  std::optional<Said<std::uint64_t>> seconds;
  std::optional<Said<std::string>> agent;   // the name of an adapter
  std::optional<Said<std::string>> staged;  // work is to be staged for review
  std::vector<Said<std::string>> command;   // an agent of the project's own
  std::vector<Said<ProtectedPath>> protections;
  std::vector<Said<Path>> folders;  // absolute
  std::vector<Zone> zones;
  std::vector<Declared> declared;
};

// `by` on top of `base`: what it leaves out stays as it is; what it says may only be tighter. An error names both places.
Result<Settings> narrow(const Settings& base, const Settings& by);

// The settings of an enclosing project, as far as they concern a project at `root` inside it.
Settings seen_from(const Settings& enclosing, const Path& root);

}  // namespace pale::project
