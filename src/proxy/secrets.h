// proxy/secrets.h: reads the keys that stay outside, once, before anybody is served.
#pragma once

#include <vector>

#include "proxy/server.h"

namespace pale::proxy {

// One that cannot be read stays empty, with the reason: the others are of use all the same.
std::vector<LoadedKey> load_keys(const std::vector<network::Key>& keys, char** envp);

// What the header says: with a prefix, or as a user and password (RFC 7617). Refuses what would end the header.
Result<std::string> header_value(const network::Key& key, std::string_view secret);

}  // namespace pale::proxy
