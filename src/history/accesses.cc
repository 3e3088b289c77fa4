#include <array>
#include <limits>

#include "base/text.h"
#include "history/database.h"
#include "history/history.h"

namespace pale::history {
namespace {

// Where an access stands in the order of all: when, and of one moment, in which session as which event.
struct Cursor {
  std::int64_t at_ms = std::numeric_limits<std::int64_t>::max();
  std::int64_t session = 0;
  std::int64_t number = 0;
};

std::string to_text(const Cursor& cursor) {
  return std::to_string(cursor.at_ms) + "-" + std::to_string(cursor.session) + "-" + std::to_string(cursor.number);
}

Result<Cursor> parse_cursor(const std::string& text) {
  Cursor cursor;
  if (text.empty()) return cursor;
  const std::size_t first = text.find('-');
  const std::size_t second = first == std::string::npos ? first : text.find('-', first + 1);
  if (second != std::string::npos) {
    const auto at = parse_number(text.substr(0, first));
    const auto session = parse_number(text.substr(first + 1, second - first - 1));
    const auto number = parse_number(text.substr(second + 1));
    if (at && session && number)
      return Cursor{static_cast<std::int64_t>(*at), static_cast<std::int64_t>(*session),
                    static_cast<std::int64_t>(*number)};
  }
  return fail(ErrorKind::Usage, "this is no place in the list:", text, "take it from the last access of a page");
}

constexpr const char* kTried =
    "SELECT s.id, e.body, e.at_ms, e.session, e.number FROM events e JOIN sessions s ON s.key = e.session "
    "WHERE e.kind IN ('denied', 'changed') AND s.project = ?1 AND (?2 = '' OR e.kind = ?2) AND (?3 = '' OR s.id = ?3) "
    "AND e.at_ms >= ?4 AND e.at_ms <= ?5 AND (e.at_ms, e.session, e.number) < (?6, ?7, ?8) "
    "ORDER BY e.at_ms DESC, e.session DESC, e.number DESC";

}  // namespace

Result<AccessPage> History::accesses(std::string_view project, const AccessFilter& filter) const {
  constexpr std::array<std::string_view, 3> kKinds = {"", "denied", "changed"};
  PALE_TRY(before, parse_cursor(filter.before));
  PALE_TRY(query, database_->ask(kTried, project, kKinds.at(static_cast<std::size_t>(filter.which)), filter.session,
                                 filter.since_ms.value_or(0),
                                 filter.until_ms.value_or(std::numeric_limits<std::int64_t>::max()), before.at_ms,
                                 before.session, before.number));
  AccessPage page;
  for (;;) {
    PALE_TRY(there, query.next());
    if (!there) return page;
    auto event = session::parse_event(query.text(1));
    if (!event) continue;  // One that is damaged hides no other.
    if (event->path.find(filter.path) == std::string::npos) continue;
    page.more = page.accesses.size() >= filter.limit;
    if (page.more) return page;
    const Cursor here{query.number(2), query.number(3), query.number(4)};
    page.accesses.push_back({query.text(0), std::move(*event), to_text(here)});
  }
}

}  // namespace pale::history
