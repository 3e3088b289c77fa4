// tenant/id.h: names of projects and workspaces. Whatever comes from outside is checked here before it is part of a path.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace pale::tenant {

// Lower-case letters, digits and '-', not '-' first, 63 at most. A UUID is one, too.
bool is_project_id(std::string_view id) noexcept;
Status check_project_id(std::string_view id);
// A UUID (base/uuid.h).
Status check_workspace_id(std::string_view id);

// An id made from any name: "My Chat Agent" becomes "my-chat-agent". With a number, one of several: "my-chat-agent-2".
std::string slug_from(std::string_view name, unsigned number = 1);

}  // namespace pale::tenant
