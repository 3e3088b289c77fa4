// tools/code.h: the word that a program knows a refusal by. It stands at the front of the sentence, and once more by itself in
// the answer (tools/replies.h). docs/TOOLS.md lists them.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace pale::tools {

inline constexpr std::string_view kReadOnlyZone = "READ_ONLY_ZONE";
inline constexpr std::string_view kZoneAccessDenied = "ZONE_ACCESS_DENIED";
inline constexpr std::string_view kInvalidPath = "INVALID_PATH";
inline constexpr std::string_view kApprovalDenied = "APPROVAL_DENIED";

// An empty code is none. Of other refusals the operation begins with a path or with a sentence, and is never such a word alone.
inline Error with_code(std::string_view code, Error error) {
  if (code.empty()) return error;
  error.subject = error.sentence();
  error.operation = std::string(code) + ":";
  error.number = 0;
  error.kind = ErrorKind::Refused;
  return error;
}

// Empty if it has none.
inline std::string_view code_of(const Error& error) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  const std::string_view text = error.operation;
  if (error.kind != ErrorKind::Refused || !text.ends_with(':')) return {};
  const std::string_view code = text.substr(0, text.size() - 1);
  return code.find_first_not_of(kLetters) == std::string_view::npos ? code : std::string_view();
}

}  // namespace pale::tools
