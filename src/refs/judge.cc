#include "refs/judge.h"

#include <algorithm>
#include <map>

#include "refs/newer.h"

namespace pale::refs {
namespace {

using Kind = Object::Kind;

// A ref that is not as it was.
struct Moved {
  const Ref* before = nullptr;  // null: it is new
  const Ref* after = nullptr;   // null: it is gone
  std::string was;              // the objects they name; empty: none
  std::string now;
  const std::string& name() const { return after != nullptr ? after->name : before->name; }
};

bool is_kept(std::string_view name) { return name.starts_with(git::kRefused); }

std::vector<Moved> moved_refs(const std::vector<Ref>& before, const std::vector<Ref>& after) {
  std::vector<Moved> moved;
  for (const Ref& ref : after) {
    Moved each{git::find(before, ref.name), &ref, git::resolve(before, ref.name), git::resolve(after, ref.name)};
    if (each.before == nullptr || *each.before != ref) moved.push_back(std::move(each));
  }
  for (const Ref& ref : before) {
    if (git::is_lasting(ref.name) && git::find(after, ref.name) == nullptr)
      moved.push_back({&ref, nullptr, git::resolve(before, ref.name), {}});
  }
  return moved;
}

class Judge {
 public:
  Judge(const Allowed& allowed, Objects& objects) : allowed_(allowed), objects_(objects) {}

  Result<std::vector<Verdict>> judge(const std::vector<Ref>& before, const std::vector<Moved>& moved) {
    for (const Ref& ref : before) {
      if (ref.kind != RefKind::Direct || is_kept(ref.name)) continue;
      // What was broken before is nobody's doing now.
      const auto object = objects_.peel(ref.target);
      if (object && object->kind == Kind::Commit) known_.insert(object->id);
    }
    for (const Moved& each : moved) {
      if (each.now.empty() || is_kept(each.name())) continue;
      const auto object = objects_.peel(each.now);
      if (object && object->kind == Kind::Commit) tips_.insert(object->id);
    }
    PALE_TRY(newer, newer_commits(objects_, tips_, known_, Care::Usual));
    newer_ = std::move(newer);
    for (const Moved& each : moved) PALE_CHECK(look_at(each));
    find_those_in_the_way(moved);
    return std::move(verdicts_);
  }

 private:
  void say(const Moved& moved, Wrong wrong, std::string commit = {}, std::vector<std::string> paths = {}) {
    verdicts_.push_back({moved.name(), wrong, moved.now, std::move(commit), {}, std::move(paths), {}});
  }

  // "a" cannot be put back where "a/b" is now, nor the other way round.
  void find_those_in_the_way(const std::vector<Moved>& moved) {
    std::vector<std::string> removed;
    for (const Verdict& verdict : verdicts_) {
      if (verdict.wrong == Wrong::Removed) removed.push_back(verdict.ref + "/");
    }
    // The stash is its log.
    const bool stash =
        std::ranges::any_of(verdicts_, [](const Verdict& verdict) { return verdict.ref.starts_with(git::kStashLog); });
    const auto stands_in_the_way = [&](const Moved& each) {
      if (stash && each.name() == "refs/stash") return true;
      return each.before == nullptr && std::ranges::any_of(removed, [&](const std::string& gone) {
               return each.name().starts_with(gone) || gone.starts_with(each.name() + "/");
             });
    };
    for (const Moved& each : moved) {
      const bool judged = std::ranges::find(verdicts_, each.name(), &Verdict::ref) != verdicts_.end();
      if (!judged && stands_in_the_way(each)) say(each, Wrong::Odd);
    }
  }

  Status look_at(const Moved& moved) {
    if (is_kept(moved.name())) {
      say(moved, Wrong::Kept);
      return {};
    }
    if (moved.after == nullptr) {
      say(moved, Wrong::Removed);
      return {};
    }
    if (moved.after->kind == RefKind::Odd) {
      say(moved, Wrong::Odd);
      return {};
    }
    if (moved.now.empty()) {
      // HEAD before the first commit of a branch; elsewhere it leads nowhere.
      const bool unborn = moved.was.empty() && moved.name().ends_with("HEAD");
      if (!unborn) say(moved, Wrong::Odd);
      return {};
    }
    const auto object = objects_.peel(moved.now);
    if (!object) {
      say(moved, Wrong::Odd);
      verdicts_.back().now.clear();  // There is nothing to keep.
      return {};
    }
    if (object->kind != Kind::Commit) {
      say(moved, Wrong::NoCommit);
      return {};
    }
    PALE_TRY(fine, check_history(moved, object->id));
    return fine ? check_place(moved, object->id) : Status();
  }

