#include "service/staging.h"

#include "service/compose.h"
#include "stage/apply.h"
#include "stage/changes.h"
#include "sys/process.h"

namespace pale::service {
namespace {

constexpr const char* kUsualStage = "work";  // of a project whose manifest asks for one

using Age = Staging::Age;

Result<std::optional<Staging>> named(const StageRequest& wanted, const stage::Store& store) {
  PALE_TRY(known, store.find(wanted.name));
  if (known && !wanted.on.empty() && known->on != wanted.on)
    return fail(ErrorKind::Usage, "the stage '" + wanted.name + "' is there already, and does not stand on", wanted.on,
                "--stage with another name");
  if (known) return Staging{std::move(*known), Age::There};
  PALE_TRY(imagined, store.imagine(wanted.name, wanted.on));
  return Staging{std::move(imagined), Age::Named};
}

}  // namespace

stage::Store store_of(const Path& pale_home, const Path& root) { return {stages_of(pale_home, root), root}; }

Status recover_stages(const stage::Store& store) {
  if (!stage::is_under_way(store)) return {};
  PALE_TRY(lock, stage::lock_history(store));
  return stage::recover(store);
}

Result<std::optional<Staging>> choose_stage(const Request& request, const Terms& terms, const stage::Store& store) {
  if (!request.stage && !terms.settings.staged) return std::nullopt;
  if (!request.stage) return named({kUsualStage, {}}, store);
  if (!request.stage->name.empty() && !stage::is_stage_name(request.stage->name))
    return fail(ErrorKind::Usage, "not a name for a stage:", request.stage->name,
                "letters, digits, '.', '_' and '-', such as fix-42");
  if (!request.stage->name.empty()) return named(*request.stage, store);
  PALE_TRY(name, store.free_name());
  PALE_TRY(imagined, store.imagine(name, request.stage->on));
  return Staging{std::move(imagined), Age::New};
}

Result<std::vector<sys::Fd>> enter_stage(const std::optional<Staging>& staging, const stage::Store& store) {
  std::vector<sys::Fd> locks;
  if (!staging) return locks;
  PALE_TRY(beneath, stage::lock_beneath(staging->stage, sys::LockKind::Shared));
  locks = std::move(beneath);
  auto own = staging->age == Age::There ? stage::lock_stage(staging->stage, sys::LockKind::Exclusive)
                                        : store.create(staging->stage);
  if (!own) return fail(std::move(own).error());
  locks.push_back(std::move(*own));
  return locks;
}

Result<std::string> leave_stage(const std::optional<Staging>& staging, const stage::Store& store, Ran ran) {
  if (!staging) return std::string();
  const stage::Stage& stage = staging->stage;
  PALE_TRY(upper, sys::open_at(sys::kAbsolute, stage.upper().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  PALE_TRY(entries, sys::list_directory(upper));
  const bool unwanted = staging->age == Age::New || (staging->age == Age::Named && ran == Ran::No);
  if (entries.empty()) {
    if (unwanted) PALE_CHECK(store.put_aside(stage));
    return std::string();
  }
  // What a command only touched, as git status touches the index, is no change.
  if (sys::user_id() != 0) (void)sys::enter_user_namespace();
  PALE_TRY(view, stage::View::open(stage, store.root()));
  PALE_TRY(changed, stage::has_changes(view));
  if (changed) return stage.name;
  if (unwanted) PALE_CHECK(stage::Store::remove(stage));
  return std::string();
}

}  // namespace pale::service
