#include "stage/gate.h"

#include <fnmatch.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <span>
#include <string>

#include "stage/gate_rules.h"

namespace pale::stage {
namespace {

using gate::Rule;
using gate::When;
using gate::Where;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kExecTodo = "pick 1234567 one\n  exec make test\n";

GateView created(std::string_view path) { return {.path = path}; }
GateView changed(std::string_view path) { return {.path = path, .existed = true}; }

std::string reason_new(std::string_view path) { return gate_reason(created(path)); }
std::string reason_changed(std::string_view path) { return gate_reason(changed(path)); }

std::vector<std::string> words(std::string_view text, char separator = ' ') {
  std::vector<std::string> result(1);
  for (const char c : text) c == separator ? (void)result.emplace_back() : result.back().push_back(c);
  return result;
}

std::string join(const std::vector<std::string>& names) {
  std::string path;
  for (const std::string& name : names) path += (path.empty() ? "" : "/") + name;
  return path;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// A path that the pattern names.
std::string sample(std::string pattern) {
  pattern = replaced(replaced(replaced(pattern, "**", "any/depth"), "*", "some"), "~", "");
  return pattern.ends_with('/') ? pattern + "thing" : pattern;
}

struct Row {
  const Rule* rule;
  std::string pattern;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kAll = [] {
    std::vector<Row> all;
    for (const Rule& rule : gate::kRules) {
      for (const std::string& pattern : words(rule.patterns)) all.push_back({&rule, pattern});
    }
    return all;
  }();
  return kAll;
}

std::string path_of(const Row& row) { return (row.rule->where == Where::Nested ? "deep/" : "") + sample(row.pattern); }

GateView view_of(const Rule& rule, std::string_view path) {
  GateView view = rule.when == When::Changed ? changed(path) : created(path);
  if (rule.when == When::Exec) view.text_after = kExecTodo;
  return view;
}

// The meaning of a pattern, said once more and without haste.
bool agree(std::span<const std::string> pattern, std::span<const std::string> names) {
  if (pattern.empty()) return names.empty();
  if (pattern.front() == "**" && agree(pattern.subspan(1), names)) return true;
  if (names.empty()) return false;
  if (pattern.front() == "**") return agree(pattern, names.subspan(1));
  if (pattern.front().empty()) return true;  // after the last slash
  const bool folded = pattern.front().starts_with('~');
  const int flags = FNM_NOESCAPE | (folded ? FNM_CASEFOLD : 0);
  return ::fnmatch(pattern.front().c_str() + (folded ? 1 : 0), names.front().c_str(), flags) == 0 &&
         agree(pattern.subspan(1), names.subspan(1));
}

bool covers(const Row& row, std::span<const std::string> names) {
  const auto is_installed = [](const std::string& name) {
    return std::ranges::find(gate::kInstalled, name) != std::end(gate::kInstalled);
  };
  if (row.rule->where == Where::Sources && std::ranges::any_of(names, is_installed)) return false;
  const std::vector<std::string> pattern = words(row.pattern, '/');
  const std::size_t first = row.rule->where == Where::Nested ? 1 : 0;
  const std::size_t last = row.rule->where == Where::Root ? 0 : names.size();
  for (std::size_t begin = first; begin <= last; ++begin) {
    if (agree(pattern, names.subspan(begin))) return true;
  }
  return false;
}

TEST(GateRules, EveryRowIsReachedAndSaysItsReason) {
  for (const Row& row : rows()) {
    const std::string path = path_of(row);
    EXPECT_EQ(gate_reason(view_of(*row.rule, path)), row.rule->reason) << path;
  }
}

TEST(GateRules, ARuleForAFileThatIsNewLetsAChangeOfAnOldOnePass) {
  for (const Row& row : rows()) {
    if (row.rule->when != When::New || row.pattern == ".git") continue;
    EXPECT_EQ(reason_changed(path_of(row)), "") << path_of(row);
  }
}

TEST(GateRules, OnlyARuleForTheRootStopsAtTheRoot) {
  for (const Row& row : rows()) {
    const std::string path = "some/where/" + sample(row.pattern);
    EXPECT_EQ(gate_reason(view_of(*row.rule, path)), row.rule->where == Where::Root ? "" : row.rule->reason) << path;
  }
}

TEST(GateRules, PatternsAreWellFormed) {
  for (const Row& row : rows()) {
    EXPECT_FALSE(row.pattern.empty()) << row.rule->patterns;
    // A symlink with any name would stand above it.
    EXPECT_FALSE(row.pattern.starts_with('*') && row.pattern.find('/') != std::string::npos) << row.pattern;
  }
}

TEST(Gate, NamesAreWholeNamesInTheirOwnCase) {
  for (const std::string& near :
       words(".gitignore .gitattributes .gitmodules .github/CODEOWNERS .github/workflow/x.yml xMakefile Makefile.in "
             "MAKEFILE Makefile/x sub/Makefile .envrc.example my.envrc .ENVRC .vscode-test/x vscode/tasks.json .husky "
             "husky/pre-commit .tool-versions tools/bazel/BUILD weights/model.pth configure.ac src/configure build.sh "
             "docker-compose.yml Dockerfile .env conftest.py tests/conftest.py src/setup.py package-lock.json "
             "sub/.travis.yml sub/Jenkinsfile .claude/notes.md AGENTS.md CLAUDE.md config hooks/pre-commit HEAD "
             "src/build.rs.txt git/hooks/pre-commit .git/hooksx/x .git/configx .git/info/exclude .git/info/attributes "
             ".git/description gradle/libs.toml pkgs/a/default.nix justfile.md docs/justfile src/mise/plugin.lua "
             "tasks.pyc cargo/config.toml .cargo/config.toml.md .prettierrc.json")) {
    EXPECT_EQ(reason_new(near), "") << near;
  }
}

TEST(Gate, CaseVariantsAreThoseThatToolsAccept) {
  for (const std::string& name :
       words("Makefile makefile GNUmakefile justfile Justfile JUSTFILE .JustFile Gruntfile.js gruntfile.coffee "
             "GulpFile.ts Rakefile rakefile")) {
    EXPECT_NE(reason_new(name), "") << name;
  }
}

TEST(Gate, AnOrdinaryDaysWorkPasses) {
  for (const std::string& path :
       words("src/main.rs src/lib/deep/module.cc include/x.h tests/test_main.py README.md docs/guide/index.md "
             "package-lock.json yarn.lock pnpm-lock.yaml Cargo.lock Cargo.toml go.mod go.sum poetry.lock "
             "pyproject.toml requirements.txt web/src/App.tsx web/vite.config.ts tsconfig.json .gitignore "
             ".editorconfig .clang-format assets/logo.png scripts/release.sh bin/run LICENSE CHANGELOG.md "
             ".github/ISSUE_TEMPLATE/bug.md node_modules/a/.npmrc node_modules/a/.vscode/settings.json "
             "node_modules/a/binding.gyp node_modules/.bin/tsc target/debug/app build/CMakeCache.txt "
             "sub/CMakeLists.txt .git/index .git/HEAD .git/ORIG_HEAD .git/FETCH_HEAD .git/COMMIT_EDITMSG "
             ".git/packed-refs .git/logs/HEAD .git/logs/refs/heads/main .git/refs/heads/main "
             ".git/refs/heads/feature/build.rs .git/refs/heads/config .git/refs/remotes/origin/HEAD "
             ".git/objects/ab/cdef0123 .git/objects/pack/pack-1.idx .git/rebase-merge/head-name "
             ".git/rebase-merge/git-rebase-todo .git/MERGE_MSG .git/modules/lib/HEAD .git/modules/lib/objects/ab/cd "
             ".git/worktrees/w/HEAD .git/hooks/pre-commit.sample")) {
    EXPECT_EQ(reason_new(path), "") << path;
    EXPECT_EQ(reason_changed(path), "") << path;
  }
}

TEST(Gate, CommitsInANestedRepositoryPassAndTheRepositoryItselfDoesNot) {
  for (const std::string_view path : {"lib/.git/HEAD", "lib/.git/index", "lib/.git/refs/heads/main"}) {
    EXPECT_EQ(reason_changed(path), "") << path;
  }
  EXPECT_EQ(reason_new("lib/.git/HEAD"), "a new nested git repository");
  EXPECT_EQ(reason_new("lib/.git"), "a new nested git repository");
  EXPECT_EQ(reason_new("node_modules/x/.git"), "a new nested git repository");
  EXPECT_EQ(reason_new("lib/.git/objects/ab/cd"), "");
  EXPECT_THAT(reason_changed("lib/.git"), HasSubstr("from where it points"));
  EXPECT_THAT(reason_new(".git"), HasSubstr("from where it points"));
}

TEST(Gate, SubmodulesOfSubmodulesAreRepositoriesToo) {
  EXPECT_EQ(reason_new(".git/modules/a/b/modules/c/hooks/post-checkout"), "git runs it (hook)");
  EXPECT_EQ(reason_new("x/.git/modules/a/hooks/update.sample"), "");
  EXPECT_EQ(reason_new(".git/.git/hooks/update"), "git runs it (hook)");
  EXPECT_THAT(reason_changed(".git/modules/a/modules/b/config"), HasSubstr("configuration"));
}

TEST(Gate, ARebaseIsGatedForTheLinesItWouldRun) {
  GateView todo = changed(".git/rebase-merge/git-rebase-todo");
  ASSERT_TRUE(needs_text(todo.path));
  for (const std::string_view harmless : {"", "pick 1 exec x\n# exec y\n", "executor\nxx\n", "break\nx-ray"}) {
    todo.text_after = harmless;
    EXPECT_EQ(gate_reason(todo), "") << harmless;
  }
  for (const std::string_view line : {"exec id", "x id", " \tx\tid", "pick 1\nexec id\n", "pick 1\r\nx id\r\n"}) {
    todo.text_after = line;
    EXPECT_THAT(gate_reason(todo), HasSubstr("exec lines")) << line;
  }
  const std::string endless(kMostGateText + 1, '#');
  todo.text_after = endless;
  EXPECT_NE(gate_reason(todo), "");
}

TEST(Gate, ASymlinkOnTheWayToAGatedFileIsGated) {
  const auto link = [](std::string_view path) {
    return gate_reason({.path = path, .existed = true, .is_symlink = true});
  };
  for (const std::string& path :
       words(".claude sub/.cargo .husky .github .git/hooks .git/rebase-merge .git/modules .git/modules/lib .vscode "
             "tools lib/.git/worktrees")) {
    EXPECT_THAT(link(path), HasSubstr("a symlink; what it leads to: ")) << path;
    EXPECT_EQ(reason_changed(path), "") << path;
  }
  for (const std::string_view path :
       {"latest", "docs/current", "node_modules/.bin/tsc", "src", ".git/objects/x", "claude"}) {
    EXPECT_EQ(link(path), "") << path;
  }
  EXPECT_EQ(link(".git/hooks"), "a symlink; what it leads to: git runs it (hook)");
  EXPECT_EQ(link(".envrc"), "direnv runs it on entering the directory");
  EXPECT_NE(link("package.json"), "");
  EXPECT_NE(link(".git/rebase-merge/git-rebase-todo"), "");
}

TEST(Gate, SetuidAndSetgidAreGatedWhereverTheyAre) {
  GateView tool = changed("bin/tool");
  tool.mode_after = 0755;
  EXPECT_EQ(gate_reason(tool), "");
  tool.mode_after = 04755;
  EXPECT_THAT(gate_reason(tool), HasSubstr("setuid"));
  tool.mode_after = 02755;
  EXPECT_THAT(gate_reason(tool), HasSubstr("setgid"));
  tool.mode_after = 01777;
  EXPECT_EQ(gate_reason(tool), "");
}

TEST(Gate, OddPathsAreJudgedAsFarAsTheyGo) {
  std::string endless;
  for (int i = 0; i < 20000; ++i) endless += ".git/modules/";
  for (const std::string& path :
       {std::string(), std::string("/"), std::string("///"), std::string("."), std::string(".."), std::string("../.."),
        std::string("\0\0", 2), std::string("\xff\xfe/\x1b[2J"), endless, std::string(1000000, 'a'),
        std::string(1000000, '/')}) {
    EXPECT_EQ(reason_new(path), "");
    EXPECT_FALSE(needs_text(path));
  }
  for (const std::string_view path :
       {"./.envrc", "/.envrc", "a//.envrc", ".envrc/", "a/./.git//hooks/x", "../.envrc"}) {
    EXPECT_NE(reason_new(path), "") << path;
  }
  EXPECT_EQ(reason_new(endless + "hooks/x"), "git runs it (hook)");
}

TEST(PlantedRepositories, AreDirectoriesWithANewHeadAndAnotherNewPart) {
  const std::string_view created_paths[] = {"a/HEAD",        "a/objects/info", "a/refs",        "b/c/HEAD",
                                            "b/c/config",    "d/HEAD",         "e/objects/x",   "e/refs/heads",
                                            "xHEAD",         "config",         "sub/.git/HEAD", "sub/.git/config",
                                            "f/HEAD/config", "a/config",       "g/HEADx",       "g/config"};
  EXPECT_THAT(planted_repositories(created_paths), ElementsAre("a", "b/c"));
  const std::string_view at_root[] = {"HEAD", "refs/heads/main"};
  EXPECT_THAT(planted_repositories(at_root), ElementsAre("."));
  EXPECT_THAT(planted_repositories({}), IsEmpty());
  const std::string_view odd[] = {"", "/", "//HEAD", "//config", "HEAD/", "config/"};
  EXPECT_THAT(planted_repositories(odd), ElementsAre("/"));
}

// Names from the patterns, and near misses of them: paths that a mistake in the walk would get wrong.
rc::Gen<std::string> some_name() {
  std::vector<std::string> names = {"src", "x", "config", "hooks", "HEAD", "**", "*", "node_modules"};
  for (const Row& row : rows()) {
    for (const std::string& name : words(sample(row.pattern), '/')) names.push_back(name);
  }
  return rc::gen::oneOf(rc::gen::elementOf(names),
                        rc::gen::map(rc::gen::elementOf(names), [](const std::string& name) { return name + "x"; }),
                        rc::gen::element<std::string>(".git", "modules", "hooks", "worktrees", "config"));
}

rc::Gen<std::vector<std::string>> some_names() {
  return rc::gen::mapcat(rc::gen::inRange<std::size_t>(0, 7), [](std::size_t count) {
    return rc::gen::container<std::vector<std::string>>(count, some_name());
  });
}

RC_GTEST_PROP(GateProperty, AgreesWithTheMeaningOfItsPatterns, ()) {
  const auto names = *some_names();
  const std::string path = join(names);
  const bool is_new = *rc::gen::arbitrary<bool>();
  std::string expected;
  for (const Row& row : rows()) {
    if ((row.rule->when == When::New && !is_new) || row.rule->when == When::Exec || !covers(row, names)) continue;
    expected = row.rule->reason;
    break;
  }
  GateView view = is_new ? created(path) : changed(path);
  view.text_after = "{}";
  RC_ASSERT(gate_reason(view) == expected);
}

RC_GTEST_PROP(GateProperty, ARuleForAnyDepthHoldsAtAnyDepth, ()) {
  const Row row = *rc::gen::elementOf(rows());
  RC_PRE(row.rule->where != Where::Root && !row.rule->reason.empty());
  const auto above = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("src", "a b", "\xff", "..", "apps", ".hidden", "node_modulesx"));
  std::string path = "top/";
  for (const std::string& name : above) path += name + "/";
  path += sample(row.pattern);
  RC_ASSERT(gate_reason(view_of(*row.rule, path)) == row.rule->reason);
}

RC_GTEST_PROP(GateProperty, ADeletionIsNeverGated, ()) {
  const std::string path = join(*some_names());
  const auto mode = *rc::gen::inRange(0U, 010000U);
  RC_ASSERT(gate_reason({.path = path, .existed = true, .exists = false, .mode_after = mode}).empty());
}

RC_GTEST_PROP(GateProperty, AnotherLetterInAnyNameIsAnotherName, ()) {
  const Row row = *rc::gen::elementOf(rows());
  std::vector<std::string> names = words(row.pattern, '/');
  if (names.back().empty()) names.pop_back();
  const auto at = *rc::gen::inRange<std::size_t>(0, names.size());
  RC_PRE(names[at].find('*') == std::string::npos);
  names[at] += *rc::gen::inRange('a', static_cast<char>('z' + 1));
  const std::string path = sample(join(names) + (row.pattern.ends_with('/') ? "/" : ""));
  const GateView view = view_of(*row.rule, path);
  const auto other = [&](const Row& candidate) { return covers(candidate, words(path, '/')); };
  RC_ASSERT(gate_reason(view).empty() || std::ranges::any_of(rows(), other));
}

RC_GTEST_PROP(GateProperty, AnyBytesAreJudged,
              (const std::string& path, const std::string& before, const std::string& after)) {
  (void)gate_reason({.path = path, .text_before = before, .text_after = after});
  (void)gate_reason({.path = "package.json", .existed = !before.empty(), .text_before = before, .text_after = after});
  (void)needs_text(path);
  const std::string_view paths[] = {path, before, after};
  (void)planted_repositories(paths);
}

}  // namespace
}  // namespace pale::stage
