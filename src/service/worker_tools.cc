#include "service/worker_tools.h"

#include <algorithm>

#include "sandbox/survey.h"
#include "service/worker_ground.h"

namespace pale::service {
namespace {

using tools::Consent;
using tools::Deed;

// In its own words, as whoever calls it is told.
std::unexpected<Error> refuse(const worker::Refusal& refusal) {
  return fail(ErrorKind::Refused, std::string(to_text(refusal.code)) + ":", refusal.sentence, refusal.hint);
}

tools::Approvals approvals_of(const std::vector<worker::Held>& gets, const worker::Zones& zones,
                              const std::string& origin, const Terms& terms) {
  tools::Approvals approvals;
  approvals.rules.push_back({Path::root(), Consent::Free, Consent::Free, "private"});
  // Of those that it does not have nothing is asked, but that they are zones is told.
  for (const worker::Zone& zone : zones.zones) {
    const bool has = std::ranges::find(gets, zone.name, &worker::Held::name) != gets.end();
    if (!has) approvals.rules.push_back({Path::root() / zone.name, Consent::Free, Consent::Free, origin, zone.name});
  }
  for (const worker::Held& held : gets)
    approvals.rules.push_back({Path::root() / held.name, consent_of(zones.approval, Deed::Write, held.approval.write),
                               consent_of(zones.approval, Deed::Remove, held.approval.remove), origin, held.name});
  const bool trusted = terms.trust.value >= project::Trust::Shell;
  approvals.run = trusted ? Consent::Free : consent_of(zones.approval, Deed::Run, {});
  approvals.run_origin = "trust " + project::name_of(terms.trust.value) + " (" + terms.trust.where + ")";
  return approvals;
}

tools::Accepted accepted_by(const std::vector<worker::Held>& gets, const std::string& origin) {
  tools::Accepted accepted;
  for (const worker::Held& held : gets) {
    if (held.suffixes) accepted.rules.push_back({Path::root() / held.name, *held.suffixes, origin});
  }
  return accepted;
}

// What is relative is so to its first folder.
Result<Boundary> with_workspace(const Boundary& boundary, const std::vector<worker::Held>& gets) {
  if (gets.empty()) return boundary;
  BoundaryParts parts = boundary.parts();
  parts.workspace = Path::root() / gets.front().name;
  return Boundary::make(std::move(parts));
}

Result<worker::Worker> find_one(ProjectWorkers& all, const std::string& name) {
  PALE_TRY(found, find_worker(all, name));
  const auto& workers = all.found.workers;
  return *std::ranges::find_if(workers, [&](const worker::Worker& each) { return each.file.name == found; });
}

}  // namespace

Result<Prepared> prepare_worker_tools(const Request& request, const Caller& caller, const project::Surroundings& around,
                                      project::Resolved resolved, Terms terms) {
  PALE_TRY(outer, sandbox::look_around());
  if (outer)
    return fail(ErrorKind::Refused, "a worker's boundary cannot be made", "inside another boundary", "do it outside");
  worker::Overrides overrides;
  overrides.approval = request.tools.approval;
  PALE_TRY(all, load_workers(resolved, around, terms, overrides));
  PALE_TRY(one, find_one(all, request.tools.worker));
  const worker::Share share = worker::share_of(worker::offered_by(all.zones), one.file, all.zones);
  if (!share.lost.empty()) return refuse(share.lost.front());
  for (const worker::Held& held : share.gets) PALE_CHECK(make_zone_folder(resolved.project.root(), held.folder));
  PALE_TRY(ground, lay_ground(all, caller));
  PALE_TRY(own, boundary_of(ground.ceiling, one.file, share.gets, std::nullopt));
  PALE_TRY(boundary, with_workspace(own, share.gets));
  plan::Facts facts = sandbox::survey(boundary, std::nullopt, ground.links);
  PALE_TRY(plan, plan::make_plan(boundary, facts, plan::Backend::Namespaces, request.weakening));
  const std::string origin = "worker " + one.file.name + " (" + one.path + ")";
  ToolTerms tools;
  tools.approvals = approvals_of(share.gets, all.zones, origin, terms);
  tools.accepted = accepted_by(share.gets, origin);
  // A command opens whatever it likes: where only some files are taken, there is none.
  if (!tools.accepted.rules.empty()) tools.approvals.run = Consent::Blocked;
  Path start = boundary.workspace();
  return Prepared{std::move(resolved),
                  std::move(terms),
                  std::move(boundary),
                  std::move(plan),
                  std::move(facts),
                  around.pale_home.text(),
                  std::move(ground.etc_in_use),
                  std::move(start),
                  std::nullopt,
                  std::move(tools),
                  std::nullopt};
}

}  // namespace pale::service
