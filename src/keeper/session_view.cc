#include "keeper/session_view.h"

#include <array>

#include "base/json_value.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/console.h"
#include "keeper/table.h"

namespace pale::keeper {
namespace {

using history::Run;
using history::Session;

constexpr std::size_t kWidestCommand = 40;
constexpr std::size_t kShownOfWorkspace = 8;
constexpr std::size_t kDeepestReceipt = 16;
constexpr std::int64_t kSecond = 1000;

std::string state_text(const Session& session) {
  if (session.is_live()) return "running";
  return session.ending.empty() ? "ended" : printable(session.ending);
}

std::string shortened(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  text.resize(most - 1);
  // Not in the middle of a letter.
  while (!text.empty() && !is_utf8(text)) text.pop_back();
  return text + "…";
}

// "0", "killed", "-" while it runs.
std::string result_text(const Run& run) {
  if (run.exit_code) return std::to_string(*run.exit_code);
  return run.ended_ms ? printable(run.ending) : "-";
}

std::string duration_text(std::int64_t milliseconds) {
  if (milliseconds < kSecond) return std::to_string(milliseconds) + " ms";
  return std::to_string(milliseconds / kSecond) + "." + std::to_string(milliseconds % kSecond / 100) + " s";
}

std::string limits_text(const session::Limits& limits) {
  const std::array<std::pair<const char*, std::optional<std::uint64_t>>, 4> all = {
      {{"memory ", limits.memory}, {"processes ", limits.pids}, {"disk ", limits.disk}, {"seconds ", limits.seconds}}};
  std::string text;
  for (const auto& [name, limit] : all) {
    if (limit) text += (text.empty() ? "" : ", ") + std::string(name) + std::to_string(*limit);
  }
  return text.empty() ? "none" : text;
}

TableRow row_of(const Session& session, std::int64_t now) {
  const auto& run = session.last_run;
  return {session.about.id,
          printable(session.about.project),
          printable(session.about.workspace.substr(0, kShownOfWorkspace)),
          state_text(session),
          time_ago(session.about.created_ms / kSecond, now),
          run ? result_text(*run) : "-",
          std::to_string(session.denials),
          run ? shortened(command_text(run->command), kWidestCommand) : "-"};
}

std::string run_line(const Run& run) {
  std::string how = "runs";
  if (run.exit_code) how = "exit " + std::to_string(*run.exit_code);
  if (run.ended_ms && (!run.exit_code || run.ending != "exited")) how = printable(run.ending);
  return "  " + cli::padded("[" + std::to_string(run.number) + "]", 6) + cli::padded(how, 12) +
         cli::padded(run.ended_ms ? duration_text(*run.ended_ms - run.started_ms) : "", 10) +
         command_text(run.command) + "\n";
}

// What a worker's sandbox showed it of the project, by its receipt.
std::string receipt_line(const Run& run) {
  const auto receipt = JsonValue::parse(run.receipt, kDeepestReceipt);
  const JsonValue* boundary = receipt ? receipt->find("boundary") : nullptr;
  const JsonValue* grants = boundary != nullptr ? boundary->find("grants") : nullptr;
  if (grants == nullptr) return {};
  std::string text;
  for (const JsonValue& grant : grants->items()) {
    const auto said = [&](std::string_view key) {
      const JsonValue* value = grant.find(key);
      return value != nullptr ? value->bytes().value_or("") : std::string();
    };
    if (!said("origin").starts_with("worker ")) continue;
    text += (text.empty() ? "" : ", ") + printable(said("path")) + (said("access") == "write" ? " rw" : " ro");
  }
  if (text.empty()) text = "nothing of the project";
  if (const JsonValue* within = receipt->find("within")) {
    const auto number = within->whole_number().value_or(0);
    text += number == 0 ? "; within what the tools have" : "; within what [" + std::to_string(number) + "] has";
  }
  return std::string(8, ' ') + "has " + text + "\n";
}

void write_moment(JsonWriter& out, std::string_view key, const std::optional<std::int64_t>& milliseconds) {
  out.key(key);
  milliseconds ? out.value(moment_text(*milliseconds)) : out.null();
}

void write_limit(JsonWriter& out, std::string_view key, const std::optional<std::uint64_t>& limit) {
  out.key(key);
  limit ? out.value(*limit) : out.null();
}

}  // namespace

std::string moment_text(std::int64_t milliseconds) { return to_iso(milliseconds / kSecond); }

std::string command_text(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + shell_word(word);
  return printable(text);
}

std::string session_lines(const std::vector<Session>& sessions, std::int64_t now) {
  std::vector<TableRow> rows = {{"ID", "PROJECT", "WORKSPACE", "STATE", "BEGAN", "EXIT", "DENIALS", "LAST COMMAND"}};
  for (const Session& session : sessions) rows.push_back(row_of(session, now));
  return table_text(rows);
}

std::string session_text(const history::SessionWithRuns& whole, std::int64_t now) {
  const Session& session = whole.session;
  const auto line = [](std::string_view name, const std::string& value) {
    return "  " + cli::padded(std::string(name), 12) + value + "\n";
  };
  const auto moment = [&](std::int64_t at) { return moment_text(at) + ", " + time_ago(at / kSecond, now); };
  std::string text = "Session " + session.about.id + "\n";
  text += line("project", printable(session.about.project)) + line("workspace", printable(session.about.workspace));
  if (!session.about.stage.empty()) text += line("stage", printable(session.about.stage));
  text += line("state", state_text(session)) + line("began", moment(session.about.created_ms));
  if (session.ended_ms) text += line("ended", moment(*session.ended_ms));
  text += line("limits", limits_text(session.about.limits)) + line("denials", std::to_string(session.denials));
  text += line("changes", std::to_string(session.changes)) + line("commands", std::to_string(session.runs));
  if (whole.runs.size() < session.runs) text += "  the last " + std::to_string(whole.runs.size()) + " of them:\n";
  for (const Run& run : whole.runs) text += run_line(run) + receipt_line(run);
  return text;
}

void write_run(JsonWriter& out, const Run& run) {
  out.begin_object().field("run", run.number).key("command").begin_array();
  for (const std::string& word : run.command) out.value(word);
  out.end_array().field("directory", run.directory);
  write_moment(out, "started", run.started_ms);
  write_moment(out, "ended", run.ended_ms);
  out.key("exit_code");
  run.exit_code ? out.value(*run.exit_code) : out.null();
  out.key("ending");
  run.ended_ms ? out.value(run.ending) : out.null();
  out.key("milliseconds");
  run.ended_ms ? out.value(*run.ended_ms - run.started_ms) : out.null();
  if (const auto receipt = JsonValue::parse(run.receipt, kDeepestReceipt)) {
    out.key("receipt");
    write_json(out, *receipt);
  }
  out.end_object();
}

namespace {

void write_session_fields(JsonWriter& out, const Session& session) {
  const session::About& about = session.about;
  out.field("id", about.id).field("project", about.project).field("workspace", about.workspace).key("stage");
  about.stage.empty() ? out.null() : out.value(about.stage);
  out.field("state", session.is_live() ? "running" : "ended").key("ending");
  session.is_live() ? out.null() : out.value(session.ending);
  write_moment(out, "created", about.created_ms);
  write_moment(out, "ended", session.ended_ms);
  out.key("limits").begin_object();
  write_limit(out, "memory", about.limits.memory);
  write_limit(out, "pids", about.limits.pids);
  write_limit(out, "disk", about.limits.disk);
  write_limit(out, "seconds", about.limits.seconds);
  out.end_object().field("commands", session.runs).field("denials", session.denials).field("changes", session.changes);
  out.field("last_event", session.last_event);
}

}  // namespace

void write_session(JsonWriter& out, const Session& session) {
  out.begin_object();
  write_session_fields(out, session);
  out.key("last_run");
  session.last_run ? write_run(out, *session.last_run) : static_cast<void>(out.null());
  out.end_object();
}

void write_whole(JsonWriter& out, const history::SessionWithRuns& whole) {
  out.begin_object().field("schemaVersion", 1);
  write_session_fields(out, whole.session);
  out.key("runs").begin_array();
  for (const Run& run : whole.runs) write_run(out, run);
  out.end_array().key("receipt");
  const auto receipt = JsonValue::parse(whole.receipt, kDeepestReceipt);
  receipt ? write_json(out, *receipt) : static_cast<void>(out.null());
  out.end_object();
}

}  // namespace pale::keeper
