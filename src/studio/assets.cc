#include "studio/assets.h"

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "mcp/http_rules.h"
#include "studio/request.h"

namespace pale::studio {
namespace {

using mcp::HttpReply;
using mcp::HttpRequest;

HttpReply page_with(int status, const std::string& heading, const std::string& sentence, const std::string& command) {
  HttpReply reply{.status = status, .content_type = "text/html; charset=utf-8"};
  reply.body = R"(<!doctype html><html lang="en"><meta charset="utf-8"><title>Pale Studio</title><h1>)" + heading +
               "</h1><p>" + sentence + "</p><pre>" + command + "</pre></html>\n";
  add_page_headers(reply);
  return reply;
}

const PageFile* find_file(std::string_view path) {
  const auto found = std::ranges::find(page_files(), path, &PageFile::path);
  return found == page_files().end() ? nullptr : &*found;
}

// The page's own addresses are below /p/, where names may have dots; all else without one is no file.
bool is_address(std::string_view path) {
  if (path.starts_with("/p/")) return true;
  const std::size_t slash = path.rfind('/');
  return path.substr(slash + 1).find('.') == std::string_view::npos;
}

std::string tag_of(const PageFile& file) { return "\"" + std::to_string(Hash().add(file.plain).value()) + "\""; }

bool takes_gzip(const HttpRequest& request) {
  return request.header("accept-encoding").find("gzip") != std::string_view::npos;
}

}  // namespace

HttpReply page_file(const HttpRequest& request) {
  const PageFile* file = find_file(request.path);
  if (file == nullptr && is_address(request.path)) file = find_file("/index.html");
  if (file == nullptr && is_address(request.path))
    return page_with(503, "Studio's page is not part of this program",
                     "It was built without it. Build it with:", "./dev build");
  if (file == nullptr) {
    HttpReply reply{.status = 404, .content_type = "text/plain", .body = "there is nothing at this path\n"};
    add_page_headers(reply);
    return reply;
  }
  HttpReply reply{.content_type = std::string(file->type)};
  add_page_headers(reply);
  const bool is_index = file->path == "/index.html";
  const std::string tag = tag_of(*file);
  reply.headers.emplace_back("ETag", tag);
  reply.headers.emplace_back("Vary", "Accept-Encoding");
  reply.headers.emplace_back("Cache-Control", is_index          ? "no-store"
                                              : file->immutable ? "public, max-age=31536000, immutable"
                                                                : "no-cache");
  if (!is_index && request.header("if-none-match") == tag) {
    reply.status = 304;
    return reply;
  }
  const bool small = takes_gzip(request);
  if (small) reply.headers.emplace_back("Content-Encoding", "gzip");
  reply.body = std::string(small ? file->gzip : file->plain);
  return reply;
}

HttpReply refused_page(const Error& error) {
  return page_with(403, "This link does not open Studio",
                   "It was used before, or is too old. Get a new one with:", error.hint);
}

}  // namespace pale::studio