  // Every new commit that it reaches.
  Result<bool> check_history(const Moved& moved, const std::string& tip) {
    std::set<std::string> seen;
    std::vector<std::string> way = {tip};
    while (!way.empty()) {
      const std::string id = std::move(way.back());
      way.pop_back();
      if (!newer_.contains(id) || !seen.insert(id).second) continue;
      PALE_TRY(commit, objects_.commit(id));
      PALE_TRY(paths, touched(id, commit));
      if (!paths.empty() && !thorough_) {
        // An odd clock may have made something old look new.
        thorough_ = true;
        PALE_TRY(newer, newer_commits(objects_, tips_, known_, Care::Whole));
        newer_ = std::move(newer);
        return check_history(moved, tip);
      }
      if (!paths.empty()) {
        say(moved, Wrong::Outside, id, std::move(paths));
        verdicts_.back().subject = commit.subject;
        return false;
      }
      way.insert(way.end(), commit.parents.begin(), commit.parents.end());
    }
    return true;
  }

  // Outside, where it is like none of its parents; shown against the one it is most like.
  Result<std::vector<std::string>> touched(const std::string& id, const Commit& commit) {
    if (const auto known = touched_.find(id); known != touched_.end()) return known->second;
    std::vector<std::string> least;
    if (commit.parents.empty()) {
      PALE_TRY(paths, differences_outside(objects_, {}, commit.tree, allowed_));
      least = std::move(paths);
    }
    for (std::size_t at = 0; at < commit.parents.size(); ++at) {
      PALE_TRY(parent, objects_.commit(commit.parents[at]));
      PALE_TRY(paths, differences_outside(objects_, parent.tree, commit.tree, allowed_));
      if (at == 0 || paths.size() < least.size()) least = std::move(paths);
      if (least.empty()) break;
    }
    touched_.emplace(id, least);
    return least;
  }

  // Where it was before; that also a merge, or a commit that was there long ago, must not change.
  Status check_place(const Moved& moved, const std::string& tip) {
    if (moved.was.empty() || !git::is_lasting(moved.name())) return {};
    PALE_TRY(old, objects_.peel(moved.was));
    std::string tree = old.kind == Kind::Tree ? old.id : std::string();
    if (old.kind == Kind::Commit) {
      PALE_TRY(commit, objects_.commit(old.id));
      tree = std::move(commit.tree);
    }
    PALE_TRY(commit, objects_.commit(tip));
    PALE_TRY(paths, differences_outside(objects_, tree, commit.tree, allowed_));
    if (paths.empty()) return {};
    say(moved, Wrong::Outside, tip, std::move(paths));
    verdicts_.back().subject = commit.subject;
    return {};
  }

  const Allowed& allowed_;
  Objects& objects_;
  std::set<std::string> known_;
  std::set<std::string> tips_;
  std::set<std::string> newer_;
  bool thorough_ = false;
  std::map<std::string, std::vector<std::string>> touched_;
  std::vector<Verdict> verdicts_;
};

}  // namespace

Result<Judgement> judge(const std::vector<Ref>& before, const std::vector<Ref>& after, const Allowed& allowed,
                        Objects& objects) {
  const std::vector<Moved> moved = moved_refs(before, after);
  if (moved.empty()) return Judgement{};
  PALE_TRY(verdicts, Judge(allowed, objects).judge(before, moved));
  return Judgement{moved.size(), std::move(verdicts)};
}

std::vector<Verdict> all_moved(const std::vector<Ref>& before, const std::vector<Ref>& after) {
  std::vector<Verdict> verdicts;
  for (const Moved& each : moved_refs(before, after))
    verdicts.push_back({each.name(), Wrong::Unchecked, each.now, {}, {}, {}, {}});
  return verdicts;
}

}  // namespace pale::refs
