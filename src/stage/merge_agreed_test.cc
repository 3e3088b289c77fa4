// merge_texts() beside libgit2's merge of three texts.
#include <git2.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "stage/merge.h"

namespace pale::stage {
namespace {

git_merge_file_input input(const std::string& text) {
  git_merge_file_input input = GIT_MERGE_FILE_INPUT_INIT;
  input.ptr = text.data();
  input.size = text.size();
  return input;
}

struct FromGit {
  std::string text;
  bool clean = false;
};

FromGit merge_by_git(const std::string& original, const std::string& ours, const std::string& theirs) {
  static const int kStarted = git_libgit2_init();
  if (kStarted < 1) return {};
  const auto base = input(original), our_side = input(ours), their_side = input(theirs);
  git_merge_file_options options = GIT_MERGE_FILE_OPTIONS_INIT;
  options.ancestor_label = "original";
  options.our_label = "ours";
  options.their_label = "theirs";
  options.flags = GIT_MERGE_FILE_STYLE_DIFF3;
  git_merge_file_result result{};
  FromGit merged;
  if (git_merge_file(&result, &base, &our_side, &their_side, &options) == 0) {
    merged = {std::string(result.ptr, result.len), result.automergeable != 0};
    git_merge_file_result_free(&result);
  }
  return merged;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  if (!text.empty() && *rc::gen::inRange(0, 5) == 0) text.pop_back();
  return text;
}

// Lines removed and added, none moved: with all lines of a version different there is only one way to align them. The sides
// may add the same.
std::vector<std::string> changed(const std::vector<std::string>& original) {
  std::vector<std::string> lines;
  int added = 0;
  for (const std::string& line : original) {
    const int what = *rc::gen::weightedElement<int>({{12, 0}, {1, 1}, {1, 2}, {1, 3}});
    if (what == 1 || what == 2) {
      lines.push_back("new " + std::to_string(added++) + (*rc::gen::arbitrary<bool>() ? " of one" : " of the other"));
    }
    if (what != 2 && what != 3) lines.push_back(line);
  }
  return lines;
}

struct Case {
  std::string original, ours, theirs;

  Case() {
    std::vector<std::string> lines;
    const int count = *rc::gen::inRange(0, 40);
    for (int i = 0; i < count; ++i) lines.push_back("line " + std::to_string(i));
    original = joined(lines);
    ours = joined(changed(lines));
    theirs = joined(changed(lines));
  }
};

RC_GTEST_PROP(MergeAgreed, WithLibgit2OnTextsThatAlignInOneWayOnly, ()) {
  const Case texts;
  const Merged merged = merge_texts(texts.original, texts.ours, texts.theirs, {"ours", "original", "theirs"});
  const FromGit expected = merge_by_git(texts.original, texts.ours, texts.theirs);
  RC_TAG(expected.clean ? "clean" : "conflicts");
  RC_ASSERT((merged.conflicts == 0) == expected.clean);
  RC_ASSERT(merged.text == expected.text);
}

}  // namespace
}  // namespace pale::stage
