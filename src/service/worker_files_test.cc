#include "service/worker_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "support/directory.h"
#include "sys/file.h"

namespace pale::service {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class WorkerFiles : public test::InADirectory {
 protected:
  static std::string text_of(const std::string& name, const std::string& more = "") {
    return "---\nname: " + name + "\n" + more + "---\nDo it.\n";
  }
  void add(const std::string& file, const std::string& name, const std::string& more = "") const {
    write("p/" + file, text_of(name, more));
  }
  void link(const std::string& target, const std::string& file) const {
    std::filesystem::create_directories((base_ / "p" / file).parent_path());
    std::filesystem::create_symlink(target, base_ / "p" / file);
  }
  FoundWorkers find(const std::vector<std::string>& places = {}, Beside beside = Beside::Nothing) const {
    std::filesystem::create_directories(base_ / "p");
    const auto root = sys::open_at(sys::kAbsolute, at("p").c_str(), O_RDONLY | O_DIRECTORY);
    std::vector<project::Said<std::string>> said;
    for (const std::string& place : places) said.push_back({place, "m:7"});
    auto found = find_worker_files(*root, said, beside);
    EXPECT_TRUE(found.has_value());
    return found ? std::move(*found) : FoundWorkers();
  }
  static std::vector<std::string> paths(const FoundWorkers& found) {
    std::vector<std::string> all;
    for (const worker::Worker& worker : found.workers) all.push_back(worker.path);
    return all;
  }
  static std::string only_problem(const FoundWorkers& found) {
    EXPECT_THAT(found.problems, SizeIs(1));
    return found.problems.empty() ? "" : found.problems.front().sentence();
  }
};

TEST_F(WorkerFiles, LieBelowPaleAndNowhereElseUnasked) {
  add(".pale/workers/index.worker", "first");
  add(".pale/workers/deep/down/below.worker", "below");
  add("other.worker", "other");
  add("workers/more.worker", "more");
  write("p/.pale/workers/readme.md", "no worker");
  const FoundWorkers found = find();
  EXPECT_THAT(paths(found), ElementsAre(".pale/workers/deep/down/below.worker", ".pale/workers/index.worker"));
  EXPECT_EQ(found.entry, "first");
  EXPECT_THAT(found.problems, IsEmpty());
}

TEST_F(WorkerFiles, OfGolemForgeLieBesideItsConfigurationAndInWorkers) {
  add("main.worker", "first");
  add("workers/a.worker", "a");
  add("workers/index.worker.md", "no");
  add("src/b.worker", "b");
  const FoundWorkers found = find({}, Beside::Files);
  EXPECT_THAT(paths(found), ElementsAre("main.worker", "workers/a.worker"));
  EXPECT_EQ(found.entry, "first");
}

TEST_F(WorkerFiles, LieWhereTheProjectSays) {
  add("clerks/a.worker", "a");
  add("clerks/node_modules/x/b.worker", "b");
  add("clerks/.hidden/c.worker", "c");
  add("one/index.worker", "d");
  EXPECT_THAT(paths(find({"./clerks/", "one/index.worker", "clerks"})),
              ElementsAre("clerks/a.worker", "one/index.worker"));
  EXPECT_EQ(find({"one/index.worker"}).entry, "d");
  EXPECT_THAT(only_problem(find({"missing"})), AllOf(HasSubstr("m:7: open missing"), HasSubstr("No such file")));
}

TEST_F(WorkerFiles, InTheWholeProjectAreFoundToo) {
  add("index.worker", "first");
  add("a/b/c.worker", "c");
  EXPECT_THAT(paths(find({"."})), ElementsAre("a/b/c.worker", "index.worker"));
  EXPECT_EQ(find({"."}).entry, "first");
}

TEST_F(WorkerFiles, OfOneNameAreNamedBothAndNeitherCounts) {
  add(".pale/workers/a.worker", "same");
  add(".pale/workers/b.worker", "same");
  add(".pale/workers/c.worker", "other");
  const FoundWorkers found = find();
  EXPECT_THAT(paths(found), ElementsAre(".pale/workers/c.worker"));
  EXPECT_EQ(only_problem(found), "two workers are called 'same': .pale/workers/a.worker and .pale/workers/b.worker");
}

TEST_F(WorkerFiles, TheFirstGoesByItsFileWhereAnotherHasItsName) {
  add("index.worker", "sums");
  add("sums.worker", "sums");
  const FoundWorkers found = find({}, Beside::Files);
  EXPECT_THAT(found.problems, IsEmpty());
  EXPECT_THAT(paths(found), ElementsAre("index.worker", "sums.worker"));
  EXPECT_EQ(found.entry, "index.worker");
  EXPECT_EQ(found.workers.at(0).file.name, "index.worker");
  EXPECT_EQ(found.workers.at(1).file.name, "sums");
  add("more.worker", "sums");
  EXPECT_EQ(only_problem(find({}, Beside::Files)), "two workers are called 'sums': more.worker and sums.worker");
}

TEST_F(WorkerFiles, ThatCouldBothBeTheFirstAreNamedBoth) {
  add(".pale/workers/index.worker", "a");
  add(".pale/workers/main.worker", "b");
  const FoundWorkers found = find();
  EXPECT_EQ(found.entry, "");
  EXPECT_THAT(only_problem(found), HasSubstr(".pale/workers/index.worker and .pale/workers/main.worker"));
}

TEST_F(WorkerFiles, BelowThatAnIndexIsAWorkerLikeOthers) {
  add(".pale/workers/helper/index.worker", "helper");
  EXPECT_EQ(find().entry, "");
}

TEST_F(WorkerFiles, ThatAreWrongDoNotHideTheOthers) {
  write("p/.pale/workers/broken.worker", "---\nnme: x\n---\n");
  add(".pale/workers/good.worker", "good");
  mkfifo((base_ / "p/.pale/workers/pipe.worker").c_str(), 0600);
  const FoundWorkers found = find();
  EXPECT_THAT(paths(found), ElementsAre(".pale/workers/good.worker"));
  ASSERT_THAT(found.problems, SizeIs(2));
  EXPECT_THAT(found.problems[0].sentence(), HasSubstr(".pale/workers/broken.worker: line "));
  EXPECT_THAT(found.problems[1].sentence(), HasSubstr("this must be a file: .pale/workers/pipe.worker"));
}

TEST_F(WorkerFiles, AreReadThroughNoLinkThatLeadsOutOfTheProject) {
  write("secret.worker", text_of("secret"));
  const std::vector<std::string> targets = {"../../../secret.worker", at("secret.worker").text(), "/proc/self/environ"};
  for (const std::string& target : targets) {
    std::filesystem::remove_all(base_ / "p");
    link(target, ".pale/workers/x.worker");
    const FoundWorkers found = find();
    EXPECT_THAT(found.workers, IsEmpty());
    EXPECT_THAT(only_problem(found), HasSubstr("this leads out of the project, where nothing is read")) << target;
  }
  std::filesystem::remove_all(base_ / "p");
  write("elsewhere/a.worker", text_of("a"));
  link("../../elsewhere", ".pale/workers");
  EXPECT_THAT(only_problem(find()), HasSubstr("leads out of the project"));
  EXPECT_THAT(find().workers, IsEmpty());
}

TEST_F(WorkerFiles, MayBeLinksInsideTheProjectButFoldersMayNot) {
  add("lib/shared.worker", "shared");
  link("../../lib/shared.worker", ".pale/workers/here.worker");
  link("../../lib", ".pale/workers/folder");
  const FoundWorkers found = find();
  EXPECT_THAT(paths(found), ElementsAre(".pale/workers/here.worker"));
  EXPECT_THAT(only_problem(found), HasSubstr("this is a link to a folder, in which no workers are looked for"));
}

TEST_F(WorkerFiles, InFoldersWithoutEndAreNotLookedFor) {
  std::string deep = ".pale/workers";
  for (int level = 0; level < 20; ++level) deep += "/d";
  add(deep + "/x.worker", "x");
  EXPECT_THAT(only_problem(find()), HasSubstr("folders lie too deep in one another"));
}

TEST_F(WorkerFiles, ThatTheUserNamesStandForThoseOfTheProject) {
  add(".pale/workers/a.worker", "a");
  add(".pale/workers/firm.worker", "firm", "locked: true\n");
  write("draft.worker", text_of("a", "description: new\n"));
  write("other.worker", text_of("firm"));
  FoundWorkers found = find();
  EXPECT_EQ(*add_given_worker(at("p"), at("p/.pale/workers/a.worker").text(), found), "a");
  EXPECT_THAT(found.workers, SizeIs(2));
  EXPECT_EQ(*add_given_worker(at("p"), at("draft.worker").text(), found), "a");
  ASSERT_THAT(found.workers, SizeIs(2));
  EXPECT_EQ(found.workers.back().file.description, "new");
  const auto locked = add_given_worker(at("p"), at("other.worker").text(), found);
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().kind, ErrorKind::Refused);
  EXPECT_THAT(locked.error().sentence(), HasSubstr("'firm' of this project is locked"));
  EXPECT_EQ(*add_given_worker(at("p"), at("p/.pale/workers/firm.worker").text(), found), "firm");
  EXPECT_EQ(add_given_worker(at("p"), at("none.worker").text(), found).error().kind, ErrorKind::NotFound);
}

}  // namespace
}  // namespace pale::service
