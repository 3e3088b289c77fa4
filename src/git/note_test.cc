#include "git/note.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <map>

namespace pale::git {
namespace {

TEST(Note, ComesBackAsItWasWritten) {
  EXPECT_TRUE(rc::check([](const std::map<std::string, std::string>& indexes, const std::vector<std::string>& patterns,
                           const std::map<std::string, std::string>& todos) {
    Snapshot before;
    before.refs = {{"HEAD", RefKind::Symbolic, "refs/heads/main"}};
    for (const auto& [name, bytes] : indexes) before.indexes.push_back({name, bytes});
    for (const auto& [name, text] : todos) before.todos.push_back({name, text});
    before.todos.push_back({"odd", {}});
    const Terms terms{Path::literal("/p/.git"), Mode::Permissive, {Path::literal("lib")}, patterns};
    const std::string text = to_text(terms) + to_text(before);
    const auto note = parse_note(text);
    RC_ASSERT(note);
    RC_ASSERT(note->terms.git_directory == terms.git_directory);
    RC_ASSERT(note->terms.mode == Mode::Permissive);
    RC_ASSERT(note->terms.folders == terms.folders);
    RC_ASSERT(note->terms.file_scope == terms.file_scope);
    RC_ASSERT(note->before.refs == before.refs);
    RC_ASSERT(note->before.indexes == before.indexes);
    RC_ASSERT(note->before.todos == before.todos);
    RC_ASSERT(std::string(snapshot_of(text)) == to_text(before));
  }));
}

TEST(Note, WhatIsNoneIsRefused) {
  const std::string good =
      to_text(Terms{Path::literal("/p/.git"), Mode::Strict, {}, {}}) + to_text(Snapshot{{}, {{"index", "0123"}}, {}});
  ASSERT_TRUE(parse_note(good));
  EXPECT_FALSE(parse_note(""));
  EXPECT_FALSE(parse_note("{}\n{}\n"));
  EXPECT_FALSE(parse_note(good + "4"));
  EXPECT_FALSE(parse_note(good.substr(0, good.size() - 1)));
}

TEST(Todo, LinesThatAShellGetsAreFound) {
  EXPECT_THAT(exec_lines("pick 1 one\nexec make\n  x\tls\n# exec no\nexecute\nx\n"),
              testing::ElementsAre("exec make", "x\tls", "x"));
  EXPECT_THAT(exec_lines(""), testing::IsEmpty());
}

}  // namespace
}  // namespace pale::git
