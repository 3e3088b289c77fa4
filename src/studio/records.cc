#include "studio/records.h"

#include <algorithm>

#include "base/uuid.h"
#include "project/registry.h"
#include "service/compose.h"
#include "service/loop_log.h"
#include "service/staging.h"
#include "session/place.h"
#include "sys/file.h"

namespace pale::studio {
namespace {

constexpr std::size_t kWatchedSessions = 200;

std::unexpected<Error> no_such_session(const std::string& id) {
  return fail(ErrorKind::NotFound, "there is no such session in this project:", id, "pale session list");
}

}  // namespace

std::string sign_of(const std::string& file) {
  const auto info = sys::file_info(sys::kAbsolute, file.c_str(), sys::Links::Follow);
  if (!info || info->kind == sys::FileKind::Missing) return "-";
  return std::to_string(info->inode) + "." + std::to_string(info->size) + "." + std::to_string(info->modified_ns);
}

std::string listing_of(const std::string& directory) {
  const auto opened = sys::open_at(sys::kAbsolute, directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  auto entries = opened ? sys::list_directory(*opened) : std::vector<sys::Entry>();
  if (!entries) return "-";
  std::ranges::sort(*entries, {}, &sys::Entry::name);
  std::string text;
  for (const sys::Entry& entry : *entries) text += entry.name + "=" + sign_of(directory + "/" + entry.name) + ";";
  return text;
}

Result<std::unique_ptr<Records>> Records::open(const Path& pale_home, const service::Caller& caller) {
  PALE_TRY(history, history::History::open(pale_home));
  return std::unique_ptr<Records>(new Records(pale_home, caller, std::move(history)));
}

Result<Place> find_place(const Path& pale_home, const std::string& id) {
  PALE_TRY(entry, project::Registry::find_in_file(pale_home, id));
  if (entry && !id.empty()) {
    const stage::Store store = service::store_of(pale_home, entry->root);
    return Place{std::string(session::kLocal) + id, entry->root.text(), store.directory().text(), false};
  }
  const auto name = Path::parse(pale_home.text() + "/projects/" + id);
  const bool plain = id.find('/') == std::string::npos && !id.starts_with('.') && !id.empty();
  const auto info = name && plain ? sys::file_info(sys::kAbsolute, name->c_str()) : sys::FileInfo();
  if (info && info->kind == sys::FileKind::Directory) return Place{id, {}, {}, true};
  return project::no_such_project(id);
}

Status Records::take_in(const Place& place, const std::string& id) {
  if (!is_uuid(id)) return no_such_session(id);
  PALE_CHECK(history_.ingest({place.key, id}));
  PALE_TRY(owner, history_.project_of(id));
  return owner == place.key ? Status{} : no_such_session(id);
}

Result<history::SessionWithRuns> Records::session(const Place& place, const std::string& id) {
  const std::scoped_lock alone(one_at_a_time_);
  PALE_CHECK(take_in(place, id));
  return history_.session(id);
}

Result<history::EventPage> Records::events(const Place& place, const std::string& id,
                                           const history::EventFilter& filter) {
  const std::scoped_lock alone(one_at_a_time_);
  PALE_CHECK(take_in(place, id));
  return history_.events(id, filter);
}

Result<std::vector<history::Session>> Records::sessions(const Place& place, std::size_t limit) {
  const std::scoped_lock alone(one_at_a_time_);
  (void)history_.ingest_project(place.key);  // One that cannot be read hides no other.
  history::SessionFilter filter;
  filter.project = place.key;
  filter.limit = limit;
  return history_.sessions(filter);
}

Result<history::AccessPage> Records::accesses(const Place& place, const history::AccessFilter& filter) {
  const std::scoped_lock alone(one_at_a_time_);
  (void)history_.ingest_project(place.key);
  return history_.accesses(place.key, filter);
}

Records::Signs Records::signs_of(const std::string& project_id) {
  Signs signs;
  const auto place = project(project_id);
  if (!place) return {{"sessions", "gone"}};
  const auto found = sessions(*place, kWatchedSessions);
  for (const history::Session& session : found ? *found : std::vector<history::Session>()) {
    signs["sessions"] += session.about.id + session.ending + std::to_string(session.runs) + ";";
    signs["accesses"] += std::to_string(session.denials + session.changes) + ";";
  }
  if (place->is_managed) return signs;
  // Questions are those of local projects, and who may see one of these sees all.
  signs["approvals"] = listing_of((pale_home_ / "approvals").text());
  signs["stages"] = listing_of(place->stages) + listing_of(place->stages + "/.history");
  signs["manifest"] = sign_of(place->root + "/.pale/project.toml");
  const Path stories = Path::literal(place->root) / "prd.json";
  signs["loop"] = sign_of(stories.text()) + sign_of(service::loop_log_of(pale_home_, stories).text());
  return signs;
}

std::uint64_t Records::last_event(const std::string& project_id, const std::string& session_id) {
  const auto place = project(project_id);
  if (!place) return 0;
  const auto found = session(*place, session_id);
  // The end of a session adds an event, too, unless its host was killed.
  return found ? found->session.last_event * 2 + (found->session.is_live() ? 0 : 1) : 0;
}

}  // namespace pale::studio
