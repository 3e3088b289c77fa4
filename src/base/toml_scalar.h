// base/toml_scalar.h: the parts of TOML that hold no others: strings, numbers, times. Used by the reader alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace pale::toml {

// A position in the text that is read. What is wrong is wrong where it stands.
struct Cursor {
  std::string_view text;
  std::size_t at = 0;

  bool at_end() const noexcept { return at >= text.size(); }
  char peek() const noexcept { return at_end() ? '\0' : text[at]; }
  bool sees(std::string_view wanted) const noexcept { return text.substr(at, wanted.size()) == wanted; }
  bool take(std::string_view wanted) noexcept {
    if (!sees(wanted)) return false;
    at += wanted.size();
    return true;
  }
  std::unexpected<Error> wrong(std::string_view what) const;
};

// From its opening quotes on; also with three of them.
Result<std::string> read_string(Cursor& cursor);

enum class ScalarKind { Whole, Real, Boolean, Time };
struct Scalar {
  ScalarKind kind;
  std::string_view written;
  std::int64_t number = 0;  // Whole, Boolean
};
Result<Scalar> read_scalar(Cursor& cursor);

}  // namespace pale::toml
