// cli/loop_screen.h: how a loop shows what it does: a table that stays in its place on a terminal, lines elsewhere.
#pragma once

#include <memory>

#include "service/loop.h"

namespace pale::cli {

// For stderr.
std::unique_ptr<service::LoopScreen> make_loop_screen(const service::Caller& caller);

// "running", "passed"; for people and for JSON alike.
std::string_view word_for(loop::State state);
// "1m 05s".
std::string duration_text(std::int64_t milliseconds);

}  // namespace pale::cli
