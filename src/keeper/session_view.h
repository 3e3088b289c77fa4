// keeper/session_view.h: sessions of the history, as people and programs read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "history/record.h"

namespace pale::keeper {

// A table with a heading.
std::string session_lines(const std::vector<history::Session>& sessions, std::int64_t now);
std::string session_text(const history::SessionWithRuns& whole, std::int64_t now);

void write_session(JsonWriter& out, const history::Session& session);
void write_run(JsonWriter& out, const history::Run& run);
// All of it: an object with its runs and its receipt.
void write_whole(JsonWriter& out, const history::SessionWithRuns& whole);

// As a shell would be given it, safe to show.
std::string command_text(const std::vector<std::string>& command);
// "2026-01-23T15:00:00Z".
std::string moment_text(std::int64_t milliseconds);

}  // namespace pale::keeper
