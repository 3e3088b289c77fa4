// tools/message.h: JSON-RPC as the protocol uses it: a message a line, no batches. Pure; takes anything.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "base/json_value.h"

namespace pale::tools {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kUnsupportedVersion = -32022;

inline constexpr std::size_t kMostBytes = 16UL << 20U;  // of a message
inline constexpr std::size_t kMostDepth = 64;
inline constexpr std::size_t kMostValues = 100'000;

// Why a request got no result.
struct Fault {
  int code = kInternalError;
  std::string message;
  std::string data;  // JSON
  std::string id;    // JSON; empty if that much could not be read
};

struct Message {
  std::string id;  // JSON: a text or a whole number; empty for a notification
  std::string method;
  JsonValue params;          // an object, or null
  bool is_response = false;  // to something that was asked here
  JsonValue result;          // of a response: an object; null if it is an error, or nothing that could be used
};

std::expected<Message, Fault> parse_message(std::string_view line);

// One line each, with its newline.
std::string print_result(std::string_view id, std::string_view result);
std::string print_error(const Fault& fault);
std::string print_request(std::string_view id, std::string_view method, std::string_view params);
std::string print_notification(std::string_view method, std::string_view params);

// A whole number or a text, as JSON; empty for what can be no id.
std::string id_of(const JsonValue* value);

}  // namespace pale::tools
