#include "scope/prompt.h"

#include "base/text.h"

namespace pale::scope {
namespace {

constexpr std::string_view kStrictRule =
    "**Strict Mode**: File access outside workspace will FAIL. You must stay within workspace boundaries.";
constexpr std::string_view kPermissiveRule =
    "**Permissive Mode**: File access outside workspace is allowed, and each is reported with a WARNING. Stay within "
    "workspace boundaries where you can.";

}  // namespace

std::string prompt_section(std::span<const std::string> folders, Mode mode) {
  std::string listed;
  std::string lines;
  for (const std::string& folder : folders) {
    // One line, whatever a folder is called: nobody adds to the prompt by a name.
    const std::string name = printable(folder);
    listed += (listed.empty() ? "" : ",") + name;
    lines += "- `" + name + "/`\n";
  }
  return "# Workspace Sandboxing\n"
         "\n"
         "This iteration is running with workspace sandboxing ENABLED.\n"
         "\n"
         "## Workspace Configuration\n"
         "\n"
         "**Mode**: " +
         std::string(to_text(mode)) +
         "\n"
         "**Allowed Folders**: " +
         listed +
         "\n"
         "\n"
         "## Workspace Rules\n"
         "\n"
         "1. **File Access Constraints**: You should primarily work with files within the workspace folders listed "
         "above.\n"
         "\n"
         "2. " +
         std::string(mode == Mode::Strict ? kStrictRule : kPermissiveRule) +
         "\n"
         "\n"
         "3. **File Scope**: The story's fileScope has been automatically inferred from workspace contents. Focus your "
         "changes on these patterns.\n"
         "\n"
         "4. **Safety**: Do not attempt to access files outside the workspace unless absolutely necessary.\n"
         "\n"
         "## Workspace Folders\n"
         "\n" +
         lines;
}

}  // namespace pale::scope
