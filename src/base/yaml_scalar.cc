#include "base/yaml_scalar.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/text.h"

namespace pale::yaml {
namespace {

constexpr std::string_view kFlowIndicators = ",[]{}";

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_any_of(std::string_view bytes, char c) { return c != '\0' && bytes.find(c) != std::string_view::npos; }

bool sees_flow_indicator(const Cursor& cursor, std::size_t ahead, Context context) {
  return context == Context::Flow && is_any_of(kFlowIndicators, cursor.peek(ahead));
}

// --- text of several lines ----------------------------------------------------------------------------------------------

// A line end between two lines is a space; each blank line between them is a line end.
void append_fold(std::string& text, std::size_t line_ends) {
  if (line_ends == 1) {
    text += ' ';
  } else {
    text.append(line_ends - 1, '\n');
  }
}

// Moves over line ends and the blanks behind each, up to something else. How many line ends there were.
std::size_t skip_line_ends(Cursor& cursor, std::string_view blanks) {
  std::size_t line_ends = 0;
  while (cursor.take_line_end()) {
    ++line_ends;
    cursor.at = std::min(cursor.text.find_first_not_of(blanks, cursor.at), cursor.text.size());
  }
  return line_ends;
}

// The spaces a line starts with.
Indent indent_of_line(const Cursor& cursor) {
  const std::size_t begin = cursor.at - static_cast<std::size_t>(cursor.column());
  const std::size_t end = std::min(cursor.text.find_first_not_of(' ', begin), cursor.text.size());
  return static_cast<Indent>(end - begin);
}

// --- escapes ----------------------------------------------------------------------------------------------------------

void append_utf8(std::string& text, std::uint32_t point) {
  const auto put = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xc0U | point >> 6U);
  } else if (point < 0x10000) {
    put(0xe0U | point >> 12U);
    put(0x80U | (point >> 6U & 0x3fU));
  } else {
    put(0xf0U | point >> 18U);
    put(0x80U | (point >> 12U & 0x3fU));
    put(0x80U | (point >> 6U & 0x3fU));
  }
  put(0x80U | (point & 0x3fU));
}

Status read_code_point(Cursor& cursor, std::size_t digits, std::string& text) {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  std::uint32_t point = 0;
  for (; digits > 0; --digits, ++cursor.at) {
    const std::size_t digit = cursor.at_end() ? std::string_view::npos : kDigits.find(cursor.peek());
    if (digit == std::string_view::npos) return cursor.wrong("a hexadecimal digit is missing");
    point = point << 4U | static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
  }
  if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return cursor.wrong("there is no such character");
  append_utf8(text, point);
  return {};
}

// --- quoted text ------------------------------------------------------------------------------------------------------

// To the first byte of the next line with text in it.
Result<std::size_t> next_quoted_line(Cursor& cursor, char mark, Indent parent) {
  const std::size_t line_ends = skip_line_ends(cursor, " \t");
  if (cursor.at_end()) return cursor.wrong("a string has no end");
  if (indent_of_line(cursor) <= parent) return cursor.wrong("a string goes on further to the right than its key");
  if (cursor.at_document_mark()) return cursor.wrong("a string has no end in its document");
  // Of these some readers lose one.
  if (line_ends > 1 && cursor.peek() == mark) return cursor.wrong("a string ends with blank lines");
  return line_ends;
}

// Behind the backslash.
Status read_escape(Cursor& cursor, Indent parent, std::string& text) {
  struct Named {
    char name;
    std::string_view meaning;
  };
  constexpr Named kNamed[] = {
      {'0', {"\0", 1}},
      {'a', "\a"},
      {'b', "\b"},
      {'t', "\t"},
      {'\t', "\t"},
      {'n', "\n"},
      {'v', "\v"},
      {'f', "\f"},
      {'r', "\r"},
      {'e', "\x1b"},
      {' ', " "},
      {'"', "\""},
      {'/', "/"},
      {'\\', "\\"},
      {'N', "\xc2\x85"},
      {'_', "\xc2\xa0"},
      {'L', "\xe2\x80\xa8"},
      {'P', "\xe2\x80\xa9"},
  };
  if (cursor.at_line_end()) {  // This one does not count.
    PALE_TRY(line_ends, next_quoted_line(cursor, '"', parent));
    text.append(line_ends - 1, '\n');
    return {};
  }
  const char name = cursor.peek();
  const auto* named = std::ranges::find(kNamed, name, &Named::name);
  if (named != std::end(kNamed)) {
    ++cursor.at;
    text += named->meaning;
    return {};
  }
  const std::size_t digits = name == 'x' ? 2 : name == 'u' ? 4 : name == 'U' ? 8 : 0;
  if (digits == 0) return cursor.wrong("an unknown escape");
  ++cursor.at;
  return read_code_point(cursor, digits, text);
}

