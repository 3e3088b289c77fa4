// service/tool_terms.h: what `pale mcp` is told beside its boundary: what is asked about before it is done, and which workers can
// be called. Made of what the project says (its manifest, or golem-forge's file) and of flags.
#pragma once

#include <memory>

#include "service/workers.h"
#include "tools/accepted.h"
#include "tools/approval.h"

namespace pale::service {

struct ToolTerms {
  tools::Approvals approvals;
  tools::Accepted accepted;                 // if they are a worker's
  std::unique_ptr<ProjectWorkers> workers;  // null: there are none

  // Whether somebody outside is needed, who asks and calls.
  bool need_desk() const noexcept;
};

Result<ToolTerms> tool_terms(const Request& request, const project::Resolved& resolved,
                             const project::Surroundings& around, const Terms& terms);

// Once the boundary is known: what is private to it is never asked about.
void leave_private_places(ToolTerms& terms, const Boundary& boundary);

// Of a mode of approval, and what a zone says or does not say. Pure.
tools::Consent consent_of(project::ApprovalMode mode, tools::Deed deed, std::optional<project::Approval> said);

// Their names and what they are for, in one line.
std::string in_words(const std::vector<worker::Worker>& workers);

}  // namespace pale::service
