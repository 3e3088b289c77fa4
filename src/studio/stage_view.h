// studio/stage_view.h: a stage's changes as the API says them: files, hunks that can be named again, and what the host would execute.
#pragma once

#include "service/stage_diff.h"
#include "service/stages.h"
#include "studio/answer.h"

namespace pale::studio {

Result<service::Stages> open_stages(const Asked& asked, const service::Caller& caller);

std::string status_of(const stage::Change& change);
// Bound to what would be executed: of another content, another one.
Result<std::string> gate_id(const stage::View& view, const stage::Change& change);
Result<Json> gate_item(const stage::View& view, const stage::Change& change);
Result<Json> file_json(const stage::View& view, const stage::Change& change);

// FileDiff of the API.
Result<Json> diff_json(const stage::View& view, const stage::Change& change);
// Bound to its lines and where they stand.
std::string hunk_id(const std::string& text);

}  // namespace pale::studio
