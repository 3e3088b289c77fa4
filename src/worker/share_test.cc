#include "worker/share.h"

#include <gmock/gmock.h>

namespace pale::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Path kRoot = Path::literal("/w/shop");

Held held(const std::string& name, Access access) { return {name, kRoot / name, access, {}, std::nullopt}; }

Zones project_of(std::vector<Held> folders) {
  Zones zones;
  zones.base = kRoot;
  for (Held& each : folders) zones.zones.push_back({each.name, each.folder, each.access, each.approval, "m:1", ""});
  return zones;
}

Holding parent_with(std::vector<Held> folders) { return {Holder::Worker, std::move(folders)}; }

WorkerFile worker(const std::string& keys) {
  auto file = parse_worker("---\nname: child\n" + keys + "\n---\n", "child.worker");
  EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().sentence());
  return file ? std::move(*file) : WorkerFile();
}

Share share(const Holding& caller, const std::string& keys) { return share_of(caller, worker(keys), project_of({})); }

std::vector<std::string> gets(const Share& share) {
  std::vector<std::string> words;
  for (const Held& each : share.gets) words.push_back(each.name + " " + std::string(mode_text(each.access)));
  return words;
}

const Holding kAll =
    parent_with({held("data", Access::Write), held("workspace", Access::Write), held("cache", Access::Write)});

// The examples of the specification, each under its name.
TEST(RuntimeEnforcement, ChildGetsOnlyWhatItDeclared) {
  const Share formatter = share(kAll, "sandbox: {zones: [{name: data, mode: rw}]}");
  EXPECT_THAT(gets(formatter), ElementsAre("data rw"));
  EXPECT_THAT(formatter.lost, IsEmpty());
}

TEST(RuntimeEnforcement, ChildRequestsRwOnDataButParentOnlyHasRo) {
  const Share refused = share(parent_with({held("data", Access::Read)}), "sandbox: {zones: [{name: data, mode: rw}]}");
  EXPECT_THAT(refused.gets, IsEmpty());
  ASSERT_THAT(refused.lost, SizeIs(1));
  EXPECT_EQ(refused.lost[0].code, Code::PermissionEscalation);
  EXPECT_EQ(to_text(refused.lost[0].code), "PERMISSION_ESCALATION");
  EXPECT_EQ(refused.lost[0].sentence, "Child requests 'rw' on 'data' but parent only has 'ro'");
}

TEST(RuntimeEnforcement, ChildThatDeclaresNothingIsAPureFunction) {
  EXPECT_EQ(share(kAll, "description: Validates data structure"), Share());
  EXPECT_EQ(share(kAll, "sandbox: {zones: []}"), Share());
}

TEST(RuntimeEnforcement, ChildRequestsAZoneThatParentDoesNotHave) {
  const Share refused = share(parent_with({held("data", Access::Write)}), "sandbox: {zones: [{name: secrets}]}");
  ASSERT_THAT(refused.lost, SizeIs(1));
  EXPECT_EQ(to_text(refused.lost[0].code), "ZONE_ACCESS_DENIED");
  EXPECT_EQ(refused.lost[0].sentence, "Child requests zone 'secrets' but parent doesn't have it");
}

TEST(RuntimeEnforcement, ReportGeneratorReadsDataAndWritesReports) {
  const Share share_of_report =
      share(kAll, "sandbox:\n  zones:\n    - name: data\n      mode: ro\n    - name: workspace\n      mode: rw\n");
  EXPECT_THAT(gets(share_of_report), ElementsAre("data ro", "workspace rw"));
}

TEST(RuntimeEnforcement, AModeThatIsNotSaidIsRw) {
  EXPECT_THAT(gets(share(kAll, "sandbox: {zones: [{name: data}]}")), ElementsAre("data rw"));
  EXPECT_EQ(share(parent_with({held("data", Access::Read)}), "sandbox: {zones: [{name: data}]}").lost[0].code,
            Code::PermissionEscalation);
}

TEST(RuntimeEnforcement, TheEntryWorkerHasTheProjectForItsCeiling) {
  const Zones zones = project_of({held("data", Access::Read), held("out", Access::Write)});
  const Holding offered = offered_by(zones);
  EXPECT_THAT(gets(share_of(offered, worker("sandbox: {zones: [{name: data, mode: ro}, {name: out}]}"), zones)),
              ElementsAre("data ro", "out rw"));
  EXPECT_EQ(share_of(offered, worker("sandbox: {zones: [{name: data}]}"), zones).lost[0].sentence,
            "Worker requests 'rw' on 'data' but project only has 'ro'");
  EXPECT_EQ(share_of(offered, worker("sandbox: {zones: [{name: dat}]}"), zones).lost[0].sentence,
            "Worker requests zone 'dat' but project doesn't have it");
}

TEST(RuntimeEnforcement, OneZoneTooManyAndNothingIsGiven) {
  const Share refused = share(kAll, "sandbox: {zones: [{name: data}, {name: secrets}, {name: keys}]}");
  EXPECT_THAT(refused.gets, IsEmpty());
  EXPECT_THAT(refused.lost, SizeIs(2));
}

