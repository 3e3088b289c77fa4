// base/yaml.h: reads the YAML that configuration files are written in, into a tree in which everything knows where it stands.
// It is linked into the static program, where no library that throws or asks for a locale can be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pale {

struct YamlMember;

class YamlValue {
 public:
  enum class Kind { Null, Scalar, Sequence, Mapping };  // Null: nothing is written there

  // One whole document: mappings, sequences and scalars in all their forms. What means the same in every other reader is read;
  // refused is what people do not expect to be there: anchors and aliases, tags, merge keys, keys that are no single text,
  // several documents; also tabs for indentation, a key that stands twice, and nesting deeper than `deepest`.
  // The error's subject says where: "line 3, column 7: …".
  static Result<YamlValue> parse(std::string_view text, std::size_t deepest);

  Kind kind() const noexcept { return kind_; }
  // Where it starts, in bytes; place_in() says that to people.
  std::size_t at() const noexcept { return at_; }

  // A scalar as text, whatever else it may mean; null if it is of another kind.
  const std::string* text() const noexcept { return kind_ == Kind::Scalar ? &text_ : nullptr; }
  // Whether it can only be text: it stands in quotation marks, or is a block of lines.
  bool quoted() const noexcept { return quoted_; }
  // Nothing, or a word that stands for it.
  bool is_null() const noexcept;
  // "true" or "false", not in quotation marks; of "yes" and "on" readers think differently.
  std::optional<bool> boolean() const noexcept;
  // A whole number that is not negative; nothing for any other.
  std::optional<std::uint64_t> whole_number() const noexcept;

  const std::vector<YamlValue>& items() const noexcept { return items_; }
  const std::vector<YamlMember>& members() const noexcept { return members_; }
  const YamlValue* find(std::string_view key) const noexcept;

 private:
  friend class YamlReader;
  Kind kind_ = Kind::Null;
  bool quoted_ = false;
  std::size_t at_ = 0;
  std::string text_;
  std::vector<YamlValue> items_;
  std::vector<YamlMember> members_;
};

struct YamlMember {
  std::string key;
  std::size_t key_at = 0;
  YamlValue value;
};

}  // namespace pale