// --- blocks of lines ----------------------------------------------------------------------------------------------------

struct Header {
  bool folded = false;
  char chomping = '\0';          // '-': no line end at the end; '+': all of them
  std::optional<Indent> indent;  // counted from the parent's
};

Result<Header> read_header(Cursor& cursor) {
  Header header{cursor.peek() == '>'};
  for (++cursor.at; !cursor.sees_blank(); ++cursor.at) {
    const char c = cursor.peek();
    if ((c == '-' || c == '+') && header.chomping == '\0') {
      header.chomping = c;
    } else if (c >= '1' && c <= '9' && !header.indent) {
      header.indent = c - '0';
    } else {
      return cursor.wrong("this does not belong behind '|' or '>'");
    }
  }
  cursor.skip_blanks();
  if (cursor.peek() == '#') cursor.at = std::min(cursor.text.find('\n', cursor.at), cursor.text.size());
  if (!cursor.at_line_end()) return cursor.wrong("a block of text starts on the next line");
  (void)cursor.take_line_end();
  return header;
}

// The indentation of a block that does not say: that of its first line with text. Blank lines above may not be longer.
Result<Indent> find_indent(Cursor cursor, Indent parent) {
  Indent longest = 0;  // of the blank lines
  for (;;) {
    const std::size_t begin = cursor.at;
    while (cursor.peek() == ' ') ++cursor.at;
    const auto indent = static_cast<Indent>(cursor.at - begin);
    if (!cursor.at_line_end() && indent > parent) {
      if (cursor.peek() == '\t') return cursor.wrong(kTab);
      if (longest > indent) return cursor.wrong("a blank line above has more spaces than this one");
      return indent;
    }
    longest = std::max(longest, indent);
    if (cursor.at_end() || !cursor.at_line_end()) return std::max(longest, parent + 1);
    (void)cursor.take_line_end();
  }
}

// The text of a block, line by line.
class BlockLines {
 public:
  explicit BlockLines(const Header& header) : folded_(header.folded) {}

  void add(std::string_view line) {
    if (line.empty()) return;
    const bool spaced = is_blank(line.front());
    // Lines that are further to the right keep their line ends, on both sides.
    if (folded_ && any_ && !spaced && !spaced_) {
      append_fold(text_, line_ends_);
    } else {
      text_.append(line_ends_, '\n');
    }
    text_ += line;
    spaced_ = spaced;
    any_ = true;
    line_ends_ = 0;
  }
  void add_line_end() { ++line_ends_; }
  std::string finish(char chomping) {
    const std::size_t most = chomping == '+' ? line_ends_ : chomping == '-' || !any_ ? 0 : 1;
    return std::move(text_.append(std::min(line_ends_, most), '\n'));
  }

 private:
  bool folded_;
  std::string text_;
  bool any_ = false;
  bool spaced_ = false;        // the last line started with a blank
  std::size_t line_ends_ = 0;  // since the last line with text
};

}  // namespace

std::unexpected<Error> Cursor::wrong(std::string_view what) const {
  return fail(ErrorKind::Usage, "cannot read this YAML:", place_in(text, at) + ": " + std::string(what));
}

Indent Cursor::column() const noexcept {
  const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  return static_cast<Indent>(at - begin);
}

bool Cursor::sees_blank(std::size_t ahead) const noexcept {
  const char c = peek(ahead);
  return at + ahead >= text.size() || is_blank(c) || c == '\n' || (c == '\r' && peek(ahead + 1) == '\n');
}

bool Cursor::take_line_end() noexcept {
  if (sees("\r\n")) ++at;
  return take('\n');
}

bool Cursor::at_document_mark() const noexcept {
  return (sees("---") || sees("...")) && sees_blank(3) && column() == 0;
}

void Cursor::skip_blanks() noexcept { at = std::min(text.find_first_not_of(" \t", at), text.size()); }

