#include "refs/judge.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <map>

#include "refs/newer.h"

namespace pale::refs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string id_of(char letter, int number) {
  std::string id = std::to_string(number);
  return std::string(1, letter) + std::string(39 - id.size(), '0') + id;
}

// A repository that lies in memory: trees by "path=content" lines, and commits.
class Fake : public Objects {
 public:
  // Of files, as "a/b" -> content; 'l' before the content: a symbolic link.
  std::string tree(const std::map<std::string, std::string>& files) {
    std::map<std::string, std::map<std::string, std::string>> below;
    std::vector<TreeEntry> entries;
    for (const auto& [path, content] : files) {
      const std::size_t slash = path.find('/');
      if (slash == std::string::npos) {
        entries.push_back({path, content.starts_with('l') ? 0120000U : 0100644U, content});
      } else {
        below[path.substr(0, slash)][path.substr(slash + 1)] = content;
      }
    }
    for (const auto& [name, inner] : below) entries.push_back({name, 0040000U, tree(inner)});
    std::string key;
    for (const TreeEntry& entry : entries) key += entry.name + " " + std::to_string(entry.mode) + " " + entry.id + "\n";
    if (!tree_ids.contains(key)) {
      tree_ids[key] = id_of('b', static_cast<int>(tree_ids.size()));
      trees[tree_ids[key]] = entries;
    }
    return tree_ids[key];
  }
  std::string commit_of(const std::map<std::string, std::string>& files, std::vector<std::string> parents,
                        std::int64_t time = -1) {
    const auto number = static_cast<int>(commits.size());
    const std::string id = id_of('c', number);
    commits[id] = {tree(files), std::move(parents), time < 0 ? number : time, "a commit"};
    return id;
  }
  std::string tag_of(const std::string& object) {
    const std::string id = id_of('a', static_cast<int>(tags.size()));
    tags[id] = object;
    return id;
  }

  Result<Object> peel(const std::string& id) override {
    if (tags.contains(id)) return peel(tags[id]);
    if (commits.contains(id)) return Object{Object::Kind::Commit, id};
    if (trees.contains(id)) return Object{Object::Kind::Tree, id};
    if (id.starts_with('f')) return Object{Object::Kind::Blob, id};
    return fail(ErrorKind::NotFound, "no object", id);
  }
  Result<Commit> commit(const std::string& id) override {
    if (!commits.contains(id)) return fail(ErrorKind::NotFound, "no commit", id);
    return commits[id];
  }
  Result<std::vector<TreeEntry>> entries(const std::string& id) override {
    if (id.empty()) return std::vector<TreeEntry>();
    if (!trees.contains(id)) return fail(ErrorKind::NotFound, "no tree", id);
    return trees[id];
  }
  bool has(const std::string& id) override { return commits.contains(id); }

  std::map<std::string, std::string> tree_ids;
  std::map<std::string, std::vector<TreeEntry>> trees;
  std::map<std::string, Commit> commits;
  std::map<std::string, std::string> tags;
};

std::vector<Ref> sorted(std::vector<Ref> refs) {
  std::ranges::sort(refs);
  return refs;
}
Ref direct(std::string name, std::string id) { return {std::move(name), RefKind::Direct, std::move(id)}; }

class Judging : public testing::Test {
 protected:
  std::vector<Verdict> judged(std::vector<Ref> before, std::vector<Ref> after) {
    auto judgement = judge(sorted(std::move(before)), sorted(std::move(after)), allowed_, fake_);
    EXPECT_TRUE(judgement) << judgement.error().sentence();
    return judgement ? judgement->verdicts : std::vector<Verdict>();
  }
  std::vector<Verdict> main_moves_to(const std::string& id) {
    return judged({direct("refs/heads/main", first_)}, {direct("refs/heads/main", id)});
  }

  void allow(std::vector<Path> folders, const std::vector<std::string>& patterns) {
    auto files = scope::FileScope::parse(patterns);
    ASSERT_TRUE(files);
    allowed_ = {std::move(folders), std::move(*files)};
  }

