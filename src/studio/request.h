// studio/request.h: what stands in a request's header and address, read for Studio. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mcp/http.h"
#include "studio/answer.h"

namespace pale::studio {

inline constexpr std::string_view kApi = "/api/v1";
inline constexpr std::string_view kCookie = "pale_studio";
inline constexpr std::string_view kCsrfHeader = "x-pale-csrf";

bool is_api(std::string_view path) noexcept;
// "a=b&c=d%20e" as an object of texts; the first of a name counts. Nothing if it is broken.
std::optional<Json> parse_query(std::string_view query);
// "%2F" and the like; nothing if it is broken. A '+' is a space in a query alone.
enum class Plus { Space, Itself };
std::optional<std::string> decode(std::string_view text, Plus plus);
std::string cookie_of(const mcp::HttpRequest& request);
// A browser says where a request comes from: nothing but the page itself, and the address bar for what changes nothing.
bool comes_from_own_page(const mcp::HttpRequest& request);

// What every answer says of itself: no script, frame or request but the page's own.
void add_page_headers(mcp::HttpReply& reply);
mcp::HttpReply to_reply(const Answer& answer);

}  // namespace pale::studio
