#include "mcp/http_rules.h"

#include <algorithm>

#include "base/text.h"
#include "mcp/base64.h"
#include "mcp/running.h"

namespace pale::mcp {
namespace {

namespace asio = boost::asio;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// "[::1]:80" and "name:80" without the port; nothing if that is no port.
std::optional<std::string_view> without_port(std::string_view host) {
  const std::size_t from = host.starts_with('[') ? host.find(']') : 0;
  if (from == std::string_view::npos) return std::nullopt;
  const std::size_t colon = host.find(':', from);
  if (colon == std::string_view::npos) return host;
  const std::string_view port = host.substr(colon + 1);
  if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  return host.substr(0, colon);
}

// "[fd00::2]" is written so in an address alone.
std::string without_brackets(std::string_view host) {
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  return std::string(bracketed ? host.substr(1, host.size() - 2) : host);
}

// A socket of both kinds has the older kind's addresses in the newer kind's clothes, and those of one link with its number.
asio::ip::address plain(const asio::ip::address& address) {
  if (!address.is_v6()) return address;
  asio::ip::address_v6 newer = address.to_v6();
  if (newer.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, newer);
  newer.scope_id(0);
  return newer;
}

bool is_address(std::string_view host, const asio::ip::address& address) {
  boost::system::error_code failed;
  const auto given = asio::ip::make_address(without_brackets(host), failed);
  return !failed && given.is_v6() == host.starts_with('[') && plain(given) == plain(address);
}

bool is_one_of(std::string_view text, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](const std::string& name) { return lower(name) == text; });
}

Fault mismatch(std::string_view header, const std::string& why) {
  return Fault{kHeaderMismatch, "the header " + std::string(header) + " " + why};
}

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found != object.end() ? &*found : nullptr;
}

bool has_header(const HttpRequest& request, std::string_view name) {
  return std::ranges::any_of(request.headers, [&](const auto& header) { return header.first == name; });
}

// A whole number may be written in more than one way.
bool same(const Json& value, const std::string& text) {
  if (value.is_string()) return value.get_ref<const std::string&>() == text;
  if (value.is_boolean()) return text == (value.get<bool>() ? "true" : "false");
  const auto parsed = Json::parse(text, nullptr, false);
  return value.is_number() && parsed.is_number() && parsed == value;
}

std::optional<Fault> check_param(const HttpRequest& request, const std::string& header, const Json* value) {
  const std::string name = "mcp-param-" + lower(header);
  const bool given = has_header(request, name);
  if (value == nullptr || value->is_null()) {
    if (given) return mismatch("Mcp-Param-" + header, "is given for an argument that is not");
    return std::nullopt;
  }
  if (!given) return mismatch("Mcp-Param-" + header, "is missing");
  const auto text = decode_header(request.header(name));
  if (!text) return mismatch("Mcp-Param-" + header, "is not well encoded");
  if (!same(*value, *text)) return mismatch("Mcp-Param-" + header, "differs from the argument");
  return std::nullopt;
}

}  // namespace

std::string_view HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

bool is_own_host(std::string_view host, const asio::ip::address& local, const std::vector<std::string>& others) {
  const auto name = without_port(host);
  if (!name || name->empty()) return false;
  const std::string text = lower(*name);
  return text == "localhost" || text == "127.0.0.1" || text == "[::1]" || is_address(text, local) ||
         is_one_of(without_brackets(text), others);
}

bool is_own_origin(std::string_view origin, std::string_view host, const std::vector<std::string>& others) {
  const std::string text = lower(origin);
  return text == "http://" + lower(host) || text == "https://" + lower(host) || is_one_of(text, others);
}

std::optional<std::string_view> bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (lower(authorization.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  const std::string_view token = trim(authorization.substr(kScheme.size()));
  if (token.empty()) return std::nullopt;
  return token;
}

bool accepts(std::string_view accept, std::string_view type) {
  if (trim(accept).empty()) return true;
  while (!accept.empty()) {
    const std::size_t end = accept.find(',');
    const std::string_view entry = accept.substr(0, end);
    const std::string range = lower(trim(entry.substr(0, entry.find(';'))));
    accept = end == std::string_view::npos ? std::string_view() : accept.substr(end + 1);
    if (range == type || range == "*/*") return true;
    if (range.ends_with("/*") && type.starts_with(std::string_view(range).substr(0, range.size() - 1))) return true;
  }
  return false;
}

bool is_json(std::string_view content_type) {
  return lower(trim(content_type.substr(0, content_type.find(';')))) == "application/json";
}

std::optional<std::string> decode_header(std::string_view value) {
  constexpr std::string_view kBegin = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (value.size() >= kBegin.size() + kEnd.size() && value.starts_with(kBegin) && value.ends_with(kEnd)) {
    value.remove_prefix(kBegin.size());
    value.remove_suffix(kEnd.size());
    return from_base64(value);
  }
  const bool plain = std::ranges::all_of(value, [](char c) { return c == '\t' || (c >= ' ' && c <= '~'); });
  if (!plain) return std::nullopt;
  return std::string(value);
}

std::optional<Fault> check_headers(const HttpRequest& request, const Message& message) {
  if (!has_header(request, "mcp-protocol-version")) return mismatch("MCP-Protocol-Version", "is missing");
  const Json* meta = member(message.params, "_meta");
  const Json* version = meta != nullptr ? member(*meta, kMetaVersion) : nullptr;
  if (version != nullptr && *version != request.header("mcp-protocol-version")) {
    return mismatch("MCP-Protocol-Version", "differs from _meta");
  }
  if (!has_header(request, "mcp-method")) return mismatch("Mcp-Method", "is missing");
  if (request.header("mcp-method") != message.method) return mismatch("Mcp-Method", "differs from the method");
  const bool by_uri = message.method == "resources/read";
  if (!by_uri && message.method != "tools/call" && message.method != "prompts/get") return std::nullopt;
  const Json* name = member(message.params, by_uri ? "uri" : "name");
  if (name == nullptr || !name->is_string()) return std::nullopt;  // the method says what is wrong
  if (!has_header(request, "mcp-name")) return mismatch("Mcp-Name", "is missing");
  const auto text = decode_header(request.header("mcp-name"));
  if (!text) return mismatch("Mcp-Name", "is not well encoded");
  if (*name != *text) return mismatch("Mcp-Name", "differs from what is named");
  return std::nullopt;
}

std::optional<Fault> check_param_headers(const HttpRequest& request, const Json& schema, const Json& arguments) {
  const Json* properties = member(schema, "properties");
  if (properties == nullptr) return std::nullopt;
  for (const auto& property : properties->items()) {
    const Json* value = member(arguments, property.key().c_str());
    const Json* header = member(property.value(), "x-mcp-header");
    if (header != nullptr && header->is_string()) {
      if (auto fault = check_param(request, header->get<std::string>(), value)) return fault;
    }
    if (auto fault = check_param_headers(request, property.value(), value != nullptr ? *value : Json())) return fault;
  }
  return std::nullopt;
}

}  // namespace pale::mcp
