// project/settings.h: what a manifest says of the boundary, each word with the place where it stands; and how one set of
// settings narrows another.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "boundary/host_rule.h"
#include "project/table.h"
#include "project/trust.h"

namespace pale::project {

// Each in the order of what it allows.
enum class Scope { Strict, Permissive };
enum class GitUse { None, Read, Commit };
enum class NetworkMode { None, Allow, Open };
// Where zones lie: in the project itself, or in a folder of it that is theirs alone.
enum class SandboxMode { Direct, Sandboxed };
// Who answers for what a zone wants to be asked about, the user first.
enum class ApprovalMode { Deny, Manual, Tool, Auto };

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
inline constexpr Choice<SandboxMode> kSandboxModes[] = {{"direct", SandboxMode::Direct},
                                                        {"sandboxed", SandboxMode::Sandboxed}};
inline constexpr Choice<ApprovalMode> kApprovalModes[] = {
    {"auto", ApprovalMode::Auto}, {"manual", ApprovalMode::Manual}, {"tool", ApprovalMode::Tool}};
inline constexpr std::string_view kSandboxRoot = ".sandbox";  // that folder, if nothing else is said

// As a manifest and a command line write them.
inline std::string name_of(Trust trust) { return std::string(level_of(trust).name); }
inline std::string name_of(Scope scope) { return std::string(kScopes[static_cast<std::size_t>(scope)].name); }
inline std::string name_of(NetworkMode mode) { return std::string(kNetworkModes[static_cast<std::size_t>(mode)].name); }

struct ProtectedPath {
  Path path;  // absolute, below the root
  Match match;
};

// In the order of what they refuse.
enum class Approval { PreApproved, Ask, Blocked };
inline constexpr Choice<Approval> kApprovals[] = {
    {"preApproved", Approval::PreApproved}, {"ask", Approval::Ask}, {"blocked", Approval::Blocked}};

// What is asked about in a zone before it is done; nothing: not said.
struct ZoneApproval {
  std::optional<Approval> write;
  std::optional<Approval> remove;  // "delete" in files
  bool operator==(const ZoneApproval&) const = default;
};

struct Zone {
  std::string name;
  Path path;  // absolute; where it lies outside the root, only the user can grant it
  Access access;
  std::string where;
  std::string written;  // its path as it stands there; empty: it is inherited
  ZoneApproval approval;
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
  std::vector<HostRule> hosts;  // with NetworkMode::Allow; none: all that the user has granted
  std::optional<Said<std::uint64_t>> connections;
  std::optional<Said<std::uint64_t>> requests;
  std::optional<Said<std::uint64_t>> traffic;
  std::optional<Said<std::uint64_t>> host_traffic;
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
  std::optional<Said<SandboxMode>> sandbox_mode;
  std::optional<Said<std::string>> sandbox_root;
  std::optional<Said<ApprovalMode>> approval;
  std::optional<Said<std::uint64_t>> max_depth;     // of workers that call workers
  std::optional<Said<std::uint64_t>> max_calls;     // of them, below one that the user calls
  std::optional<Said<std::uint64_t>> call_seconds;  // that each of them may take
  std::vector<Said<std::string>> worker_paths;      // where they lie, relative to the root
  std::vector<Declared> declared;
};

// `by` on top of `base`: what it leaves out stays as it is; what it says may only be tighter. An error names both places.
Result<Settings> narrow(const Settings& base, const Settings& by);

// The settings of an enclosing project, as far as they concern a project at `root` inside it.
Settings seen_from(const Settings& enclosing, const Path& root);

}  // namespace pale::project
