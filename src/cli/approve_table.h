// cli/approve_table.h: the commands that answer what waits for a person; part of the table in cli/commands.cc.
#pragma once

#include "cli/program.h"

namespace pale::cli {

inline constexpr Command kApproveCommands[] = {
    {"approvals", "", Operand::None, Group::Approvals, "what waits for your answer, or was decided", approvals_options,
     "A worker or a tool that may only do something if you allow it waits, for a time, in PALE_HOME/approvals. An "
     "answer\n"
     "is bound to exactly what is shown: pale approve ID shows it, and asks. What was decided, by whom, and all that\n"
     "was shown then, is kept in log.jsonl there.\n"
     "\nExamples:\n"
     "  pale approvals\n"
     "  pale approvals --log 5 --json\n",
     approvals_command},
    {"approve", "[ID]", Operand::None, Group::Approvals, "show a question that waits, and allow it", approve_options,
     "Control characters are shown as \\xNN, and before each line of what would be done stands a bar. Without ID: the\n"
     "only one that waits. The first answer counts; a later one is told so.\n"
     "\nExamples:\n"
     "  pale approve\n"
     "  pale approve 7hk2mq9x --yes\n",
     approve_command},
    {"deny", "[ID]", Operand::None, Group::Approvals, "answer no to a question that waits", deny_options,
     "Without ID: the only one that waits. Whoever asked goes on without it.\n"
     "\nExamples:\n"
     "  pale deny\n"
     "  pale deny 7hk2mq9x --json\n",
     deny_command},
};

}  // namespace pale::cli
