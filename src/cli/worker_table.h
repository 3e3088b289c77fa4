// cli/worker_table.h: the commands of workers; part of the table in cli/commands.cc.
#pragma once

#include "cli/program.h"

namespace pale::cli {

inline constexpr Command kWorkerCommands[] = {
    {"worker list", "", Operand::None, Group::Workers, "the workers of a project", worker_options,
     "Files that end in .worker: below .pale/workers and where the project says; beside a golem-forge.config.yaml, "
     "too.\n"
     "Exit code 1: one of them is wrong, or two have one name.\n"
     "\nExamples:\n"
     "  pale worker list\n"
     "  pale worker list --project-root . --json\n",
     worker_list_command},
    {"worker show", "NAME|FILE", Operand::File, Group::Workers, "what a worker is, asks for, and gets of the project",
     worker_check_options,
     "As if you called it yourself: the project's zones are then all it can have (pale help workers).\n"
     "\nExamples:\n"
     "  pale worker show formatter\n"
     "  pale worker show ./drafts/formatter.worker --json\n",
     worker_show_command},
    {"worker check", "[NAME|FILE]", Operand::File, Group::Workers, "what each worker would get, without running any",
     worker_check_options,
     "Draws who calls whom, down through allowed_workers, with the folders each of them gets and what it asked for "
     "and\n"
     "lost. Without a name: from index.worker or main.worker, and from those that it does not reach.\n"
     "Exit code 1: a call would be refused, or something is wrong with a file.\n"
     "\nExamples:\n"
     "  pale worker check\n"
     "  pale worker check formatter --max-depth 2\n"
     "  pale worker check --project-root . --json\n",
     worker_check_command},
    {"worker call", "[NAME|FILE]", Operand::File, Group::Workers, "call a worker, inside a boundary of its own",
     worker_call_options,
     "It gets the zones that it declares, at /NAME, and nothing else of the project; workers that it calls get no more "
     "than\n"
     "that. Without a name: index.worker or main.worker. Its input is on its standard input, its answer on standard "
     "output.\n"
     "Inside a worker's own sandbox this calls those that it may call.\n"
     "Exit code: the worker's; 3 if the call is refused.\n"
     "\nExamples:\n"
     "  pale worker call summary --input '{\"year\": 2026}'\n"
     "  pale worker call index --input - --yes <order.json\n",
     worker_call_command},
};

}  // namespace pale::cli
