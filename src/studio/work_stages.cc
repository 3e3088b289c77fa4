#include <algorithm>
#include <ranges>

#include "base/time.h"
#include "history/history.h"
#include "service/prepare.h"
#include "session/place.h"
#include "stage/apply.h"
#include "studio/stage_view.h"
#include "studio/works.h"

namespace pale::studio {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::size_t kMostApplies = 50;
constexpr std::size_t kMostSessions = 500;

// The newest session that worked in each stage.
std::map<std::string, std::string> sessions_by_stage(const Asked& asked, const service::Caller& caller) {
  std::map<std::string, std::string> found;
  const auto pale_home = service::pale_home_of(caller);
  auto history = pale_home ? history::History::open(*pale_home) : std::unexpected(pale_home.error());
  if (!history) return found;
  history::SessionFilter filter;
  filter.project = std::string(session::kLocal) + asked.project;
  filter.limit = kMostSessions;
  const auto sessions = history->sessions(filter);
  for (const history::Session& session : sessions ? *sessions : std::vector<history::Session>()) {
    if (!session.about.stage.empty()) found.emplace(session.about.stage, session.about.id);
  }
  return found;
}

Json counts_of(const stage::ChangeSet& changes) {
  std::size_t added = 0;
  std::size_t deleted = 0;
  for (const stage::Change& change : changes) {
    added += change.kind == stage::ChangeKind::Created ? 1 : 0;
    deleted += change.kind == stage::ChangeKind::Deleted ? 1 : 0;
  }
  return {{"added", added}, {"modified", changes.size() - added - deleted}, {"deleted", deleted}};
}

bool can_be_undone(const stage::Journal& journal) { return journal.undoes == 0 && journal.undone_by == 0; }

Json stage_json(const stage::Stage& stage, const stage::ChangeSet& changes, const std::vector<stage::Journal>& journals,
                const std::map<std::string, std::string>& sessions) {
  const bool in_use = !stage::lock_stage(stage, sys::LockKind::Shared);
  Json json = {{"id", stage.name},
               {"name", stage.name},
               {"state", in_use ? "in_use" : "open"},
               {"created", to_iso(stage.began_ns / kSecond)},
               {"base", stage.on.empty() ? Json(nullptr) : Json(stage.on)},
               {"changes", counts_of(changes)},
               {"conflicts", std::ranges::count_if(
                                 changes, [](const auto& change) { return change.conflict != stage::Conflict::None; })},
               {"gate", std::ranges::count_if(changes, [](const auto& change) { return !change.executes.empty(); })},
               {"undoable", std::ranges::any_of(journals, [&](const stage::Journal& journal) {
                  return journal.stage == stage.name && can_be_undone(journal);
                })}};
  if (const auto session = sessions.find(stage.name); session != sessions.end()) json["session_id"] = session->second;
  return json;
}

Result<const stage::Change*> change_at(const stage::ChangeSet& changes, const std::string& path) {
  const auto found = std::ranges::find(changes, path, &stage::Change::path);
  if (found != changes.end()) return &*found;
  return fail(ErrorKind::NotFound, "the stage changes nothing at", path, "GET /stages/{id}");
}

Json text_or_null(const std::optional<std::string>& text) {
  return text && !stage::is_binary(*text) ? Json(sane(*text)) : Json(nullptr);
}

}  // namespace

Answer list_stages(const Asked& asked, const service::Caller& caller) {
  const auto sessions = sessions_by_stage(asked, caller);
  PALE_TRY(stages, open_stages(asked, caller));
  PALE_TRY(all, stages.store().list());
  PALE_TRY(journals, stage::read_history(stages.store()));
  Json list = Json::array();
  for (const stage::Stage& each : all) {
    PALE_TRY(changes, stages.changes(each, nullptr));
    list.push_back(stage_json(each, changes, journals, sessions));
  }
  Json applies = Json::array();
  for (const stage::Journal& journal : journals | std::views::reverse) {
    if (journal.undoes != 0 || applies.size() == kMostApplies) continue;
    applies.push_back({{"number", journal.number},
                       {"stage", journal.stage},
                       {"time", to_iso(journal.seconds)},
                       {"changes", journal.operations.size()},
                       {"undone", journal.undone_by != 0}});
  }
  return Json{{"stages", std::move(list)}, {"applies", std::move(applies)}};
}

Answer show_stage(const Asked& asked, const service::Caller& caller) {
  const auto sessions = sessions_by_stage(asked, caller);
  PALE_TRY(stages, open_stages(asked, caller));
  PALE_TRY(found, stages.find(asked.id));
  PALE_TRY(changes, stages.changes(found, nullptr));
  PALE_TRY(journals, stage::read_history(stages.store()));
  PALE_TRY(view, stages.view(found));
  Json json = stage_json(found, changes, journals, sessions);
  json["files"] = Json::array();
  json["gate"] = Json::array();
  json["conflicts"] = Json::array();
  for (const stage::Change& change : changes) {
    PALE_TRY(file, file_json(view, change));
    json["files"].push_back(std::move(file));
    if (change.conflict != stage::Conflict::None) json["conflicts"].push_back(sane(change.path));
    if (change.executes.empty()) continue;
    PALE_TRY(item, gate_item(view, change));
    json["gate"].push_back(std::move(item));
  }
  return json;
}

Answer show_diff(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(stages, open_stages(asked, caller));
  PALE_TRY(found, stages.find(asked.id));
  PALE_TRY(changes, stages.changes(found, nullptr));
  PALE_TRY(change, change_at(changes, asked.text("path")));
  PALE_TRY(view, stages.view(found));
  PALE_TRY(json, diff_json(view, *change));
  return json;
}

Answer show_conflict(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(stages, open_stages(asked, caller));
  PALE_TRY(found, stages.find(asked.id));
  PALE_TRY(changes, stages.changes(found, nullptr));
  PALE_TRY(change, change_at(changes, asked.text("path")));
  PALE_TRY(view, stages.view(found));
  PALE_TRY(original, view.original_text(change->path));
  PALE_TRY(ours, view.text_beneath(change->path));
  PALE_TRY(theirs, view.text_in_stage(change->path));
  PALE_TRY(merged, service::three_way(view, *change));
  return Json{{"path", sane(change->path)},
              {"base", text_or_null(original)},
              {"ours", text_or_null(ours)},
              {"theirs", change->after.kind == stage::EntryKind::Missing ? Json(nullptr) : text_or_null(theirs)},
              {"merged", merged ? Json(sane(merged->text)) : Json(nullptr)},
              {"clean", merged && merged->conflicts == 0}};
}

Answer undo_stage(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(stages, open_stages(asked, caller));
  const auto number = asked.body.value("journal", static_cast<std::int64_t>(0));
  // The stage may be gone with its last change; its applies are not.
  PALE_TRY(journal, service::undo_apply(stages, number == 0 ? asked.id : "", static_cast<std::uint64_t>(number)));
  Json applied = Json::array();
  for (const stage::Operation& operation : journal.operations) applied.push_back(sane(operation.path));
  return Json{{"applied", std::move(applied)}, {"journal", journal.number}, {"left", 0}};
}

Answer discard_stage(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(stages, open_stages(asked, caller));
  PALE_TRY(found, stages.find(asked.id));
  if (asked.body.contains("files")) {
    PALE_CHECK(service::discard_changes(stages, found, asked.words("files")));
  } else {
    PALE_CHECK(service::discard_stage(stages, found));
  }
  return Json{{"done", true}};
}

}  // namespace pale::studio
