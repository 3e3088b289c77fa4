// mcp/message.h: JSON-RPC as the protocol uses it: one object a message, no batches. Pure; takes anything, and never throws.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/json.h"

namespace pale::mcp {

// Codes of JSON-RPC, and the three that the newer era defines.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;

// What a message may cost before it is looked at.
struct Bounds {
  std::size_t bytes = std::size_t{4} << 20;
  std::size_t depth = 64;        // printing and checking go down by recursion
  std::size_t values = 100'000;  // in all
  std::size_t members = 1'000;   // of one object: finding one goes through them all
};

// Why a request got no result. Methods throw it.
struct Fault {
  int code = kInternalError;
  std::string message;
  Json data = nullptr;
  Json id = nullptr;  // of the message, if that much could be read
};

enum class MessageKind { Request, Notification, Response };
struct Message {
  MessageKind kind = MessageKind::Notification;
  Json id = nullptr;  // a text or a whole number
  std::string method;
  Json params = Json::object();
  Json result = nullptr;  // of a response; null if it is an error
  Json error = nullptr;
};

std::expected<Message, Fault> parse_message(std::string_view text, const Bounds& bounds);
// The part of it that does not depend on the protocol: whether a text is JSON of bearable size.
std::expected<Json, Fault> parse_json(std::string_view text, const Bounds& bounds);

// One line, without the newline. What is not UTF-8 in it is replaced.
std::string print(const Json& json);
std::string print_result(const Json& id, const Json& result);
std::string print_error(const Fault& fault);
std::string print_notification(std::string_view method, const Json& params);
std::string print_request(const Json& id, std::string_view method, const Json& params);

// Cuts a stream into lines. One that is too long is given up, however long it is, and reported once.
class LineReader {
 public:
  explicit LineReader(std::size_t most) : most_(most) {}
  struct Line {
    std::string text;
    bool too_long = false;
  };
  void feed(std::string_view bytes);
  std::optional<Line> next();
  std::size_t held() const noexcept { return buffer_.size(); }

 private:
  std::size_t most_;
  std::string buffer_;
  std::size_t searched_ = 0;  // no newline before this
  bool skipping_ = false;
};

}  // namespace pale::mcp
