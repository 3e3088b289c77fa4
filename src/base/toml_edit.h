// base/toml_edit.h: changes one value in a TOML text and leaves every other byte as it is: comments, order, spacing, line
// ends. What comes out has been read again: a text that would be broken is an error, never a result.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace pale {

// The text with `written`, the TOML source of one value, under the last of the keys, which lead through tables. A value that is
// there is replaced where it stands. A new one joins its table as that is written: a line below its heading, a member between
// its braces, a dotted key beside the others; a table that has no place of its own gets a heading at the end.
// Refuses to put a value in the place of a table with a heading, and keys that lead through anything but tables.
Result<std::string> toml_set(std::string_view text, std::span<const std::string_view> keys, std::string_view written);

// The text without what the keys name; unchanged if there is no such thing. A key goes with its whole line and the comment
// behind it, a member of an inline table with its comma. A table goes with all that is in it, wherever that stands: of each
// heading everything up to the next one, or up to the comment right above that.
Result<std::string> toml_remove(std::string_view text, std::span<const std::string_view> keys);

// As TOML writes them. The caller has made sure that it is UTF-8 (is_utf8): TOML has no way to write anything else.
std::string toml_text(std::string_view text);               // between quotation marks, with no control character left
std::string toml_key(std::string_view key);                 // bare, if it can be
std::string toml_list(std::span<const std::string> items);  // ["a", "b"]

}  // namespace pale
