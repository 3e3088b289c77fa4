#include "worker/tree.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>

namespace pale::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Path kRoot = Path::literal("/w/shop");

Zones zones_of(const std::vector<std::pair<std::string, Access>>& named) {
  Zones zones;
  zones.base = kRoot;
  for (const auto& [name, access] : named) zones.zones.push_back({name, kRoot / name, access, {}, "m:1", ""});
  return zones;
}

Worker worker(const std::string& name, const std::vector<std::pair<std::string, Access>>& asks,
              const std::vector<std::string>& calls = {}) {
  WorkerFile file;
  file.name = name;
  file.allowed_workers = calls;
  if (!asks.empty()) file.sandbox = Sandbox();
  for (const auto& [zone, access] : asks) file.sandbox->zones.push_back({zone, access, {}});
  return {file, name + ".worker"};
}

// "index(data rw) > child(data ro)" for each node, in the order of the tree.
std::vector<std::string> lines(const Tree& tree) {
  std::vector<std::string> all;
  for (const Node& node : tree) {
    std::string line = std::string(node.depth * 2, ' ') + node.name + ":";
    for (const Held& held : node.share.gets) line += " " + held.name + " " + std::string(mode_text(held.access));
    for (const Refusal& refusal : node.share.lost) line += " " + std::string(to_text(refusal.code));
    if (node.ending == Ending::Depth) line += " (depth)";
    if (node.ending == Ending::Cycle) line += " (cycle)";
    if (node.ending == Ending::Again) line += " (again)";
    all.push_back(line);
  }
  return all;
}

constexpr Access kRo = Access::Read;
constexpr Access kRw = Access::Write;

// The chain of the specification: project, entry worker, child, grandchild.
TEST(AccessInheritanceChain, EachLevelEqualsOrReduces) {
  const Zones zones = zones_of({{"cache", kRw}, {"workspace", kRw}, {"data", kRo}});
  const std::vector<Worker> workers = {
      worker("index", {{"workspace", kRw}, {"data", kRo}}, {"report-generator", "validator"}),
      worker("report-generator", {{"data", kRo}, {"workspace", kRw}}, {"formatter", "cleaner"}),
      worker("formatter", {{"data", kRw}}),
      worker("cleaner", {{"cache", kRw}}),
      worker("validator", {}),
  };
  EXPECT_THAT(lines(grow_tree(zones, workers, "index", Rest::Follow)),
              ElementsAre("index: workspace rw data ro", "  report-generator: data ro workspace rw",
                          "  validator:", "    formatter: PERMISSION_ESCALATION", "    cleaner: ZONE_ACCESS_DENIED"));
}

TEST(AccessInheritanceChain, APureFunctionHasNothingToHandOn) {
  const std::vector<Worker> workers = {worker("index", {}, {"formatter"}), worker("formatter", {{"data", kRo}})};
  const Tree tree = grow_tree(zones_of({{"data", kRw}}), workers, "index", Rest::Leave);
  EXPECT_THAT(lines(tree), ElementsAre("index:", "  formatter: ZONE_ACCESS_DENIED"));
  EXPECT_EQ(tree[1].share.lost[0].sentence, "Child requests zone 'data' but parent doesn't have it");
}

TEST(WorkerTree, AWorkerThatIsRefusedCallsNobody) {
  const std::vector<Worker> workers = {worker("index", {{"data", kRw}}, {"next"}), worker("next", {})};
  EXPECT_THAT(lines(grow_tree(zones_of({{"data", kRo}}), workers, "index", Rest::Leave)),
              ElementsAre("index: PERMISSION_ESCALATION"));
}

TEST(WorkerTree, AnUnknownNameIsNotFound) {
  const std::vector<Worker> workers = {worker("index", {}, {"greter"}), worker("greeter", {})};
  const Tree tree = grow_tree(zones_of({}), workers, "index", Rest::Leave);
  EXPECT_THAT(lines(tree), ElementsAre("index:", "  greter: NOT_FOUND"));
  EXPECT_EQ(tree[1].share.lost[0].sentence, "There is no worker 'greter'");
  EXPECT_EQ(tree[1].share.lost[0].hint, "did you mean greeter?");
  EXPECT_TRUE(is_refused(tree[1]));
}

