// service/stages.h: the use cases of stages: what there is, what it changes, and what becomes of it.
#pragma once

#include "service/prepare.h"
#include "stage/apply.h"
#include "stage/change.h"
#include "stage/merge.h"
#include "stage/progress.h"
#include "stage/view.h"

namespace pale::service {

// How long an apply can be undone, unless the user says otherwise.
inline constexpr std::string_view kUsualHistory = "30d";

// Whose stages: a project's, or those of a tenant's workspace.
struct StagesOf {
  project::Named project;
  std::optional<TenantRequest> tenant;
};

// A project's stages, for one command. Whatever a kill interrupted is finished first.
class Stages {
 public:
  static Result<Stages> open(const StagesOf& of, const Caller& caller);

  const stage::Store& store() const noexcept { return store_; }
  const Path& root() const noexcept { return store_.root(); }

  // How long applies can be undone.
  std::int64_t history_seconds() const noexcept { return history_seconds_; }

  // By its name; without one, the only one there is.
  Result<stage::Stage> find(const std::string& name) const;
  bool is_stage(const std::string& name) const;
  Result<stage::View> view(const stage::Stage& stage) const { return stage::View::open(stage, root()); }
  Result<stage::ChangeSet> changes(const stage::Stage& stage, stage::Progress* progress) const;

 private:
  Stages(stage::Store store, std::vector<Protection> protections, std::int64_t history_seconds)
      : store_(std::move(store)), protections_(std::move(protections)), history_seconds_(history_seconds) {}
  stage::Store store_;
  std::vector<Protection> protections_;
  std::int64_t history_seconds_;
};

// Those at or below the paths; all, if none are given. A path where nothing is changed is a mistake.
Result<stage::ChangeSet> choose_changes(const stage::ChangeSet& changes, const std::vector<std::string>& paths);

enum class Resolve { Refuse, Ours, Theirs, Merge };

struct ApplyRequest {
  std::vector<std::string> paths;
  std::vector<std::string> allow_exec;
  bool allow_all = false;
  Resolve resolve = Resolve::Refuse;
};

// What an apply would do; nothing is done yet.
struct Proposal {
  stage::Selection selection;
  std::vector<std::string> unmerged;  // paths that --merge could not settle
};
Result<Proposal> propose(const Stages& stages, const stage::Stage& stage, const stage::ChangeSet& changes,
                         const ApplyRequest& request);

// The three versions of a conflict put together; nothing if they are not texts, or the original is not known.
Result<std::optional<stage::Merged>> three_way(const stage::View& view, const stage::Change& change);

// For an apply, from before it looks until it is done.
struct ApplyLocks {
  sys::Fd history;
  sys::Fd stage;
  std::vector<sys::Fd> beneath;
};
Result<ApplyLocks> lock_for_apply(const Stages& stages, const stage::Stage& stage);
Result<std::optional<stage::Journal>> apply_items(const Stages& stages, const stage::Stage& stage,
                                                  const std::vector<stage::Item>& items, stage::Progress* progress);
// The last one that was not undone, of a stage or of all; or by its number.
Result<stage::Journal> undo_apply(const Stages& stages, const std::string& stage, std::uint64_t number);
// Refuses if another stage stands on it.
Status check_discardable(const Stages& stages, const stage::Stage& stage);
Status discard_stage(const Stages& stages, const stage::Stage& stage);
// Only these paths and what lies below them: what is beneath the stage shows again. Refuses what cannot be taken out alone.
Status discard_changes(const Stages& stages, const stage::Stage& stage, const std::vector<std::string>& paths);

// Applies that are older than `seconds` (nothing: than the user keeps them), oldest first. Gone afterwards, unless it is a trial.
enum class Trial { Dry, Real };
Result<std::vector<stage::Journal>> prune_history(const Stages& stages, std::optional<std::int64_t> seconds,
                                                  Trial trial);

}  // namespace pale::service
