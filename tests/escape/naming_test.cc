// ESCAPES 1 and 20: every road to a protected name that does not exist, and races along it.
#include "escape/escape.h"

namespace pale::test {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;

class MissingNames : public Escape {
 protected:
  std::vector<std::string> ways() const {
    const Finished list = run(on_host({PALE_ATTACK, "ways"}));
    return lines_of(list.out);
  }

  // What follows a symlink too: the host's tools do.
  bool reachable(const std::string& name) const { return std::filesystem::exists(workspace().path() / name); }

  // Unharmed, or ended with what appeared in quarantine.
  void run_contained(const std::string& script) const {
    const std::size_t before = quarantined();
    const Finished run = shell(script);
    EXPECT_THAT(run.exit_code, AnyOf(Eq(0), Eq(3))) << script << ": " << run.err;
    if (run.exit_code == 3) {
      EXPECT_GT(quarantined(), before) << script;
      EXPECT_THAT(run.err, HasSubstr("appeared at a protected path")) << script;
    }
  }
};

TEST_P(MissingNames, E20_NoRoadLeadsToAProtectedName) {
  for (const std::string& way : ways()) {
    const Finished run = attack({"create", way, ".envrc"});
    EXPECT_EQ(run.exit_code, 0) << way << ": " << run.err;
    EXPECT_THAT(run.out, HasSubstr(way + " E")) << way;
    EXPECT_FALSE(workspace().exists(".envrc")) << way;
  }
}

// A file, a link or a moved directory there would bring its own hooks along; an empty directory may be made.
TEST_P(MissingNames, E20_NoRoadLeadsToAnythingButADirectoryAboveAProtectedName) {
  for (const std::string& way : ways()) {
    if (way.starts_with("mkdir")) continue;
    const Finished run = attack({"create", way, ".git"});
    EXPECT_EQ(run.exit_code, 0) << way << ": " << run.err;
    EXPECT_THAT(run.out, HasSubstr(way + " E")) << way;
    EXPECT_FALSE(workspace().exists(".git")) << way;
  }
}

TEST_P(MissingNames, E01_ANameThatChangesBetweenTheAnswerAndTheCall) {
  for (const std::string kind : {"open", "mkdir", "rename"}) {
    run_contained("./attack race " + kind + " .envrc 700");
    EXPECT_FALSE(workspace().exists(".envrc")) << kind;
  }
}

TEST_P(MissingNames, E01_ADirectoryAboveThatChangesBetweenTheAnswerAndTheCall) {
  workspace().write("evil/settings.json", "{}");
  for (const std::string kind : {"open", "symlink", "rename"}) {
    run_contained("./attack race " + kind + " .claude 700");
    EXPECT_FALSE(reachable(".claude/settings.json")) << kind;
    EXPECT_FALSE(std::filesystem::is_symlink(workspace().path() / ".claude")) << kind;
    EXPECT_FALSE(std::filesystem::is_regular_file(workspace().path() / ".claude")) << kind;
    std::filesystem::remove_all(workspace().path() / ".claude");
  }
}

TEST_P(MissingNames, E01_ANameThatMatchesAPatternBesideOneThatExists) {
  workspace().write(".claude/settings.json", "{}");
  run_contained("cd .claude && ../attack race open settings.local.json 700");
  EXPECT_FALSE(workspace().exists(".claude/settings.local.json"));
  EXPECT_EQ(workspace().read(".claude/settings.json"), "{}");
}

TEST_P(MissingNames, E20_AFirstProcessThatCannotLookSaysNo) {
  const Finished run = shell(R"(
    ./attack starve-first-process
    ./attack create open .envrc; ./attack create proc-self-fd-high .git; echo x > .mcp.json
    exit 7)");
  EXPECT_THAT(run.exit_code, AnyOf(Eq(7), Eq(3))) << run.err;
  for (const char* name : {".envrc", ".git", ".mcp.json"}) EXPECT_FALSE(workspace().exists(name)) << name;
}

INSTANTIATE_TEST_SUITE_P(, MissingNames, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
