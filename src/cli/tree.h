// cli/tree.h: a boundary drawn for people.
#pragma once

#include <string>

#include "cli/console.h"
#include "service/prepare.h"

namespace pale::cli {

// Grants and protections as a tree of paths, each with where it came from; then network, environment, limits.
std::string boundary_tree(const service::Prepared& prepared, const Palette& colours);
std::string plan_lines(const service::Prepared& prepared);

}  // namespace pale::cli
