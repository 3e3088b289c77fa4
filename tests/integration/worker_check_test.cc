// pale worker list, show and check: zones and workers as a project declares them, and what each would get. Nothing runs.
#include <sstream>

#include "projects.h"

namespace pale::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class WorkerCheck : public WithProjects {
 protected:
  void worker(const std::string& file, const std::string& name, const std::string& keys = "") const {
    const std::string run = keys.find("run:") == std::string::npos ? "run: [\"true\"]\n" : "";
    work().write(file, "---\nname: " + name + "\n" + keys + run + "---\nDo it.\n");
  }
  static std::string asks(const std::string& zones) { return "sandbox: {zones: [" + zones + "]}\n"; }
  static std::string calls(const std::string& names) {
    return "toolsets: {workers: {allowed_workers: [" + names + "]}}\n";
  }

  Finished check(const Words& more = {}) const {
    return pale(Words{"worker", "check", "--project-root", root()} + more);
  }
  json checked(const Words& more = {}) const {
    const Finished done = check(Words{"--json"} + more);
    EXPECT_EQ(done.err, "");
    return json::parse(done.out, nullptr, false);
  }
  // The zones of the specification's project.
  void write_zones() const {
    write_manifest(
        "[zones.cache]\npath = \"./cache\"\n[zones.workspace]\npath = \"./workspace\"\n"
        "[zones.data]\npath = \"./data\"\nmode = \"ro\"\n");
  }
  static const json& node(const json& tree, const std::string& name) {
    for (const json& each : tree) {
      if (each.at("worker") == name) return each;
      const json& below = node(each.at("calls"), name);
      if (!below.is_null()) return below;
    }
    static const json none;
    return none;
  }
  static std::string gets(const json& node) {
    std::string text;
    for (const json& zone : node.at("zones"))
      text += (text.empty() ? "" : " ") + zone.at("name").get<std::string>() + ":" + zone.at("mode").get<std::string>();
    return text;
  }
};

// Each example of the specification, under its name.
TEST_P(WorkerCheck, SpecFormatterGetsOnlyWhatItDeclared) {
  write_manifest("[zones.data]\n[zones.workspace]\n[zones.cache]\n");
  worker(".pale/workers/index.worker", "index",
         asks("{name: data}, {name: workspace}, {name: cache}") + calls("formatter"));
  worker(".pale/workers/formatter.worker", "formatter", asks("{name: data, mode: rw}"));
  const json answer = checked();
  EXPECT_EQ(gets(node(answer["tree"], "formatter")), "data:rw");
  EXPECT_EQ(check().exit_code, 0);
}

TEST_P(WorkerCheck, SpecFormatterIsRefusedWhereItsParentOnlyReads) {
  write_zones();
  worker(".pale/workers/index.worker", "index", asks("{name: data, mode: ro}") + calls("formatter"));
  worker(".pale/workers/formatter.worker", "formatter", asks("{name: data, mode: rw}"));
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, HasSubstr("PERMISSION_ESCALATION: Child requests 'rw' on 'data' but parent only has 'ro'"));
  const json refused = node(checked()["tree"], "formatter");
  EXPECT_EQ(refused["refused"], true);
  EXPECT_THAT(refused["zones"], IsEmpty());
  EXPECT_EQ(refused["lost"][0]["code"], "PERMISSION_ESCALATION");
}

TEST_P(WorkerCheck, SpecValidatorIsAPureFunction) {
  write_zones();
  worker(".pale/workers/index.worker", "index", asks("{name: data, mode: ro}, {name: workspace}") + calls("validator"));
  worker(".pale/workers/validator.worker", "validator", "description: Validates data structure\n");
  EXPECT_THAT(check().out, HasSubstr("nothing: a pure function"));
  EXPECT_EQ(gets(node(checked()["tree"], "validator")), "");
}

TEST_P(WorkerCheck, SpecReportGeneratorReadsDataAndWritesItsWorkspace) {
  write_zones();
  worker(".pale/workers/report.worker", "report-generator",
         asks("{name: data, mode: ro}, {name: workspace, mode: rw}"));
  EXPECT_EQ(gets(node(checked()["tree"], "report-generator")), "data:ro workspace:rw");
}

