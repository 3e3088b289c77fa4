#include <algorithm>

#include "base/text.h"
#include "base/time.h"
#include "service/approvals.h"
#include "session/about_file.h"
#include "studio/calls.h"
#include "studio/records.h"
#include "studio/session_events.h"
#include "studio/works.h"
#include "sys/event.h"
#include "sys/file.h"

namespace pale::studio {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

Told told_of(const Records& records, const session::About& about) {
  const auto read = session::read_about(session::place_of(records.pale_home(), about.project, about.id));
  return read && *read ? Told{(*read)->about.kind, (*read)->about.title, (*read)->about.agent} : Told();
}

std::vector<session::Question> questions_in(const Records& records, const Place& place) {
  auto questions = service::waiting_questions(records.pale_home());
  if (!questions) return {};
  std::erase_if(*questions, [&](const session::Question& question) { return question.project != place.root; });
  return std::move(*questions);
}

// Who waits for a person comes first, then who runs.
int urgency(const Json& session) {
  return session.at("needs_person").get<bool>() ? 2 : session.at("state") != "ended" ? 1 : 0;
}

Json run_json(const history::Run& run) {
  Json json = {{"number", run.number},
               {"command", Json::array()},
               {"directory", sane(run.directory)},
               {"started", iso(run.started_ms)},
               {"ending", run.ending}};
  for (const std::string& word : run.command) json["command"].push_back(sane(word));
  if (run.ended_ms) json["ended"] = iso(*run.ended_ms);
  if (run.exit_code) json["exit_code"] = *run.exit_code;
  return json;
}

std::string summary_of(const history::Session& session) {
  std::string text = session.is_live() ? "It runs." : "It ended.";
  if (!session.is_live() && session.ending != "ended") text = "It ended: " + session.ending + ".";
  text += " " + std::to_string(session.runs) + (session.runs == 1 ? " command, " : " commands, ");
  return text + std::to_string(session.denials) + " refused, " + std::to_string(session.changes) + " noted.";
}

// "2026-11-18T06:52:16Z", or seconds since 1970.
std::optional<std::int64_t> time_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const auto seconds = parse_iso(text)) return *seconds * 1000;
  const auto number = parse_number(text);
  return number ? std::optional(static_cast<std::int64_t>(*number) * 1000) : std::nullopt;
}

}  // namespace

Answer count_overview(const Asked& asked, Records& records) {
  PALE_TRY(place, records.project(asked.project));
  PALE_TRY(sessions, records.sessions(place, history::kMostSessions));
  history::AccessFilter filter;
  filter.which = history::AccessFilter::Which::Denied;
  filter.since_ms = service::now_ms() / kDayMs * kDayMs;
  filter.limit = 1000;
  PALE_TRY(blocked, records.accesses(place, filter));
  std::size_t stages = 0;
  const auto directory = sys::open_at(sys::kAbsolute, place.stages.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (const auto entries = directory ? sys::list_directory(*directory) : std::vector<sys::Entry>())
    stages = static_cast<std::size_t>(
        std::ranges::count_if(*entries, [](const auto& entry) { return !entry.name.starts_with('.'); }));
  return Json{{"sessions_live", std::ranges::count_if(sessions, &history::Session::is_live)},
              {"approvals_waiting", questions_in(records, place).size()},
              {"stages_open", stages},
              {"blocked_today", blocked.accesses.size()}};
}

Answer list_sessions(const Asked& asked, Records& records) {
  PALE_TRY(place, records.project(asked.project));
  PALE_TRY(sessions, records.sessions(place, asked.number("limit", 100, 1000)));
  const auto questions = questions_in(records, place);
  std::vector<Json> list;
  for (const history::Session& session : sessions)
    list.push_back(to_json(session, told_of(records, session.about), questions, asked.project));
  std::ranges::stable_sort(list, std::greater(), urgency);
  return Json{{"sessions", Json(std::move(list))}};
}

Answer show_session(const Asked& asked, Records& records) {
  PALE_TRY(place, records.project(asked.project));
  PALE_TRY(whole, records.session(place, asked.id));
  const auto questions = questions_in(records, place);
  Json json = to_json(whole.session, told_of(records, whole.session.about), questions, asked.project);
  const std::string receipt = whole.receipt.empty() && !whole.runs.empty() ? whole.runs.front().receipt : whole.receipt;
  const Json parsed = Json::parse(receipt, nullptr, false);
  json["receipt"] = parsed.is_discarded() ? Json(nullptr) : parsed;
  json["runs"] = Json::array();
  for (const history::Run& run : whole.runs) json["runs"].push_back(run_json(run));
  json["summary"] = summary_of(whole.session);
  return json;
}

Answer list_events(const Asked& asked, Records& records) {
  PALE_TRY(place, records.project(asked.project));
  history::EventFilter filter;
  filter.after = asked.number("after", 0, UINT64_MAX / 2);
  filter.limit = asked.number("limit", 500, 5000);
  filter.bytes = 1UL << 20U;
  PALE_TRY(page, records.events(place, asked.id, filter));
  Json events = Json::array();
  for (const session::Event& event : page.events) events.push_back(to_json(event));
  return Json{{"events", std::move(events)}, {"next", page.last}, {"more", page.more}, {"over", page.over}};
}

Answer list_accesses(const Asked& asked, Records& records) {
  using Which = history::AccessFilter::Which;
  PALE_TRY(place, records.project(asked.project));
  history::AccessFilter filter;
  const std::string kind = asked.text("kind");
  filter.which = kind == "blocked" ? Which::Denied : kind == "outside" ? Which::Changed : Which::All;
  filter.session = asked.text("session");
  filter.path = asked.text("path");
  filter.since_ms = time_of(asked.text("since"));
  filter.until_ms = time_of(asked.text("until"));
  filter.before = asked.text("before");
  filter.limit = asked.number("limit", 100, 1000);
  PALE_TRY(page, records.accesses(place, filter));
  Json list = Json::array();
  for (const history::AccessEvent& access : page.accesses) {
    const bool denied = access.event.kind == session::EventKind::Denied;
    list.push_back({{"seq", access.place},
                    {"time", iso(access.event.at_ms)},
                    {"session_id", access.session},
                    {"path", sane(access.event.path)},
                    {"operation", access.event.operation},
                    {"verdict", denied             ? "blocked"
                                : place.is_managed ? "allowed"
                                                   : "outside"},
                    {"rule", sane(access.event.rule)},
                    {"count", 1}});
  }
  return Json{{"accesses", std::move(list)}, {"more", page.more}};
}

Answer list_calls(const Asked& asked, Records& records) {
  PALE_TRY(place, records.project(asked.project));
  PALE_TRY(sessions, records.sessions(place, asked.number("limit", 100, 1000)));
  Json calls = Json::array();
  for (const history::Session& session : sessions) {
    const Told told = told_of(records, session.about);
    if (told.kind != "worker" && told.kind != "tools") continue;
    PALE_TRY(whole, records.session(place, session.about.id));
    history::EventFilter filter;
    filter.kinds = {session::EventKind::Denied};
    PALE_TRY(denied, records.events(place, session.about.id, filter));
    add_calls(calls, whole, denied.events);
  }
  return Json{{"calls", std::move(calls)}};
}

}  // namespace pale::studio
