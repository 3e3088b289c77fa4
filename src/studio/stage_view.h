// studio/stage_view.h: a stage's changes as the API says them: files, hunks that can be named again, and what the host would execute.
#pragma once

#include "service/stage_diff.h"
#include "service/stages.h"
#include "studio/answer.h"

namespace pale::studio {

Result<service::Stages> open_stages(const Asked& asked, const service::Caller& caller);

std::string status_of(const stage::Change& change);
// Bound to what a person sees of it: changed since, or changed and made what it was again, it is another one.
Result<std::string> version_of(const stage::View& view, const stage::Change& change);
// Bound to what would be executed: of another content, another one. An agent has time to look for two that have the same: all of
// SHA-256, here and in hunks.
Result<std::string> gate_id(const stage::View& view, const stage::Change& change);
Result<Json> gate_item(const stage::View& view, const stage::Change& change);
Result<Json> file_json(const stage::View& view, const stage::Change& change);

// FileDiff of the API.
Result<Json> diff_json(const stage::View& view, const stage::Change& change);
// Bound to its lines and where they stand.
std::string hunk_id(const std::string& text);

}  // namespace pale::studio
