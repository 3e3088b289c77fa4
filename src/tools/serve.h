// tools/serve.h: the tools for one client, on two descriptors, a message a line.
#pragma once

#include "tools/desk_line.h"
#include "tools/tool.h"

namespace pale::tools {

struct Streams {
  int input = 0;
  int output = 1;
};

// Returns at the end of the input, or when nobody reads the output any more. Calls that still run at the end of the input are
// answered first, if they end soon; the others end with this process. `version`: of this program.
Status serve(const Workplace& place, std::string_view version, Streams streams, sys::Fd desk = sys::Fd(-1));

}  // namespace pale::tools
