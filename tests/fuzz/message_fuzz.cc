// JSON-RPC messages: whatever comes, one is read or refused; what was read is read the same when it is written again.
#include "fuzz/property.h"
#include "mcp/message.h"

namespace pale::mcp {
namespace {

using fuzz::must;

// Small, so that the fuzzer gets to them.
constexpr Bounds kBounds = {.bytes = 4096, .depth = 8, .values = 100, .members = 20};
// Room for what takes more bytes when it is written: "\u0001" may have stood for itself.
constexpr Bounds kWide = {.bytes = 1 << 20, .depth = 12, .values = 200, .members = 20};

std::string written(const Message& message) {
  switch (message.kind) {
    case MessageKind::Request: return print_request(message.id, message.method, message.params);
    case MessageKind::Notification: return print_notification(message.method, message.params);
    case MessageKind::Response: break;
  }
  if (message.error.is_null()) return print_result(message.id, message.result);
  return print(Json{{"jsonrpc", "2.0"}, {"id", message.id}, {"error", message.error}});
}

void check_read(const Message& message) {
  const std::string text = written(message);
  must(text.find('\n') == std::string::npos, "a message is one line", text);
  const auto again = parse_message(text, kWide);
  must(again.has_value(), "what was read can be read again", text);
  must(again->kind == message.kind && again->id == message.id && again->method == message.method,
       "it is the same message", text);
  must(again->params == message.params && again->result == message.result && again->error == message.error,
       "it says the same", text);
  must(message.kind != MessageKind::Notification || message.id.is_null(), "a notification has no id", text);
}

void check_refused(const Fault& fault) {
  must(!fault.message.empty(), "a refusal says why");
  const std::string text = print_error(fault);
  must(text.find('\n') == std::string::npos, "an error is one line", text);
  const auto json = parse_json(text, kWide);
  must(json && json->at("error").at("code") == fault.code, "an error is JSON, too", text);
  must(fault.id.is_null() || json->at("id") == fault.id, "it names the request", text);
}

}  // namespace
}  // namespace pale::mcp

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto message = pale::mcp::parse_message(pale::fuzz::as_text(data, size), pale::mcp::kBounds);
  if (message) pale::mcp::check_read(*message);
  if (!message) pale::mcp::check_refused(message.error());
  return 0;
}
