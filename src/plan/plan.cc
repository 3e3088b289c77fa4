#include "plan/plan.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "plan/landlock_backend.h"
#include "plan/namespace_backend.h"
#include "plan/other_names.h"

namespace pale::plan {
namespace {

constexpr std::array kStepNames = {"directory", "file",    "link", "device",  "seal",
                                   "scratch",   "private", "bind", "overlay", "terminals",
                                   "processes", "reopen",  "pin",  "protect", "hide"};

std::string step_line(const Step& step) {
  std::string line = kStepNames[static_cast<std::size_t>(step.kind)];
  if (step.kind == StepKind::Bind || step.kind == StepKind::Overlay)
    line += step.access == Access::Write ? " rw" : " ro";
  line += " " + printable(step.target.text());
  if (!step.source.empty() && step.source != step.target.text()) {
    line += step.kind == StepKind::Link ? " -> " : " from ";
    line += printable(step.source);
  }
  for (const Path& layer : step.layers) line += " under " + printable(layer.text());
  return line;
}

std::string_view to_text(Watching watching) noexcept {
  switch (watching) {
    case Watching::Nothing: return "nothing";
    case Watching::Creating: return "creating";
    case Watching::Opening: return "opening";
    case Watching::Everything: return "everything";
  }
  return "";
}

}  // namespace

Kind Facts::kind_of(const Path& path) const noexcept {
  const auto found = std::ranges::find(paths, path, &PathFact::path);
  return found == paths.end() ? Kind::Missing : found->kind;
}

Result<Plan> make_plan(const Boundary& boundary, const Facts& facts, Backend backend, Weakening weakening,
                       Reporting reporting) {
  PALE_CHECK(check_other_names(boundary, facts));
  auto plan = backend == Backend::Namespaces ? plan_namespaces(boundary, facts, weakening)
                                             : plan_landlock(boundary, facts, weakening);
  if (plan) {
    plan->backend = backend;
    plan->reporting = facts.listener_taken ? Reporting::Nothing : reporting;
    const Company company = backend == Backend::Namespaces ? Company::Own : Company::Host;
    plan->filter = compile_filter(syscall_sets(plan->watching, plan->sockets, company, plan->reporting));
  }
  return plan;
}

std::string_view to_text(Backend backend) noexcept {
  return backend == Backend::Namespaces ? "namespaces" : "landlock";
}

std::string to_text(const Plan& plan) {
  std::string text = "backend " + std::string(to_text(plan.backend)) + "\n";
  if (plan.backend == Backend::Namespaces) {
    text += std::string("namespaces user mount pid ipc uts cgroup") + (plan.own_network ? " network" : "") + "\n";
  }
  for (const Step& step : plan.skeleton) text += step_line(step) + "\n";
  for (const Step& step : plan.steps) text += step_line(step) + "\n";
  text += to_text(plan.gate);
  for (const LandlockRule& rule : plan.landlock) {
    text += "landlock " + std::string(to_text(rule.access)) + " " + printable(rule.path.text()) +
            (rule.removal == Removal::Denied ? ", removing nothing\n" : "\n");
  }
  text += "filter " + std::to_string(plan.filter.size()) + " instructions, watching " +
          std::string(to_text(plan.watching)) +
          (plan.reporting == Reporting::Nothing ? "\n" : ", reporting accesses\n");
  for (const std::string_view line : plan.refused) text += "refused: " + std::string(line) + "\n";
  for (const std::string& line : plan.weaker) text += "weaker: " + printable(line) + "\n";
  return text;
}

}  // namespace pale::plan