// maxDepth is kept, in a chain and in a circle.
TEST(WorkerTree, CallsEndAtTheDepthThatIsDeclared) {
  Zones zones = zones_of({});
  zones.max_depth = 2;
  const std::vector<Worker> workers = {worker("a", {}, {"b"}), worker("b", {}, {"c"}), worker("c", {}, {"d"}),
                                       worker("d", {})};
  EXPECT_THAT(lines(grow_tree(zones, workers, "a", Rest::Leave)), ElementsAre("a:", "  b:", "    c: (depth)"));
  zones.max_depth = 3;
  EXPECT_THAT(lines(grow_tree(zones, workers, "a", Rest::Leave)), ElementsAre("a:", "  b:", "    c:", "      d:"));
}

TEST(WorkerTree, ACircleIsDrawnOnceAndEndsAtTheDepth) {
  Zones zones = zones_of({{"data", kRw}});
  const std::vector<Worker> workers = {worker("a", {{"data", kRw}}, {"b", "a"}),
                                       worker("b", {{"data", kRo}}, {"a", "b"})};
  const Tree tree = grow_tree(zones, workers, "a", Rest::Leave);
  // Called by b, the first one asks for more than b has.
  EXPECT_THAT(lines(tree), ElementsAre("a: data rw", "  b: data ro", "  a: data rw (cycle)",
                                       "    a: PERMISSION_ESCALATION", "    b: data ro (cycle)"));
  zones.max_depth = 1;
  EXPECT_THAT(lines(grow_tree(zones, workers, "a", Rest::Leave)),
              ElementsAre("a: data rw", "  b: data ro (depth)", "  a: data rw (depth)"));
}

TEST(WorkerTree, ThoseThatTheFirstDoesNotReachAreCalledByTheUser) {
  const Zones zones = zones_of({{"data", kRo}});
  const std::vector<Worker> workers = {worker("below", {{"data", kRo}}), worker("index", {}),
                                       worker("other", {{"data", kRo}}, {"below"})};
  EXPECT_THAT(lines(grow_tree(zones, workers, "index", Rest::Follow)),
              ElementsAre("index:", "other: data ro", "  below: data ro"));
  EXPECT_THAT(lines(grow_tree(zones, workers, "index", Rest::Leave)), ElementsAre("index:"));
  const Tree tree = grow_tree(zones, workers, "", Rest::Follow);
  EXPECT_THAT(called_by(tree, Node::kNobody), ElementsAre(0, 1));
  EXPECT_THAT(called_by(tree, 1), ElementsAre(2));
  EXPECT_THAT(called_by(tree, 2), IsEmpty());
}

TEST(WorkerTree, ManyThatAllCallEachOtherAreStillDrawn) {
  Zones zones = zones_of({{"data", kRw}});
  zones.max_depth = 1000;
  std::vector<std::string> names;
  for (int number = 0; number < 40; ++number) names.push_back("w" + std::to_string(number));
  std::vector<Worker> workers;
  for (const std::string& name : names) workers.push_back(worker(name, {{"data", kRw}}, names));
  // Once the first is known, each is expanded once: it and its forty calls.
  EXPECT_LE(grow_tree(zones, workers, "w0", Rest::Follow).size(), 3U * 40U * 41U);
}

// By chance: folders in each other, old and new forms, circles, approvals.
class RandomTree {
 public:
  static Zones zones() {
    Zones zones;
    zones.base = kRoot;
    zones.max_depth = *number<std::uint64_t>(1, 6);
    const std::vector<std::string> folders = {"a", "a/b", "a/b/c", "d", "ab"};
    for (const std::string name : {"one", "two", "three"}) {
      if (*number(0, 8) == 0) continue;
      zones.zones.push_back({name, kRoot / *rc::gen::elementOf(folders), access(), approval(), "m:1", ""});
      if (*number(0, 2) == 0) zones.zones.back().access = Access::Write;
    }
    return zones;
  }

  static std::vector<Worker> workers() {
    std::vector<Worker> all;
    for (const std::string name : {"w0", "w1", "w2", "w3", "w4"}) {
      WorkerFile file;
      file.name = name;
      file.sandbox = sandbox();
      const int calls = *number(0, 4);
      for (int call = 0; call < calls; ++call) file.allowed_workers.push_back("w" + std::to_string(*number(0, 6)));
      all.push_back({file, name + ".worker"});
    }
    return all;
  }

