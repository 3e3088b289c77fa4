#include "sandbox/order.h"

#include "base/json.h"
#include "base/json_value.h"

namespace pale::sandbox {
namespace {

constexpr std::size_t kDeepest = 4;

std::unexpected<Error> unreadable() { return fail(ErrorKind::System, "a message of the sandbox cannot be read", ""); }

std::uint64_t number_of(const JsonValue& value, std::string_view key) {
  const JsonValue* found = value.find(key);
  return found == nullptr ? 0 : found->whole_number().value_or(0);
}

std::string bytes_of(const JsonValue& value, std::string_view key) {
  const JsonValue* found = value.find(key);
  return found == nullptr ? std::string() : found->bytes().value_or("");
}

}  // namespace

std::string to_text(const Order& order) {
  JsonWriter out;
  out.begin_object().field("kind", static_cast<int>(order.kind));
  if (order.kind == Order::Kind::Signal) out.field("signal", order.signal).field("number", order.number);
  if (order.kind == Order::Kind::Run) {
    out.field("directory", order.command.directory.text()).key("command").begin_array();
    for (const std::string& argument : order.command.arguments) out.value(argument);
    out.end_array();
  }
  out.end_object();
  return out.text();
}

Result<Order> parse_order(std::string_view text) {
  PALE_TRY(value, JsonValue::parse(text, kDeepest));
  Order order;
  order.kind = static_cast<Order::Kind>(number_of(value, "kind"));
  order.signal = static_cast<int>(number_of(value, "signal"));
  order.number = static_cast<std::uint32_t>(number_of(value, "number"));
  if (order.kind != Order::Kind::Run) return order;
  PALE_TRY(directory, Path::parse(bytes_of(value, "directory")));
  order.command.directory = std::move(directory);
  const JsonValue* command = value.find("command");
  if (command == nullptr || command->items().empty()) return unreadable();
  for (const JsonValue& argument : command->items()) {
    auto bytes = argument.bytes();
    if (!bytes) return unreadable();
    order.command.arguments.push_back(std::move(*bytes));
  }
  return order;
}

std::string to_text(const News& news) {
  JsonWriter out;
  out.begin_object().field("kind", static_cast<int>(news.kind)).field("number", news.number);
  if (news.run != 0) out.field("run", news.run);
  if (!news.path.empty()) out.field("path", news.path);
  if (!news.operation.empty()) out.field("operation", news.operation).field("rule", news.rule);
  out.end_object();
  return out.text();
}

Result<News> parse_news(std::string_view text) {
  PALE_TRY(value, JsonValue::parse(text, kDeepest));
  if (!value.is_object()) return unreadable();
  News news;
  news.kind = static_cast<News::Kind>(number_of(value, "kind"));
  news.number = static_cast<int>(number_of(value, "number"));
  news.run = static_cast<std::uint32_t>(number_of(value, "run"));
  news.path = bytes_of(value, "path");
  news.operation = bytes_of(value, "operation");
  news.rule = bytes_of(value, "rule");
  return news;
}

}  // namespace pale::sandbox