TEST_P(WorkerCheck, SpecGrandchildIsHeldToWhatTheChildHas) {
  write_zones();
  worker(".pale/workers/index.worker", "index", asks("{name: cache}, {name: workspace}") + calls("child"));
  worker(".pale/workers/child.worker", "child", asks("{name: workspace, mode: ro}") + calls("grandchild"));
  worker(".pale/workers/grandchild.worker", "grandchild", asks("{name: cache}, {name: workspace}"));
  const json lost = node(checked()["tree"], "grandchild").at("lost");
  EXPECT_EQ(lost[0]["message"], "Child requests zone 'cache' but parent doesn't have it");
  EXPECT_EQ(lost[0]["code"], "ZONE_ACCESS_DENIED");
  EXPECT_EQ(lost[1]["message"], "Child requests 'rw' on 'workspace' but parent only has 'ro'");
}

TEST_P(WorkerCheck, SpecTheEntryWorkerDoesNotWriteWhatIsReadOnly) {
  write_zones();
  worker(".pale/workers/main.worker", "entry", asks("{name: data}"));
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, HasSubstr("Worker requests 'rw' on 'data' but project only has 'ro'"));
}

// What real projects of golem-forge look like.
TEST_P(WorkerCheck, AConfigurationOfGolemForgeIsReadAsItIs) {
  work().write("golem-forge.config.yaml",
               "sandbox:\n  mode: direct\n  root: \".\"\n  zones:\n    scans: {path: ./scans, mode: ro}\n"
               "    plans: {path: ./plans, mode: rw}\n");
  worker("index.worker", "planner",
         asks("{name: scans, mode: ro}, {name: plans, approval: {write: preApproved, delete: blocked}}") +
             calls("reader"));
  worker("workers/reader.worker", "reader", "compatible_models: [\"someone:*\"]\n");
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("golem-forge.config.yaml: direct"), HasSubstr("└─ reader")));
  const json planner = node(checked()["tree"], "planner");
  EXPECT_EQ(gets(planner), "scans:ro plans:rw");
  EXPECT_EQ(planner["zones"][1]["folder"], root() + "/plans");
  EXPECT_EQ(planner["zones"][1]["approval"]["delete"], "blocked");
}

// One that is called first may be called as the one beside it: the first is meant by its file, the other by its name.
TEST_P(WorkerCheck, TheFirstMaySpeakForOneOfItsName) {
  work().write("golem-forge.config.yaml", "sandbox: {mode: direct, zones: {notes: {path: ./notes}}}\n");
  worker("index.worker", "sums", asks("{name: notes}") + calls("sums") + "run: [\"true\"]\n");
  worker("sums.worker", "sums", "run: [\"true\"]\n");
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 0) << done.out;
  EXPECT_THAT(done.out, AllOf(HasSubstr("index.worker "), HasSubstr("└─ sums"), HasSubstr("2 workers")));
  EXPECT_EQ(gets(node(checked()["tree"], "index.worker")), "notes:rw");
  EXPECT_EQ(gets(node(checked()["tree"], "sums")), "");
  const Finished shown = pale({"worker", "show", "index.worker", "--project-root", root()});
  EXPECT_THAT(shown.out, HasSubstr("called first: yes"));
}

// A folder with nothing but a worker in it is a project of that worker.
TEST_P(WorkerCheck, WithoutAConfigurationAnIndexAtTheRootIsTheFirst) {
  worker("index.worker", "chief", calls("clerk") + "run: [\"true\"]\n");
  worker("workers/clerk.worker", "clerk", "run: [\"true\"]\n");
  worker("src/other.worker", "other", "run: [\"true\"]\n");
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 0) << done.out;
  EXPECT_THAT(done.out, AllOf(HasSubstr("chief "), HasSubstr("└─ clerk"), HasSubstr("2 workers")));
  EXPECT_EQ(pale({"worker", "call", "--project-root", root()}).exit_code, 0);
  // Where workers lie in their usual place, one elsewhere is called by its path.
  worker(".pale/workers/a.worker", "a", "run: [\"true\"]\n");
  EXPECT_THAT(check().out, AllOf(HasSubstr("1 worker,"), Not(HasSubstr("chief"))));
  const Finished refused = pale({"worker", "call", "--project-root", root()});
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("hint: pale worker call " + root() + "/index.worker"));
}

