// tests/support/boundary_generators.h: paths, boundaries and requests by chance, close enough together to meet each other.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "boundary/boundary.h"
#include "boundary/explain.h"
#include "boundary/json.h"

namespace pale {

// For the messages of failing tests; found by name lookup in this namespace.
inline void showValue(const Path& path, std::ostream& out) { out << path.text(); }
inline void showValue(const Boundary& boundary, std::ostream& out) { out << to_json(boundary); }
inline void PrintTo(const Path& path, std::ostream* out) { *out << path.text(); }
inline void PrintTo(const Boundary& boundary, std::ostream* out) { *out << to_json(boundary); }
inline void PrintTo(Outcome outcome, std::ostream* out) { *out << to_text(outcome); }
inline void PrintTo(const Error& error, std::ostream* out) { *out << error.sentence() << " [" << error.hint << "]"; }

namespace testing {

// Names that are prefixes of each other, that need quoting, that are no text at all, and that look like patterns.
inline const std::vector<std::string> kCommonNames = {"a", "lib", "library", ".git", ".gitignore"};
inline const std::vector<std::string> kOddNames = {"a b",  "qu\"o'te", "new\nline", "\xff\xfe",
                                                   "lib*", "?",        "\\",        "\xc3\xa9"};
inline const std::vector<std::string> kPatterns = {"*", "lib*", ".git*", "?", "*y", "a"};

inline rc::Gen<std::string> name() {
  return rc::gen::weightedOneOf<std::string>(
      {{9, rc::gen::elementOf(kCommonNames)}, {1, rc::gen::elementOf(kOddNames)}});
}

// From `low` to below `high`, as often one as the other; rapidcheck's own starts a run with small ones only.
template <typename T>
rc::Gen<T> number(T low, T high) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, high));
}

inline Path joined(Path start, const std::vector<std::string>& names) {
  for (const std::string& each : names) start = start / each;
  return start;
}

// `start`, or up to `most` names beneath it.
inline rc::Gen<Path> path_in(const Path& start, int most) {
  return rc::gen::mapcat(number(0, most + 1), [start](int depth) {
    return rc::gen::map(rc::gen::container<std::vector<std::string>>(static_cast<std::size_t>(depth), name()),
                        [start](const std::vector<std::string>& names) { return joined(start, names); });
  });
}

inline rc::Gen<Path> path() {
  return rc::gen::weightedOneOf<Path>({{12, path_in(Path::literal("/w"), 3)},
                                       {3, path_in(Path::root(), 2)},
                                       {1, path_in(Path::literal("/tmp"), 1)},
                                       {1, path_in(Path::literal("/dev"), 1)},
                                       {1, path_in(Path::literal("/dev/shm"), 1)}});
}

template <typename T>
T one_of(std::vector<T> choices) {
  return *rc::gen::elementOf(std::move(choices));
}

inline Access any_access() { return one_of<Access>({Access::None, Access::Read, Access::Write, Access::Write}); }
inline Removal any_removal() { return one_of<Removal>({Removal::Allowed, Removal::Allowed, Removal::Denied}); }
inline std::string any_origin() { return one_of<std::string>({"--rw", "system", "\xff"}); }

inline Grant any_grant() {
  const Path place = *path();
  const bool elsewhere = *number(0, 5) == 0;
  return {place,        any_access(), elsewhere ? *path_in(Path::literal("/host"), 1) : place,
          any_origin(), {},           any_removal()};
}

inline Protection any_protection(const Path& inside) {
  const Path place = *path_in(inside, 2);
  if (*number(0, 3) != 0) return {place, Match::Exact, any_origin()};
  return {place / one_of(kPatterns), Match::Glob, any_origin()};
}

inline Limits any_limits() {
  const auto limit = [] { return *rc::gen::maybe(number<std::uint64_t>(0, 4)); };
  const auto optional = [](const rc::Maybe<std::uint64_t>& value) {
    return value ? std::optional<std::uint64_t>(*value) : std::nullopt;
  };
  return {optional(limit()), optional(limit()), optional(limit())};
}

inline std::vector<Variable> any_environment() {
  std::vector<Variable> all;
  for (int left = *number(0, 3); left > 0; --left) {
    all.push_back(
        {one_of<std::string>({"PATH", "LANG", "\xff\xfe"}), one_of<std::string>({"", "=", "\xff"}), any_origin()});
  }
  return all;
}

