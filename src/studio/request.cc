#include "studio/request.h"

#include "base/text.h"

namespace pale::studio {
namespace {

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src "
    "'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

std::optional<unsigned> digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  const char small = static_cast<char>(static_cast<unsigned char>(c) | 0x20U);
  if (small >= 'a' && small <= 'f') return static_cast<unsigned>(small - 'a') + 10;
  return std::nullopt;
}

}  // namespace

bool is_api(std::string_view path) noexcept { return path == "/api" || path.starts_with("/api/"); }

std::optional<std::string> decode(std::string_view text, Plus plus) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+' && plus == Plus::Space) {
      decoded += ' ';
    } else if (text[at] == '%') {
      const auto high = at + 2 < text.size() ? digit(text[at + 1]) : std::nullopt;
      const auto low = at + 2 < text.size() ? digit(text[at + 2]) : std::nullopt;
      if (!high || !low) return std::nullopt;
      decoded += static_cast<char>(*high * 16 + *low);
      at += 2;
    } else {
      decoded += text[at];
    }
  }
  return is_utf8(decoded) && decoded.find('\0') == std::string::npos ? std::optional(decoded) : std::nullopt;
}

std::optional<Json> parse_query(std::string_view query) {
  Json found = Json::object();
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const auto name = decode(part.substr(0, equals), Plus::Space);
    const auto value =
        decode(equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1), Plus::Space);
    if (!name || !value) return std::nullopt;
    if (!found.contains(*name)) found[*name] = *value;
  }
  return found;
}

std::string cookie_of(const mcp::HttpRequest& request) {
  std::string_view rest = request.header("cookie");
  while (!rest.empty()) {
    std::string_view part = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (part.starts_with(kCookie) && part.substr(kCookie.size()).starts_with('='))
      return std::string(part.substr(kCookie.size() + 1));
  }
  return {};
}

bool comes_from_own_page(const mcp::HttpRequest& request) {
  const std::string_view site = request.header("sec-fetch-site");
  return site.empty() || site == "same-origin" || (site == "none" && request.method == "GET");
}

void add_page_headers(mcp::HttpReply& reply) {
  reply.headers.emplace_back("Content-Security-Policy", kPolicy);
  reply.headers.emplace_back("Referrer-Policy", "no-referrer");
  reply.headers.emplace_back("X-Frame-Options", "DENY");
  reply.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  reply.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
}

mcp::HttpReply to_reply(const Answer& answer) {
  mcp::HttpReply reply;
  reply.status = answer ? 200 : answer.error().status;
  reply.body = answer ? answer->dump() : to_json(answer.error()).dump();
  add_page_headers(reply);
  return reply;
}

}  // namespace pale::studio
