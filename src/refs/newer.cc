#include "refs/newer.h"

#include <map>
#include <queue>

namespace pale::refs {
namespace {

constexpr std::size_t kMostNew = 50'000;

// From the newest on, two colours run down to the parents; what has the one and not the other is new.
class Walk {
 public:
  Walk(Objects& objects, Care care) : objects_(objects), care_(care) {}

  Status add(const std::string& id, bool known) {
    State& state = states_[id];
    const bool changes = known ? !state.known : !state.reached;
    if (!changes) return {};
    // Behind what was known there may be nothing: a shallow clone, or what was broken before.
    if (state.commit.tree.empty()) {
      if (known && !objects_.has(id)) return {};
      PALE_TRY(commit, objects_.commit(id));
      state.commit = std::move(commit);
    }
    if (!known) {
      state.reached = true;
      if (!state.known && ++fresh_ > kMostNew)
        return fail(ErrorKind::Refused, "there are more new commits than can be checked:", std::to_string(kMostNew));
    } else {
      state.known = true;
    }
    if (!state.queued) {
      state.queued = true;
      if (!state.known) ++open_;
      queue_.emplace(state.commit.time, id);
    } else if (known && state.reached) {
      --open_;  // It waits as a new one, and is none.
    }
    return {};
  }

  Status run() {
    while (!queue_.empty() && (open_ > 0 || care_ == Care::Whole)) {
      const std::string id = queue_.top().second;
      queue_.pop();
      State& state = states_[id];
      state.queued = false;
      if (!state.known) --open_;
      const bool known = state.known;
      const std::vector<std::string> parents = state.commit.parents;
      for (const std::string& parent : parents) PALE_CHECK(add(parent, known));
    }
    return {};
  }

  std::set<std::string> fresh() const {
    std::set<std::string> ids;
    for (const auto& [id, state] : states_) {
      if (state.reached && !state.known) ids.insert(id);
    }
    return ids;
  }

 private:
  struct State {
    Commit commit;  // without a tree: not read yet
    bool reached = false;
    bool known = false;
    bool queued = false;
  };

  Objects& objects_;
  Care care_;
  std::map<std::string, State> states_;
  std::priority_queue<std::pair<std::int64_t, std::string>> queue_;
  std::size_t open_ = 0;  // those that wait and are not known
  std::size_t fresh_ = 0;
};

}  // namespace

Result<std::set<std::string>> newer_commits(Objects& objects, const std::set<std::string>& tips,
                                            const std::set<std::string>& known, Care care) {
  Walk walk(objects, care);
  for (const std::string& id : known) PALE_CHECK(walk.add(id, true));
  for (const std::string& id : tips) PALE_CHECK(walk.add(id, false));
  PALE_CHECK(walk.run());
  return walk.fresh();
}

}  // namespace pale::refs