inline HostRule any_rule() {
  const auto kind = one_of<HostRule::Kind>({HostRule::Kind::Name, HostRule::Kind::Below, HostRule::Kind::Address});
  if (kind == HostRule::Kind::Address)
    return {kind, one_of<std::string>({"192.0.2.1", "::1"}), one_of<std::uint16_t>({0, 80, 443, 5432}), any_origin()};
  return {kind, one_of<std::string>({"a.test", "b.a.test", "c.b.a.test", "xa.test", "b.test"}),
          one_of<std::uint16_t>({0, 80, 443, 8443}), any_origin()};
}

inline std::vector<HostRule> any_rules() {
  std::vector<HostRule> rules;
  for (int left = *number(0, 4); left > 0; --left) rules.push_back(any_rule());
  return rules;
}

// What Boundary::make refuses, and a generator would meet too often.
inline void drop_beneath_hidden(std::vector<Grant>& grants) {
  const std::vector<Grant> all = grants;
  std::erase_if(grants, [&](const Grant& grant) {
    return std::any_of(all.begin(), all.end(), [&](const Grant& above) {
      return above.access == Access::None && above.path != grant.path && above.covers(grant.path);
    });
  });
}

inline BoundaryParts any_parts() {
  BoundaryParts parts;
  for (int left = *number(1, 6); left > 0; --left) parts.grants.push_back(any_grant());
  drop_beneath_hidden(parts.grants);
  parts.workspace = *path_in(one_of(parts.grants).path, 1);
  parts.home = one_of(parts.grants).path;
  for (int left = *number(0, 4); left > 0; --left) {
    parts.protections.push_back(any_protection(one_of(parts.grants).path));
  }
  parts.network = one_of<Network>({Network::None, Network::Allow, Network::Open});
  parts.hosts = any_rules();
  parts.credentials = {{"model", "a.test", 443, 912}};
  parts.environment = any_environment();
  parts.limits = any_limits();
  return parts;
}

inline Boundary made(BoundaryParts parts) {
  auto boundary = Boundary::make(std::move(parts));
  RC_ASSERT(boundary.has_value());
  return *boundary;
}

inline rc::Gen<Boundary> boundary() {
  return rc::gen::exec([] { return made(any_parts()); });
}

// A request the parent may well grant: its own places and some beneath them, mostly with no more access than it has.
inline Boundary any_request(const Boundary& parent) {
  BoundaryParts parts;
  for (int left = *number(1, 4); left > 0; --left) {
    const Path place = *path_in(one_of(parent.grants()).path, 1);
    const Grant& above = *parent.grant_for(place);
    const bool greedy = *number(0, 12) == 0;
    const std::string_view rest = above.path.below(place);
    parts.grants.push_back({place,
                            greedy ? Access::Write : std::min(any_access(), above.access),
                            rest.empty() ? above.source : above.source / rest,
                            any_origin(),
                            {},
                            greedy ? Removal::Allowed : std::max(any_removal(), above.removal)});
  }
  drop_beneath_hidden(parts.grants);
  parts.workspace = parts.home = one_of(parts.grants).path;
  if (*rc::gen::arbitrary<bool>()) parts.protections.push_back(any_protection(one_of(parts.grants).path));
  parts.network = std::min(parent.network(), one_of<Network>({Network::None, Network::Allow, Network::Open}));
  parts.hosts = *number(0, 3) == 0 ? any_rules() : common(parent.hosts(), any_rules());
  parts.credentials = parent.credentials();
  if (*rc::gen::arbitrary<bool>()) parts.environment = parent.environment();
  parts.limits = any_limits();
  return made(std::move(parts));
}

inline rc::Gen<Boundary> request(const Boundary& parent) {
  return rc::gen::exec([parent] { return any_request(parent); });
}

// The paths at which boundaries may differ: all they name, what lies above, and every common or named name beneath.
inline std::set<Path> paths_that_matter(const std::vector<Boundary>& boundaries) {
  std::set<Path> named = {Path::root(), Path::literal("/tmp"), Path::literal("/dev/shm"), Path::literal("/nowhere/x")};
  for (const Boundary& each : boundaries) {
    for (const Grant& grant : each.grants()) named.insert(grant.path);
    for (const Protection& protection : each.protections()) named.insert({protection.path, protection.path.parent()});
  }
  std::set<Path> all;
  for (Path place : named) {
    all.insert(place / "a" / "other");
    for (const std::string& each : kCommonNames) all.insert(place / each);
    for (; all.insert(place).second && !place.is_root();) place = place.parent();
  }
  return all;
}

}  // namespace testing
}  // namespace pale
