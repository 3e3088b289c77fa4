// cli/scope_table.h: the commands of `pale scope`, and `pale loop init`; part of the table in cli/commands.cc.
#pragma once

#include "cli/program.h"

namespace pale::cli {

inline constexpr Command kScopeCommands[] = {
    {"scope validate", "FOLDERS", Operand::Directory, Group::Scope, "whether folders can be worked in", scope_options,
     "FOLDERS is a list such as lib,src; relative paths begin at the root of the repository. Each must exist and lie "
     "in\n"
     "the repository, wherever links on the way lead. The repository is the project that is named or has its manifest\n"
     "here, else the git repository around the current directory.\n"
     "Exit code 1: one of them does not do.\n"
     "\nExamples:\n"
     "  pale scope validate lib,src,tests\n"
     "  pale scope validate packages/api --workspace-mode strict\n",
     scope_validate_command},
    {"scope check-file", "FILE FOLDERS", Operand::File, Group::Scope, "whether a file lies in the folders",
     scope_options,
     "As the kernel would go: through links and up with '..'. The file need not exist.\n"
     "Exit code: 0 if it does, 1 if not.\n"
     "\nExamples:\n"
     "  pale scope check-file src/main.ts src,lib\n",
     scope_check_file_command},
    {"scope infer-scope", "FOLDERS", Operand::Directory, Group::Scope, "the fileScope that folders stand for, as JSON",
     scope_where_options,
     "Of each folder: sh, js, ts, py, json, md, yaml, yml; then the extensions of what it really holds, but for what "
     "git\n"
     "ignores.\n"
     "\nExamples:\n"
     "  pale scope infer-scope lib,src\n",
     scope_infer_command},
    {"scope update-prd", "FOLDERS FILE", Operand::File, Group::Scope, "give the stories of a prd.json their fileScope",
     scope_where_options,
     "Those that have none, or one that was inferred for the same folders and is out of date. Whatever else stands in\n"
     "the file stays, byte for byte.\n"
     "\nExamples:\n"
     "  pale scope update-prd lib,src prd.json\n",
     scope_update_command},
    {"scope mount", "FOLDERS DIR [-- COMMAND]", Operand::Directory, Group::Scope,
     "copies of folders, as a worker's own", scope_where_options,
     "In DIR, which is made if need be. The copies share blocks with the folders where the filesystem can, and never "
     "a\n"
     "write.\n"
     "With a COMMAND no copies are made: it runs in DIR and sees the folders themselves there, as long as it lives; "
     "what\n"
     "it writes there is written to them. Nobody else sees these mounts, and nothing of them stays.\n"
     "\nExamples:\n"
     "  pale scope mount lib,src /tmp/worker-1\n"
     "  pale scope mount lib,src /tmp/worker-1 -- make test\n",
     scope_mount_command},
    {"scope unmount", "FOLDERS DIR", Operand::Directory, Group::Scope, "take such copies away again",
     scope_unmount_options,
     "Nothing but what was mounted, and never anything in the source.\n"
     "Exit code 4: a copy was changed, and all of them stay.\n"
     "\nExamples:\n"
     "  pale scope unmount lib,src /tmp/worker-1\n"
     "  pale scope unmount lib /tmp/worker-1 --discard\n",
     scope_unmount_command},
    {"scope prompt-section", "FOLDERS [MODE]", Operand::Directory, Group::Scope,
     "what an agent is told of folders and mode", scope_where_options,
     "Markdown, for its prompt. MODE is strict or permissive. It only explains; what holds is pale run --workspace.\n"
     "\nExamples:\n"
     "  pale scope prompt-section lib,src strict\n",
     scope_prompt_command},
    {"loop init", "[FILE]", Operand::File, Group::Scope, "a prd.json to begin with, from a template", loop_init_options,
     "At the root of the repository, or FILE. With the folders that such work is about and the repository has; never\n"
     "over a file that is there. Templates: feature (usual), bugfix, refactor, tests, docs.\n"
     "\nExamples:\n"
     "  pale loop init --template bugfix\n"
     "  pale loop init --template feature --workspace packages/api stories/api.json\n",
     loop_init_command},
};

}  // namespace pale::cli
