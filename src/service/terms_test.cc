#include "service/terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pale::service {
namespace {

using project::NetworkMode;
using project::Said;
using project::Trust;
using testing::HasSubstr;

project::Resolved project_with(project::Settings settings) {
  project::Manifest manifest;
  manifest.settings = std::move(settings);
  return {*project::Project::make({"shop", "", Path::literal("/w")}), std::move(manifest), project::Reason::Here};
}

project::Settings asking(std::optional<Trust> trust, std::optional<NetworkMode> network) {
  project::Settings settings;
  if (trust) settings.trust = Said<Trust>{*trust, "m:1"};
  if (network) settings.network = Said<NetworkMode>{*network, "m:2"};
  return settings;
}

// Every manifest, every allowance: what a manifest gets is never more than the user allows.
TEST(AgreeTerms, AManifestNeverGetsMoreThanTheUserAllows) {
  for (int asked = 0; asked < 5; ++asked) {
    for (int allowed = -1; allowed < 5; ++allowed) {
      for (int granted = -1; granted < 5; ++granted) {
        project::UserConfig config;
        if (allowed >= 0) config.allow_trust = Said<Trust>{static_cast<Trust>(allowed), "c:1"};
        if (granted >= 0)
          config.projects.emplace_back("/w", project::ProjectGrants{Said<Trust>{static_cast<Trust>(granted), "c:2"}});
        const int most = granted >= 0 ? granted : allowed >= 0 ? allowed : static_cast<int>(project::kMostUnasked);
        const auto terms = agree_terms({}, project_with(asking(static_cast<Trust>(asked), std::nullopt)), config);
        EXPECT_EQ(terms.has_value(), asked <= most) << asked << " " << allowed << " " << granted;
        EXPECT_TRUE(terms ? static_cast<int>(terms->trust.value) == asked : terms.error().kind == ErrorKind::Refused);
      }
    }
  }
}

TEST(AgreeTerms, NetworkNeedsTheUsersWord) {
  const auto refused = agree_terms({}, project_with(asking(std::nullopt, NetworkMode::Open)), {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().sentence(),
              HasSubstr("m:2: the manifest asks for network \"open\", and you allow \"none\""));
  EXPECT_EQ(refused.error().hint, "pale config set network open --project-root /w");
  EXPECT_EQ(refused.error().other_hints.at(0), "--network open, for this run only");
  project::UserConfig config;
  config.projects.emplace_back("/w", project::ProjectGrants{std::nullopt, Said<NetworkMode>{NetworkMode::Open, "c:1"}});
  EXPECT_EQ(agree_terms({}, project_with(asking(std::nullopt, NetworkMode::Open)), config)->network.value,
            NetworkMode::Open);
  EXPECT_EQ(agree_terms({}, project_with(asking(std::nullopt, NetworkMode::None)), config)->network.value,
            NetworkMode::None);
  EXPECT_EQ(agree_terms({}, project_with({}), config)->network.value, NetworkMode::Open);
  // What is granted to one directory is no other's, whatever its manifest calls itself.
  config.projects.front().first = "/other";
  EXPECT_FALSE(agree_terms({}, project_with(asking(std::nullopt, NetworkMode::Open)), config));
}

TEST(AgreeTerms, AFlagIsTheUsersOwnWord) {
  Request request;
  request.network = Network::Open;
  request.trust = Trust::Full;
  const auto terms = agree_terms(request, project_with(asking(Trust::ReadOnly, NetworkMode::None)), {});
  EXPECT_EQ(terms->network.value, NetworkMode::Open);
  EXPECT_EQ(terms->trust.where, "--trust");
}

TEST(AgreeTerms, FullTrustHasTheNetworkUnlessTheManifestSaysOtherwise) {
  Request request;
  request.trust = Trust::Full;
  EXPECT_EQ(agree_terms(request, project_with({}), {})->network.value, NetworkMode::Open);
  EXPECT_EQ(agree_terms(request, project_with(asking(std::nullopt, NetworkMode::None)), {})->network.value,
            NetworkMode::None);
}

TEST(AgreeTerms, AZoneOutsideTheProjectNeedsTheUsersGrant) {
  project::Settings settings;
  settings.zones.push_back({"data", Path::literal("/data/x"), Access::Write, "m:3"});
  EXPECT_EQ(agree_terms({}, project_with(settings), {}).error().hint, "pale config add rw /data/x --project-root /w");
  project::UserConfig config;
  config.projects.emplace_back("/w", project::ProjectGrants{});
  config.projects.front().second.ro.push_back({"/data", "c:1"});
  EXPECT_FALSE(agree_terms({}, project_with(settings), config));
  config.projects.front().second.rw.push_back({"/data", "c:1"});
  EXPECT_TRUE(agree_terms({}, project_with(settings), config));
  settings.zones.front().path = Path::literal("/w/data");
  EXPECT_TRUE(agree_terms({}, project_with(settings), {}));
}

TEST(AgreeTerms, StrictWithoutFoldersIsAMistakeAndNotEverything) {
  project::Settings settings;
  settings.scope = Said<project::Scope>{project::Scope::Strict, "m:4"};
  EXPECT_THAT(agree_terms({}, project_with(settings), {}).error().sentence(),
              HasSubstr("m:4: mode \"strict\" is about folders"));
  settings.folders.push_back({Path::literal("/w/src"), "m:5"});
  EXPECT_TRUE(agree_terms({}, project_with(settings), {}));
}

TEST(AgreeTerms, APresetNeedsAManifest) {
  Request request;
  request.preset = "api";
  const project::Resolved bare{*project::Project::make({"shop", "", Path::literal("/w")}), std::nullopt,
                               project::Reason::RootFlag};
  EXPECT_THAT(agree_terms(request, bare, {}).error().sentence(), HasSubstr("this project has none"));
}

}  // namespace
}  // namespace pale::service
