// tools/parameters.h: what a tool takes, said once: its schema is made from this, and arguments are checked against it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_value.h"

namespace pale::tools {

enum class Kind {
  Text,
  Path,    // a text, or {"base64": "…"} for names that are not UTF-8; not empty, and without NUL
  Number,  // whole, not negative
  Flag,
  Texts,    // a list of paths
  Edits,    // a list of {oldText, newText}
  Command,  // a list: a program and its arguments; or one text, for a shell
  Any,      // any JSON
};
enum class Presence { Required, Optional };

struct Parameter {
  std::string_view name;
  Kind kind;
  Presence presence;
  std::string_view description;
};

void write_schema(JsonWriter& out, std::span<const Parameter> parameters);

// An object of arguments that fits the parameters; or null, for none. What is null counts as left out.
class Arguments {
 public:
  // Says what does not fit, and where: "head: must be a whole number". A name that is not known is an error with its nearest
  // match: what is left unread would be taken for done.
  static Result<Arguments> check(const JsonValue& object, std::span<const Parameter> parameters);

  // Null if it was left out.
  const JsonValue* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }

  // Empty if it was left out.
  std::string text(std::string_view name) const;
  // Without slashes at its end: with one, the kernel goes through a link there, whatever it is told about links. What is looked at
  // and what is acted on must be the same.
  std::string path(std::string_view name) const;
  std::optional<std::uint64_t> number(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  std::vector<std::string> paths(std::string_view name) const;

 private:
  explicit Arguments(const JsonValue& object) : object_(&object) {}
  const JsonValue* object_;
};

}  // namespace pale::tools
