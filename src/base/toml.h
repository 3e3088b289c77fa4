// base/toml.h: reads TOML 1.0 into a tree in which everything knows where it stands, so that errors can point there and a
// change can be made in place. It is linked into the static program, where no library that throws or asks for a locale can be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pale {

// Bytes of the text, from `begin` up to `end`.
struct TextSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const TextSpan&) const = default;
};

struct TomlMember;

class TomlValue {
 public:
  enum class Kind { Text, Whole, Real, Boolean, Time, Array, Table };

  // One whole document: a table. Refuses what TOML 1.0 refuses, and nesting deeper than `deepest`.
  // The error's subject says where: "line 3, column 7: …".
  static Result<TomlValue> parse(std::string_view text, std::size_t deepest);

  Kind kind() const noexcept { return kind_; }
  // The value itself; of a table with a heading, the heading.
  TextSpan span() const noexcept { return span_; }

  // Null if it is of another kind.
  const std::string* text() const noexcept { return kind_ == Kind::Text ? &text_ : nullptr; }
  std::optional<bool> boolean() const noexcept;
  std::optional<std::int64_t> whole_number() const noexcept;
  // A number or a time, as it is written.
  const std::string& written() const noexcept { return text_; }

  const std::vector<TomlValue>& items() const noexcept { return items_; }
  const std::vector<TomlMember>& members() const noexcept { return members_; }
  const TomlValue* find(std::string_view key) const noexcept;

 private:
  friend class TomlReader;
  // How a table or an array came to be, which decides who may still add to it.
  enum class Origin { Value, Heading, ImpliedByHeading, DottedKey };

  Kind kind_ = Kind::Table;
  Origin origin_ = Origin::Value;
  TextSpan span_;
  std::int64_t number_ = 0;
  std::string text_;  // Text: the text; Whole, Real, Boolean, Time: as written
  std::vector<TomlValue> items_;
  std::vector<TomlMember> members_;
};

struct TomlMember {
  std::string key;
  TextSpan key_span;
  TomlValue value;
};

}  // namespace pale
