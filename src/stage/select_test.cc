#include "stage/select.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pale::stage {
namespace {

constexpr EntryState kNothing = {};
constexpr EntryState kFile = {EntryKind::File, 0644, 3};
constexpr EntryState kDirectory = {EntryKind::Directory, 0755, 0};

Change created(const std::string& path, EntryState what = kFile) { return {path, ChangeKind::Created, kNothing, what}; }
Change deleted(const std::string& path, EntryState what = kFile) { return {path, ChangeKind::Deleted, what, kNothing}; }

std::vector<std::string> paths_of(const std::vector<Item>& items) {
  std::vector<std::string> paths;
  for (const Item& item : items) paths.push_back(item.change.path);
  return paths;
}

using Paths = std::vector<std::string>;

TEST(ChangeOrder, ADirectoryAndAllInItStandTogether) {
  Paths paths = {"a-x", "a/b", "a", "a/b/c", "a.txt", "a/-"};
  std::ranges::sort(paths, stands_before);
  EXPECT_EQ(paths, (Paths{"a", "a/-", "a/b", "a/b/c", "a-x", "a.txt"}));
}

TEST(ChangeOrder, CoversByWholeComponents) {
  EXPECT_TRUE(covers("lib", "lib"));
  EXPECT_TRUE(covers("lib", "lib/x"));
  EXPECT_FALSE(covers("lib", "library"));
  EXPECT_FALSE(covers("lib/x", "lib"));
}

TEST(Selection, WithoutPathsIsEverything) {
  const ChangeSet changes = {created("a"), deleted("b")};
  EXPECT_EQ(paths_of(select_changes(changes, {}, {}).items), (Paths{"a", "b"}));
}

TEST(Selection, BringsNewDirectoriesAlong) {
  const ChangeSet changes = {created("d", kDirectory), created("d/e", kDirectory), created("d/e/x"), created("d/y")};
  EXPECT_EQ(paths_of(select_changes(changes, Paths{"d/e/x"}, {}).items), (Paths{"d", "d/e", "d/e/x"}));
}

TEST(Selection, FindsARenamedFileByEitherName) {
  Change renamed = created("to");
  renamed.kind = ChangeKind::Renamed;
  renamed.from = "from";
  for (const char* name : {"to", "from"})
    EXPECT_EQ(paths_of(select_changes({renamed}, Paths{name}, {}).items), (Paths{"to"})) << name;
}

TEST(Selection, ListsApartWhatIsInTheWay) {
  Change conflict = created("conflict");
  conflict.conflict = Conflict::Created;
  Change hook = created("Makefile");
  hook.executes = "make runs it";
  Change guarded = created(".envrc");
  guarded.protected_by = "default";
  const ChangeSet changes = {guarded, hook, conflict};
  const Selection all = select_changes(changes, {}, {});
  EXPECT_EQ(all.conflicts, ChangeSet{conflict});
  EXPECT_EQ(all.executes, ChangeSet{hook});
  EXPECT_EQ(all.protections, ChangeSet{guarded});
  EXPECT_TRUE(select_changes(changes, {}, Paths{"Makefile"}).executes.empty());
  EXPECT_TRUE(select_changes(changes, Paths{"conflict"}, {}).executes.empty());
}

TEST(Selection, ADirectoryThatHoldsWhatIsLeftOutStays) {
  const ChangeSet changes = {deleted("d", kDirectory), deleted("d/kept"), deleted("d/x"), deleted("e")};
  const auto items = without(select_changes(changes, {}, {}).items, {changes[1]});
  EXPECT_EQ(paths_of(items), (Paths{"d/x", "e"}));
}

}  // namespace
}  // namespace pale::stage
