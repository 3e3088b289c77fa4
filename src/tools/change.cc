#include "tools/change.h"

#include "base/hunk.h"
#include "base/text.h"
#include "tools/checks.h"
#include "tools/tool.h"

namespace pale::tools {

std::string difference(const std::string& path, std::string_view before, std::string_view after) {
  const auto old_lines = split_lines(before);
  const auto new_lines = split_lines(after);
  const auto hunks = hunks_of(diff_lines(old_lines, new_lines), old_lines.size(), new_lines.size());
  if (hunks.empty()) return {};
  const std::string name = printable(path);
  std::string text = "--- " + name + "\n+++ " + name + "\n";
  for (const Hunk& hunk : hunks) text += hunk_text(old_lines, new_lines, hunk);
  return text;
}

Status check_allowed(const Call& call, const Change& now) {
  if (!kChecked || call.allowed == nullptr || *call.allowed == now) return {};
  return fail(ErrorKind::Refused, call.allowed->summary + ":",
              "not done, for what was allowed is not what it would do now",
              "Something changed meanwhile. Look at it, and call again: then it is asked about anew.");
}

Status check_allowed(const Call& call, Result<Change> (*change)(const Call& call)) {
  if (call.allowed == nullptr) return {};
  PALE_TRY(now, change(call));
  return check_allowed(call, now);
}

}  // namespace pale::tools