  Fake fake_;
  Allowed allowed_{{Path::literal("lib")}, {}};
  const std::map<std::string, std::string> files_ = {{"lib/a", "1"}, {"other/x", "1"}, {"README", "1"}};
  std::map<std::string, std::string> with(const std::string& path, const std::string& content) const {
    auto files = files_;
    files[path] = content;
    return files;
  }
  std::string first_ = fake_.commit_of(files_, {});
};

TEST_F(Judging, ACommitInTheFoldersIsFine) {
  EXPECT_THAT(main_moves_to(fake_.commit_of(with("lib/sub/new", "2"), {first_})), IsEmpty());
}

TEST_F(Judging, ACommitOutsideIsNamedWithItsPaths) {
  const auto verdicts = main_moves_to(fake_.commit_of(with("other/x", "2"), {first_}));
  ASSERT_THAT(verdicts, SizeIs(1));
  EXPECT_EQ(verdicts[0].wrong, Wrong::Outside);
  EXPECT_THAT(verdicts[0].paths, ElementsAre("other/x"));
}

TEST_F(Judging, ACommitOutsideThatALaterOneTakesBackIsFoundAllTheSame) {
  const std::string bad = fake_.commit_of(with("README", "2"), {first_});
  EXPECT_THAT(main_moves_to(fake_.commit_of(files_, {bad})), SizeIs(1));
}

TEST_F(Judging, AFolderThatBecomesALinkIsOutside) {
  auto files = files_;
  files.erase("lib/a");
  files["lib"] = "l../other";
  EXPECT_THAT(main_moves_to(fake_.commit_of(files, {first_})), SizeIs(1));
}

TEST_F(Judging, AFolderWithASimilarNameIsOutside) {
  EXPECT_THAT(main_moves_to(fake_.commit_of(with("library/b", "2"), {first_})), SizeIs(1));
}

TEST_F(Judging, AMergeThatBringsChangesOfElsewhereIsOutsideForTheBranch) {
  const std::string theirs = fake_.commit_of(with("other/x", "theirs"), {first_});
  const std::string mine = fake_.commit_of(with("lib/a", "mine"), {first_});
  auto files = with("other/x", "theirs");
  files["lib/a"] = "mine";
  const std::string merge = fake_.commit_of(files, {mine, theirs});
  const auto verdicts = judged({direct("refs/heads/main", mine), direct("refs/heads/theirs", theirs)},
                               {direct("refs/heads/main", merge), direct("refs/heads/theirs", theirs)});
  ASSERT_THAT(verdicts, SizeIs(1));
  EXPECT_EQ(verdicts[0].ref, "refs/heads/main");
}

TEST_F(Judging, AMergeOfWorkInTheFoldersIsFine) {
  const std::string one = fake_.commit_of(with("lib/a", "2"), {first_});
  const std::string other = fake_.commit_of(with("lib/b", "2"), {first_});
  auto files = with("lib/a", "2");
  files["lib/b"] = "2";
  EXPECT_THAT(main_moves_to(fake_.commit_of(files, {one, other})), IsEmpty());
}

TEST_F(Judging, ABranchThatGoesToAnOldCommitWithOtherThingsOutsideIsNot) {
  const std::string second = fake_.commit_of(with("README", "2"), {first_});
  EXPECT_THAT(judged({direct("refs/heads/main", second)}, {direct("refs/heads/main", first_)}), SizeIs(1));
}

TEST_F(Judging, TagsAreLookedThrough) {
  const std::string bad = fake_.commit_of(with("README", "2"), {first_});
  const std::string good = fake_.commit_of(with("lib/a", "2"), {first_});
  const Ref main = direct("refs/heads/main", first_);
  EXPECT_THAT(judged({main}, {main, direct("refs/tags/v1", fake_.tag_of(fake_.tag_of(bad)))}), SizeIs(1));
  EXPECT_THAT(judged({main}, {main, direct("refs/tags/v1", fake_.tag_of(good))}), IsEmpty());
  EXPECT_THAT(judged({main}, {main, direct("refs/tags/v1", fake_.tag_of(id_of('f', 1)))}), SizeIs(1));
  EXPECT_THAT(judged({main}, {main, direct("refs/tags/v1", fake_.tree(files_))}), SizeIs(1));
}

