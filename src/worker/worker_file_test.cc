#include "worker/worker_file.h"

#include <gmock/gmock.h>

namespace pale::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

WorkerFile read(std::string_view text) {
  auto worker = parse_worker(text, "/p/x.worker");
  EXPECT_TRUE(worker.has_value()) << text << "\n" << (worker ? "" : worker.error().sentence());
  return worker ? std::move(*worker) : WorkerFile();
}

WorkerFile with_keys(const std::string& keys) { return read("---\nname: x\n" + keys + "\n---\n"); }

Error refusal(std::string_view text) {
  const auto worker = parse_worker(text, "/p/x.worker");
  EXPECT_FALSE(worker.has_value()) << text;
  if (worker) return {};
  EXPECT_THAT(worker.error().sentence(), StartsWith("/p/x.worker: line "));
  EXPECT_FALSE(worker.error().hint.empty()) << worker.error().sentence();
  return worker.error();
}

// The keys begin in line 3.
Error refused_keys(const std::string& keys) { return refusal("---\nname: x\n" + keys + "\n---\n"); }
std::string refused(const std::string& keys) { return refused_keys(keys).sentence(); }

TEST(WorkerFile, HasKeysAndThenInstructions) {
  const WorkerFile worker = read(R"(---
name: invoice_clerk
description: Sorts invoices into folders
toolsets:
  filesystem: {}
  workers:
    allowed_workers:
      - ocr
      - currency-rates
sandbox:
  zones:
    - name: inbox
      mode: ro
    - name: sorted
      approval:
        write: preApproved   # that is its work
        delete: blocked
locked: true
---

You sort invoices.

---
A line of dashes is nothing special by now.

)");
  EXPECT_EQ(worker.name, "invoice_clerk");
  EXPECT_EQ(worker.description, "Sorts invoices into folders");
  EXPECT_EQ(worker.instructions, "You sort invoices.\n\n---\nA line of dashes is nothing special by now.");
  EXPECT_THAT(worker.allowed_workers, ElementsAre("ocr", "currency-rates"));
  EXPECT_TRUE(worker.locked);
  ASSERT_TRUE(worker.sandbox);
  const ZoneApproval approval{Approval::PreApproved, Approval::Blocked};
  EXPECT_THAT(worker.sandbox->zones,
              ElementsAre(ZoneRequest{"inbox", Access::Read, {}}, ZoneRequest{"sorted", Access::Write, approval}));
  EXPECT_THAT(worker.sandbox->paths, IsEmpty());
  EXPECT_THAT(worker.other, ElementsAre(OtherKey{"toolsets.filesystem", 5}));
}

TEST(WorkerFile, ANameIsEnough) {
  const WorkerFile worker = read("---\nname: validator\n---");
  EXPECT_EQ(worker, (WorkerFile{.name = "validator"}));
}

TEST(WorkerFile, CommentsMayStandBeforeIt) {
  EXPECT_EQ(read("# validator.worker\n\n---\nname: v\n# no sandbox\n---\nDo.").instructions, "Do.");
}

TEST(WorkerFile, MayHaveLinesOfAnotherSystem) {
  const WorkerFile worker =
      read("---\r\nname: v\r\nsandbox:\r\n  zones:\r\n    - name: a\r\n---\r\n\r\nOne.\r\nTwo.\r\n");
  EXPECT_EQ(worker.name, "v");
  EXPECT_EQ(worker.sandbox->zones.front().name, "a");
  EXPECT_EQ(worker.instructions, "One.\r\nTwo.");
}

TEST(WorkerFile, TheFirstLineOfInstructionsKeepsItsIndentation) {
  EXPECT_EQ(read("---\nname: v\n---\n \n    code\nend  \n\n").instructions, "    code\nend");
}

