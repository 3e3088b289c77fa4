// sandbox/root.h: builds the new root a plan describes. For the first process of fresh user and mount namespaces.
#pragma once

#include <string_view>

#include "plan/plan.h"
#include "sandbox/shelf.h"
#include "sys/fd.h"

namespace pale::sandbox {

// The bare directories, files and links of a root, made once under PALE_HOME. Outside, before the namespaces.
Result<Kept> prepare_skeleton(const Places& places, const std::vector<plan::Step>& skeleton);

// Runs the steps over a skeleton and moves in: nothing of the host is left but what the plan shows, and the old root, from
// the working directory.
struct OwnFiles {
  std::string_view boundary_json;        // written to /run/pale for those inside who ask what they may do
  const sys::Fd* broker_line = nullptr;  // if there is one: a socket is made there as well, and sent along this line
};
Status build_root(const plan::Plan& plan, const std::string& skeleton, const OwnFiles& own);

// Again, later, in the running sandbox: the host replaced a protected file, which took the mount over it away.
Status protect_again(const Path& target);
// A hidden path that was missing has appeared.
Status hide_now(const Path& target);

}  // namespace pale::sandbox
