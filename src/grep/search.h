// grep/search.h: searches the contents of a tree with all processors. What is found is the same, in the same order, each time.
#pragma once

#include "base/error.h"
#include "search/request.h"

namespace pale::grep {

Result<search::Answer> run(const search::Request& request);

}  // namespace pale::grep