 private:
  // As often one as the other; rapidcheck's own starts a run with small ones only.
  template <typename T>
  static rc::Gen<T> number(T low, T high) {
    return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, high));
  }
  // Mostly to read, or nobody would get anything from anybody.
  static Access access() { return *number(0, 3) == 0 ? Access::Write : Access::Read; }
  static ZoneApproval approval() {
    const auto one = [] {
      return *rc::gen::element<std::optional<Approval>>(std::nullopt, Approval::PreApproved, Approval::Ask,
                                                        Approval::Blocked);
    };
    const auto write = one();
    return {write, one()};
  }
  static std::optional<Sandbox> sandbox() {
    Sandbox sandbox;
    if (*number(0, 2) == 0) {
      for (const std::string name : {"one", "two", "three", "elsewhere"}) {
        if (*number(0, name == "elsewhere" ? 20 : 2) == 0) sandbox.zones.push_back({name, access(), approval()});
      }
    } else {
      for (const std::string name : {"one", "old"}) {
        const std::string root = *rc::gen::element<std::string>("a", "a/b", "a/b/c", "d", "ab", "x");
        if (*number(0, 2) == 0)
          sandbox.paths.push_back({name, Path::literal(root), access(),
                                   *rc::gen::element<std::optional<std::vector<std::string>>>(
                                       std::nullopt, std::vector<std::string>{".json"}, std::vector<std::string>{})});
      }
    }
    if (sandbox.zones.empty() && sandbox.paths.empty()) return std::nullopt;
    return sandbox;
  }
};

// Whether all that `child` allows, one folder of its caller's allows, too.
bool within(const Held& child, const std::vector<Held>& callers) {
  return std::ranges::any_of(callers, [&](const Held& held) {
    const auto no_looser = [](const std::optional<Approval>& own, const std::optional<Approval>& above) {
      return !above || (own && *own >= *above);
    };
    const auto of_caller = [&](const std::string& suffix) {
      return std::ranges::any_of(*held.suffixes, [&](const std::string& wider) { return suffix.ends_with(wider); });
    };
    const bool files = !held.suffixes || (child.suffixes && std::ranges::all_of(*child.suffixes, of_caller));
    return held.folder.covers(child.folder) && held.access >= child.access && files &&
           no_looser(child.approval.write, held.approval.write) &&
           no_looser(child.approval.remove, held.approval.remove);
  });
}

// Returns how many folders were compared with an ancestor's.
std::size_t check_tree(const Zones& zones, const std::vector<Worker>& workers) {
  std::size_t compared = 0;
  const Tree tree = grow_tree(zones, workers, "w0", Rest::Follow);
  const std::vector<Held> offered = offered_by(zones).folders;
  for (const Node& node : tree) {
    RC_ASSERT(node.depth <= zones.max_depth);
    RC_ASSERT(!is_refused(node) || node.share.gets.empty());
    for (const Held& folder : node.share.gets) {
      RC_ASSERT(within(folder, offered));
      for (std::size_t above = node.caller; above != Node::kNobody; above = tree[above].caller) {
        RC_ASSERT(within(folder, tree[above].share.gets));
        ++compared;
      }
    }
  }
  return compared;
}

TEST(WorkerTree, NobodyEverHasWhatAnAncestorLacks) {
  std::size_t given = 0;
  const bool held = rc::check([&] {
    const Zones zones = RandomTree::zones();
    for (int round = 0; round < 10; ++round) given += check_tree(zones, RandomTree::workers());
  });
  EXPECT_TRUE(held);
  EXPECT_GT(given, 200U);
}

TEST(WorkerTree, WhoAsksForNothingGetsNothingAndWhoeverElseWhatHeAsksForOrARefusal) {
  EXPECT_TRUE(rc::check([] {
    const Zones zones = RandomTree::zones();
    const std::vector<Worker> workers = RandomTree::workers();
    for (const Node& node : grow_tree(zones, workers, "", Rest::Follow)) {
      if (node.worker == nullptr || is_refused(node)) continue;
      const auto& asked = node.worker->file.sandbox;
      RC_ASSERT(node.share.gets.size() == (asked ? asked->zones.size() + asked->paths.size() : 0));
      for (const ZoneRequest& zone : asked.value_or(Sandbox()).zones) {
        const auto found = std::ranges::find(node.share.gets, zone.name, &Held::name);
        RC_ASSERT(found != node.share.gets.end());
        // Where nothing may be written, the kernel sees to it.
        const bool blocked = found->approval.write == Approval::Blocked;
        RC_ASSERT(found->access == (blocked ? std::min(zone.access, Access::Read) : zone.access));
      }
    }
  }));
}

}  // namespace
}  // namespace pale::worker
