#include "service/environment.h"

#include <algorithm>

#include "service/network_terms.h"
#include "service/system.h"

namespace pale::service {
namespace {

constexpr std::string_view kUsersWord = "--env";

using IfUnset = VariableRequest::IfUnset;

Status add_variable(std::vector<Variable>& environment, const VariableRequest& wanted, const Caller& caller) {
  const std::size_t equals = wanted.text.find('=');
  if (equals != std::string::npos) {
    environment.push_back({wanted.text.substr(0, equals), wanted.text.substr(equals + 1), wanted.origin});
  } else if (caller.has_variable(wanted.text)) {
    environment.push_back({wanted.text, caller.variable(wanted.text), wanted.origin});
  } else if (wanted.if_unset == IfUnset::Fail) {
    return fail(ErrorKind::Usage, wanted.origin + " names a variable that is not set:", wanted.text,
                wanted.origin + " " + wanted.text + "=VALUE");
  }
  return {};
}

// What a key is read from stays outside with it, though the user may give a variable of that name another value.
Status check_kept_outside(const BoundaryParts& parts, const Request& request, const Terms& terms) {
  for (const VariableRequest& wanted : request.environment) {
    const project::NamedKey* const named =
        wanted.origin == kUsersWord ? key_kept_in(wanted.text, parts, terms) : nullptr;
    if (named != nullptr)
      return fail(ErrorKind::Refused,
                  "the key " + named->key.credential.name + " stays outside, and is read from:", wanted.text,
                  "leave --env " + wanted.text + " out: " + named->key.credential.host + " gets the key without it");
  }
  return {};
}

// A key that stays outside takes the place of what an adapter would have passed on; only the user's own word counts more.
void add_network_variables(BoundaryParts& parts, const Terms& terms) {
  for (const std::string_view name : replaced_variables(parts, terms)) {
    std::erase_if(parts.environment,
                  [&](const Variable& each) { return each.name == name && each.origin != kUsersWord; });
  }
  for (Variable& variable : network_environment(parts, terms)) {
    const auto said = [&](const Variable& each) { return each.name == variable.name && each.origin == kUsersWord; };
    if (std::ranges::none_of(parts.environment, said)) parts.environment.push_back(std::move(variable));
  }
}

}  // namespace

Status add_environment(BoundaryParts& parts, const Request& request, const Caller& caller, const Terms& terms,
                       const Path& temporary) {
  PALE_CHECK(check_kept_outside(parts, request, terms));
  parts.environment = usual_environment(caller, parts.home, temporary);
  for (const auto& name : terms.grants.env)
    PALE_CHECK(add_variable(parts.environment, {name.value, name.where, IfUnset::LeaveOut}, caller));
  for (const VariableRequest& wanted : request.environment) PALE_CHECK(add_variable(parts.environment, wanted, caller));
  add_network_variables(parts, terms);
  return {};
}

}  // namespace pale::service