bool starts_plain(const Cursor& cursor, Context context) {
  const char c = cursor.peek();
  if (cursor.sees_blank() || is_any_of("#&*!|>'\"%@`", c) || is_any_of(kFlowIndicators, c)) return false;
  if (c == ':' && context == Context::Flow) return false;  // Readers think differently of it.
  return !is_any_of("-?:", c) || !(cursor.sees_blank(1) || sees_flow_indicator(cursor, 1, context));
}

bool sees_colon(const Cursor& cursor, Context context) {
  if (cursor.peek() != ':') return false;
  // Of "{a:[b]}" readers think differently; here that is no key.
  return cursor.sees_blank(1) || (context == Context::Flow && is_any_of(",]}", cursor.peek(1)));
}

std::string_view read_plain_line(Cursor& cursor, Context context) {
  const std::size_t begin = cursor.at;
  std::size_t end = begin;
  for (; !cursor.at_line_end() && !sees_colon(cursor, context); ++cursor.at) {
    const char c = cursor.peek();
    if (is_blank(c)) continue;
    if (c == '#' && cursor.at > end) break;
    if (sees_flow_indicator(cursor, 0, context)) break;
    end = cursor.at + 1;
  }
  cursor.at = end;
  return cursor.text.substr(begin, end - begin);
}

Result<std::string> read_plain(Cursor& cursor, Indent parent, Context context) {
  std::string text(read_plain_line(cursor, context));
  for (;;) {
    Cursor next = cursor;
    next.skip_blanks();
    const std::size_t line_ends = skip_line_ends(next, " ");
    if (line_ends == 0 || next.at_end()) return text;
    if (next.peek() == '\t') return next.wrong(kTab);
    const bool ends = next.column() <= parent || next.at_document_mark() || next.peek() == '#' ||
                      sees_flow_indicator(next, 0, context);
    if (ends) return text;
    append_fold(text, line_ends);
    text += read_plain_line(next, context);
    cursor = next;
    next.skip_blanks();
    if (sees_colon(next, context))
      return next.wrong("a key cannot stand here; text with ':' stands in quotation marks");
  }
}

Result<std::string> read_quoted(Cursor& cursor, Indent parent) {
  const char mark = cursor.peek();
  ++cursor.at;
  std::string text;
  std::size_t solid = 0;  // up to where blanks stay even if the line ends behind them
  for (;;) {
    if (cursor.at_end()) return cursor.wrong("a string has no end");
    if (cursor.take(mark)) {
      if (mark == '"' || !cursor.take(mark)) return text;
      text += mark;
      solid = text.size();
    } else if (cursor.at_line_end()) {
      text.resize(solid);
      PALE_TRY(line_ends, next_quoted_line(cursor, mark, parent));
      append_fold(text, line_ends);
      solid = text.size();
    } else if (mark == '"' && cursor.take('\\')) {
      PALE_CHECK(read_escape(cursor, parent, text));
      solid = text.size();
    } else {
      const char c = cursor.text[cursor.at++];
      text += c;
      if (!is_blank(c)) solid = text.size();
    }
  }
}

bool skip_quoted_in_line(Cursor& cursor) {
  const char mark = cursor.peek();
  for (++cursor.at; !cursor.at_line_end(); ++cursor.at) {
    const bool pair = mark == '"' ? cursor.peek() == '\\' : cursor.sees("''");
    if (!pair && cursor.take(mark)) return true;
    if (pair) ++cursor.at;
    if (cursor.at_line_end()) return false;
  }
  return false;
}

Result<std::string> read_block(Cursor& cursor, Indent parent) {
  PALE_TRY(header, read_header(cursor));
  parent = std::max(parent, 0);  // Some readers would have it at the very left, others not.
  PALE_TRY(indent, header.indent ? Result<Indent>(parent + *header.indent) : find_indent(cursor, parent));
  BlockLines lines(header);
  while (!cursor.at_end() && !cursor.at_document_mark()) {
    Cursor line = cursor;
    Indent spaces = 0;
    for (; spaces < indent && line.peek() == ' '; ++spaces) ++line.at;
    if (spaces < indent && !line.at_line_end()) break;
    const std::size_t begin = line.at;
    while (!line.at_line_end()) ++line.at;
    lines.add(line.text.substr(begin, line.at - begin));
    if (line.take_line_end()) lines.add_line_end();
    cursor = line;
  }
  return lines.finish(header.chomping);
}

}  // namespace pale::yaml
