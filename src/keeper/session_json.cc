#include "keeper/session_json.h"

#include "base/json.h"

namespace pale::keeper {
namespace {

using mcp::choice_schema;
using mcp::number_schema;
using mcp::text_schema;

// The length of the UTF-8 sequence that begins there; 0 if none does.
std::size_t sequence_at(std::string_view bytes, std::size_t at) {
  for (std::size_t length = 1; length <= 4 && at + length <= bytes.size(); ++length) {
    if (is_utf8(bytes.substr(at, length))) return length;
  }
  return 0;
}

Json limits_json(const session::Limits& limits) {
  Json json = Json::object();
  if (limits.memory) json["memory"] = *limits.memory;
  if (limits.pids) json["pids"] = *limits.pids;
  if (limits.disk) json["disk"] = *limits.disk;
  if (limits.seconds) json["seconds"] = *limits.seconds;
  return json;
}

}  // namespace

std::string as_text(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = sequence_at(bytes, at);
    text += length == 0 ? std::string_view("\xef\xbf\xbd") : bytes.substr(at, length);
    at += std::max<std::size_t>(1, length);
  }
  return text;
}

Json session_schema() {
  return answer_schema({{"id", session_id()},
                        {"project_id", project_id()},
                        {"workspace_id", workspace_id()},
                        {"state", choice_schema("Whether it lives.", {"running", "ended"})},
                        {"started_at", text_schema("When it was started.")},
                        {"runs", number_schema("How many commands were run in it.")},
                        {"denials", number_schema("How often its boundary refused something.")}});
}

Json to_json(const history::Run& run) {
  Json command = Json::array();
  for (const std::string& word : run.command) command.push_back(as_text(word));
  Json json = {{"run", run.number},
               {"command", std::move(command)},
               {"directory", as_text(run.directory)},
               {"started_at", iso(run.started_ms)},
               {"state", run.ended_ms ? "ended" : "running"}};
  if (run.ended_ms) json["ended_at"] = iso(*run.ended_ms);
  if (run.exit_code) json["exit_code"] = *run.exit_code;
  if (!run.ending.empty()) json["ending"] = run.ending;
  return json;
}

Json to_json(const history::Session& session) {
  Json json = {{"id", session.about.id},
               {"project_id", session.about.project},
               {"workspace_id", session.about.workspace},
               {"state", session.is_live() ? "running" : "ended"},
               {"started_at", iso(session.about.created_ms)},
               {"runs", session.runs},
               {"denials", session.denials},
               {"changes", session.changes},
               {"limits", limits_json(session.about.limits)}};
  if (!session.about.stage.empty()) json["stage"] = session.about.stage;
  if (session.ended_ms) json["ended_at"] = iso(*session.ended_ms);
  if (!session.ending.empty()) json["ending"] = session.ending;
  if (session.last_run) json["last_run"] = to_json(*session.last_run);
  return json;
}

Json to_json(const session::Event& event) {
  Json json = {{"number", event.number}, {"at", iso(event.at_ms)}, {"kind", session::to_text(event.kind)}};
  if (event.run != 0) json["run"] = event.run;
  using session::EventKind;
  switch (event.kind) {
    case EventKind::Run: {
      Json command = Json::array();
      for (const std::string& word : event.command) command.push_back(as_text(word));
      json["command"] = std::move(command);
      json["directory"] = as_text(event.directory);
      break;
    }
    case EventKind::Output:
      json["stream"] = event.stream;
      json["text"] = as_text(event.data);
      break;
    case EventKind::Input: json["bytes"] = event.bytes; break;
    case EventKind::Denied: json["rule"] = as_text(event.rule); [[fallthrough]];
    case EventKind::Changed:
      json["path"] = as_text(event.path);
      json["operation"] = event.operation;
      break;
    case EventKind::Connection:
      json["host"] = as_text(event.path);
      json["way"] = event.operation;
      json["verdict"] = event.ending;
      json["reason"] = as_text(event.rule);
      json["sent"] = event.bytes;
      json["received"] = event.received;
      break;
    case EventKind::Exit:
      json["exit_code"] = event.exit_code;
      json["ending"] = event.ending;
      json["milliseconds"] = event.milliseconds;
      break;
    case EventKind::Ended: json["ending"] = event.ending; break;
    default: break;
  }
  return json;
}

}  // namespace pale::keeper
