#include "service/learn.h"

#include <gmock/gmock.h>

#include "service/watch_report.h"

namespace pale::service {
namespace {

using sandbox::Act;
using sandbox::Sighting;
using sandbox::WatchedScope;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Path kRoot = Path::literal("/p");

Sighting used(Act act, const std::string& name) { return {Sighting::Kind::Used, act, "/p/" + name}; }

TEST(Learn, FoldersAreThoseOfTheFilesAndNoneLiesInAnother) {
  const Learnt learnt = learn_from(kRoot, {used(Act::Read, "src/a/x.c"), used(Act::Read, "src/b.c"),
                                           used(Act::Write, "out/o"), used(Act::Read, "include/deep/h.h")});
  EXPECT_FALSE(learnt.whole);
  EXPECT_THAT(learnt.folders, ElementsAre("include/deep", "out", "src"));
  EXPECT_THAT(learnt.read_only, ElementsAre("include/deep", "src"));
}

TEST(Learn, AFileAtTheRootStandsForItself) {
  const Learnt learnt = learn_from(kRoot, {used(Act::Read, "Makefile"), used(Act::Write, "log.txt")});
  EXPECT_THAT(learnt.folders, ElementsAre("Makefile", "log.txt"));
  EXPECT_THAT(learnt.read_only, ElementsAre("Makefile"));
}

TEST(Learn, NamesMadeOrRemovedAtTheRootNeedAllOfIt) {
  for (const Act act : {Act::Create, Act::Remove, Act::Rename, Act::Link}) {
    const Learnt learnt = learn_from(kRoot, {used(act, "a.out"), used(Act::Read, "src/x.c")});
    EXPECT_TRUE(learnt.whole) << to_text(act);
    EXPECT_THAT(to_manifest(learnt, ""), Not(HasSubstr("folders")));
    EXPECT_THAT(to_manifest(learnt, ""), HasSubstr("[agent]\nprotected = [\"src\"]\n")) << "nothing was changed there";
  }
  const Learnt moved = learn_from(kRoot, {used(Act::Read, "a"), used(Act::Rename, "a"), used(Act::Read, "Makefile")});
  EXPECT_THAT(moved.read_only, ElementsAre("Makefile"));
}

TEST(Learn, AFolderThatTheRunMadeIsOneThatHasToBeThere) {
  const Learnt learnt = learn_from(kRoot, {used(Act::Create, "build"), used(Act::Create, "build/o")});
  EXPECT_FALSE(learnt.whole);
  EXPECT_THAT(learnt.folders, ElementsAre("build"));
  EXPECT_THAT(learnt.made, ElementsAre("build"));
}

TEST(Learn, ManyFoldersSideBySideBecomeOne) {
  std::vector<Sighting> sightings;
  for (int number = 0; number < 20; ++number)
    sightings.push_back(used(Act::Read, "packages/p" + std::to_string(number) + "/x"));
  EXPECT_THAT(learn_from(kRoot, sightings).folders, ElementsAre("packages"));
  for (Sighting& sighting : sightings) sighting.path = "/p/" + sighting.path.substr(std::string("/p/packages/").size());
  EXPECT_EQ(learn_from(kRoot, sightings).folders.size(), 20U) << "the root is no folder";
}

TEST(Learn, GitAndTheNetworkHaveWordsOfTheirOwn) {
  const Sighting reached{Sighting::Kind::Reached, Act::Connect, "192.0.2.7 port 443"};
  EXPECT_THAT(to_manifest(learn_from(kRoot, {used(Act::Read, ".git"), used(Act::Read, "src/x")}), ""),
              AllOf(HasSubstr("git = \"read\"\n"), Not(HasSubstr("network"))));
  EXPECT_THAT(to_manifest(learn_from(kRoot, {used(Act::Create, ".git"), used(Act::Read, "src/x"), reached}), ""),
              AllOf(HasSubstr("git = \"commit\"\n"), HasSubstr("[network]\nmode = \"open\"\n")));
}

TEST(Learn, AManifestIsWholeAndNamesNothingThatIsNotUtf8) {
  const Learnt learnt = learn_from(kRoot, {used(Act::Read, "src/\xff/x"), used(Act::Write, "o\"ut/x")});
  EXPECT_EQ(to_manifest(learnt, "[project]\nid = \"x\"\n"),
            "[project]\nid = \"x\"\n\n[workspace]\nfolders = [\"o\\\"ut\", \"src\"]\nmode = \"strict\"\n"
            "git = \"none\"\n\n[agent]\nprotected = [\"src\"]\n");
  EXPECT_TRUE(learn_from(kRoot, {used(Act::Read, "\xff")}).whole);
}

// --- in words ---------------------------------------------------------------------------------------------------------

Boundary boundary() {
  BoundaryParts parts;
  parts.workspace = parts.home = kRoot;
  parts.grants = {{kRoot, Access::Write, kRoot, "workspace", {}}};
  parts.protections = {{kRoot / "fixed", Match::Exact, "--protect"}};
  return *Boundary::make(std::move(parts));
}

const WatchedScope kStrict{WatchedScope::Mode::Strict, {kRoot / "lib", kRoot / "src"}};
const WatchedScope kPermissive{WatchedScope::Mode::Permissive, {kRoot / "lib", kRoot / "src"}};

TEST(WatchReport, BlocksReadAsTheSpecificationSays) {
  EXPECT_EQ(block_of(kStrict, boundary(), {Sighting::Kind::Blocked, Act::Write, "/p/docs/a.ts"}),
            "[WORKSPACE] BLOCKED: File access outside workspace\n"
            "[WORKSPACE]   File: /p/docs/a.ts\n"
            "[WORKSPACE]   Operation: write\n"
            "[WORKSPACE]   Workspace folders: lib,src\n");
  EXPECT_EQ(block_of(kPermissive, boundary(), {Sighting::Kind::Outside, Act::Read, "/p/docs/a.ts"}),
            "[WORKSPACE] WARNING: File access outside workspace (permissive mode)\n"
            "[WORKSPACE]   File: /p/docs/a.ts\n"
            "[WORKSPACE]   Operation: read\n");
  EXPECT_EQ(block_of(kPermissive, boundary(), {Sighting::Kind::Denied, Act::Write, "/p/fixed"}),
            "pale: refused: write /p/fixed: protected /p/fixed (--protect)\n");
}

TEST(WatchReport, ANameFromInsideCannotWriteOnTheTerminal) {
  for (const Sighting::Kind kind : {Sighting::Kind::Blocked, Sighting::Kind::Outside, Sighting::Kind::Denied}) {
    const Sighting sighting{kind, Act::Read, "/p/a\n[WORKSPACE] \x1b[2J"};
    const std::string block = block_of(kStrict, boundary(), sighting);
    EXPECT_THAT(block, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("a\n"))));
    EXPECT_THAT(summary_of(kStrict, kRoot, {sighting}, "").text, Not(HasSubstr("\x1b")));
  }
}

