// service/explain.h: what a prepared boundary says of one path.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "boundary/explain.h"
#include "boundary/rule.h"
#include "service/prepare.h"

namespace pale::service {

struct PathExplanation {
  Path path;
  Path leads_to;  // by way of the system's links, such as /bin; else the same
  std::vector<std::pair<Operation, Verdict>> verdicts;
};

// Absolute, or relative to the project. "~" is not known here: inside it is another place. What is made for a sandbox is looked
// into: what it lacks is not found, whatever might be done with it.
Result<PathExplanation> explain_path(const Prepared& prepared, const std::string& path);

// The whole of it as JSON, but for the values of variables.
std::string to_json(const Prepared& prepared);

}  // namespace pale::service