TEST(WorkerFile, WithoutItsTwoLinesIsNone) {
  EXPECT_THAT(refusal("").sentence(), HasSubstr("begins with a line of ---"));
  EXPECT_THAT(refusal("# Title\n").sentence(), HasSubstr("line 1, column 1: a worker begins with a line of ---"));
  EXPECT_THAT(refusal("\nYou are a worker.\n---\nname: x\n---\n").sentence(), HasSubstr("line 2, column 1"));
  EXPECT_THAT(refusal("---- \nname: x\n---\n").sentence(), HasSubstr("begins with a line of ---"));
  EXPECT_THAT(refusal("---\nname: x\n\nText").sentence(), HasSubstr("the keys have no end"));
  EXPECT_THAT(refusal("---\nname: x\n --- \n").sentence(), HasSubstr("the keys have no end"));
}

TEST(WorkerFile, NeedsAName) {
  EXPECT_THAT(refusal("---\n---\nText").sentence(), HasSubstr("name is missing"));
  EXPECT_THAT(refusal("---\ndescription: x\n---\n").sentence(), HasSubstr("name is missing"));
  EXPECT_THAT(refusal("---\nname:\n---\n").sentence(), HasSubstr("line 2, column 1: name must be a text"));
  EXPECT_THAT(refusal("---\nname: [a]\n---\n").sentence(), HasSubstr("name must be a text"));
  const Error error = refusal("---\nname: My Worker\n---\n");
  EXPECT_THAT(error.sentence(), HasSubstr("name must be a word"));
  EXPECT_EQ(error.hint, "name: my-worker");
  for (const char* name : {"../up", "/etc", "\"a\\0b\"", ".hidden", "''"})
    EXPECT_THAT(refusal("---\nname: " + std::string(name) + "\n---\n").sentence(), HasSubstr("name must be")) << name;
}

TEST(WorkerFile, KeysAreAMapping) {
  EXPECT_THAT(refusal("---\n- name\n---\n").sentence(), HasSubstr("line 2, column 1: a worker begins with keys"));
  EXPECT_THAT(refusal("---\nname\n---\n").sentence(), HasSubstr("begins with keys"));
}

TEST(WorkerFile, BrokenYamlIsSaidWithItsLine) {
  EXPECT_THAT(refused("sandbox: {zones: ["), StartsWith("/p/x.worker: line "));
  EXPECT_THAT(refused("name: y"), HasSubstr("line 3, column 1"));
  EXPECT_THAT(refused("description: &a x"), HasSubstr("line 3"));
}

TEST(WorkerFile, AnUnknownKeyIsSaidWithTheNearest) {
  const Error error = refused_keys("descripton: x");
  EXPECT_THAT(error.sentence(), HasSubstr("line 3, column 1: unknown key descripton"));
  EXPECT_EQ(error.hint, "did you mean description?");
  EXPECT_THAT(refused_keys("zzzzzzzz: 1").hint, StartsWith("known here: name, description"));
  EXPECT_EQ(refused_keys("sandbox:\n  zone: []").hint, "did you mean zones?");
  EXPECT_THAT(refused("sandbox:\n  zones:\n    - name: a\n      mod: ro"),
              HasSubstr("line 6, column 7: unknown key sandbox.zones[0].mod"));
  EXPECT_THAT(refused("sandbox: {zones: [{name: a, approval: {wirte: ask}}]}"), HasSubstr("approval.wirte"));
  EXPECT_THAT(refused("sandbox: {paths: {a: {root: ./a, sufixes: []}}}"), HasSubstr("sandbox.paths.a.sufixes"));
}

TEST(WorkerFile, AListOfWorkersInTheWrongPlaceIsToldTheRightOne) {
  EXPECT_THAT(refused_keys("allowed_workers: [a]").hint, HasSubstr("toolsets"));
}

TEST(WorkerFile, KeysOfOtherProgramsAreKeptWithTheirLines) {
  const WorkerFile worker = with_keys(R"(compatible_models:
  - "a:*"
attachment_policy:
  max_attachments: 1
model: m
toolsets:
  shell:
  workers:
    approval: ask)");
  EXPECT_THAT(worker.other,
              ElementsAre(OtherKey{"toolsets.shell", 9}, OtherKey{"toolsets.workers.approval", 11},
                          OtherKey{"model", 7}, OtherKey{"compatible_models", 3}, OtherKey{"attachment_policy", 5}));
}

