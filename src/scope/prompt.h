// scope/prompt.h: what an agent is told of the folders and the mode, as part of its prompt. Pure.
#pragma once

#include <span>
#include <string>

#include "scope/mode.h"

namespace pale::scope {

// Markdown, with a newline at its end. It only explains: what it says is the kernel's business.
std::string prompt_section(std::span<const std::string> folders, Mode mode);

}  // namespace pale::scope
