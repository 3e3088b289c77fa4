// tools/mime.h: what kind of file this is, by its name, for those who ask for bytes.
#pragma once

#include <string_view>

namespace pale::tools {

// "application/octet-stream" for what is not known.
std::string_view mime_type_of(std::string_view path);

}  // namespace pale::tools
