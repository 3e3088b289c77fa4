#include "service/explain.h"

namespace pale::service {

Result<PathExplanation> explain_path(const Prepared& prepared, const std::string& path) {
  PALE_TRY(full, Path::parse(path.starts_with('/') ? path : prepared.root.path.text() + "/" + path));
  PathExplanation explanation{full, {}};
  for (const Operation operation : kOperations) {
    explanation.verdicts.emplace_back(operation, explain(prepared.boundary, full, operation));
  }
  return explanation;
}

}  // namespace pale::service
