#include "project/settings.h"

#include <gtest/gtest.h>

#include <random>

namespace pale::project {
namespace {

template <typename T>
std::optional<Said<T>> maybe(std::mt19937& random, unsigned count) {
  if (random() % 3 == 0) return std::nullopt;
  return Said<T>{static_cast<T>(random() % count), "x:1"};
}

Settings draw(std::mt19937& random) {
  Settings settings;
  settings.trust = maybe<Trust>(random, 5);
  settings.network = maybe<NetworkMode>(random, 3);
  settings.scope = maybe<Scope>(random, 2);
  settings.git = maybe<GitUse>(random, 3);
  settings.memory = maybe<std::uint64_t>(random, 4);
  settings.pids = maybe<std::uint64_t>(random, 4);
  settings.seconds = maybe<std::uint64_t>(random, 4);
  const char* places[] = {"/w/a", "/w/a/b", "/w/c", "/w/a/b/d"};
  for (unsigned count = static_cast<unsigned>(random() % 3); count > 0; --count) {
    settings.folders.push_back({Path::literal(places[random() % 4]), "x:2"});
    settings.protections.push_back({{Path::literal(places[random() % 4]), Match::Exact}, "x:3"});
    settings.zones.push_back({"z" + std::to_string(count), Path::literal(places[2 * (random() % 2) + count % 2]),
                              random() % 2 == 0 ? Access::Read : Access::Write, "x:4"});
  }
  return settings;
}

template <typename T>
bool no_more(const std::optional<Said<T>>& result, const std::optional<Said<T>>& base) {
  return !base || (result && result->value <= base->value);
}

bool protects_all(const Settings& result, const Settings& base) {
  return std::ranges::all_of(base.protections, [&](const auto& theirs) {
    return std::ranges::any_of(result.protections,
                               [&](const auto& own) { return own.value.path == theirs.value.path; });
  });
}

TEST(Narrow, NeverWidensAnything) {
  std::mt19937 random(7);
  int narrowed = 0;
  for (int round = 0; round < 20000; ++round) {
    const Settings base = draw(random);
    const Settings by = draw(random);
    const auto result = narrow(base, by);
    if (!result) {
      EXPECT_EQ(result.error().kind, ErrorKind::Refused);
      continue;
    }
    ++narrowed;
    EXPECT_TRUE(no_more(result->trust, base.trust) && no_more(result->trust, by.trust));
    EXPECT_TRUE(no_more(result->network, base.network) && no_more(result->network, by.network));
    EXPECT_TRUE(no_more(result->scope, base.scope) && no_more(result->git, base.git));
    EXPECT_TRUE(no_more(result->memory, base.memory) && no_more(result->pids, base.pids));
    EXPECT_TRUE(no_more(result->seconds, base.seconds));
    EXPECT_TRUE(protects_all(*result, base) && protects_all(*result, by));
    for (const auto& folder : result->folders) {
      const auto covers = [&](const Said<Path>& wider) { return wider.value.covers(folder.value); };
      EXPECT_TRUE(base.folders.empty() || std::ranges::any_of(base.folders, covers));
    }
    EXPECT_TRUE(base.folders.empty() || !result->folders.empty());
    // Once more changes nothing.
    const auto again = narrow(*result, by);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->trust.has_value(), result->trust.has_value());
    EXPECT_EQ(again->folders.size(), result->folders.size());
  }
  EXPECT_GT(narrowed, 500);
}

TEST(Narrow, ARefusalNamesBothPlaces) {
  Settings base;
  base.git = Said<GitUse>{GitUse::Read, "above:3"};
  Settings by;
  by.git = Said<GitUse>{GitUse::Commit, "below:9"};
  EXPECT_EQ(narrow(base, by).error().sentence(), "below:9: git asks for more than above:3 allows");
}

}  // namespace
}  // namespace pale::project