TEST(WatchReport, TheSummaryListsAndOffers) {
  const std::vector<Sighting> sightings = {{Sighting::Kind::Outside, Act::Read, "/p/docs/a b.md"},
                                           {Sighting::Kind::Outside, Act::Create, "/p/top"},
                                           {Sighting::Kind::Denied, Act::Write, "/p/fixed"}};
  const WatchSummary summary = summary_of(kPermissive, kRoot, sightings, "work");
  EXPECT_EQ(summary.text,
            "pale: outside the workspace folders (lib, src), and allowed: 2 accesses\n"
            "  read     docs/a b.md\n"
            "  create   top\n");
  EXPECT_THAT(summary.hints,
              ElementsAre("to allow it for good: folders = [\"lib\", \"src\", \"docs\"], and protected = [\"docs\"] "
                          "below [agent], in .pale/project.toml",
                          "for you alone: pale config add ro /p/docs --project-root /p",
                          "names at the project's root cannot be allowed by a folder: top",
                          "to drop it, take over nothing but the folders: pale stage apply work lib src"));
  EXPECT_THAT(summary_of(kStrict, kRoot, {}, "").text, IsEmpty());
  EXPECT_EQ(summary_of(kPermissive, kRoot, sightings, "work", StageHolds::OutsideOnly).hints.back(),
            "to drop it: pale stage discard work");
}

TEST(WatchReport, WhatWasChangedIsOfferedToBeWrittenAndWhatWasReadToBeRead) {
  const auto blocked = [](Act act, std::string path) { return Sighting{Sighting::Kind::Blocked, act, "/p/" + path}; };
  const WatchSummary summary = summary_of(
      kStrict, kRoot, {blocked(Act::Read, "docs/a"), blocked(Act::Write, "docs/a"), blocked(Act::Read, "ref/a")}, "");
  EXPECT_THAT(summary.hints, ElementsAre("to allow it for good: folders = [\"lib\", \"src\", \"docs\", \"ref\"], and "
                                         "protected = [\"ref\"] below [agent], in .pale/project.toml",
                                         "for you alone: pale config add rw /p/docs --project-root /p",
                                         "for you alone: pale config add ro /p/ref --project-root /p"));
}

TEST(WatchReport, TheSummaryHasAnEnd) {
  std::vector<Sighting> sightings;
  for (int number = 0; number < 500; ++number)
    sightings.push_back({Sighting::Kind::Blocked, Act::Read, "/p/docs/" + std::to_string(number)});
  EXPECT_THAT(summary_of(kStrict, kRoot, sightings, "").text,
              AllOf(HasSubstr("and refused: 500 accesses\n"), EndsWith("  and 480 more\n")));
}

TEST(WatchReport, WithoutFoldersItTellsWhatChanged) {
  EXPECT_EQ(summary_of({}, kRoot, {used(Act::Read, "a"), used(Act::Execute, "b"), used(Act::Remove, "c")}, "").text,
            "pale: in /p: 2 files read or executed, 1 change\n  remove   c\n");
}

}  // namespace
}  // namespace pale::service