TEST(WorkerFile, WhoAsksForNothingIsAPureFunction) {
  EXPECT_FALSE(with_keys("").sandbox);
  EXPECT_FALSE(with_keys("sandbox: {}").sandbox);
  EXPECT_FALSE(with_keys("sandbox: {zones: []}").sandbox);
  EXPECT_FALSE(with_keys("sandbox: {paths: {}}").sandbox);
  EXPECT_THAT(refused("sandbox:"), HasSubstr("sandbox must be a mapping"));
  EXPECT_THAT(refused("sandbox: none"), HasSubstr("sandbox must be a mapping"));
}

TEST(WorkerFile, ZonesAreCheckedOneByOne) {
  EXPECT_THAT(refused("sandbox: {zones: {a: ro}}"), HasSubstr("zones must be a list"));
  EXPECT_EQ(refused_keys("sandbox: {zones: [data]}").hint, "- name: data");
  EXPECT_THAT(refused("sandbox: {zones: [{mode: ro}]}"), HasSubstr("sandbox.zones[0].name is missing"));
  EXPECT_THAT(refused("sandbox: {zones: [{name: a/b}]}"), HasSubstr("is not a zone's name"));
  EXPECT_THAT(refused("sandbox: {zones: [{name: ..}]}"), HasSubstr("is not a zone's name"));
  EXPECT_THAT(refused("sandbox: {zones: [{name: a}, {name: b}, {name: a, mode: ro}]}"),
              HasSubstr("sandbox.zones[2].name is a zone that already stands in this list: a"));
}

TEST(WorkerFile, AModeIsNeverGuessed) {
  const Error error = refused_keys("sandbox: {zones: [{name: a, mode: r}]}");
  EXPECT_THAT(error.sentence(), HasSubstr("mode must be one of ro, rw, not r"));
  EXPECT_EQ(error.hint, "mode: ro");
  EXPECT_THAT(refused("sandbox: {zones: [{name: a, mode: }]}"), HasSubstr("mode must be a text"));
  EXPECT_THAT(refused("sandbox: {zones: [{name: a, mode: [ro]}]}"), HasSubstr("mode must be a text"));
}

TEST(WorkerFile, ApprovalIsOneOfThree) {
  const auto zones = with_keys("sandbox: {zones: [{name: a, approval: {delete: ask}}]}").sandbox->zones;
  EXPECT_EQ(zones.front().approval, (ZoneApproval{std::nullopt, Approval::Ask}));
  EXPECT_EQ(refused_keys("sandbox: {zones: [{name: a, approval: {write: preapproved}}]}").hint, "write: preApproved");
  EXPECT_THAT(refused("sandbox: {zones: [{name: a, approval: ask}]}"), HasSubstr("approval must be a mapping"));
}

TEST(WorkerFile, TheOldFormNamesFolders) {
  const WorkerFile worker = with_keys(R"(sandbox:
  paths:
    cache:
      root: "./cache"
      mode: "rw"
      suffixes: [".json", ".txt"]
    all: {root: ., suffixes: [], max_file_bytes: 10}
    deep: {root: a/b})");
  ASSERT_TRUE(worker.sandbox);
  const std::vector<std::string> suffixes = {".json", ".txt"};
  EXPECT_THAT(worker.sandbox->paths,
              ElementsAre(PathRequest{"cache", Path::literal("cache"), Access::Write, suffixes},
                          PathRequest{"all", std::nullopt, Access::Read, std::vector<std::string>()},
                          PathRequest{"deep", Path::literal("a/b"), Access::Read, std::nullopt}));
  EXPECT_THAT(worker.other, ElementsAre(OtherKey{"sandbox.paths.all.max_file_bytes", 9}));
}

