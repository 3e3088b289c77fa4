#include "cli/worker_options.h"

#include "base/text.h"
#include "cli/choice.h"

namespace pale::cli {

Result<worker::Overrides> overrides_of(const Arguments& arguments) {
  worker::Overrides overrides;
  PALE_TRY(mode, chosen<project::SandboxMode>(arguments, "--sandbox-mode", project::kSandboxModes));
  PALE_TRY(approval, chosen<project::ApprovalMode>(arguments, "--approval", project::kApprovalModes));
  overrides.mode = mode;
  overrides.approval = approval;
  if (arguments.has("--sandbox-root")) overrides.root = arguments.value("--sandbox-root");
  if (!arguments.has("--max-depth")) return overrides;
  overrides.max_depth = parse_number(arguments.value("--max-depth"));
  if (!overrides.max_depth || *overrides.max_depth == 0)
    return fail(ErrorKind::Usage, "--max-depth must be a number above zero:", arguments.value("--max-depth"),
                "--max-depth 5");
  return overrides;
}

}  // namespace pale::cli
