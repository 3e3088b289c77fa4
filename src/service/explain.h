// service/explain.h: what a prepared boundary says of one path.
#pragma once

#include <utility>
#include <vector>

#include "boundary/explain.h"
#include "service/prepare.h"

namespace pale::service {

struct PathExplanation {
  Path path;
  std::vector<std::pair<Operation, Verdict>> verdicts;
};

// Absolute, or relative to the project. "~" is not known here: inside it is another place.
Result<PathExplanation> explain_path(const Prepared& prepared, const std::string& path);

}  // namespace pale::service
