// service/workspace.h: which folders a run is about: flags, else variables, else the manifest, a prd.json, a preset. Touches no
// disk.
#pragma once

#include "project/settings.h"
#include "service/request.h"

namespace pale::service {

// What the flags leave open is said by WORKSPACE_FOLDERS, WORKSPACE_MODE and WORKSPACE_ENABLED, which are the user's as well.
Result<WorkspaceRequest> with_variables(WorkspaceRequest by_flags, const Caller& caller);

// `settings` are the manifest's, with its preset. The user's own word takes the place of theirs; a prd.json's only narrows it.
Result<project::Settings> choose_workspace(project::Settings settings, const WorkspaceRequest& wanted,
                                           const Path& root);

// Whether of the rest of the project only names are to be seen.
bool is_strict(const project::Settings& settings);

}  // namespace pale::service
