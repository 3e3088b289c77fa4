#include "studio/session_events.h"

#include <algorithm>

#include "base/text.h"
#include "mcp/base64.h"
#include "session/place.h"

namespace pale::studio {
namespace {

using session::EventKind;

constexpr std::size_t kMostTitle = 200;

Json words_of(const std::vector<std::string>& words) {
  Json list = Json::array();
  for (const std::string& word : words) list.push_back(sane(word));
  return list;
}

void add_output(Json& json, const session::Event& event) {
  json["stream"] = event.stream;
  if (is_utf8(event.data)) {
    json["text"] = event.data;
  } else {
    json["base64"] = mcp::to_base64(event.data);
  }
}

void add_access(Json& json, const session::Event& event) {
  json["path"] = sane(event.path);
  json["operation"] = event.operation;
  json["rule"] = sane(event.rule);
  json["verdict"] = event.kind == EventKind::Denied ? "blocked" : "outside";
}

void add_connection(Json& json, const session::Event& event) {
  json["host"] = sane(event.path);
  json["way"] = event.operation;
  json["verdict"] = event.ending;
  json["reason"] = sane(event.rule);
  json["sent"] = event.bytes;
  json["received"] = event.received;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text.substr(0, kMostTitle);
}

std::string kind_of(const history::Session& session, const Told& told) {
  if (!told.kind.empty()) return told.kind;
  if (!session.about.project.starts_with(session::kLocal)) return "session";
  const bool tools = session.last_run && session.last_run->command == std::vector<std::string>{"pale", "mcp"};
  return tools ? "tools" : "run";
}

std::string first_of(std::string_view chain) { return std::string(chain.substr(0, chain.find('/'))); }

// A question says who asks, and not in which session: tools ask for themselves and for workers, a worker for those below it, and
// before anything of it runs. Nobody else asks.
bool may_ask(const history::Session& session, const std::string& kind, const session::Question& question) {
  constexpr std::string_view kWorker = "worker ";
  if (kind == "tools") return true;
  if (kind != "worker" || !question.asker.starts_with(kWorker)) return false;
  const bool begun = session.last_run && !session.last_run->command.empty();
  return !begun || first_of(session.last_run->command.front()) == first_of(question.asker.substr(kWorker.size()));
}

// The first of those that were called stands for all.
std::string title_of(const history::Session& session, const Told& told, const std::string& kind) {
  if (!told.title.empty()) return told.title;
  const std::vector<std::string> command = session.last_run ? session.last_run->command : std::vector<std::string>();
  if (kind == "worker" && !command.empty()) return "worker " + first_of(command.front());
  return joined(command);
}

}  // namespace

Json to_json(const session::Event& event) {
  Json json = {{"seq", event.number},
               {"time", iso(event.at_ms)},
               {"kind", std::string(to_text(event.kind))},
               {"run", event.run}};
  switch (event.kind) {
    case EventKind::Run:
      json["command"] = words_of(event.command);
      json["directory"] = sane(event.directory);
      break;
    case EventKind::Output: add_output(json, event); break;
    case EventKind::Input: json["bytes"] = event.bytes; break;
    case EventKind::Denied:
    case EventKind::Changed: add_access(json, event); break;
    case EventKind::Connection: add_connection(json, event); break;
    case EventKind::Exit:
      json["exit_code"] = event.exit_code;
      json["ending"] = event.ending;
      json["milliseconds"] = event.milliseconds;
      break;
    case EventKind::Ended: json["ending"] = event.ending; break;
    case EventKind::Unreadable: json["text"] = sane(event.data); break;
    case EventKind::Started: break;  // its receipt is the session's
  }
  return json;
}

Json to_json(const history::Session& session, const Told& told, const std::vector<session::Question>& questions,
             const std::string& project) {
  const std::vector<std::string> command = session.last_run ? session.last_run->command : std::vector<std::string>();
  const std::string kind = kind_of(session, told);
  const bool waits = session.is_live() && std::ranges::any_of(questions, [&](const session::Question& question) {
                       return may_ask(session, kind, question);
                     });
  const char* state = !session.is_live() ? "ended" : waits ? "waiting" : session.runs == 0 ? "starting" : "running";
  Json json = {{"id", session.about.id},
               {"kind", kind},
               {"title", sane(title_of(session, told, kind))},
               {"command", words_of(command)},
               {"state", state},
               {"needs_person", waits},
               {"started", iso(session.about.created_ms)},
               {"blocked", session.denials},
               {"outside", kind == "session" ? 0 : session.changes},
               {"changes", session.changes},
               {"last_event", session.last_event},
               {"project_id", project},
               {"can_input", session.is_live() && (kind == "run" || kind == "agent") && !told.kind.empty()},
               {"can_stop", session.is_live() && (kind == "session" || !told.title.empty())}};
  if (!told.agent.empty()) json["agent"] = told.agent;
  if (session.ended_ms) json["ended"] = iso(*session.ended_ms);
  if (!session.ending.empty()) json["ending"] = session.ending;
  if (session.last_run && session.last_run->exit_code) json["exit_code"] = *session.last_run->exit_code;
  if (!session.about.stage.empty()) json["stage_id"] = session.about.stage;
  return json;
}

}  // namespace pale::studio
