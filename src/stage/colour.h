// stage/colour.h: a patch as people like to read it on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace pale::stage {

// A patch of one or more files with colours; where lines were replaced by as many others, the words that differ stand out.
// What the patch holds is not trusted: of its control characters only line ends and tabs reach the terminal.
std::string coloured_patch(std::string_view patch);

}  // namespace pale::stage
