// service/kept_refs.h: which refs of a repository Pale made itself to keep what it refused: a run that another one's check overtook
// finds them, and must not take them for its command's.
#pragma once

#include "base/path.h"
#include "git/note.h"
#include "service/ref_report.h"

namespace pale::service {

// `file` is theirs. To `before` come those that are there now, and that the run cannot have made.
Status add_kept_refs(const Path& file, const git::Snapshot& now, git::Snapshot& before);

// What a check kept is added. Those that are not there any more are forgotten.
Status note_kept_refs(const Path& file, const git::Snapshot& now, const RefReport& report);

}  // namespace pale::service
