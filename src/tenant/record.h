// tenant/record.h: what is known of a workspace, as one file. Touches no disk.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tenant/workspace.h"

namespace pale::tenant {

// With a newline. The time of the last session has room in it even if there was none: it is written over, not the file.
std::string record_text(const Workspace& workspace);
Result<Workspace> parse_record(std::string_view text, const std::string& id, const std::string& file);

// What to write where, so that a record says another time; nothing if it has no room for one.
struct TimePatch {
  std::size_t offset = 0;
  std::string text;
};
std::optional<TimePatch> patch_for(std::string_view record, std::int64_t last_session_at);

}  // namespace pale::tenant
