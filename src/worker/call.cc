#include "worker/call.h"

#include <algorithm>

#include "base/json.h"
#include "base/json_value.h"

namespace pale::worker {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kLongestName = 200;

std::unexpected<Error> wrong(std::string what) {
  return fail(ErrorKind::Usage, "this calls no worker:", std::move(what),
              R"({"worker": "NAME", "input": any JSON} in one line)");
}

Result<std::string> text_in(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  if (value == nullptr) return std::string();
  auto text = value->bytes();
  if (!text) return wrong(std::string(key) + " must be a text");
  return std::move(*text);
}

}  // namespace

std::string to_line(const CallRequest& request) {
  JsonWriter out;
  out.begin_object().field("worker", request.worker).key("input").json(request.input);
  if (!request.instructions.empty()) out.field("instructions", request.instructions);
  out.end_object();
  return out.text() + "\n";
}

Result<CallRequest> parse_call(std::string_view line) {
  auto value = JsonValue::parse(line, kDeepest);
  if (!value) return wrong(value.error().subject);
  if (!value->is_object()) return wrong("it must be an object");
  for (const auto& [key, member] : value->members()) {
    if (key != "worker" && key != "input" && key != "instructions") return wrong("unknown key \"" + key + "\"");
  }
  CallRequest request;
  PALE_TRY(worker, text_in(*value, "worker"));
  PALE_TRY(instructions, text_in(*value, "instructions"));
  if (worker.empty()) return wrong("worker is missing, its name");
  if (worker.size() > kLongestName) return wrong("no worker has so long a name");
  request.worker = std::move(worker);
  request.instructions = std::move(instructions);
  const JsonValue* input = value->find("input");
  JsonWriter written;
  write_json(written, input != nullptr ? *input : JsonValue());
  request.input = written.text();
  return request;
}

std::string to_line(const CallAnswer& answer) {
  JsonWriter out;
  out.begin_object().field("ok", !answer.refusal).field("answer", answer.answer).field("exit_code", answer.exit_code);
  if (answer.refusal) {
    out.key("error").begin_object().field("code", to_text(answer.refusal->code)).field("about", answer.refusal->about);
    out.field("message", answer.refusal->sentence).field("hint", answer.refusal->hint).end_object();
  }
  out.end_object();
  return out.text() + "\n";
}

Result<CallAnswer> parse_answer(std::string_view line) {
  PALE_TRY(value, JsonValue::parse(line, kDeepest));
  CallAnswer answer;
  PALE_TRY(text, text_in(value, "answer"));
  answer.answer = std::move(text);
  if (const JsonValue* code = value.find("exit_code"))
    answer.exit_code = static_cast<int>(code->whole_number().value_or(0));
  const JsonValue* error = value.find("error");
  if (error == nullptr) return answer;
  PALE_TRY(code, text_in(*error, "code"));
  PALE_TRY(about, text_in(*error, "about"));
  PALE_TRY(sentence, text_in(*error, "message"));
  PALE_TRY(hint, text_in(*error, "hint"));
  answer.refusal = Refusal{code_of(code), std::move(about), std::move(sentence), std::move(hint)};
  return answer;
}

}  // namespace pale::worker
