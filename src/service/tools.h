// service/tools.h: a project's tools for an agent: started as a run is, and served from inside its boundary.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/prepare.h"

namespace pale::service {

// Not a command for people: what this program does inside, when it serves tools.
inline constexpr std::string_view kToolsCommand = "tools";

// Its words: how far the agent is trusted, the lines to the desk and from the watch, what is asked about, which workers there are,
// which files are taken, and the boundary, which tools explain.
std::vector<std::string> tools_arguments(const Prepared& prepared, const sys::Fd* desk, const sys::Fd* watch);

// Inside, with the words behind the command's name. Returns its exit code at the end of the input.
Result<int> serve_tools(std::span<char* const> words, char** envp, std::string_view version);

}  // namespace pale::service