TEST_F(Judging, WhatNamesNothingWasRemovedOrStandsInTheWayIsSaid) {
  const Ref main = direct("refs/heads/main", first_);
  EXPECT_EQ(judged({main}, {main, direct("refs/heads/x", id_of('e', 1))}).at(0).wrong, Wrong::Odd);
  EXPECT_EQ(judged({main}, {}).at(0).wrong, Wrong::Removed);
  EXPECT_THAT(judged({main}, {direct("refs/heads/main/sub", first_)}), SizeIs(2));
  EXPECT_EQ(judged({main}, {main, {"refs/heads/link", RefKind::Odd, "is no file"}}).at(0).wrong, Wrong::Odd);
}

TEST_F(Judging, HeadMayLeadToABranchThatIsTheSameOutside) {
  const Ref main = direct("refs/heads/main", first_);
  const Ref head{"HEAD", RefKind::Symbolic, "refs/heads/main"};
  const Ref fix = direct("refs/heads/fix", fake_.commit_of(with("lib/a", "2"), {first_}));
  const Ref bad = direct("refs/heads/bad", fake_.commit_of(with("README", "2"), {first_}));
  EXPECT_THAT(judged({main, head}, {main, {"HEAD", RefKind::Symbolic, "refs/heads/fix"}, fix}), IsEmpty());
  EXPECT_THAT(judged({main, head, bad}, {main, bad, {"HEAD", RefKind::Symbolic, "refs/heads/bad"}}), SizeIs(1));
}

TEST_F(Judging, WhatGitLeavesForItsNextStepCountsForItsCommitsAlone) {
  const Ref main = direct("refs/heads/main", first_);
  const std::string bad = fake_.commit_of(with("README", "2"), {first_});
  EXPECT_THAT(judged({main}, {main, direct("MERGE_HEAD", bad)}), SizeIs(1));
  EXPECT_THAT(judged({main, direct("ORIG_HEAD", first_)}, {main}), IsEmpty());
}

TEST_F(Judging, WhatIsKeptOfRefusedCommitsIsNoBusinessOfARun) {
  const Ref main = direct("refs/heads/main", first_);
  const std::string bad = fake_.commit_of(with("README", "2"), {first_});
  const Ref kept = direct(std::string(git::kRefused) + "t/heads/main", bad);
  EXPECT_THAT(judged({main, kept}, {main, kept}), IsEmpty());
  EXPECT_EQ(judged({main}, {main, kept}).at(0).wrong, Wrong::Kept);
  EXPECT_EQ(judged({main, kept}, {main}).at(0).wrong, Wrong::Kept);
  EXPECT_EQ(judged({main, kept}, {main, direct(kept.name, first_)}).at(0).wrong, Wrong::Kept);
  // Nor does it make known what leads there.
  EXPECT_EQ(judged({main, kept}, {direct("refs/heads/main", bad), kept}).at(0).wrong, Wrong::Outside);
}

TEST_F(Judging, PatternsNarrowFolders) {
  allow({Path::literal("lib")}, {"lib/**/*.ts", "README"});
  EXPECT_THAT(main_moves_to(fake_.commit_of(with("lib/sub/new.ts", "2"), {first_})), IsEmpty());
  EXPECT_THAT(main_moves_to(fake_.commit_of(with("lib/sub/x.txt", "2"), {first_})).at(0).paths,
              ElementsAre("lib/sub/x.txt"));
  EXPECT_THAT(main_moves_to(fake_.commit_of(with("README", "2"), {first_})).at(0).paths, ElementsAre("README"));
  auto gone = files_;
  gone.erase("lib/a");
  EXPECT_THAT(main_moves_to(fake_.commit_of(gone, {first_})).at(0).paths, ElementsAre("lib/a"));
}

