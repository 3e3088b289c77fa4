// worker/front_matter.h: where the keys of a .worker file end and its instructions begin.
#pragma once

#include <string_view>

#include "worker/keys.h"

namespace pale::worker {

struct Parts {
  std::string_view front;  // from the beginning of the file, so that a place in it is a place in the file
  std::string_view rest;
};

// Before the first line of "---" only blank lines and comments may stand.
Result<Parts> split_front_matter(const Origin& origin);

// Without blank lines before it and blanks behind it. The first line keeps its indentation.
std::string_view without_blank_edges(std::string_view text);

}  // namespace pale::worker
