#include "service/stages.h"

#include <algorithm>
#include <ranges>

#include "base/text.h"
#include "stage/changes.h"
#include "stage/judge.h"
#include "stage/merge.h"
#include "stage/patch.h"
#include "sys/event.h"
#include "sys/process.h"

namespace pale::service {
namespace {

constexpr stage::MergeLabels kLabels = {"project", "original", "stage"};

// The project's protections, as a run in a stage that may write would have them.
Result<Prepared> look_at_project(const StagesOf& of, const Caller& caller) {
  Request request;
  request.project = of.project;
  request.tenant = of.tenant;
  request.stage = StageRequest{"review", {}};
  request.trust = project::Trust::Workspace;
  return prepare(request, caller);
}

// A stage is looked at from outside, where a tenant's workspace has another path.
std::vector<Protection> protections_on_host(const Prepared& prepared) {
  std::vector<Protection> protections = prepared.boundary.protections();
  const Path& inside = prepared.boundary.workspace();
  for (Protection& protection : protections) {
    if (inside.covers(protection.path)) protection.path = prepared.root() / inside.below(protection.path);
  }
  return protections;
}

std::string names_of(const std::vector<stage::Stage>& stages) {
  std::string names;
  for (const stage::Stage& stage : stages) names += (names.empty() ? "" : ", ") + stage.name;
  return names;
}

bool is_text_file(const stage::EntryState& state) { return state.kind == stage::EntryKind::File; }

// The three texts of a conflict that has them: files on all sides, none of them binary.
struct Sides {
  std::string original, ours, theirs;
};
Result<std::optional<Sides>> sides_of(const stage::View& view, const stage::Change& change) {
  if (!is_text_file(change.before) || !is_text_file(change.after) || !change.from.empty()) return std::nullopt;
  PALE_TRY(original, view.original_text(change.path));
  if (!original && change.conflict == stage::Conflict::Created) original = "";
  if (!original) return std::nullopt;
  PALE_TRY(ours, view.text_beneath(change.path));
  PALE_TRY(theirs, view.text_in_stage(change.path));
  if (stage::is_binary(*original) || stage::is_binary(ours) || stage::is_binary(theirs)) return std::nullopt;
  return Sides{std::move(*original), std::move(ours), std::move(theirs)};
}

// Settles what can be settled; the paths of the rest.
Result<std::vector<std::string>> merge_conflicts(const stage::View& view, std::vector<stage::Item>& items) {
  std::vector<std::string> unmerged;
  for (stage::Item& item : items) {
    if (item.change.conflict == stage::Conflict::None) continue;
    PALE_TRY(forgettable, stage::can_forget(view.upper(), item.change.path));
    PALE_TRY(merged, three_way(view, item.change));
    if (merged && merged->conflicts == 0 && forgettable) {
      item.text = std::move(merged->text);
    } else {
      unmerged.push_back(item.change.path);
    }
  }
  return unmerged;
}

Result<std::vector<stage::Journal>> remove_older(const stage::Store& store, std::int64_t seconds, Trial trial) {
  PALE_TRY(history, stage::read_history(store));
  const std::int64_t before = sys::wall_clock_seconds() - seconds;
  std::erase_if(history, [&](const stage::Journal& journal) { return journal.seconds > before; });
  for (const stage::Journal& journal : history) {
    if (trial == Trial::Real) PALE_CHECK(stage::clear_away(store.history(), journal.number, store.root()));
  }
  return history;
}

}  // namespace

Result<Stages> Stages::open(const StagesOf& of, const Caller& caller) {
  PALE_TRY(prepared, look_at_project(of, caller));
  // A program in a stage may have closed its own directories: as the owner of the namespace one gets in all the same.
  if (sys::user_id() != 0) (void)sys::enter_user_namespace();
  const Path pale_home = Path::literal(prepared.pale_home);
  PALE_TRY(config, project::read_config(pale_home));
  Stages stages(
      store_of(pale_home, prepared.root()), protections_on_host(prepared),
      static_cast<std::int64_t>(parse_duration(config.history ? config.history->value : kUsualHistory).value_or(0)));
  PALE_CHECK(recover_stages(stages.store()));
  return stages;
}

Result<stage::Stage> Stages::find(const std::string& name) const {
  if (!name.empty() && !stage::is_stage_name(name))
    return fail(ErrorKind::Usage, "not a name for a stage:", name, "pale stage list");
  PALE_TRY(all, store_.list());
  if (all.empty())
    return fail(ErrorKind::NotFound, "there is no stage of", root().text(), "pale run --stage -- COMMAND");
  if (name.empty() && all.size() > 1)
    return fail(ErrorKind::Usage, "there are several stages, name one of them:", names_of(all), "pale stage list");
  if (name.empty()) return std::move(all.front());
  const auto found = std::ranges::find(all, name, &stage::Stage::name);
  if (found == all.end())
    return fail(ErrorKind::NotFound, "there is no stage '" + name + "'; there is:", names_of(all), "pale stage list");
  return std::move(*found);
}

bool Stages::is_stage(const std::string& name) const {
  if (!stage::is_stage_name(name)) return false;
  const auto found = store_.find(name);
  return found && found->has_value();
}

Result<stage::ChangeSet> Stages::changes(const stage::Stage& stage, stage::Progress* progress) const {
  PALE_TRY(seen, view(stage));
  auto changes = stage::find_changes(seen, progress);
  if (!changes && changes.error().kind == ErrorKind::Refused)
    return fail(std::move(changes).error().with_hint("pale stage discard " + stage.name + " --yes"));
  if (!changes) return fail(std::move(changes).error());
  PALE_CHECK(stage::judge(seen, root(), protections_, *changes));
  return changes;
}

Result<stage::ChangeSet> choose_changes(const stage::ChangeSet& changes, const std::vector<std::string>& paths) {
  if (paths.empty()) return changes;
  stage::ChangeSet chosen;
  for (const std::string& path : paths) {
    const stage::Selection selection = stage::select_changes(changes, {&path, 1}, {});
    if (selection.items.empty())
      return fail(ErrorKind::NotFound, "the stage changes nothing at", path, "pale stage show");
  }
  for (const stage::Item& item : stage::select_changes(changes, paths, {}).items) chosen.push_back(item.change);
  return chosen;
}

Result<Proposal> propose(const Stages& stages, const stage::Stage& stage, const stage::ChangeSet& changes,
                         const ApplyRequest& request) {
  PALE_TRY(chosen, choose_changes(changes, request.paths));
  PALE_TRY(allowed, choose_changes(changes, request.allow_exec));
  Proposal proposal{stage::select_changes(chosen, {}, request.allow_exec), {}};
  stage::Selection& selection = proposal.selection;
  if (request.allow_all) selection.executes.clear();
  switch (request.resolve) {
    case Resolve::Refuse: return proposal;
    case Resolve::Theirs: break;
    case Resolve::Ours: selection.items = stage::without(std::move(selection.items), selection.conflicts); break;
    case Resolve::Merge: {
      PALE_TRY(view, stages.view(stage));
      PALE_TRY(unmerged, merge_conflicts(view, selection.items));
      proposal.unmerged = std::move(unmerged);
      break;
    }
  }
  std::erase_if(selection.conflicts, [&](const stage::Change& change) {
    return std::ranges::find(proposal.unmerged, change.path) == proposal.unmerged.end();
  });
  return proposal;
}

Result<std::optional<stage::Merged>> three_way(const stage::View& view, const stage::Change& change) {
  PALE_TRY(sides, sides_of(view, change));
  if (!sides) return std::nullopt;
  return stage::merge_texts(sides->original, sides->ours, sides->theirs, kLabels);
}

Result<ApplyLocks> lock_for_apply(const Stages& stages, const stage::Stage& stage) {
  PALE_TRY(history, stage::lock_history(stages.store()));
  PALE_TRY(own, stage::lock_stage(stage, sys::LockKind::Exclusive));
  PALE_TRY(beneath, stage::lock_beneath(stage, sys::LockKind::Exclusive));
  return ApplyLocks{std::move(history), std::move(own), std::move(beneath)};
}

Result<std::optional<stage::Journal>> apply_items(const Stages& stages, const stage::Stage& stage,
                                                  const std::vector<stage::Item>& items, stage::Progress* progress) {
  PALE_TRY(journal, stage::apply(stages.store(), stage, items, progress));
  PALE_TRY(gone, remove_older(stages.store(), stages.history_seconds(), Trial::Real));
  return journal;
}

Result<stage::Journal> undo_apply(const Stages& stages, const std::string& stage, std::uint64_t number) {
  PALE_TRY(lock, stage::lock_history(stages.store()));
  PALE_TRY(history, stage::read_history(stages.store()));
  for (const stage::Journal& journal : history | std::views::reverse) {
    const bool meant =
        number != 0 ? journal.number == number : journal.undone_by == 0 && (stage.empty() || journal.stage == stage);
    if (!meant) continue;
    if (journal.undone_by != 0)
      return fail(ErrorKind::Refused, "this apply was undone already, by number", std::to_string(journal.undone_by),
                  "pale stage undo --apply " + std::to_string(journal.undone_by));
    return stage::undo(stages.store(), journal);
  }
  std::string what = number == 0 ? "there is nothing to undo" : "there is no such apply";
  if (!stage.empty()) what += " of stage " + stage;
  return fail(ErrorKind::NotFound, what + " in", stages.root().text(), "pale stage undo --list");
}

Status check_discardable(const Stages& stages, const stage::Stage& stage) {
  PALE_TRY(all, stages.store().list());
  const auto above = std::ranges::find(all, stage.name, &stage::Stage::on);
  if (above != all.end())
    return fail(ErrorKind::Refused, "another stage stands on this one:", above->name,
                "pale stage discard " + above->name);
  return {};
}

Status discard_changes(const Stages& stages, const stage::Stage& stage, const std::vector<std::string>& paths) {
  if (paths.empty()) return fail(ErrorKind::Usage, "nothing is named that could be discarded", "", "pale stage show");
  PALE_CHECK(check_discardable(stages, stage));
  PALE_TRY(lock, stage::lock_stage(stage, sys::LockKind::Exclusive));
  PALE_TRY(changes, stages.changes(stage, nullptr));
  PALE_TRY(view, stages.view(stage));
  std::vector<std::string> forgotten;
  for (const std::string& path : paths) {
    PALE_TRY(chosen, choose_changes(changes, {path}));
    for (const stage::Change& change : chosen) {
      if (!stage::covers(path, change.path)) continue;  // a new directory around it, which stays
      PALE_TRY(alone, stage::can_forget(view.upper(), change.path));
      // Where nothing is beneath, nothing shows again.
      if (!alone && change.kind != stage::ChangeKind::Created)
        return fail(ErrorKind::Refused,
                    "it lies in a directory that was made anew, and cannot be taken out alone:", change.path,
                    "discard the directory");
      if (!change.from.empty()) forgotten.push_back(change.from);
      forgotten.push_back(change.path);
    }
  }
  return stage::forget_paths(stage, forgotten);
}

Status discard_stage(const Stages& stages, const stage::Stage& stage) {
  PALE_CHECK(check_discardable(stages, stage));
  PALE_TRY(in_use, stage::lock_stage(stage, sys::LockKind::Exclusive));
  return stage::Store::remove(stage);
}

Result<std::vector<stage::Journal>> prune_history(const Stages& stages, std::optional<std::int64_t> seconds,
                                                  Trial trial) {
  PALE_TRY(lock, stage::lock_history(stages.store()));
  return remove_older(stages.store(), seconds.value_or(stages.history_seconds()), trial);
}

}  // namespace pale::service
