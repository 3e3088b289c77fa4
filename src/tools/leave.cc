#include "tools/leave.h"

#include <algorithm>

#include "tools/checks.h"
#include "tools/refusal.h"

namespace pale::tools {
namespace {

Operation operation_of(Deed deed) { return deed == Deed::Remove ? Operation::Remove : Operation::Write; }

bool can_matter(const Workplace& place, const Tool& tool) {
  if (tool.change == nullptr) return false;
  return tool.needs == Power::Run ? place.approvals.run != Consent::Free : place.approvals.concern_files();
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (at > 0) text += at + 1 == words.size() ? " and " : ", ";
    text += words[at];
  }
  return text;
}

// Of the rules, the places where this is so; but for those where the kernel allows no change anyway.
template <typename Such>
std::vector<std::string> places_where(const Workplace& place, const Such& such) {
  std::vector<std::string> places;
  for (const ApprovalRule& rule : place.approvals.rules) {
    const bool can_be_changed = explain(place.boundary, rule.path, Operation::Write).allowed();
    if (such(rule) && can_be_changed) places.push_back(rule.path.text());
  }
  return places;
}

}  // namespace

std::string rule_text(const Approvals& approvals, const Effect& effect, Consent consent) {
  const ApprovalRule* rule = effect.deed == Deed::Run ? nullptr : approvals.rule_for(effect.deed, effect.path);
  const std::string origin = rule != nullptr ? rule->origin : approvals.run_origin;
  const std::string deed = effect.deed == Deed::Run ? "command" : std::string(to_text(effect.deed));
  return origin + (consent == Consent::Ask ? " asks before each " : " blocks each ") + deed;
}

std::string asked_places(const Workplace& place) {
  const Approvals& approvals = place.approvals;
  std::string text;
  const auto add = [&](const std::string& what, const std::vector<std::string>& places) {
    if (!places.empty()) text += (text.empty() ? "" : " ") + what + joined(places) + ".";
  };
  if (approvals.concern_files()) {
    add("Without asking, files can be changed below ", places_where(place, [](const ApprovalRule& rule) {
          return rule.write == Consent::Free && rule.remove == Consent::Free;
        }));
    add("A person is asked before a write below ",
        places_where(place, [](const ApprovalRule& rule) { return rule.write == Consent::Ask; }));
    add("A person is asked before something is deleted or moved below ",
        places_where(place, [](const ApprovalRule& rule) { return rule.remove == Consent::Ask; }));
    add("Nothing is written below ",
        places_where(place, [](const ApprovalRule& rule) { return rule.write == Consent::Blocked; }));
    add("Nothing is deleted or moved below ",
        places_where(place, [](const ApprovalRule& rule) { return rule.remove == Consent::Blocked; }));
  }
  if (place.power == Power::Run && approvals.run == Consent::Ask)
    text += std::string(text.empty() ? "" : " ") + "A person is asked before each command.";
  return text;
}

Result<Leave> leave_for(const Call& call, const Tool& tool) {
  if (!kChecked || !can_matter(call.place, tool)) return Leave{};
  PALE_TRY(change, tool.change(call));
  Leave leave;
  for (const Effect& effect : change.effects) {
    // Nobody is asked about what the kernel refuses; and it is refused here, for of a folder it would refuse a part only.
    if (effect.deed != Deed::Run) PALE_CHECK(check_boundary(call.place, operation_of(effect.deed), effect.path));
    const Consent consent = call.place.approvals.consent(effect.deed, effect.path);
    if (consent <= leave.consent) continue;
    leave.consent = consent;
    leave.rule = rule_text(call.place.approvals, effect, consent);
  }
  leave.change = std::move(change);
  if (leave.consent == Consent::Blocked) return fail(no_leave(call.place, leave, "this is never done"));
  return leave;
}

Error no_leave(const Workplace& place, const Leave& leave, const std::string& why) {
  const std::string sentence = leave.change.summary + ": not done: " + why + ". The rule: " + leave.rule + ".";
  return with_code(kApprovalDenied, {ErrorKind::Refused, 0, sentence, "", asked_places(place)});
}

}  // namespace pale::tools
