#include "service/explain.h"

#include <algorithm>

#include "base/json.h"
#include "boundary/json.h"
#include "sys/file.h"

namespace pale::service {
namespace {

Path led_by_links(const plan::Facts& facts, const Path& path) {
  for (const plan::Link& link : facts.system_links) {
    if (!link.path.covers(path)) continue;
    const auto target = Path::parse(link.target.starts_with('/') ? link.target : "/" + link.target);
    if (!target) break;
    return path == link.path ? *target : *target / link.path.below(path);
  }
  return path;
}

// What a step makes is not all that is there: somebody else fills it.
bool may_hold_more(plan::StepKind kind) {
  using enum plan::StepKind;
  return kind == Bind || kind == Overlay || kind == Private || kind == Terminals || kind == Link;
}

bool is_made(const plan::Plan& plan, const Path& path) {
  const auto makes = [&](const plan::Step& step) {
    return path.covers(step.target) || (may_hold_more(step.kind) && step.target.covers(path));
  };
  return path.covers(Path::literal(plan::kBoundaryFile)) || std::ranges::any_of(plan.skeleton, makes) ||
         std::ranges::any_of(plan.steps, makes);
}

// Of what is the same in each sandbox, and small: /etc, /dev and /run.
Result<bool> is_lacking(const Prepared& prepared, const Path& path) {
  if (prepared.plan.backend != plan::Backend::Namespaces) return false;
  const Standing standing = standing_at(prepared.boundary, path);
  if (standing.ground == Ground::Fixture)
    return standing.fixture->access == Access::Read && standing.fixture->path != "/proc" &&
           !is_made(prepared.plan, path);
  const bool is_copy = standing.ground == Ground::Grant && prepared.etc_in_use.is_open() &&
                       standing.grant->path.text() == "/etc" && standing.grant->source != standing.grant->path;
  if (!is_copy) return false;
  PALE_TRY(info, sys::file_info(sys::kAbsolute, host_path(*standing.grant, path).c_str()));
  return info.kind == sys::FileKind::Missing;
}

}  // namespace

Result<PathExplanation> explain_path(const Prepared& prepared, const std::string& path) {
  PALE_TRY(full, Path::parse(path.starts_with('/') ? path : prepared.root().text() + "/" + path));
  PathExplanation explanation{full, led_by_links(prepared.facts, full), {}};
  const Path& path_inside = explanation.leads_to;
  PALE_TRY(lacking, is_lacking(prepared, path_inside));
  PALE_TRY(parent_lacking, is_lacking(prepared, path_inside.parent()));
  for (const Operation operation : kOperations) {
    Verdict verdict = explain(prepared.boundary, path_inside, operation);
    if (lacking) verdict.rule += ", which has no such name";
    if (lacking && (operation != Operation::Create || parent_lacking)) verdict.outcome = Outcome::NotFound;
    explanation.verdicts.emplace_back(operation, std::move(verdict));
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
