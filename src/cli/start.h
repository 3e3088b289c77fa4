// cli/start.h: what `run`, `shell` and `agent run` share: their options, and starting a request that is complete.
#pragma once

#include <algorithm>
#include <array>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/request.h"
#include "service/run.h"

namespace pale::cli {

inline constexpr Option kRunOnly[] = {
    {"--temporary", "", "in a fresh project that is gone afterwards"},
    {"--keep", "", "with --temporary: leave it there"},
    {"--watch", "", "tell what the command does in the project, also without a scope (pale help watch)"},
    {"--no-watch", "", "tell nothing of it, also with one"},
    {"--receipt", "FILE", "write what the kernel was asked for and what was read back, as JSON"},
    {"-v", "", "say how long it took to decide, to begin and to watch"},
    {"--dry-run", "", "print the boundary and the steps; run nothing"},
};

inline constexpr auto kRunOptions = [] {
  std::array<Option, std::size(kBoundaryOptions) + std::size(kRunOnly)> options = {};
  std::ranges::copy(kRunOnly, std::ranges::copy(kBoundaryOptions, options.begin()).out);
  return options;
}();

// Says what became of a run that is over; returns the exit code.
int report_outcome(const service::Request& request, const service::RunOutcome& outcome, Format format);

// Runs it and reports, or with --dry-run only shows it; returns the exit code.
int start(const service::Request& request, const Arguments& arguments, const CommandLine& line);

}  // namespace pale::cli
