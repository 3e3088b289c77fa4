#include "service/tool_terms.h"

#include <fcntl.h>

#include <algorithm>

#include "base/text.h"
#include "service/declared.h"
#include "sys/file.h"

namespace pale::service {
namespace {

using project::ApprovalMode;
using tools::ApprovalRule;
using tools::Consent;
using tools::Deed;

constexpr std::size_t kMostWords = 4000;

std::string mode_name(ApprovalMode mode) {
  const auto* const found =
      std::ranges::find(project::kApprovalModes, mode, [](const auto& each) { return each.value; });
  return found != std::end(project::kApprovalModes) ? std::string(found->name) : "auto_deny";
}

// What of a zone counts here, in whichever file it stands.
struct ToolZone {
  std::string name;
  Path folder;
  Access access;
  project::ZoneApproval approval;
  std::string where;
};

class ToolTermsMaker {
 public:
  ToolTermsMaker(const Request& request, const project::Resolved& resolved, const project::Surroundings& around,
                 const Terms& terms)
      : request_(request), resolved_(resolved), around_(around), terms_(terms) {}

  Result<ToolTerms> make() {
    PALE_TRY(foreign, has_golem_forge(resolved_.project.root()));
    if (const auto& said = terms_.settings.approval) say(said->value, said->where);
    if (request_.tools.approval) say(*request_.tools.approval, "--approval");
    PALE_CHECK(find_workers(foreign));
    for (const project::Zone& zone : terms_.settings.zones)
      zones_.push_back({zone.name, zone.path, zone.access, zone.approval, zone.where});
    PALE_CHECK(check_folders());
    add_rules();
    return std::move(result_);
  }

 private:
  void say(ApprovalMode mode, std::string where) {
    mode_ = mode;
    said_ = std::move(where);
  }

  // Golem-forge's zones must be good: what is asked about stands there. Where the manifest's are no good for workers, such as one
  // outside of the project, there are no workers; `pale worker check` says why.
  Status find_workers(bool foreign) {
    const Path& directory = resolved_.project.root();
    PALE_TRY(root, sys::open_at(sys::kAbsolute, directory.c_str(), O_RDONLY | O_DIRECTORY));
    PALE_TRY(beside, beside_of(root, terms_.settings.worker_paths, foreign));
    PALE_TRY(place, sys::file_info(root.borrow(), ".pale/workers", sys::Links::Follow));
    const bool some = place.kind != sys::FileKind::Missing || !terms_.settings.worker_paths.empty();
    if (beside == Beside::Nothing && !some) return {};
    worker::Overrides overrides;
    overrides.approval = request_.tools.approval;
    auto all = load_workers(resolved_, around_, terms_, overrides);
    if (!all && foreign) return std::unexpected(std::move(all).error());
    if (!all) return {};
    if (foreign) {
      if (all->zones.approval_said && !request_.tools.approval) say(all->zones.approval, all->zones.file);
      for (const worker::Zone& zone : all->zones.zones)
        zones_.push_back({zone.name, zone.folder, zone.access, zone.approval, zone.where});
    }
    if (!all->found.workers.empty() || !all->found.problems.empty())
      result_.workers = std::make_unique<ProjectWorkers>(std::move(*all));
    return {};
  }

  // What a tool changes is known by where it leads. A rule for the name of a link would be a rule for nothing.
  Status check_folders() const {
    PALE_TRY(root, sys::open_at(sys::kAbsolute, "/", O_PATH | O_DIRECTORY));
    for (const ToolZone& zone : zones_) {
      const ZonePlace place = place_of(root, Path::root(), zone.folder);
      if (place == ZonePlace::Link) return fail(bad_place(zone.name, zone.where, zone.folder, place));
    }
    return {};
  }

  void add_rules() {
    const ApprovalMode mode = mode_.value_or(ApprovalMode::Manual);
    // Of what is in no zone, nobody has said that it is to be asked about, unless he chose a mode.
    const ApprovalMode elsewhere = mode_.value_or(ApprovalMode::Auto);
    result_.approvals.rules.push_back({Path::root(), consent_of(elsewhere, Deed::Write, {}),
                                       consent_of(elsewhere, Deed::Remove, {}),
                                       "approval mode " + mode_name(elsewhere) + " (" + said_ + ")"});
    for (const ToolZone& zone : zones_)
      result_.approvals.rules.push_back({zone.folder, consent_of(mode, Deed::Write, zone.approval.write),
                                         consent_of(mode, Deed::Remove, zone.approval.remove),
                                         "zone " + zone.name + " (" + zone.where + ")", zone.name});
    const bool trusted = terms_.trust.value >= project::Trust::Shell;
    result_.approvals.run = trusted ? Consent::Free : consent_of(mode, Deed::Run, {});
    result_.approvals.run_origin =
        mode == ApprovalMode::Deny ? "approval mode auto_deny (" + said_ + ")"
                                   : "trust " + project::name_of(terms_.trust.value) + " (" + terms_.trust.where + ")";
  }

  const Request& request_;
  const project::Resolved& resolved_;
  const project::Surroundings& around_;
  const Terms& terms_;
  std::optional<ApprovalMode> mode_;
  std::string said_ = "default";
  std::vector<ToolZone> zones_;
  ToolTerms result_;
};

}  // namespace

bool ToolTerms::need_desk() const noexcept {
  return workers != nullptr || approvals.run != Consent::Free || approvals.concern_files();
}

Consent consent_of(ApprovalMode mode, Deed deed, std::optional<project::Approval> said) {
  using project::Approval;
  if (said == Approval::Blocked) return Consent::Blocked;
  if (said == Approval::PreApproved || mode == ApprovalMode::Auto) return Consent::Free;
  if (mode == ApprovalMode::Deny) return Consent::Blocked;
  // By the tool: what only adds to files is done, what takes away or runs is asked about.
  if (mode == ApprovalMode::Tool && deed == Deed::Write && !said) return Consent::Free;
  return Consent::Ask;
}

Result<ToolTerms> tool_terms(const Request& request, const project::Resolved& resolved,
                             const project::Surroundings& around, const Terms& terms) {
  return ToolTermsMaker(request, resolved, around, terms).make();
}

void leave_private_places(ToolTerms& terms, const Boundary& boundary) {
  if (!terms.approvals.concern_files()) return;
  std::vector<ApprovalRule>& rules = terms.approvals.rules;
  const ApprovalRule& elsewhere = rules.front();
  std::vector<ApprovalRule> own = {{boundary.home(), Consent::Free, Consent::Free, "private"}};
  for (const Fixture& fixture : kFixtures) {
    if (fixture.access == Access::Write)
      own.push_back({Path::literal(fixture.path), Consent::Free, Consent::Free, "private"});
  }
  // A project may lie in one of them.
  own.push_back({boundary.workspace(), elsewhere.write, elsewhere.remove, elsewhere.origin});
  // Of two for one place the last counts, and that is a zone's.
  rules.insert(rules.begin() + 1, own.begin(), own.end());
}

std::string in_words(const std::vector<worker::Worker>& workers) {
  std::string text;
  for (const worker::Worker& worker : workers) {
    if (text.size() > kMostWords) return text + ", and more";
    text += (text.empty() ? "" : "; ") + worker.file.name;
    if (!worker.file.description.empty()) text += " (" + printable(worker.file.description) + ")";
  }
  return text;
}

}  // namespace pale::service
