// studio/manifest.h: a project's manifest as a text: read, imagined otherwise, and the boundary that would follow.
#pragma once

#include "service/prepare.h"
#include "studio/answer.h"

namespace pale::studio {

struct ManifestText {
  Path file;
  std::string text;
  std::string digest;  // empty if there is none
  bool exists = false;
};
Result<ManifestText> read_manifest_text(const Path& root);
std::string digest_of(const std::string& text);

// What the project is now, and its boundary.
Result<project::Resolved> resolve_project(const Asked& asked, const service::Caller& caller);
service::Request request_for(const Asked& asked);
// With another manifest in place of its own. Nothing is written.
Result<project::Resolved> with_manifest(project::Resolved resolved, const std::string& text);
Result<service::Prepared> prepare_with(const Asked& asked, const service::Caller& caller, const std::string& text);

// Where it is broken, as far as the error says: ManifestProblem of the API.
Json problem_of(const Error& error);

// Both as a unified diff.
std::string diff_between(const std::string& before, const std::string& after);

}  // namespace pale::studio
