#include "tools/approval.h"

#include <algorithm>
#include <array>

#include "base/json_value.h"

namespace pale::tools {
namespace {

constexpr std::array<std::string_view, 3> kConsents = {"free", "ask", "blocked"};
constexpr std::size_t kDeepest = 4;  // a rule, its path, which may not be UTF-8

std::unexpected<Error> wrong(std::string_view key) {
  return fail(ErrorKind::Usage, "these are no approvals:", std::string(key));
}

Result<Consent> consent_of(const JsonValue& json, std::string_view key) {
  const JsonValue* member = json.find(key);
  if (member == nullptr || member->text() == nullptr) return wrong(key);
  const auto* const known = std::ranges::find(kConsents, *member->text());
  if (known == kConsents.end()) return wrong(key);
  return static_cast<Consent>(known - kConsents.begin());
}

Result<std::string> text_of(const JsonValue& json, std::string_view key) {
  const JsonValue* member = json.find(key);
  auto bytes = member != nullptr ? member->bytes() : std::nullopt;
  if (!bytes) return wrong(key);
  return std::move(*bytes);
}

Result<ApprovalRule> rule_of(const JsonValue& json) {
  PALE_TRY(text, text_of(json, "path"));
  PALE_TRY(path, Path::parse(text));
  PALE_TRY(write, consent_of(json, "write"));
  PALE_TRY(remove, consent_of(json, "delete"));
  PALE_TRY(origin, text_of(json, "origin"));
  PALE_TRY(zone, text_of(json, "zone"));
  return ApprovalRule{std::move(path), write, remove, std::move(origin), std::move(zone)};
}

}  // namespace

std::string_view to_text(Consent consent) noexcept { return kConsents[static_cast<std::size_t>(consent)]; }

std::string_view to_text(Deed deed) noexcept {
  switch (deed) {
    case Deed::Write:
    case Deed::Bring: return "write";
    case Deed::Remove: return "delete";
    case Deed::Run: return "run";
  }
  return {};
}

const ApprovalRule* Approvals::rule_for(Deed deed, const Path& path) const noexcept {
  const ApprovalRule* closest = nullptr;
  for (const ApprovalRule& rule : rules) {
    if (!rule.path.covers(path)) continue;
    if (closest == nullptr || rule.path.depth() >= closest->path.depth()) closest = &rule;
  }
  if (deed != Deed::Remove && deed != Deed::Bring) return closest;
  const Consent ApprovalRule::* said = deed == Deed::Remove ? &ApprovalRule::remove : &ApprovalRule::write;
  for (const ApprovalRule& rule : rules) {
    const bool below = path.covers(rule.path) && rule.path != path;
    if (below && (closest == nullptr || rule.*said > closest->*said)) closest = &rule;
  }
  return closest;
}

Consent Approvals::consent(Deed deed, const Path& path) const noexcept {
  if (deed == Deed::Run) return run;
  const ApprovalRule* rule = rule_for(deed, path);
  if (rule == nullptr) return Consent::Free;
  return deed == Deed::Remove ? rule->remove : rule->write;
}

const ApprovalRule* Approvals::zone_of(const Path& path) const noexcept {
  const ApprovalRule* closest = nullptr;
  for (const ApprovalRule& rule : rules) {
    if (rule.zone.empty() || !rule.path.covers(path)) continue;
    if (closest == nullptr || rule.path.depth() >= closest->path.depth()) closest = &rule;
  }
  return closest;
}

bool Approvals::concern_files() const noexcept {
  return std::ranges::any_of(
      rules, [](const auto& rule) { return rule.write != Consent::Free || rule.remove != Consent::Free; });
}

std::string to_json(const Approvals& approvals) {
  JsonWriter out;
  out.begin_object().field("run", to_text(approvals.run)).field("runOrigin", approvals.run_origin);
  out.key("rules").begin_array();
  for (const ApprovalRule& rule : approvals.rules) {
    out.begin_object().field("path", rule.path.text()).field("write", to_text(rule.write));
    out.field("delete", to_text(rule.remove)).field("origin", rule.origin).field("zone", rule.zone).end_object();
  }
  out.end_array().end_object();
  return out.text();
}

Result<Approvals> parse_approvals(std::string_view text) {
  PALE_TRY(json, JsonValue::parse(text, kDeepest));
  Approvals approvals;
  PALE_TRY(run, consent_of(json, "run"));
  PALE_TRY(origin, text_of(json, "runOrigin"));
  approvals.run = run;
  approvals.run_origin = std::move(origin);
  const JsonValue* rules = json.find("rules");
  if (rules == nullptr || !rules->is_array()) return wrong("rules");
  for (const JsonValue& each : rules->items()) {
    PALE_TRY(rule, rule_of(each));
    approvals.rules.push_back(std::move(rule));
  }
  return approvals;
}

}  // namespace pale::tools
