// tools/checks.h: nothing that the tools look at before they act is what protects. One build of them, for a test alone
// (tests/CMakeLists.txt), looks at nothing: what the kernel keeps must hold there as well.
#pragma once

namespace pale::tools {

#ifdef PALE_TOOLS_UNCHECKED
inline constexpr bool kChecked = false;
#else
inline constexpr bool kChecked = true;
#endif

}  // namespace pale::tools
