#include "tenant/record.h"

#include <array>

#include "base/json_scan.h"
#include "base/text.h"
#include "base/time.h"

namespace pale::tenant {
namespace {

constexpr std::string_view kLastSessionAt = "last_session_at";
constexpr std::size_t kDeepest = 8;
constexpr std::size_t kTimeRoom = 22;  // "2026-01-23T15:00:00Z" with its quotes

std::string with_room(std::string text) {
  text.resize(std::max(text.size(), kTimeRoom), ' ');
  return text;
}

std::string written(std::int64_t time) { return with_room(time == 0 ? "null" : "\"" + to_iso(time) + "\""); }

Error broken(std::string where, const std::string& file) {
  return {ErrorKind::System, 0, "what is known of a workspace is broken: " + file + ":", std::move(where),
          "mend that place by hand, or pale workspace delete"};
}

Result<std::string> read_text(const JsonValue& json, std::string_view key, const std::string& file) {
  const JsonValue* value = json.find(key);
  if (value == nullptr || value->is_null()) return std::string();
  if (value->text() == nullptr) return fail(broken(std::string(key) + " must be a text", file));
  return *value->text();
}

Result<std::int64_t> read_time(const JsonValue& json, std::string_view key, const std::string& file) {
  PALE_TRY(text, read_text(json, key, file));
  if (text.empty()) return 0;
  const auto seconds = parse_iso(text);
  if (!seconds) return fail(broken(std::string(key) + " must be a time", file));
  return *seconds;
}

void write_text(JsonWriter& out, std::string_view key, const std::string& text) {
  out.key(key);
  text.empty() ? out.null() : out.value(text);
}

}  // namespace

std::string record_text(const Workspace& workspace) {
  JsonWriter out;
  out.begin_object().field("id", workspace.id).field("created_at", to_iso(workspace.created_at));
  out.key(kLastSessionAt).number(written(workspace.last_session_at));
  write_text(out, "external_id", workspace.external_id);
  write_text(out, "source", workspace.source);
  out.end_object();
  return out.text() + "\n";
}

void write_members(JsonWriter& out, const Workspace& workspace) {
  out.field("id", workspace.id).field("created_at", to_iso(workspace.created_at));
  write_text(out, kLastSessionAt, workspace.last_session_at == 0 ? "" : to_iso(workspace.last_session_at));
  write_text(out, "external_id", workspace.external_id);
  write_text(out, "source", workspace.source);
}

Result<Workspace> parse_record(std::string_view text, const std::string& id, const std::string& file) {
  const auto json = JsonValue::parse(text, kDeepest);
  if (!json) return fail(broken(json.error().subject, file));
  if (!json->is_object()) return fail(broken("an object is expected", file));
  PALE_TRY(own_id, read_text(*json, "id", file));
  if (own_id != id) return fail(broken("id is not the name of the file", file));
  Workspace workspace;
  workspace.id = id;
  PALE_TRY(created, read_time(*json, "created_at", file));
  PALE_TRY(last, read_time(*json, kLastSessionAt, file));
  PALE_TRY(external, read_text(*json, "external_id", file));
  PALE_TRY(source, read_text(*json, "source", file));
  workspace.created_at = created;
  workspace.last_session_at = last;
  workspace.external_id = std::move(external);
  workspace.source = std::move(source);
  return workspace;
}

std::optional<TimePatch> patch_for(std::string_view record, std::int64_t last_session_at) {
  const std::array<std::string_view, 1> keys = {kLastSessionAt};
  const auto found = find_json(record, keys);
  if (!found) return std::nullopt;
  const std::optional<TextSpan>& place = *found;
  if (!place) return std::nullopt;
  const TextSpan span = *place;
  const std::string_view room = record.substr(span.begin, kTimeRoom);
  const bool is_room = room.size() == kTimeRoom && span.end <= span.begin + kTimeRoom &&
                       room.find_first_not_of(' ', span.end - span.begin) == std::string_view::npos;
  std::string text = written(last_session_at);
  if (!is_room || text.size() != kTimeRoom) return std::nullopt;
  return TimePatch{span.begin, std::move(text)};
}

}  // namespace pale::tenant
