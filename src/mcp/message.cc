#include "mcp/message.h"

#include <utility>
#include <vector>

namespace pale::mcp {
namespace {

std::unexpected<Fault> refuse(int code, std::string message, Json id = nullptr) {
  return std::unexpected(Fault{code, std::move(message), nullptr, std::move(id)});
}

// Counts what a text holds without building it. It need not be valid: the parser says that better.
class Measure {
 public:
  explicit Measure(const Bounds& bounds) : bounds_(bounds) {}

  std::optional<std::string> look_at(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '"') {
        i = end_of_text(text, i);
      } else if (c == '{' || c == '[') {
        if (members_.size() == bounds_.depth) return "nested deeper than " + std::to_string(bounds_.depth) + " levels";
        members_.push_back(0);
      } else if ((c == '}' || c == ']') && !members_.empty()) {
        members_.pop_back();
      } else if (c == ',' && ++values_ > bounds_.values) {
        return "more than " + std::to_string(bounds_.values) + " values";
      } else if (c == ':' && !members_.empty() && ++members_.back() > bounds_.members) {
        return "an object of more than " + std::to_string(bounds_.members) + " members";
      }
    }
    return std::nullopt;
  }

 private:
  static std::size_t end_of_text(std::string_view text, std::size_t i) {
    for (++i; i < text.size() && text[i] != '"'; ++i) {
      if (text[i] == '\\') ++i;
    }
    return i;
  }

  const Bounds& bounds_;
  std::size_t values_ = 0;
  std::vector<std::size_t> members_;
};

bool is_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

std::expected<Message, Fault> read_response(Json& json) {
  Message message{.kind = MessageKind::Response};
  if (!json.contains("id") || !is_id(json["id"])) {
    return refuse(kInvalidRequest, "a message needs a \"method\", or the \"id\" of what it answers");
  }
  if (json.contains("result") == json.contains("error")) {
    return refuse(kInvalidRequest, "a response has either a \"result\" or an \"error\"");
  }
  message.id = std::move(json["id"]);
  if (json.contains("result")) message.result = std::move(json["result"]);
  if (json.contains("error")) message.error = std::move(json["error"]);
  if (message.error.is_null() && !message.result.is_object()) {
    return refuse(kInvalidRequest, "a \"result\" must be an object");
  }
  return message;
}

std::expected<Message, Fault> read_message(Json& json) {
  if (json.is_array())
    return refuse(kInvalidRequest, "batches are not part of this protocol: send one message at a time");
  if (!json.is_object()) return refuse(kInvalidRequest, "a message must be a JSON object");
  Json id = json.contains("id") && is_id(json["id"]) ? json["id"] : Json(nullptr);
  if (!json.contains("jsonrpc") || json["jsonrpc"] != "2.0") {
    return refuse(kInvalidRequest, "\"jsonrpc\" must be \"2.0\"", std::move(id));
  }
  if (!json.contains("method")) return read_response(json);
  if (!json["method"].is_string()) return refuse(kInvalidRequest, "\"method\" must be a text", std::move(id));
  if (json.contains("id") && id.is_null()) return refuse(kInvalidRequest, "\"id\" must be a text or a whole number");
  if (json.contains("params") && !json["params"].is_object()) {
    return refuse(kInvalidParams, "\"params\" must be an object", std::move(id));
  }
  Message message{.kind = id.is_null() ? MessageKind::Notification : MessageKind::Request};
  message.id = std::move(id);
  message.method = json["method"].get<std::string>();
  if (json.contains("params")) message.params = std::move(json["params"]);
  return message;
}

}  // namespace

std::expected<Json, Fault> parse_json(std::string_view text, const Bounds& bounds) {
  if (text.size() > bounds.bytes) {
    return refuse(kInvalidRequest, "the message is larger than " + std::to_string(bounds.bytes) + " bytes");
  }
  if (auto too_much = Measure(bounds).look_at(text)) return refuse(kInvalidRequest, "the message is " + *too_much);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return refuse(kParseError, "not JSON, at byte " + std::to_string(error.byte));
  } catch (const Json::exception&) {
    return refuse(kParseError, "a number is out of range");
  }
}

std::expected<Message, Fault> parse_message(std::string_view text, const Bounds& bounds) {
  auto json = parse_json(text, bounds);
  if (!json) return std::unexpected(std::move(json).error());
  return read_message(*json);
}

std::string print(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string print_result(const Json& id, const Json& result) {
  return print(Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

std::string print_error(const Fault& fault) {
  Json error{{"code", fault.code}, {"message", fault.message}};
  if (!fault.data.is_null()) error["data"] = fault.data;
  Json message{{"jsonrpc", "2.0"}};
  // The protocol leaves out an id that could not be read, where JSON-RPC would say null.
  if (!fault.id.is_null()) message["id"] = fault.id;
  message["error"] = std::move(error);
  return print(message);
}

std::string print_notification(std::string_view method, const Json& params) {
  Json message{{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.empty()) message["params"] = params;
  return print(message);
}

std::string print_request(const Json& id, std::string_view method, const Json& params) {
  return print(Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
}

void LineReader::feed(std::string_view bytes) {
  if (skipping_) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return;
    skipping_ = false;
    bytes.remove_prefix(end + 1);
  }
  buffer_ += bytes;
}

std::optional<LineReader::Line> LineReader::next() {
  const std::size_t end = buffer_.find('\n', searched_);
  if (end != std::string::npos) {
    Line line{.text = buffer_.substr(0, end), .too_long = end > most_};
    buffer_.erase(0, end + 1);
    searched_ = 0;
    if (line.too_long) line.text.clear();
    if (line.text.ends_with('\r')) line.text.pop_back();
    return line;
  }
  searched_ = buffer_.size();
  if (buffer_.size() <= most_) return std::nullopt;
  buffer_.clear();
  buffer_.shrink_to_fit();
  searched_ = 0;
  skipping_ = true;
  return Line{.text = {}, .too_long = true};
}

}  // namespace pale::mcp
