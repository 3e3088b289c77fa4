// cli/request.h: the options that `run`, `shell` and `explain` share, made into a request.
#pragma once

#include "cli/arguments.h"
#include "service/request.h"

namespace pale::cli {

inline constexpr Option kBoundaryOptions[] = {
    {"--project-root", "DIR", "the project: a directory"},
    {"-p", "ID", "the project: one that is registered (pale project list)"},
    {"--preset", "NAME", "narrow it further by [presets.NAME] of its manifest"},
    {"--workspace", "DIR,DIR…", "the folders of the project that it is about (pale help folders)"},
    {"--workspace-mode", "MODE", "permissive; or strict: of what lies outside of the folders, names only"},
    {"--file-scope", "PATTERN", "write only where such files can lie: 'lib/**/*.ts'; several times for several"},
    {"--trust", "LEVEL", "discovery, read_only, workspace, shell or full (pale help trust)"},
    {"--stage", "[NAME]", "work on a private layer over the project; a new one, or this one again"},
    {"--on", "STAGE", "with --stage: a new stage over another stage"},
    {"--rw", "PATH", "grant reading and writing of a path"},
    {"--ro", "PATH", "grant reading of a path; inside the project: make it read-only"},
    {"--protect", "PATH", "a path in the project that stays as it is, or stays missing"},
    {"--hide", "PATH", "a path in the project that cannot be opened"},
    {"--network", "none|allow|open",
     "none: loopback only; allow:HOST,…: these, through a proxy; open: the host's network"},
    {"--env", "NAME[=VALUE]", "pass a variable, with the caller's value or this one"},
    {"--memory", "SIZE", "most memory, such as 2G"},
    {"--pids", "N", "most processes and threads at a time"},
    {"--timeout", "TIME", "end the command after this time, such as 90s or 10m"},
    {"--backend", "auto|namespaces|landlock", "what enforces it"},
    {"--unsafe-weak-protection", "", "accept less where this kernel cannot keep all of it"},
    {"--json", "", "print as JSON"},
};

Result<service::Request> request_of(const Arguments& arguments);

}  // namespace pale::cli
