// git/plain.h: whether a repository is of the usual kind, which libgit2 reads for certain. Pure; of bytes that an agent may have
// written. One that is not may be readable all the same: it is tried.
#pragma once

#include <string_view>

namespace pale::git {

// No extension of the format, and nothing that is said elsewhere.
bool is_plain_config(std::string_view config) noexcept;
// No part that must be understood beside the entries, as that of a split or a sparse index.
bool is_plain_index(std::string_view index) noexcept;

}  // namespace pale::git
