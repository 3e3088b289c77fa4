#include "proxy/exchange.h"

#include <algorithm>

namespace pale::proxy {
namespace {

// By which both sides find a message's end, and its host: were one of them left out on the way, they would disagree, and a body
// would become a request of its own.
bool is_for_all(std::string_view name) {
  return name == "content-length" || name == "transfer-encoding" || name == "host";
}

// A field that one side names in Connection is for that side alone.
bool is_named(const HttpHead& head, const std::string& name) {
  return !is_for_all(name) && head.lists("connection", name);
}

// Some servers do not read the body of such a request, and take it for the next one.
bool has_unusual_body(const RequestHead& head) {
  const std::string& method = head.method;
  return head.framing != Framing::None &&
         (method == "GET" || method == "HEAD" || method == "DELETE" || method == "OPTIONS" || method == "TRACE");
}

}  // namespace

bool begins_web_socket(const RequestHead& head) {
  const std::string* const protocol = head.find("upgrade");
  return protocol != nullptr && lower_case(*protocol) == "websocket" && head.lists("connection", "upgrade");
}

std::string request_text(const RequestHead& head, std::string_view path, const std::vector<Field>& added,
                         std::span<const std::string_view> dropped) {
  std::string text = head.method + " " + std::string(path) + " HTTP/1." + std::to_string(head.minor) + "\r\n";
  const bool closes = has_unusual_body(head);
  const bool upgrade = !closes && begins_web_socket(head) && std::ranges::count(dropped, "upgrade") == 0;
  for (const Field& field : head.fields) {
    const std::string name = lower_case(field.name);
    const bool replaced = std::ranges::any_of(added, [&](const Field& each) { return lower_case(each.name) == name; });
    if (replaced || is_for_one_hop(name) || is_named(head, name) || std::ranges::count(dropped, name) != 0) continue;
    text += field.name + ": " + field.value + "\r\n";
  }
  for (const Field& field : added) text += field.name + ": " + field.value + "\r\n";
  if (closes) text += "Connection: close\r\n";
  if (upgrade) text += "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  return text + "\r\n";
}

std::string response_text(const ResponseHead& head, bool closes) {
  std::string text =
      "HTTP/1." + std::to_string(head.minor) + " " + std::to_string(head.status) + " " + head.reason + "\r\n";
  for (const Field& field : head.fields) {
    const std::string name = lower_case(field.name);
    const bool kept = head.status == 101 || !(is_for_one_hop(name) || is_named(head, name));
    if (kept) text += field.name + ": " + field.value + "\r\n";
  }
  if (closes) text += "Connection: close\r\n";
  return text + "\r\n";
}

}  // namespace pale::proxy
