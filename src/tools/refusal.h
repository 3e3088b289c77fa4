// tools/refusal.h: what the kernel said no to, in words: which path, by which rule, and what is allowed instead. It explains;
// what protects is the kernel.
#pragma once

#include <string>

#include "boundary/explain.h"
#include "tools/code.h"
#include "tools/tool.h"

namespace pale::tools {

// Where a path leads inside, as far as it can be followed; without the disk's help where it cannot.
Path where_it_leads(const Workplace& place, const std::string& path);

// The name itself: if it is a link, that is not followed.
Path where_it_stands(const Workplace& place, const std::string& path);

// `error` is the kernel's. If a rule of the boundary is the reason, the error that comes back says so.
Error refusal(const Workplace& place, Operation operation, const std::string& path, const Error& error);

inline std::unexpected<Error> refuse(const Call& call, Operation operation, const std::string& path,
                                     const Error& error) {
  return fail(refusal(call.place, operation, path, error));
}

// Before anything is tried: what the kernel would say no to, by which rule. For where it would say so of a part, and the rest be done.
Status check_boundary(const Workplace& place, Operation operation, const Path& path);

// "Reading is allowed below /home/u/app, /home/u and in the system (/usr)."
std::string allowed_places(const Workplace& place, Operation operation);

}  // namespace pale::tools