TEST_P(WorkerCheck, WhatIsLessThanWasAskedForAndWhatNobodyIsAskedAboutIsDrawn) {
  write_manifest(
      "[zones.work]\napproval = { write = \"blocked\" }\n[zones.plans]\n"
      "approval = { write = \"preApproved\", delete = \"blocked\" }\n");
  worker(".pale/workers/index.worker", "index", asks("{name: work}, {name: plans}"));
  EXPECT_THAT(check().out,
              HasSubstr("work ro (asked rw: write is blocked); plans rw, write preApproved, delete blocked"));
  EXPECT_EQ(node(checked()["tree"], "index")["zones"][0]["narrowed_by"], "asked rw: write is blocked");
}

TEST_P(WorkerCheck, AWorkerThatNeedsAnAgentAndThereIsNone) {
  write_manifest("[zones.data]\n");
  work().write(".pale/workers/a.worker", "---\nname: a\nsandbox: {zones: [{name: none}]}\n---\nDo it.\n");
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, AllOf(HasSubstr(".pale/workers/a.worker has no command of its own (run), and "),
                              HasSubstr("1 problem\n")));
  const Finished shown = pale({"worker", "show", "a", "--project-root", root()});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("ZONE_ACCESS_DENIED"), HasSubstr("    hint: declare it in the project")));
}

TEST_P(WorkerCheck, ASandboxedProjectKeepsItsZonesInItsFolder) {
  work().write("golem-forge.config.yml", "sandbox: {zones: {data: {path: ./data}}}\n");
  EXPECT_EQ(checked()["zones"][0]["folder"], root() + "/.sandbox/data");
  EXPECT_EQ(checked({"--sandbox-root", "box"})["zones"][0]["folder"], root() + "/box/data");
  EXPECT_EQ(checked({"--sandbox-mode", "direct"})["zones"][0]["folder"], root() + "/data");
}

// An invalid configuration was once skipped in favour of a parent folder's.
TEST_P(WorkerCheck, AnInvalidConfigurationIsAnErrorAndNoOtherIsLookedFor) {
  work().write("golem-forge.config.yaml", "sandbox: {zones: {data: {path: ./data}}}\n");
  work().write("inner/golem-forge.config.yaml", "sandbox:\n  zonse: {}\n");
  const Finished done = pale({"worker", "check", "--project-root", root() + "/inner"});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, AllOf(HasSubstr(root() + "/inner/golem-forge.config.yaml: line 2, column 3"),
                              HasSubstr("unknown key sandbox.zonse"), HasSubstr("hint: did you mean zones?")));
  work().write("inner/golem-forge.config.yaml", "sandbox: [\n");
  EXPECT_EQ(pale({"worker", "check", "--project-root", root() + "/inner"}).exit_code, 2);
  // And where there is none, the parent's is not taken either.
  work().make_directory("bare");
  EXPECT_THAT(pale({"worker", "check", "--project-root", root() + "/bare"}).out, HasSubstr("Zones\n  none\n"));
}

TEST_P(WorkerCheck, TwoConfigurationsAreAnErrorThatNamesBoth) {
  work().write("golem-forge.config.yaml", "sandbox: {zones: {data: {path: ./data}}}\n");
  write_manifest("[agent]\ntrust = \"workspace\"\n");
  EXPECT_EQ(check().exit_code, 0);
  for (const std::string table :
       {"[zones.data]\npath = \"d\"\n", "[sandbox]\nmode = \"direct\"\n", "[approval]\nmode = \"auto\"\n",
        "[delegation]\nmax_depth = 2\n", "[workers]\npaths = [\"w\"]\n"}) {
    write_manifest(table);
    const Finished done = check();
    EXPECT_EQ(done.exit_code, 2) << table;
    EXPECT_THAT(done.err, HasSubstr("declared twice, and only one can count: .pale/project.toml:2 and "
                                    "golem-forge.config.yaml"));
    EXPECT_THAT(hint_of(done), HasSubstr("mv golem-forge.config.yaml"));
  }
  write_manifest("");
  work().write("golem-forge.config.yml", "");
  EXPECT_THAT(check().err, HasSubstr("golem-forge.config.yaml and golem-forge.config.yml"));
  EXPECT_EQ(check().exit_code, 2);
}

