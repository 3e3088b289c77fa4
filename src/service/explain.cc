#include "service/explain.h"

#include "base/json.h"
#include "boundary/json.h"

namespace pale::service {

Result<PathExplanation> explain_path(const Prepared& prepared, const std::string& path) {
  PALE_TRY(full, Path::parse(path.starts_with('/') ? path : prepared.root().text() + "/" + path));
  PathExplanation explanation{full, {}};
  for (const Operation operation : kOperations) {
    explanation.verdicts.emplace_back(operation, explain(prepared.boundary, full, operation));
  }
  return explanation;
}

std::string to_json(const Prepared& prepared) {
  JsonWriter out;
  const project::Project& project = prepared.resolved.project;
  out.begin_object().field("schemaVersion", 1).field("project", project.root().text()).field("id", project.id());
  out.field("workspace_type", to_text(project.type())).field("reason", to_text(prepared.resolved.reason));
  out.field("through_link", prepared.resolved.through_link);
  out.key("trust").begin_object().field("level", project::level_of(prepared.terms.trust.value).name);
  out.field("origin", prepared.terms.trust.where).end_object();
  out.key("declared").begin_array();
  for (const project::Declared& word : prepared.terms.settings.declared) {
    out.begin_object().field("key", word.key).field("value", word.value).field("origin", word.where).end_object();
  }
  out.end_array().field("backend", plan::to_text(prepared.plan.backend)).key("boundary");
  write_json(out, prepared.boundary, Values::Withheld);
  out.key("refused").begin_array();
  for (const std::string_view line : prepared.plan.refused) out.value(line);
  out.end_array().key("weaker").begin_array();
  for (const std::string& line : prepared.plan.weaker) out.value(line);
  out.end_array().end_object();
  return out.text() + "\n";
}

}  // namespace pale::service
