#include "service/admit.h"

#include <gmock/gmock.h>

namespace pale::service {
namespace {

using testing::HasSubstr;

TEST(Admit, WithoutLimitsASessionGetsWhatItAsksFor) {
  const session::Limits wanted{100, 10, std::nullopt, 60};
  EXPECT_EQ(share_of({}, {}, wanted), wanted);
}

TEST(Admit, AProjectHasSoManySessionsAndNoMore) {
  const tenant::Limits two{.sessions = 2};
  EXPECT_TRUE(share_of(two, {{}}, {}));
  const auto refused = share_of(two, {{}, {}}, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().sentence(), HasSubstr("as many sessions as it may have: 2"));
}

TEST(Admit, WhoAsksForNothingGetsAnEqualShare) {
  const tenant::Limits limits{.sessions = 4, .memory = 4000, .pids = 40, .disk = 400};
  const auto share = share_of(limits, {}, {});
  ASSERT_TRUE(share);
  EXPECT_EQ(share->memory, 1000U);
  EXPECT_EQ(share->pids, 10U);
  EXPECT_EQ(share->disk, 100U);
}

TEST(Admit, WithoutANumberOfSessionsTheFirstGetsAllOfIt) {
  const tenant::Limits limits{.memory = 4000};
  EXPECT_EQ(share_of(limits, {}, {})->memory, 4000U);
  EXPECT_FALSE(share_of(limits, {{.memory = 4000}}, {}));
  EXPECT_EQ(share_of(limits, {{.memory = 3000}}, {.memory = 1000})->memory, 1000U);
}

TEST(Admit, TheSumIsNeverMoreThanTheProjects) {
  const tenant::Limits limits{.sessions = 3, .pids = 100};
  EXPECT_EQ(share_of(limits, {{.pids = 60}}, {.pids = 40})->pids, 40U);
  const auto refused = share_of(limits, {{.pids = 60}}, {.pids = 41});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Refused);
  EXPECT_THAT(refused.error().sentence(), HasSubstr("40 left of 100"));
}

TEST(Admit, WhatWorkspacesHoldIsTaken) {
  const tenant::Limits limits{.sessions = 2, .disk = 1000};
  EXPECT_EQ(share_of(limits, {}, {}, 300)->disk, 500U);
  EXPECT_EQ(share_of(limits, {}, {}, 700)->disk, 300U) << "what is left";
  EXPECT_EQ(share_of(limits, {{.disk = 500}}, {}, 300)->disk, 200U);
  EXPECT_FALSE(share_of(limits, {}, {.disk = 400}, 700));
  EXPECT_FALSE(share_of(limits, {}, {}, 1000));
  EXPECT_FALSE(share_of(limits, {}, {}, 5000));
}

TEST(Admit, SumsDoNotOverflow) {
  constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();
  EXPECT_FALSE(share_of({.memory = 100}, {{.memory = kAll}, {.memory = kAll}}, {.memory = 1}));
}

TEST(Admit, ALifeIsAtMostTheProjects) {
  const tenant::Limits limits{.seconds = 100};
  EXPECT_EQ(share_of(limits, {}, {})->seconds, 100U);
  EXPECT_EQ(share_of(limits, {}, {.seconds = 10})->seconds, 10U);
  EXPECT_EQ(share_of(limits, {}, {.seconds = 1000})->seconds, 100U);
}

TEST(Admit, ARequestComesBackAsItWas) {
  const SessionRequest request{{"chat", "w"}, "s", StageRequest{"fix", {}}, {1, 2, 3, 4}, 5};
  const auto parsed = parse_session_request(to_json(request));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->tenant.project, "chat");
  EXPECT_EQ(parsed->tenant.workspace, "w");
  EXPECT_EQ(parsed->session, "s");
  EXPECT_EQ(parsed->stage->name, "fix");
  EXPECT_EQ(parsed->limits, request.limits);
  EXPECT_EQ(parsed->idle_seconds, 5U);
}

}  // namespace
}  // namespace pale::service