// maxDepth was once never kept.
TEST_P(WorkerCheck, CallsEndAtTheDepthThatTheProjectOrTheUserSays) {
  work().write("golem-forge.config.yaml", "delegation: {maxDepth: 2}\n");
  worker("index.worker", "a", calls("b"));
  worker("workers/b.worker", "b", calls("c"));
  worker("workers/c.worker", "c", calls("d"));
  worker("workers/d.worker", "d", calls("a"));
  EXPECT_EQ(node(checked({"a"})["tree"], "c").at("ending"), "depth");
  EXPECT_TRUE(node(checked({"a"})["tree"], "d").is_null());
  EXPECT_EQ(node(checked({"a", "--max-depth", "1"})["tree"], "b").at("ending"), "depth");
  const json deep = checked({"a", "--max-depth", "9"})["tree"];
  EXPECT_EQ(node(deep, "d").at("calls")[0].at("ending"), "cycle");
  EXPECT_THAT(check({"a", "--max-depth", "9"}).out, HasSubstr("as above, until calls end at depth 9"));
  EXPECT_EQ(check({"--max-depth", "0"}).exit_code, 2);
}

TEST_P(WorkerCheck, AZoneThatLeavesTheProjectIsRefusedByName) {
  for (const std::string path : {"../x", "/etc", ".", "a/../../b"}) {
    write_manifest("[zones.data]\npath = \"" + path + "\"\n");
    const Finished done = check();
    if (path == ".") {
      EXPECT_EQ(done.exit_code, 0) << done.err;
    } else {
      EXPECT_EQ(done.exit_code, 2) << path;
      EXPECT_THAT(done.err, HasSubstr(".pale/project.toml:2: the zone 'data' has a")) << path;
    }
  }
}

// What is there, at the root of a real sandbox, is what no zone may be called.
TEST_P(WorkerCheck, NoZoneHasANameThatTheSandboxHasAtItsRoot) {
  write_manifest("");
  std::istringstream names(script("ls -A /").out);
  int compared = 0;
  const std::string top = root().substr(1, root().find('/', 1) - 1);
  for (std::string name; std::getline(names, name); ++compared) {
    write_manifest("[zones." + name + "]\npath = \"d\"\n");
    const Finished done = check();
    if (name == top && name != "tmp") continue;  // where the project itself happens to lie
    EXPECT_EQ(done.exit_code, 2) << name;
    EXPECT_THAT(done.err, HasSubstr("would appear at /" + name + ", which belongs to the system"));
  }
  EXPECT_GT(compared, 6);
}

TEST_P(WorkerCheck, NoZoneIsMoreThanTrustOrAProtectionAllows) {
  write_manifest("[agent]\nprotected = [\"migrations\"]\n[zones.m]\npath = \"migrations\"\n[zones.out]\n");
  EXPECT_EQ(checked()["zones"][0]["mode"], "ro");
  EXPECT_EQ(checked()["zones"][0]["narrowed_by"], "protected: .pale/project.toml:2");
  EXPECT_EQ(checked()["zones"][1]["mode"], "rw");
  write_manifest("[agent]\ntrust = \"read_only\"\n[zones.out]\n");
  EXPECT_EQ(checked()["zones"][0]["mode"], "ro");
  EXPECT_THAT(checked()["zones"][0]["narrowed_by"].get<std::string>(), HasSubstr("trust read_only"));
}

TEST_P(WorkerCheck, AZoneThatIsALinkIsAProblem) {
  write_manifest("[zones.data]\npath = \"data\"\n[zones.file]\npath = \"file\"\n");
  std::filesystem::create_symlink("/etc", work().path() / "data");
  work().write("file", "");
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, AllOf(HasSubstr("the zone 'data' is, or leads through, a symbolic link: " + root() + "/data"),
                              HasSubstr("the zone 'file' is no folder: " + root() + "/file")));
}

TEST_P(WorkerCheck, ALinkOutOfTheProjectIsNotReadAsAWorker) {
  const TemporaryDirectory elsewhere(GetParam(), "elsewhere");
  elsewhere.write("x.worker", "---\nname: stolen\n---\n");
  write_manifest("");
  work().make_directory(".pale/workers");
  std::filesystem::create_symlink(elsewhere.path() / "x.worker", work().path() / ".pale/workers/x.worker");
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, AllOf(HasSubstr("leads out of the project"), Not(HasSubstr("stolen"))));
}

