// service/rebase_check.h: what a run left for git to go on with, and that runs a command on the host when the user does so.
#pragma once

#include "git/note.h"
#include "service/ref_report.h"

namespace pale::service {

// Below the project's ".git". What was there before, and what is left of it, is the user's own.
std::vector<TodoFinding> new_commands(const std::vector<git::Todo>& before, const std::vector<git::Todo>& now);

// Each is moved into `quarantine`: the whole rebase if it is new, else its list, which is as it was before.
Status move_aside(const Path& root, const std::vector<git::Todo>& before, const std::string& quarantine,
                  std::vector<TodoFinding>& found);

}  // namespace pale::service