TEST_F(Judging, PatternsWithoutFoldersAreAboutTheWholeRepository) {
  allow({}, {"lib/**/*.ts", "README"});
  EXPECT_THAT(main_moves_to(fake_.commit_of(with("README", "2"), {first_})), IsEmpty());
  EXPECT_THAT(main_moves_to(fake_.commit_of(with("lib/x.ts", "2"), {first_})), IsEmpty());
  EXPECT_THAT(main_moves_to(fake_.commit_of(with("other/x", "2"), {first_})).at(0).paths, ElementsAre("other/x"));
  allow({}, {});
  EXPECT_THAT(main_moves_to(fake_.commit_of(with("lib/x.ts", "2"), {first_})), SizeIs(1));
  // A file where a directory was takes all of it away.
  allow({}, {"other"});
  auto files = files_;
  files.erase("lib/a");
  files["lib"] = "2";
  EXPECT_THAT(main_moves_to(fake_.commit_of(files, {first_})).at(0).paths, ElementsAre("lib", "lib/a"));
}

TEST_F(Judging, AFolderMayBeAFileButNoLink) {
  allowed_.folders = {Path::literal("lib"), Path::literal("README"), Path::literal("new")};
  EXPECT_THAT(main_moves_to(fake_.commit_of(with("README", "2"), {first_})), IsEmpty());
  EXPECT_THAT(main_moves_to(fake_.commit_of(with("new", "2"), {first_})), IsEmpty());
  EXPECT_THAT(main_moves_to(fake_.commit_of(with("README", "lother/x"), {first_})).at(0).paths, ElementsAre("README"));
  EXPECT_THAT(main_moves_to(fake_.commit_of(with("README.old", "2"), {first_})), SizeIs(1));
  auto files = files_;
  files.erase("README");
  files["README/sub"] = "2";
  EXPECT_THAT(main_moves_to(fake_.commit_of(files, {first_})), SizeIs(1));
}

TEST_F(Judging, AClockThatGoesBackDoesNotMakeOldCommitsNew) {
  std::string at = fake_.commit_of(with("README", "old"), {first_}, 1000);
  const std::string old = at;
  for (int step = 0; step < 20; ++step) at = fake_.commit_of(with("README", "old"), {at}, 5);
  const std::string side = fake_.commit_of(with("README", "old"), {old}, 1);
  const auto verdicts =
      judged({direct("refs/heads/main", at)}, {direct("refs/heads/main", at), direct("refs/heads/side", side)});
  EXPECT_THAT(verdicts, IsEmpty());
}

// Whatever history there is: new is what the tips reach and the known ones do not.
TEST(Newer, IsTheDifferenceOfWhatIsReached) {
  EXPECT_TRUE(rc::check([] {
    Fake fake;
    std::vector<std::string> ids;
    const int count = *rc::gen::inRange(1, 25);
    for (int at = 0; at < count; ++at) {
      std::vector<std::string> parents;
      for (const std::string& id : ids) {
        if (*rc::gen::inRange(0, 4) == 0) parents.push_back(id);
      }
      ids.push_back(fake.commit_of({}, parents, *rc::gen::inRange(0, 10)));
    }
    const auto chosen = [&] {
      std::set<std::string> some;
      for (const std::string& id : ids) {
        if (*rc::gen::inRange(0, 5) == 0) some.insert(id);
      }
      return some;
    };
    const auto reached = [&](std::set<std::string> from) {
      std::vector<std::string> way(from.begin(), from.end());
      while (!way.empty()) {
        const std::string id = way.back();
        way.pop_back();
        for (const std::string& parent : fake.commits[id].parents) {
          if (from.insert(parent).second) way.push_back(parent);
        }
      }
      return from;
    };
    const auto tips = chosen();
    const auto known = chosen();
    std::set<std::string> expected = reached(tips);
    for (const std::string& id : reached(known)) expected.erase(id);
    const auto whole = newer_commits(fake, tips, known, Care::Whole);
    const auto usual = newer_commits(fake, tips, known, Care::Usual);
    RC_ASSERT(whole && usual);
    RC_ASSERT(*whole == expected);
    RC_ASSERT(std::ranges::includes(*usual, expected));
  }));
}

}  // namespace
}  // namespace pale::refs
