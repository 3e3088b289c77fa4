#include "service/explain.h"

#include "base/json.h"
#include "boundary/json.h"

namespace pale::service {

Result<PathExplanation> explain_path(const Prepared& prepared, const std::string& path) {
  PALE_TRY(full, Path::parse(path.starts_with('/') ? path : prepared.root.path.text() + "/" + path));
  PathExplanation explanation{full, {}};
  for (const Operation operation : kOperations) {
    explanation.verdicts.emplace_back(operation, explain(prepared.boundary, full, operation));
  }
  return explanation;
}

std::string to_json(const Prepared& prepared) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("project", prepared.root.path.text());
  out.field("backend", plan::to_text(prepared.plan.backend)).key("boundary");
  write_json(out, prepared.boundary, Values::Withheld);
  out.key("weaker").begin_array();
  for (const std::string& line : prepared.plan.weaker) out.value(line);
  out.end_array().end_object();
  return out.text() + "\n";
}

}  // namespace pale::service
