// base/yaml_scalar.h: the parts of YAML that hold no others: plain and quoted text, blocks of lines. Used by the reader alone.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace pale::yaml {

// A column, or kNoIndent for what is outside of everything.
using Indent = int;
constexpr Indent kNoIndent = -1;

constexpr std::string_view kTab = "a tab; YAML is indented with spaces";

// Between brackets or braces a comma ends plain text, too.
enum class Context { Block, Flow };

// A position in the text that is read. What is wrong is wrong where it stands.
struct Cursor {
  std::string_view text;
  std::size_t at = 0;

  bool at_end() const noexcept { return at >= text.size(); }
  char peek(std::size_t ahead = 0) const noexcept { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  bool sees(std::string_view wanted) const noexcept { return text.substr(at, wanted.size()) == wanted; }
  bool take(char wanted) noexcept {
    if (at_end() || text[at] != wanted) return false;
    ++at;
    return true;
  }
  std::unexpected<Error> wrong(std::string_view what) const;

  Indent column() const noexcept;
  // A space, a tab, or the end of the line, so many bytes further on.
  bool sees_blank(std::size_t ahead = 0) const noexcept;
  bool at_line_end() const noexcept { return at_end() || peek() == '\n' || sees("\r\n"); }
  bool take_line_end() noexcept;
  // "---" or "..." at the start of a line: whatever is open ends there.
  bool at_document_mark() const noexcept;
  // Spaces and tabs.
  void skip_blanks() noexcept;
};

// Whether plain text may start here.
bool starts_plain(const Cursor& cursor, Context context);
// Whether there is a ':' that ends a key.
bool sees_colon(const Cursor& cursor, Context context);
// The part of plain text that stands in this line; the cursor stays right behind it.
std::string_view read_plain_line(Cursor& cursor, Context context);
// Plain text with the lines that continue it: those that are further to the right than `parent`.
Result<std::string> read_plain(Cursor& cursor, Indent parent, Context context);
// From its opening quotation mark on.
Result<std::string> read_quoted(Cursor& cursor, Indent parent);
// Moves over quoted text, if it ends in this line.
bool skip_quoted_in_line(Cursor& cursor);
// From '|' or '>' on; the cursor ends at the start of a line.
Result<std::string> read_block(Cursor& cursor, Indent parent);

}  // namespace pale::yaml
