// mcp/http_rules.h: what a request's header must say, apart from any connection. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/http.h"
#include "mcp/message.h"

namespace pale::mcp {

// "localhost:8080" names this machine, by the very address that was reached, or by one of the further names; whatever the port,
// which may be forwarded. A page of another site that made its own name lead here does not get through: its name is not ours.
bool is_own_host(std::string_view host, const boost::asio::ip::address& local, const std::vector<std::string>& others);
// The page that calls was served from where the request goes to, or is one of those named.
bool is_own_origin(std::string_view origin, std::string_view host, const std::vector<std::string>& others);

std::optional<std::string_view> bearer_token(std::string_view authorization);
// Whether an Accept header takes a type, with its wildcards. An empty one takes all.
bool accepts(std::string_view accept, std::string_view type);
bool is_json(std::string_view content_type);

// Newer era: Mcp-Param-X and Mcp-Name may be written as =?base64?…?=. Nothing, if that is broken.
std::optional<std::string> decode_header(std::string_view value);
// The headers repeat parts of the body, for those who look at requests on their way; both must say the same.
std::optional<Fault> check_headers(const HttpRequest& request, const Message& message);
// Arguments that a tool's schema marks with x-mcp-header are repeated too.
std::optional<Fault> check_param_headers(const HttpRequest& request, const Json& schema, const Json& arguments);

}  // namespace pale::mcp
