// tools/serve.h: the tools for one client, on two descriptors, a message a line.
#pragma once

#include "tools/tool.h"

namespace pale::tools {

struct Streams {
  int input = 0;
  int output = 1;
};

// Returns at the end of the input, or when nobody reads the output any more. Calls that still run then end with this process.
// `version`: of this program.
Status serve(const Workplace& place, std::string_view version, Streams streams);

}  // namespace pale::tools
