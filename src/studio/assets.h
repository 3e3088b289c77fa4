// studio/assets.h: the files of the page, which are part of the program.
#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"
#include "mcp/http.h"

namespace pale::studio {

struct PageFile {
  std::string_view path;  // "/index.html", "/assets/x-HASH.js"
  std::string_view type;
  std::string_view plain;
  std::string_view gzip;
  bool immutable;  // its name changes with what is in it
};

// Made when the program is built (scripts/embed-files).
const std::vector<PageFile>& page_files();
std::string_view openapi_text();

// What stands at a path; for the page's own addresses, the page.
mcp::HttpReply page_file(const mcp::HttpRequest& request);
// For a person who came with a link that does not open.
mcp::HttpReply refused_page(const Error& error);

}  // namespace pale::studio