TEST(WorkerFile, TheOldFormStaysBelowTheProject) {
  for (const char* root : {"/etc", "..", "a/../..", "''", "././"}) {
    const std::string keys = "sandbox: {paths: {a: {root: " + std::string(root) + "}}}";
    EXPECT_THAT(refused(keys), HasSubstr("root must be a folder below the project")) << root;
  }
  EXPECT_THAT(refused("sandbox: {paths: {a: {mode: rw}}}"), HasSubstr("root is missing"));
  EXPECT_THAT(refused("sandbox: {paths: {a b: {root: a}}}"), HasSubstr("a key that is not a name"));
  EXPECT_THAT(refused("sandbox: {paths: {a: ./a}}"), HasSubstr("sandbox.paths.a must be a mapping"));
  EXPECT_THAT(refused("sandbox: {paths: {a: {root: a, suffixes: [a/b]}}}"), HasSubstr("ends of file names"));
  EXPECT_THAT(refused("sandbox: {paths: {a: {root: a, suffixes: .json}}}"), HasSubstr("must be a list of texts"));
}

TEST(WorkerFile, TheTwoFormsDoNotMix) {
  EXPECT_THAT(refused("sandbox: {zones: [{name: a}], paths: {b: {root: b}}}"), HasSubstr("only one of them"));
}

TEST(WorkerFile, RunIsACommandAndItsArguments) {
  EXPECT_THAT(with_keys("run: [python3, worker.py, 5, '']").run, ElementsAre("python3", "worker.py", "5", ""));
  EXPECT_THAT(with_keys("").run, IsEmpty());
  EXPECT_THAT(refused("run: python3 worker.py"), HasSubstr("run must be a list of texts"));
  EXPECT_THAT(refused("run: []"), HasSubstr("run must name a program"));
  EXPECT_THAT(refused("run: ['']"), HasSubstr("run must name a program"));
  EXPECT_THAT(refused("run: [a, {b: c}]"), HasSubstr("run must be a list of texts"));
  EXPECT_THAT(refused("run: [a, ~]"), HasSubstr("run must be a list of texts"));
  EXPECT_THAT(refused("run: [a, \"b\\0c\"]"), HasSubstr("run must be a list of texts"));
}

TEST(WorkerFile, MayCallOnlyWhomItNames) {
  EXPECT_THAT(with_keys("toolsets: {workers: {}}").allowed_workers, IsEmpty());
  EXPECT_THAT(with_keys("toolsets: {workers: }").allowed_workers, IsEmpty());
  EXPECT_THAT(refused("toolsets: {workers: [a]}"), HasSubstr("toolsets.workers must be a mapping"));
  EXPECT_THAT(refused("toolsets: {workers: {allowed_workers: a}}"), HasSubstr("must be a list of texts"));
  EXPECT_THAT(refused("toolsets: {workers: {allowed_workers: [../a]}}"), HasSubstr("must be names of workers"));
  EXPECT_THAT(refused("toolsets: {workers: {allowed_worker: [a]}}"),
              HasSubstr("there is no key toolsets.workers.allowed_worker"));
  EXPECT_THAT(refused("toolsets: [filesystem]"), HasSubstr("toolsets must be a mapping"));
}

TEST(WorkerFile, LockedIsTrueOrFalse) {
  EXPECT_FALSE(with_keys("locked: false").locked);
  EXPECT_THAT(refused("locked: yes"), HasSubstr("locked must be true or false"));
  EXPECT_THAT(refused("locked: 'true'"), HasSubstr("locked must be true or false"));
}

TEST(WorkerFile, InstructionsAreText) {
  EXPECT_THAT(refusal("---\nname: x\n---\nA\xff").sentence(), HasSubstr("line 3, column 1: the instructions below"));
  EXPECT_THAT(refusal(std::string_view("---\nname: x\n---\nA\0B", 19)).sentence(), HasSubstr("not text in UTF-8"));
}

}  // namespace
}  // namespace pale::worker
