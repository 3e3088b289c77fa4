#include "session/message.h"

#include <array>
#include <concepts>
#include <limits>

#include "base/json.h"
#include "base/json_value.h"

namespace pale::session {
namespace {

constexpr std::size_t kDeepest = 6;
constexpr std::array<std::string_view, 5> kAsks = {"run", "input", "cancel", "end", "status"};
constexpr std::array<std::string_view, 5> kTells = {"begun", "output", "exit", "done", "failed"};
constexpr std::array<std::string_view, 6> kErrors = {"usage",       "not_found", "refused",
                                                     "unsupported", "system",    "mismatch"};

std::unexpected<Error> unreadable(std::string what) {
  return fail(ErrorKind::Usage, "a message of a session cannot be read:", std::move(what));
}

template <typename Kind, std::size_t N>
std::optional<Kind> kind_of(const JsonValue& value, std::string_view key,
                            const std::array<std::string_view, N>& names) {
  const JsonValue* found = value.find(key);
  if (found == nullptr || found->text() == nullptr) return std::nullopt;
  for (std::size_t at = 0; at < N; ++at) {
    if (names[at] == *found->text()) return static_cast<Kind>(at);
  }
  return std::nullopt;
}

std::uint64_t number_of(const JsonValue& value, std::string_view key) {
  const JsonValue* found = value.find(key);
  return found == nullptr ? 0 : found->whole_number().value_or(0);
}

// What does not fit is as good as none.
template <std::signed_integral T>
T signed_of(const JsonValue& value, std::string_view key) {
  const std::uint64_t number = number_of(value, key);
  return number <= static_cast<std::uint64_t>(std::numeric_limits<T>::max()) ? static_cast<T>(number) : T{0};
}

std::string bytes_of(const JsonValue& value, std::string_view key) {
  const JsonValue* found = value.find(key);
  return found == nullptr ? std::string() : found->bytes().value_or("");
}

bool truth_of(const JsonValue& value, std::string_view key) {
  const JsonValue* found = value.find(key);
  return found != nullptr && found->boolean().value_or(false);
}

Result<JsonValue> parse_object(std::string_view text) {
  PALE_TRY(value, JsonValue::parse(text, kDeepest));
  if (!value.is_object()) return unreadable("not an object");
  return value;
}

void write_error(JsonWriter& out, const Error& error) {
  out.key("error").begin_object();
  out.field("kind", kErrors[static_cast<std::size_t>(error.kind)]).field("number", error.number);
  out.field("operation", error.operation).field("subject", error.subject).field("hint", error.hint).end_object();
}

Error read_error(const JsonValue& value) {
  Error error;
  error.kind = kind_of<ErrorKind>(value, "kind", kErrors).value_or(ErrorKind::System);
  error.number = signed_of<int>(value, "number");
  error.operation = bytes_of(value, "operation");
  error.subject = bytes_of(value, "subject");
  error.hint = bytes_of(value, "hint");
  return error;
}

}  // namespace

std::string to_text(const Ask& ask) {
  JsonWriter out;
  out.begin_object().field("ask", kAsks[static_cast<std::size_t>(ask.kind)]);
  if (ask.kind == Ask::Kind::Run) {
    out.key("command").begin_array();
    for (const std::string& word : ask.command) out.value(word);
    out.end_array().field("directory", ask.directory);
    if (ask.time_limit) out.field("time_limit", *ask.time_limit);
  }
  if (ask.kind == Ask::Kind::Input) out.field("data", ask.data);
  if (ask.last) out.field("last", true);
  if (ask.brief) out.field("brief", true);
  out.end_object();
  return out.text();
}

Result<Ask> parse_ask(std::string_view text) {
  PALE_TRY(value, parse_object(text));
  const auto kind = kind_of<Ask::Kind>(value, "ask", kAsks);
  if (!kind) return unreadable("it asks for nothing that is known");
  Ask ask;
  ask.kind = *kind;
  ask.directory = bytes_of(value, "directory");
  ask.data = bytes_of(value, "data");
  ask.last = truth_of(value, "last");
  ask.brief = truth_of(value, "brief");
  if (const JsonValue* limit = value.find("time_limit"); limit != nullptr) ask.time_limit = limit->whole_number();
  const JsonValue* command = value.find("command");
  if (command == nullptr) return ask;
  for (const JsonValue& word : command->items()) {
    auto bytes = word.bytes();
    if (!bytes) return unreadable("a command is a list of texts");
    ask.command.push_back(std::move(*bytes));
  }
  return ask;
}

std::string to_text(const Tell& tell) {
  JsonWriter out;
  out.begin_object().field("tell", kTells[static_cast<std::size_t>(tell.kind)]).field("run", tell.run);
  if (tell.kind == Tell::Kind::Output) out.field("stream", tell.stream).field("data", tell.data);
  if (tell.kind == Tell::Kind::Exit) {
    out.field("exit_code", tell.exit_code).field("ending", tell.ending).field("milliseconds", tell.milliseconds);
    out.field("denials", tell.denials).field("changes", tell.changes);
  }
  if (!tell.notes.empty()) {
    out.key("notes").begin_array();
    for (const std::string& note : tell.notes) out.value(note);
    out.end_array();
  }
  if (tell.kind == Tell::Kind::Failed) write_error(out, tell.error);
  out.end_object();
  return out.text();
}

Result<Tell> parse_tell(std::string_view text) {
  PALE_TRY(value, parse_object(text));
  const auto kind = kind_of<Tell::Kind>(value, "tell", kTells);
  if (!kind) return unreadable("it tells nothing that is known");
  Tell tell;
  tell.kind = *kind;
  tell.run = number_of(value, "run");
  tell.stream = bytes_of(value, "stream");
  tell.data = bytes_of(value, "data");
  tell.exit_code = signed_of<int>(value, "exit_code");
  tell.ending = bytes_of(value, "ending");
  tell.milliseconds = signed_of<std::int64_t>(value, "milliseconds");
  tell.denials = number_of(value, "denials");
  tell.changes = number_of(value, "changes");
  if (const JsonValue* notes = value.find("notes"); notes != nullptr) {
    for (const JsonValue& note : notes->items()) tell.notes.push_back(note.bytes().value_or(""));
  }
  if (const JsonValue* error = value.find("error"); error != nullptr) tell.error = read_error(*error);
  return tell;
}

}  // namespace pale::session
