// The tool boundary: what may be done here, and why something was refused.
#include <algorithm>

#include "tools/leave.h"
#include "tools/refusal.h"
#include "tools/toolbox.h"

namespace pale::tools {
namespace {

constexpr Parameter kParameters[] = {
    {"path", Kind::Path, Presence::Optional, "What may be done with this one, and by which rule."},
    {"operation", Kind::Text, Presence::Optional, "Only this: read, write, create, remove, rename, chmod or execute."},
};
constexpr std::string_view kSchema =
    R"({"type":"object","properties":{"workspace":{},"home":{},"tools":{"type":"array","items":{"type":"string"}},)"
    R"("network":{"type":"string","enum":["none","allow","open"]},)"
    R"("hosts":{"type":"array","items":{"type":"string"},"description":"Who can be reached, with network allow."},)"
    R"("grants":{"type":"array","items":{"type":"object","properties":{"path":{},"access":{"type":"string"},)"
    R"("origin":{"type":"string"}},"required":["path","access"]}},)"
    R"("protected":{"type":"array","items":{"type":"object","properties":{"path":{},"origin":{"type":"string"}},)"
    R"("required":["path"]}},)"
    R"("limits":{"type":"object"},"approvals":{"type":"array","description":"What is asked about before it is done.",)"
    R"("items":{"type":"object","properties":{"path":{},"write":{"type":"string"},"delete":{"type":"string"},)"
    R"("origin":{"type":"string"}},"required":["path","write","delete"]}},)"
    R"("commands":{"type":"string","description":"Whether run_command is asked about: free, ask or blocked."},)"
    R"("path":{"description":"Where the path that was asked about leads."},)"
    R"("operations":{"type":"array","items":{"type":"object","properties":{"operation":{"type":"string"},)"
    R"("allowed":{"type":"boolean"},"outcome":{"type":"string"},"rule":{"type":"string"},"origin":{"type":"string"},)"
    R"("approval":{"type":"string","enum":["free","ask","blocked"],"description":"Of the tools that do this."},)"
    R"("approvalRule":{"type":"string"}},)"
    R"("required":["operation","allowed","outcome","rule"]}}}})";

void write_limits(JsonWriter& data, const Limits& limits) {
  data.key("limits").begin_object();
  if (limits.memory) data.field("memory", *limits.memory);
  if (limits.pids) data.field("pids", *limits.pids);
  if (limits.seconds) data.field("seconds", *limits.seconds);
  data.end_object();
}

void write_grants(JsonWriter& data, const Boundary& boundary) {
  data.key("grants").begin_array();
  for (const Grant& grant : boundary.grants()) {
    data.begin_object().field("path", grant.path.text()).field("access", pale::to_text(grant.access));
    data.field("origin", grant.origin).end_object();
  }
  data.end_array().key("protected").begin_array();
  for (const Protection& protection : boundary.protections()) {
    data.begin_object().field("path", protection.path.text()).field("origin", protection.origin).end_object();
  }
  data.end_array();
}

std::string network_text(const Boundary& boundary) {
  switch (boundary.network()) {
    case Network::None: break;
    case Network::Allow: return "The network reaches these hosts, and no others: " + listed(boundary.hosts()) + ".\n";
    case Network::Open: return "The network is open.\n";
  }
  return "There is no network.\n";
}

std::string in_words(const Workplace& place) {
  const Boundary& boundary = place.boundary;
  std::string text = "The workspace is " + boundary.workspace().text() + ".\n";
  text += allowed_places(place, Operation::Read) + "\n" + allowed_places(place, Operation::Write) + "\n";
  if (!boundary.protections().empty()) text += "Protected, also where they are missing:\n";
  for (const Protection& protection : boundary.protections()) text += "  " + protection.path.text() + "\n";
  text += network_text(boundary);
  if (const std::string asked = asked_places(place); !asked.empty()) text += asked + "\n";
  text += "What is not named here does not exist inside. To ask about one path, name it.\n";
  return text;
}

void write_approvals(JsonWriter& data, const Approvals& approvals) {
  data.key("approvals").begin_array();
  for (const ApprovalRule& rule : approvals.rules) {
    data.begin_object().field("path", rule.path.text()).field("write", to_text(rule.write));
    data.field("delete", to_text(rule.remove)).field("origin", rule.origin).end_object();
  }
  data.end_array().field("commands", to_text(approvals.run));
}

Answer whole(const Workplace& place) {
  JsonWriter data;
  data.begin_object().field("workspace", place.boundary.workspace().text());
  data.field("home", place.boundary.home().text()).key("tools").begin_array();
  for (const Tool* tool : tools_for(place)) data.value(tool->name);
  data.end_array().field("network", pale::to_text(place.boundary.network())).key("hosts").begin_array();
  for (const HostRule& rule : place.boundary.hosts()) data.value(pale::to_text(rule));
  data.end_array();
  write_grants(data, place.boundary);
  write_limits(data, place.boundary.limits());
  write_approvals(data, place.approvals);
  data.end_object();
  return text_answer(in_words(place), data);
}

// By which tools a person is asked about it.
std::optional<Deed> deed_of(Operation operation) {
  switch (operation) {
    case Operation::Write:
    case Operation::Create: return Deed::Write;
    case Operation::Remove:
    case Operation::Rename: return Deed::Remove;
    default: return std::nullopt;
  }
}

// What the boundary says, and behind that whoever is asked.
std::string say_operation(JsonWriter& data, const Workplace& place, const Path& path, Operation operation) {
  const Verdict verdict = explain(place.boundary, path, operation);
  const auto deed = deed_of(operation);
  const Consent consent = deed ? place.approvals.consent(*deed, path) : Consent::Free;
  const bool counts = verdict.allowed() && consent != Consent::Free;
  const bool blocked = counts && consent == Consent::Blocked;
  const std::string_view outcome = blocked ? to_text(consent) : pale::to_text(verdict.outcome);
  data.begin_object().field("operation", pale::to_text(operation)).field("allowed", verdict.allowed() && !blocked);
  data.field("outcome", outcome).field("rule", verdict.rule).field("origin", verdict.origin);
  std::string text = std::string(pale::to_text(operation)) + ": " + std::string(outcome);
  if (!blocked) text += ", by: " + verdict.rule + " (from " + verdict.origin + ")";
  if (counts) {
    const std::string rule = rule_text(place.approvals, {*deed, path}, consent);
    data.field("approval", to_text(consent)).field("approvalRule", rule);
    text += (blocked ? ", by: " : "; but ") + rule;
  } else if (deed && verdict.allowed()) {
    data.field("approval", to_text(consent));
  }
  data.end_object();
  return text + "\n";
}

Answer of_path(const Workplace& place, const std::string& path, std::string_view only) {
  const Path leads_to = where_it_leads(place, path);
  std::string text = leads_to.text() + "\n";
  JsonWriter data;
  data.begin_object().field("path", leads_to.text()).key("operations").begin_array();
  bool refused = false;
  for (const Operation operation : kOperations) {
    if (!only.empty() && only != pale::to_text(operation)) continue;
    refused |= !explain(place.boundary, leads_to, operation).allowed();
    text += say_operation(data, place, leads_to, operation);
  }
  data.end_array().end_object();
  if (refused) text += allowed_places(place, Operation::Read) + "\n" + allowed_places(place, Operation::Write) + "\n";
  return text_answer(text, data);
}

Result<Answer> boundary(const Call& call) {
  const std::string path = call.arguments.path("path");
  const std::string operation = call.arguments.text("operation");
  const bool known = std::ranges::any_of(kOperations, [&](Operation each) { return pale::to_text(each) == operation; });
  if (!operation.empty() && !known) {
    return fail(ErrorKind::Usage, "operation:", "must be read, write, create, remove, rename, chmod or execute");
  }
  return path.empty() ? whole(call.place) : of_path(call.place, path, operation);
}

}  // namespace

constinit const Tool kBoundary = {"boundary",
                                  "Ask about the boundary",
                                  "What may be read, changed and reached here; with a path: what may be done with it, "
                                  "and which rule says so. Ask this "
                                  "when something was refused.",
                                  kParameters,
                                  kSchema,
                                  kOnlyLooks,
                                  Power::List,
                                  boundary};

}  // namespace pale::tools
