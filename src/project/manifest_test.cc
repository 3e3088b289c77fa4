#include "project/manifest.h"

#include <gmock/gmock.h>

#include "support/directory.h"

namespace pale::project {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ManifestFile : public test::InADirectory {
 protected:
  Result<std::optional<Manifest>> read_text(const std::string& text, const std::string& root = "p") const {
    write(root + "/.pale/project.toml", text);
    return read_manifest(at(root));
  }
  Manifest good(const std::string& text, const std::string& root = "p") const {
    auto manifest = read_text(text, root);
    EXPECT_TRUE(manifest && *manifest) << (manifest ? "" : manifest.error().sentence());
    return manifest && *manifest ? **manifest : Manifest();
  }
  Error refused(const std::string& text) const {
    const auto manifest = read_text(text);
    EXPECT_FALSE(manifest) << text;
    return manifest ? Error() : manifest.error();
  }
};

TEST_F(ManifestFile, IsNoneWhereThereIsNone) { EXPECT_EQ(read_manifest(at("nowhere"))->has_value(), false); }

TEST_F(ManifestFile, SaysAllThatTheDesignLists) {
  const Manifest manifest = good(R"(
[project]
id = "my-app"
name = "My App"
created = 2026-01-23T14:30:00Z
[workspace]
type = "staged"
folders = ["lib", "src/"]
mode = "strict"
git = "read"
isolation = true
protected_paths = ["AGENTS.md"]
[agent]
name = "claude"
trust = "read_only"
protected = [".git", "migrations", "*.lock"]
[sandbox]
mode = "direct"
root = ".sandbox"
[zones.data]
path = "./data"
mode = "ro"
approval = { write = "ask", delete = "blocked" }
[approval]
mode = "manual"
[delegation]
max_depth = 5
[workers]
paths = ["clerks", "more/one.worker"]
[network]
mode = "allow"
allow = ["api.example.org", "*.example.org:443"]
[limits]
memory = "2G"
pids = 200
time = "10m"
disk = 1000
[hooks]
validate = "make check"
[presets.api]
folders = ["lib"]
)");
  EXPECT_EQ(manifest.id, "my-app");
  EXPECT_EQ(manifest.name, "My App");
  EXPECT_EQ(manifest.created, 1769178600);
  const Settings& settings = manifest.settings;
  EXPECT_EQ(settings.staged->where, ".pale/project.toml:7");
  EXPECT_EQ(settings.folders.at(1).value, at("p/src"));
  EXPECT_EQ(settings.scope->value, Scope::Strict);
  EXPECT_EQ(settings.git->value, GitUse::Read);
  EXPECT_EQ(settings.agent->value, "claude");
  EXPECT_EQ(settings.trust->value, Trust::ReadOnly);
  EXPECT_EQ(settings.protections.at(1).value.path, at("p/migrations"));
  EXPECT_EQ(settings.protections.at(2).value.match, Match::Glob);
  EXPECT_EQ(settings.zones.at(0).path, at("p/data"));
  EXPECT_EQ(settings.zones.at(0).access, Access::Read);
  EXPECT_EQ(settings.network->value, NetworkMode::Allow);
  EXPECT_EQ(settings.memory->value, 2UL << 30U);
  EXPECT_EQ(settings.seconds->value, 600U);
  EXPECT_EQ(settings.pids->where, ".pale/project.toml:35");
  EXPECT_EQ(settings.zones.at(0).written, "./data");
  EXPECT_EQ(settings.zones.at(0).approval, (ZoneApproval{Approval::Ask, Approval::Blocked}));
  EXPECT_EQ(settings.sandbox_mode->value, SandboxMode::Direct);
  EXPECT_EQ(settings.approval->value, ApprovalMode::Manual);
  EXPECT_EQ(settings.max_depth->value, 5U);
  EXPECT_EQ(settings.worker_paths.at(1).value, "more/one.worker");
  std::vector<std::string> declared;
  for (const Declared& word : settings.declared) declared.push_back(word.key + "=" + word.value);
  EXPECT_THAT(
      declared,
      ElementsAre("workspace.folders=lib, src/", "workspace.isolation=true", "workspace.protected_paths=AGENTS.md",
                  "sandbox.mode=direct", "sandbox.root=.sandbox", "zones.data=ro " + at("p/data").text(),
                  "zones.data.approval.write=ask", "zones.data.approval.delete=blocked", "approval.mode=manual",
                  "delegation.max_depth=5", "workers.paths=clerks, more/one.worker", "hooks.validate=make check",
                  "network.allow=api.example.org, *.example.org:443", "limits.disk=1000"));
}

TEST_F(ManifestFile, MayBeEmptyAndThenHasTheDirectorysName) {
  const Manifest manifest = good("", "My Project");
  EXPECT_EQ(manifest.id, "my-project");
  EXPECT_THAT(manifest.settings.protections, IsEmpty());
}

TEST_F(ManifestFile, AMistakeIsNamedWithItsPlaceAndWhatWouldBeRight) {
  struct Case {
    const char* text;
    const char* sentence;
    const char* hint;
  };
  for (const Case& each : std::vector<Case>{
           {"[agent]\nprotcted = []", "line 2, column 1: unknown key agent.protcted", "did you mean protected?"},
           {"[agnet]\n", "line 1, column 2: unknown key agnet", "did you mean agent?"},
           {"[agent]\ntrust = \"ful\"", "line 2, column 9: agent.trust must be one of",
            "did you mean trust = \"full\"?"},
           {"[agent]\ntrust = 3", "line 2, column 9: agent.trust must be a text in quotation marks",
            "pale help manifest"},
           {"[agent]\nprotected = \".git\"", "agent.protected must be a list of texts", "pale help manifest"},
           {"[agent]\nprotected = [1]", "agent.protected must be a list of texts", "pale help manifest"},
           {"[agent]\nprotected = [\"../x\"]", "line 2, column 13: agent.protected must be paths below the project",
            "without '..'"},
           {"[agent]\nprotected = [\"/etc\"]", "below the project", "without '..'"},
           {"[agent]\nprotected = [\".\"]", "below the project", "without '..'"},
           {"[agent]\nprotected = [\"*/x\"]", "in the last name only", "name the directory"},
           {"[agent]\nname = \"a\"\ncommand = [\"b\"]", "an agent has either", "leave out one"},
           {"[workspace]\nmode = \"tight\"", "workspace.mode must be one of \"strict\", \"permissive\"", "pale help"},
           {"[workspace]\nfolders = [\"../other\"]", "workspace.folders must be paths below", "without '..'"},
           {"[limits]\nmemory = \"much\"", "limits.memory must be a number above zero", "pale help"},
           {"[limits]\npids = -1", "limits.pids must be a whole number", "pale help"},
           {"[limits]\npids = 0", "limits.pids must be a number above zero", "pids = 200"},
           {"[limits]\ntime = 0", "limits.time must be a number above zero", "pale help"},
           {"[limits]\ntime = 9223372036854775807", "limits.time must be 3650d at most", "pale help"},
           {"[network]\nmode = \"none\"\nallow = [\"x\"]", "network.allow has a meaning with mode", "allow"},
           {"[network]\nallow = [\"http://x/\"]", "network.allow must be hosts", "api.example.org"},
           {"[zones.data]\npath = 1", "zones.data.path must be a text", "pale help"},
           {"[zones.data]\nmod = \"ro\"", "unknown key zones.data.mod", "did you mean mode?"},
           {"[zones.data]\npath = \"\"", "zones.data.path must not be empty", "path = \"./data\""},
           {"[zones.data]\napproval = { write = \"no\" }", "zones.data.approval.write must be one of", "pale help"},
           {"[approval]\nmode = \"always\"", "approval.mode must be one of \"auto\", \"manual\", \"tool\"",
            "pale help"},
           {"[delegation]\nmax_depth = 0", "delegation.max_depth must be a number above zero", "max_depth = 5"},
           {"[workers]\npaths = [\"../x\"]", "workers.paths must be paths below the project", "without '..'"},
           {"[workers]\npath = [\"x\"]", "unknown key workers.path", "did you mean paths?"},
           {"zones = 1", "zones must be a table: [zones]", "pale help"},
           {"[project]\nid = \"a b\"", "project.id must be letters", "id = \"a-b\""},
           {"[project]\ncreated = \"soon\"", "project.created must be a time", "2026-01-23"},
           {"[presets.x]\nfolder = []", "unknown key presets.x.folder", "did you mean folders?"},
           {"inherit = \"elsewhere.toml\"", "inherit must be the manifest of a project around",
            "../.pale/project.toml"},
           {"inherit = \"../.pale/project.toml\"", "inherit names a file that is not there", "leave it out"},
           {"[agent\n", "line 1, column 7: ", "mend that line"},
       }) {
    const Error error = refused(each.text);
    EXPECT_EQ(error.kind, ErrorKind::Usage) << each.text;
    EXPECT_THAT(error.sentence(), StartsWith(at("p/.pale/project.toml").text() + ":")) << each.text;
    EXPECT_THAT(error.sentence(), HasSubstr(each.sentence)) << each.text;
    EXPECT_THAT(error.hint, HasSubstr(each.hint)) << each.text;
  }
}

TEST_F(ManifestFile, ThatCannotBeReadIsAnErrorAndNotNone) {
  std::filesystem::create_directories(base_ / "p/.pale/project.toml");
  EXPECT_FALSE(read_manifest(at("p")));
  std::filesystem::create_directories(base_ / "q/.pale");
  std::filesystem::create_symlink("nowhere", base_ / "q/.pale/project.toml");
  EXPECT_FALSE(read_manifest(at("q")));
}

TEST_F(ManifestFile, ZonesOfASandboxApartLieInIt) {
  EXPECT_EQ(good("[sandbox]\nmode = \"sandboxed\"\n[zones.data]\n").settings.zones.at(0).path, at("p/.sandbox/data"));
  EXPECT_EQ(
      good("[sandbox]\nmode = \"sandboxed\"\nroot = \"box\"\n[zones.data]\npath = \"./d\"").settings.zones.at(0).path,
      at("p/box/d"));
}

TEST_F(ManifestFile, InheritsWhatAnEnclosingProjectSaysAndNarrowsIt) {
  write(".pale/project.toml", R"(
[agent]
trust = "workspace"
protected = ["p/keys", "other"]
[limits]
memory = "2G"
[zones.data]
path = "p/data"
mode = "ro"
)");
  const Manifest manifest = good(R"(
inherit = "../.pale/project.toml"
[agent]
trust = "read_only"
[limits]
memory = "1G"
)");
  EXPECT_EQ(manifest.settings.trust->value, Trust::ReadOnly);
  EXPECT_EQ(manifest.settings.memory->value, 1UL << 30U);
  ASSERT_EQ(manifest.settings.protections.size(), 1U);
  EXPECT_EQ(manifest.settings.protections[0].value.path, at("p/keys"));
  EXPECT_EQ(manifest.settings.zones.at(0).path, at("p/data"));
  const Error error = refused("inherit = \"../.pale/project.toml\"\n[limits]\nmemory = \"4G\"");
  EXPECT_EQ(error.kind, ErrorKind::Refused);
  EXPECT_THAT(error.sentence(), HasSubstr(".pale/project.toml:3: memory asks for more than " +
                                          at(".pale/project.toml").text() + ":6 allows"));
}

TEST_F(ManifestFile, InheritsHowDeepWorkersCallAndNotWhereTheyLie) {
  write(".pale/project.toml", R"(
[sandbox]
mode = "sandboxed"
[zones.data]
path = "../p/data"
[delegation]
max_depth = 3
[approval]
mode = "manual"
[workers]
paths = ["clerks"]
)");
  const Settings settings = good("inherit = \"../.pale/project.toml\"\n[delegation]\nmax_depth = 2").settings;
  EXPECT_EQ(settings.max_depth->value, 2U);
  EXPECT_EQ(settings.approval->value, ApprovalMode::Manual);
  EXPECT_FALSE(settings.sandbox_mode);
  EXPECT_THAT(settings.worker_paths, IsEmpty());
  ASSERT_EQ(settings.zones.size(), 1U);
  EXPECT_EQ(settings.zones[0].path, at("p/data"));
  EXPECT_EQ(settings.zones[0].written, "");
  for (const char* wider : {"[delegation]\nmax_depth = 4", "[approval]\nmode = \"auto\""})
    EXPECT_EQ(refused("inherit = \"../.pale/project.toml\"\n" + std::string(wider)).kind, ErrorKind::Refused) << wider;
}

TEST_F(ManifestFile, InsideWhatAnEnclosingProjectProtectsNothingIsWritten) {
  for (const char* above : {"[agent]\nprotected = [\"p\"]", "[zones.x]\npath = \"p\"\nmode = \"ro\""}) {
    write(".pale/project.toml", above);
    EXPECT_EQ(good("inherit = \"../.pale/project.toml\"").settings.trust->value, Trust::ReadOnly) << above;
  }
  write(".pale/project.toml", "[workspace]\nmode = \"strict\"\nfolders = [\"other\"]");
  EXPECT_EQ(good("inherit = \"../.pale/project.toml\"").settings.trust->value, Trust::Discovery);
}

TEST_F(ManifestFile, APresetNarrowsAndNeverWidens) {
  const Manifest manifest = good(R"(
[agent]
trust = "workspace"
[workspace]
folders = ["packages"]
[presets.api]
folders = ["packages/api"]
mode = "strict"
trust = "read_only"
time = "1m"
[presets.wide]
folders = ["lib"]
[presets.bold]
trust = "full"
)");
  const auto api = choose_preset(manifest, "api");
  ASSERT_TRUE(api) << api.error().sentence();
  EXPECT_EQ(api->folders.at(0).value, at("p/packages/api"));
  EXPECT_EQ(api->trust->value, Trust::ReadOnly);
  EXPECT_EQ(api->seconds->value, 60U);
  EXPECT_EQ(choose_preset(manifest, "wide").error().kind, ErrorKind::Refused);
  EXPECT_EQ(choose_preset(manifest, "bold").error().kind, ErrorKind::Refused);
  EXPECT_EQ(choose_preset(manifest, "apy").error().hint, "--preset api");
  EXPECT_EQ(choose_preset(manifest, "")->trust->value, Trust::Workspace);
}

TEST_F(ManifestFile, ANewOneIsReadAsItWasMeantWhateverTheNameHolds) {
  for (const std::string name :
       {"plain", "quo\"te \\ back", "line\nbreak\ttab", "\xc3\xbcml\xc3\xa4ut", "'''\"\"\"", "# no"}) {
    const auto project =
        Project::make({"id", name, at("p"), WorkspaceType::Manifest, 1769178600, at("p/.pale/project.toml")});
    const Manifest manifest = good(manifest_text(*project, Trust::ReadOnly));
    EXPECT_EQ(manifest.name, name);
    EXPECT_EQ(manifest.created, 1769178600);
    EXPECT_EQ(manifest.settings.trust->value, Trust::ReadOnly);
  }
}

}  // namespace
}  // namespace pale::project