TEST(RuntimeEnforcement, OfTwoApprovalsTheStricterCounts) {
  Held data = held("data", Access::Write);
  data.approval = {Approval::Ask, Approval::Blocked};
  const Share narrowed =
      share(parent_with({data}), "sandbox: {zones: [{name: data, approval: {write: preApproved, delete: ask}}]}");
  EXPECT_EQ(narrowed.gets[0].approval, (ZoneApproval{Approval::Ask, Approval::Blocked}));
  const Share stricter = share(parent_with({data}), "sandbox: {zones: [{name: data, approval: {write: blocked}}]}");
  EXPECT_EQ(stricter.gets[0].approval, (ZoneApproval{Approval::Blocked, Approval::Blocked}));
}

TEST(RuntimeEnforcement, WhereTheProjectSaysNothingOfApprovalTheFirstWorkerDoesElseItIsAsked) {
  const Zones zones = project_of({held("out", Access::Write)});
  const Share said =
      share_of(offered_by(zones), worker("sandbox: {zones: [{name: out, approval: {write: preApproved}}]}"), zones);
  EXPECT_EQ(said.gets[0].approval, (ZoneApproval{Approval::PreApproved, Approval::Ask}));
}

// The form from before there were zones: it brings its folder along.
class OldPaths : public testing::Test {
 protected:
  static Share of(const Zones& zones, const std::string& path) {
    return share_of(offered_by(zones), worker("sandbox:\n  paths:\n    cache: {" + path + "}"), zones);
  }
  const Zones zones_ = project_of({held("data", Access::Read), held("tmpfiles", Access::Write)});
};

TEST_F(OldPaths, LieInAZoneThatAllowsAsMuch) {
  const Share share = of(zones_, "root: ./data/cache, suffixes: [.json, .txt]");
  ASSERT_THAT(share.gets, SizeIs(1));
  EXPECT_EQ(share.gets[0].name, "cache");
  EXPECT_EQ(share.gets[0].folder, kRoot / "data/cache");
  EXPECT_EQ(share.gets[0].access, Access::Read);
  EXPECT_THAT(*share.gets[0].suffixes, ElementsAre(".json", ".txt"));
  EXPECT_EQ(of(zones_, "root: ./data/cache, mode: rw").lost[0].sentence,
            "Worker requests 'rw' on 'cache' but project only has 'ro'");
  EXPECT_THAT(gets(of(zones_, "root: tmpfiles, mode: rw")), ElementsAre("cache rw"));
}

TEST_F(OldPaths, OutsideEveryZoneAreRefused) {
  for (const std::string root : {"root: ./other", "root: database", "root: ."}) {
    const Share refused = of(zones_, root);
    ASSERT_THAT(refused.lost, SizeIs(1)) << root;
    EXPECT_EQ(refused.lost[0].code, Code::ZoneAccessDenied);
    EXPECT_THAT(refused.lost[0].sentence, HasSubstr("as 'cache' but project has no zone around it"));
  }
}

TEST_F(OldPaths, InAProjectWithoutZonesMayBeAnyFolderOfIt) {
  Zones none = project_of({});
  EXPECT_THAT(gets(of(none, "root: ./anything, mode: rw")), ElementsAre("cache rw"));
  none.without_zones = Access::Read;
  EXPECT_EQ(of(none, "root: ./anything, mode: rw").lost[0].code, Code::PermissionEscalation);
  // But by a zone's name nothing can be had.
  EXPECT_EQ(share_of(offered_by(none), worker("sandbox: {zones: [{name: cache}]}"), none).lost[0].code,
            Code::ZoneAccessDenied);
}

TEST_F(OldPaths, InWhatIsProtectedCanOnlyBeRead) {
  Zones none = project_of({});
  protect(none, {{kRoot / ".pale", Match::Exact, "default"}});
  EXPECT_EQ(of(none, "root: .pale/workers, mode: rw").lost[0].code, Code::PermissionEscalation);
  EXPECT_THAT(gets(of(none, "root: .pale/workers")), ElementsAre("cache ro"));
}

TEST_F(OldPaths, CannotStandInTheSystemsPlace) {
  const Share refused = share_of(offered_by(zones_), worker("sandbox:\n  paths:\n    etc: {root: data}"), zones_);
  EXPECT_THAT(refused.lost[0].sentence, HasSubstr("cannot show it at /etc, which belongs to the system"));
}

TEST_F(OldPaths, SuffixesOnlyBecomeFewer) {
  Held cache = held("cache", Access::Write);
  cache.suffixes = {".json", ".tar.gz"};
  const auto suffixes = [&](const std::string& own) {
    return *share(parent_with({cache}), "sandbox:\n  paths:\n    c: {root: cache" + own + "}").gets.at(0).suffixes;
  };
  EXPECT_THAT(suffixes(""), ElementsAre(".json", ".tar.gz"));
  EXPECT_THAT(suffixes(", suffixes: [.json, .txt]"), ElementsAre(".json"));
  EXPECT_THAT(suffixes(", suffixes: [.test.json, .gz]"), ElementsAre(".test.json", ".tar.gz"));
  EXPECT_THAT(suffixes(", suffixes: [.txt]"), IsEmpty());
  EXPECT_THAT(*share(parent_with({cache}), "sandbox: {zones: [{name: cache}]}").gets[0].suffixes,
              ElementsAre(".json", ".tar.gz"));
}

}  // namespace
}  // namespace pale::worker
