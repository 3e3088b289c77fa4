// service/scope_view.h: folders of a repository as one process sees them in a directory: mounts that live as long as it does. What
// is written there is written to the folders; the rest of the machine sees nothing of it.
#pragma once

#include <string>
#include <vector>

#include "scope/folders.h"
#include "service/request.h"

namespace pale::service {

// Runs the command in `directory`, which is made if it is not there, and gone then as well. Its exit code, as a shell says it.
Result<int> run_in_view(const scope::Folders& folders, const std::string& directory,
                        const std::vector<std::string>& command, const Caller& caller);

}  // namespace pale::service
