#include "tools/refusal.h"

#include <cerrno>

#include "support/workbench.h"

namespace pale::tools {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;

class Refusals : public Workbench {
 protected:
  std::string words(Operation operation, const std::string& path, int number) const {
    const Error error = refusal(place_, operation, path, {ErrorKind::System, number, "open", path, ""});
    return error.sentence() + "\n" + error.hint;
  }
};

TEST_F(Refusals, NameThePathTheRuleAndWhatIsAllowed) {
  const std::string text = words(Operation::Write, ".git/hooks/pre-commit", EROFS);
  EXPECT_THAT(text, HasSubstr(".git/hooks/pre-commit: Read-only file system."));
  EXPECT_THAT(text, HasSubstr("The rule: protected " + at(".git/hooks").text() + " (from default)."));
  EXPECT_THAT(text, HasSubstr("Changes are allowed below " + base().text() + ", but for what is protected."));
}

TEST_F(Refusals, SayOfWhatLiesOutsideThatNothingGrantsIt) {
  const std::string text = words(Operation::Read, "/home/somebody/.ssh/id", ENOENT);
  EXPECT_THAT(text, HasSubstr("outside: nothing grants it"));
  EXPECT_THAT(text, HasSubstr("Reading is allowed below " + base().text() + " and the system (/usr)."));
}

TEST_F(Refusals, KnowWhereALinkLeads) {
  fs::create_symlink("/home/somebody", base_ / "link");
  fs::create_symlink("/usr/bin", base_ / "bin");
  EXPECT_THAT(words(Operation::Read, "link", ENOENT), HasSubstr("It leads to /home/somebody. "));
  EXPECT_THAT(words(Operation::Write, "bin/env", EROFS), HasSubstr("It leads to /usr/bin/env. The rule: read /usr"));
  EXPECT_EQ(where_it_leads(place_, "../x/../y").text(), (base_.parent_path() / "y").string());
}

TEST_F(Refusals, AreNotMadeUp) {
  EXPECT_EQ(words(Operation::Read, "missing", ENOENT), "missing: No such file or directory\n");
  EXPECT_THAT(words(Operation::Write, ".git/hooks/x", ENOSPC), Not(HasSubstr("rule")));
}

TEST_F(Refusals, OfSomethingThatPaleMadeSayThatItHasNotAll) {
  BoundaryParts parts = boundary_.parts();
  parts.grants.push_back({Path::literal("/etc"), Access::Read, base() / "etc", "system", {}});
  boundary_ = *Boundary::make(std::move(parts));
  EXPECT_THAT(words(Operation::Read, "/etc/none-such", ENOENT),
              HasSubstr("The rule: read /etc (from system). Of the host's /etc it has what programs need"));
}

TEST_F(Refusals, OutsideAScopeSayWhichFoldersItHas) {
  BoundaryParts parts = made().parts();
  parts.protections.clear();
  parts.grants.front().access = Access::List;
  const auto words_with = [&](const BoundaryParts& some) {
    const Boundary scoped = *Boundary::make(some);
    const Workplace place = *enter(scoped, Power::Run, environ);
    return refusal(place, Operation::Read, "docs/a", {ErrorKind::System, EACCES, "open", "docs/a", ""}).sentence();
  };
  EXPECT_THAT(words_with(parts), Not(HasSubstr("WORKSPACE"))) << "there are no folders";
  for (const char* folder : {"lib", "src"}) parts.grants.push_back({at(folder), Access::Write, at(folder), "toml", {}});
  EXPECT_THAT(
      words_with(parts),
      HasSubstr("\n[WORKSPACE] BLOCKED: File access outside workspace\n[WORKSPACE]   File: " + at("docs/a").text() +
                "\n[WORKSPACE]   Operation: read\n[WORKSPACE]   Workspace folders: lib,src"));
}

class AskingAboutTheBoundary : public Workbench {};

TEST_F(AskingAboutTheBoundary, AllOfIt) {
  const Json answer = call("boundary");
  EXPECT_EQ(answer["workspace"], base().text());
  EXPECT_EQ(answer["network"], "none");
  EXPECT_EQ(answer["protected"][0]["path"], at(".git/hooks").text());
  EXPECT_THAT(answer["TEXT"], HasSubstr("There is no network."));
  EXPECT_EQ(answer["tools"].size(), tools_for(place_).size());
}

TEST_F(AskingAboutTheBoundary, OnePathAndOneOperation) {
  const Json write = call("boundary", {{"path", ".git/hooks/x"}, {"operation", "write"}});
  ASSERT_EQ(write["operations"].size(), 1U);
  EXPECT_EQ(write["operations"][0]["allowed"], false);
  EXPECT_EQ(write["operations"][0]["outcome"], "read-only");
  EXPECT_THAT(write["operations"][0]["rule"], HasSubstr("protected"));
  EXPECT_EQ(call("boundary", {{"path", "src"}})["operations"].size(), 7U);
  EXPECT_THAT(error_of("boundary", {{"path", "a"}, {"operation", "burn"}}), HasSubstr("operation: must be read"));
}

}  // namespace
}  // namespace pale::tools