TEST_P(WorkerCheck, TheOldFormWorksAndItsSuffixesAreSaidToBeTheToolsAffair) {
  write_manifest("[zones.data]\npath = \"data\"\n");
  worker(".pale/workers/old.worker", "old",
         "sandbox:\n  paths:\n    cache: {root: ./data/cache, mode: rw, suffixes: [.json, .txt]}\n");
  const Finished done = check();
  EXPECT_EQ(done.exit_code, 0) << done.out;
  EXPECT_THAT(done.out, AllOf(HasSubstr("cache rw, only .json .txt"), HasSubstr("only the file tools keep to")));
  worker(".pale/workers/old.worker", "old", "sandbox:\n  paths:\n    cache: {root: ./elsewhere}\n");
  EXPECT_EQ(node(checked()["tree"], "old").at("lost")[0].at("code"), "ZONE_ACCESS_DENIED");
}

TEST_P(WorkerCheck, ListsWhatIsRightAndSaysWhatIsNot) {
  write_manifest("");
  EXPECT_THAT(pale({"worker", "list", "--project-root", root()}).err, HasSubstr("no workers yet"));
  worker(".pale/workers/index.worker", "first", "description: Begins\n");
  worker(".pale/workers/a.worker", "same");
  worker(".pale/workers/b.worker", "same");
  work().write(".pale/workers/c.worker", "no front matter");
  const Finished done = pale({"worker", "list", "--project-root", root()});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, AllOf(HasSubstr("first"), HasSubstr("Begins  (called first)"), Not(HasSubstr("same"))));
  EXPECT_THAT(done.err,
              AllOf(HasSubstr(".pale/workers/a.worker and .pale/workers/b.worker"), HasSubstr("c.worker: line 1")));
  const json listed = json::parse(pale({"worker", "list", "--project-root", root(), "--json"}).out);
  EXPECT_EQ(listed["workers"][0]["entry"], true);
  EXPECT_EQ(listed["problems"].size(), 2U);
}

TEST_P(WorkerCheck, ShowsOneByNameOrByFile) {
  write_zones();
  worker(".pale/workers/formatter.worker", "formatter",
         asks("{name: data, mode: ro}") + "run: [python3, f.py]\nlocked: true\n");
  const Words at = {"--project-root", root()};
  const Finished done = pale(Words{"worker", "show", "formatter"} + at);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("python3 f.py"), HasSubstr("data ro"), HasSubstr("called as it is written")));
  EXPECT_EQ(pale_in(root(), Words{"worker", "show", ".pale/workers/formatter.worker"}).out, done.out);
  EXPECT_EQ(json::parse(pale(Words{"worker", "show", "formatter", "--json"} + at).out)["locked"], true);
  const Finished typo = pale(Words{"worker", "show", "formater"} + at);
  EXPECT_NE(typo.exit_code, 0);
  EXPECT_THAT(typo.err, HasSubstr("hint: did you mean formatter?"));
  // A file from elsewhere may be tried out, but not in the place of one that is locked.
  work().write("drafts/x.worker", "---\nname: draft\nsandbox: {zones: [{name: data}]}\n---\n");
  EXPECT_THAT(pale_in(root(), {"worker", "check", "drafts/x.worker"}).out, HasSubstr("PERMISSION_ESCALATION"));
  work().write("drafts/x.worker", "---\nname: formatter\n---\n");
  EXPECT_EQ(pale_in(root(), {"worker", "check", "drafts/x.worker"}).exit_code, 3);
}

TEST_P(WorkerCheck, ChangesNothing) {
  write_zones();
  worker(".pale/workers/index.worker", "index", asks("{name: cache}") + "run: [touch, /cache/ran]\n");
  const std::string before = work().snapshot();
  EXPECT_EQ(check().exit_code, 0);
  EXPECT_EQ(work().snapshot(), before);
}

TEST_P(WorkerCheck, NoNameFromAFileReachesTheTerminalAsItIs) {
  work().write("golem-forge.config.yaml", "sandbox: {zones: {\"a\\e[31mb\": {path: x}}}\n");
  EXPECT_THAT(check().err, Not(HasSubstr("\x1b")));
  work().write("golem-forge.config.yaml", "sandbox: {mode: direct, zones: {a: {path: \"x\\e[31m\"}}}\n");
  worker("index.worker", "a", "description: \"\\e[31mred\"\n" + asks("{name: a}"));
  for (const std::string command : {"list", "check"})
    EXPECT_THAT(pale({"worker", command, "--project-root", root()}).out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(pale({"worker", "show", "a", "--project-root", root()}).out, Not(HasSubstr("\x1b")));
}

INSTANTIATE_TEST_SUITE_P(, WorkerCheck, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
