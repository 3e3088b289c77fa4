// boundary/punycode.h: a name with letters outside ASCII as the network writes it (RFC 3492), for a hint: what is typed is not
// changed unseen, since letters that look alike lead to different hosts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pale {

// Each label that needs it becomes "xn--…". Nothing: it is not UTF-8, too long, or which name is meant is in doubt.
std::optional<std::string> to_punycode(std::string_view name);

}  // namespace pale
