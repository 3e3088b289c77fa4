#include "tools/message.h"

#include <algorithm>
#include <utility>

namespace pale::tools {
namespace {

std::unexpected<Fault> refuse(int code, std::string message, std::string id = {}) {
  return std::unexpected(Fault{code, std::move(message), {}, std::move(id)});
}

// Counted before they are made, since each takes more memory than it has bytes. A line that is short has few.
bool has_too_many_values(std::string_view line) {
  if (line.size() <= kMostValues) return false;
  std::size_t values = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"') {
      for (++at; at < line.size() && line[at] != '"'; ++at) at += line[at] == '\\' ? 1 : 0;
    } else if (line[at] == ',' && ++values > kMostValues) {
      return true;
    }
  }
  return false;
}

// Half a surrogate pair, which is no letter, becomes the one that stands for such.
std::string without_surrogates(std::string_view line) {
  constexpr std::string_view kUnknown = "\\ufffd";
  constexpr std::string_view kSecond = "89abcdefABCDEF";
  std::string text;
  for (std::size_t at = 0; at < line.size();) {
    const std::string_view escape = line.substr(at, line[at] == '\\' ? kUnknown.size() : 1);
    const bool surrogate = escape.size() == kUnknown.size() && escape[1] == 'u' &&
                           (escape[2] == 'd' || escape[2] == 'D') && kSecond.find(escape[3]) != std::string_view::npos;
    const std::size_t length = surrogate ? kUnknown.size() : std::min<std::size_t>(escape.size(), 2);
    text += surrogate ? kUnknown : escape.substr(0, length);
    at += length;
  }
  return text;
}

// Some clients cut texts within a letter, and wait for an answer to that as well.
std::string id_in_spite(std::string_view line) {
  const auto json = JsonValue::parse(without_surrogates(line), kMostDepth);
  return json && json->is_object() ? id_of(json->find("id")) : std::string();
}

std::expected<Message, Fault> read_message(const JsonValue& json) {
  if (json.is_array())
    return refuse(kInvalidRequest, "batches are not part of this protocol: send one message at a time");
  if (!json.is_object()) return refuse(kInvalidRequest, "a message must be a JSON object");
  const JsonValue* id = json.find("id");
  Message message{.id = id_of(id)};
  const JsonValue* version = json.find("jsonrpc");
  if (version == nullptr || version->text() == nullptr || *version->text() != "2.0")
    return refuse(kInvalidRequest, R"("jsonrpc" must be "2.0")", message.id);
  const JsonValue* method = json.find("method");
  const bool answers = json.find("result") != nullptr || json.find("error") != nullptr;
  message.is_response = method == nullptr && id != nullptr && answers;
  if (message.is_response) {
    const JsonValue* result = json.find("result");
    if (result != nullptr && result->is_object()) message.result = *result;
    return message;
  }
  if (method == nullptr || method->text() == nullptr)
    return refuse(kInvalidRequest, "\"method\" must be a text", message.id);
  if (id != nullptr && message.id.empty()) return refuse(kInvalidRequest, "\"id\" must be a text or a whole number");
  const JsonValue* params = json.find("params");
  if (params != nullptr && !params->is_object())
    return refuse(kInvalidParams, "\"params\" must be an object", message.id);
  message.method = *method->text();
  if (params != nullptr) message.params = *params;
  return message;
}

}  // namespace

std::string id_of(const JsonValue* value) {
  if (value == nullptr) return {};
  const bool whole =
      value->kind() == JsonValue::Kind::Number && value->written().find_first_of(".eE") == std::string::npos;
  if (whole) return value->written();
  if (value->text() == nullptr) return {};
  JsonWriter out;
  out.value(*value->text());
  return out.text();
}

std::expected<Message, Fault> parse_message(std::string_view line) {
  if (line.size() > kMostBytes)
    return refuse(kInvalidRequest, "the message is larger than " + std::to_string(kMostBytes) + " bytes");
  if (has_too_many_values(line))
    return refuse(kInvalidRequest, "the message has more than " + std::to_string(kMostValues) + " values");
  const auto json = JsonValue::parse(line, kMostDepth);
  if (!json) return refuse(kParseError, json.error().sentence(), id_in_spite(line));
  return read_message(*json);
}

std::string print_result(std::string_view id, std::string_view result) {
  std::string line = R"({"jsonrpc":"2.0","id":)";
  line.reserve(line.size() + id.size() + result.size() + 16);
  return line.append(id).append(R"(,"result":)").append(result).append("}\n");
}

std::string print_error(const Fault& fault) {
  JsonWriter out;
  out.begin_object().field("jsonrpc", "2.0");
  // The protocol leaves out an id that could not be read, where JSON-RPC would say null.
  if (!fault.id.empty()) out.key("id").json(fault.id);
  out.key("error").begin_object().field("code", fault.code).field("message", fault.message);
  if (!fault.data.empty()) out.key("data").json(fault.data);
  out.end_object().end_object();
  return out.text() + "\n";
}

std::string print_request(std::string_view id, std::string_view method, std::string_view params) {
  JsonWriter out;
  out.begin_object().field("jsonrpc", "2.0").key("id").json(id).field("method", method);
  out.key("params").json(params).end_object();
  return out.text() + "\n";
}

std::string print_notification(std::string_view method, std::string_view params) {
  JsonWriter out;
  out.begin_object().field("jsonrpc", "2.0").field("method", method).key("params").json(params).end_object();
  return out.text() + "\n";
}

}  // namespace pale::tools
