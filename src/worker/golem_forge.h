// worker/golem_forge.h: golem-forge.config.yaml, the other format in which a project says what its zones are. Touches no disk.
#pragma once

#include "worker/declaration.h"

namespace pale::worker {

// Beside each other they are two answers to one question.
inline constexpr std::string_view kGolemForgeFiles[] = {"golem-forge.config.yaml", "golem-forge.config.yml"};

// What is wrong, an unknown key too, is said with `file`, the line, and what would be right.
Result<Declaration> parse_golem_forge(std::string_view text, const std::string& file);

}  // namespace pale::worker
