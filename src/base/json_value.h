// base/json_value.h: reads JSON into a tree. Small and strict: it is linked into the static program, where no library that
// throws or asks for a locale can be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace pale {

class JsonValue {
 public:
  enum class Kind { Null, Boolean, Number, Text, Array, Object };

  // One whole text. Refuses what RFC 8259 refuses, a key that stands twice in an object, and nesting deeper than `deepest`.
  // The error's subject says where: "line 3, column 7: …".
  static Result<JsonValue> parse(std::string_view text, std::size_t deepest);

  Kind kind() const noexcept { return kind_; }
  bool is_null() const noexcept { return kind_ == Kind::Null; }
  bool is_array() const noexcept { return kind_ == Kind::Array; }
  bool is_object() const noexcept { return kind_ == Kind::Object; }

  // Null if it is of another kind.
  const std::string* text() const noexcept { return kind_ == Kind::Text ? &text_ : nullptr; }
  // A text, or {"base64": "…"} for bytes that are not UTF-8, as JsonWriter writes them.
  std::optional<std::string> bytes() const;
  std::optional<bool> boolean() const noexcept;
  // A whole number that is not negative; nothing for any other.
  std::optional<std::uint64_t> whole_number() const noexcept;
  const std::vector<JsonValue>& items() const noexcept { return items_; }
  const std::vector<std::pair<std::string, JsonValue>>& members() const noexcept { return members_; }
  const JsonValue* find(std::string_view key) const noexcept;
  // A number or a truth value, as it is written.
  const std::string& written() const noexcept { return text_; }

 private:
  friend class JsonReader;
  Kind kind_ = Kind::Null;
  std::string text_;  // Text: the text; Number and Boolean: as written
  std::vector<JsonValue> items_;
  std::vector<std::pair<std::string, JsonValue>> members_;
};

// As it was read: members in their order, numbers as they were written.
void write_json(JsonWriter& out, const JsonValue& value);

}  // namespace pale
