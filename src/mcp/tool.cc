#include "mcp/tool.h"

#include "mcp/message.h"
#include "mcp/schema.h"

namespace pale::mcp {

ToolResult ToolResult::structured(Json value) {
  ToolResult result = text(print(value));
  result.structured_content = std::move(value);
  return result;
}

ToolResult ToolResult::text(std::string text) {
  return blocks(Json::array({Json{{"type", "text"}, {"text", std::move(text)}}}));
}

ToolResult ToolResult::blocks(Json content) {
  ToolResult result;
  result.content = std::move(content);
  return result;
}

ToolResult ToolResult::error(std::string sentence) {
  ToolResult result = text(std::move(sentence));
  result.is_error = true;
  return result;
}

ToolResult ToolResult::error(const Error& error) {
  std::string sentence = error.sentence();
  if (!error.hint.empty()) sentence += "\nhint: " + error.hint;
  for (const std::string& hint : error.other_hints) sentence += "\nhint: " + hint;
  return ToolResult::error(std::move(sentence));
}

std::optional<std::string> Call::maybe_text(const char* name) const {
  if (!has(name)) return std::nullopt;
  return text(name);
}

std::optional<std::int64_t> Call::maybe_number(const char* name) const {
  if (!has(name)) return std::nullopt;
  return number(name);
}

boost::asio::awaitable<Elicited> Call::elicit(std::string key, std::string message, Json schema) {
  Json params{{"message", std::move(message)}, {"requestedSchema", schema}};
  Json requests;
  requests[key] = Json{{"method", "elicitation/create"}, {"params", std::move(params)}};
  Json answers = co_await ask(std::move(requests));
  const Json& answer = answers[key];
  const Json action = answer.value("action", Json());
  Elicited elicited;
  if (action == "decline") elicited.answer = Answer::Decline;
  if (action != "accept") co_return elicited;
  elicited.answer = Answer::Accept;
  elicited.content = answer.value("content", Json::object());
  if (const auto wrong = check_schema(schema, elicited.content)) {
    throw Fault{kInvalidParams, "the answer to \"" + key + "\" is not what was asked for: " + *wrong};
  }
  co_return elicited;
}

Json object_schema(Json properties, std::vector<std::string> required) {
  Json schema{{"type", "object"}};
  schema["properties"] = properties.empty() ? Json::object() : std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

namespace {
Json described(const char* type, std::string description) {
  return Json{{"type", type}, {"description", std::move(description)}};
}
}  // namespace

Json text_schema(std::string description) { return described("string", std::move(description)); }
Json number_schema(std::string description) { return described("integer", std::move(description)); }
Json flag_schema(std::string description) { return described("boolean", std::move(description)); }

Json choice_schema(std::string description, std::vector<std::string> choices) {
  Json schema = text_schema(std::move(description));
  schema["enum"] = std::move(choices);
  return schema;
}

Json list_schema(std::string description, Json items) {
  Json schema = described("array", std::move(description));
  schema["items"] = std::move(items);
  return schema;
}

}  // namespace pale::mcp
