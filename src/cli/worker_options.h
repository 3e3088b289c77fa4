// cli/worker_options.h: what the commands of workers are told about the project.
#pragma once

#include "cli/program.h"
#include "service/workers.h"

namespace pale::cli {

inline constexpr Option kWorkerProject[] = {
    {"--project-root", "DIR", "the project: a directory"},
    {"-p", "ID", "the project: one that is registered (pale project list)"},
    {"--json", "", "print as JSON"},
};
// They count before what the project says.
inline constexpr Option kWorkerChecked[] = {
    kWorkerProject[0],
    kWorkerProject[1],
    {"--sandbox-mode", "direct|sandboxed", "where zones lie: in the project, or in a folder of it"},
    {"--sandbox-root", "DIR", "that folder, relative to the project"},
    {"--approval", "auto|manual|tool", "who answers what a zone asks about"},
    {"--max-depth", "NUMBER", "of calls from the first worker down to the deepest"},
    kWorkerProject[2],
};

Result<worker::Overrides> overrides_of(const Arguments& arguments);

}  // namespace pale::cli
