#include "base/json.h"

#include <array>

namespace pale {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kShort = "\n\t\r", kLetters = "ntr";  // often in texts, and shorter than as numbers
constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

unsigned byte_at(std::string_view text, std::size_t index) { return static_cast<unsigned char>(text[index]); }

// The length of the UTF-8 sequence that starts at `at`, or 0 if it is none (overlong, surrogate, beyond U+10FFFF, cut).
std::size_t sequence_length(std::string_view text, std::size_t at) noexcept {
  const unsigned lead = byte_at(text, at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte_at(text, at + 1);
  if (lead == 0xe0 && second < 0xa0) return 0;
  if (lead == 0xed && second > 0x9f) return 0;
  if (lead == 0xf0 && second < 0x90) return 0;
  if (lead == 0xf4 && second > 0x8f) return 0;
  return length;
}

}  // namespace

std::string indented(std::string_view json) {
  std::string text;
  std::size_t depth = 0;
  bool quoted = false;
  const auto new_line = [&] { text += "\n" + std::string(2 * depth, ' '); };
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char byte = json[at];
    if (quoted) {
      text += byte;
      if (byte == '\\') text += json[++at];
      quoted = byte != '"';
      continue;
    }
    const bool opens = byte == '{' || byte == '[';
    const bool closes = byte == '}' || byte == ']';
    const bool empty = opens && (json[at + 1] == '}' || json[at + 1] == ']');
    if (closes && depth > 0) {
      --depth;
      new_line();
    }
    text += byte;
    if (empty) {
      text += json[++at];
    } else if (opens) {
      ++depth;
      new_line();
    } else if (byte == ',') {
      new_line();
    } else if (byte == ':') {
      text += ' ';
    }
    quoted = byte == '"';
  }
  return text;
}

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = bytes.size() - at;
    const unsigned group = byte_at(bytes, at) << 16 | (left > 1 ? byte_at(bytes, at + 1) << 8 : 0) |
                           (left > 2 ? byte_at(bytes, at + 2) : 0);
    text += kBase64[group >> 18];
    text += kBase64[group >> 12 & 63];
    text += left > 1 ? kBase64[group >> 6 & 63] : '=';
    text += left > 2 ? kBase64[group & 63] : '=';
  }
  return text;
}

bool from_base64(std::string_view text, std::string& bytes) {
  if (text.size() % 4 != 0) return false;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  unsigned group = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t digit = at >= text.size() - padding ? 0 : kBase64.find(text[at]);
    if (digit == std::string_view::npos) return false;
    group = group << 6 | static_cast<unsigned>(digit);
    if (at % 4 != 3) continue;
    bytes += static_cast<char>(group >> 16 & 255);
    bytes += static_cast<char>(group >> 8 & 255);
    bytes += static_cast<char>(group & 255);
    group = 0;
  }
  bytes.resize(bytes.size() - padding);
  return true;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  text_ += ':';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  if (!is_utf8(text)) return begin_object().field("base64", to_base64(text)).end_object();
  separate();
  quote(text);
  return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  separate();
  text_ += text;
  return *this;
}

void JsonWriter::separate() {
  if (!first_) text_ += ',';
  first_ = false;
}

void JsonWriter::quote(std::string_view text) {
  text_ += '"';
  std::size_t plain = 0;  // where the part begins that stands for itself
  for (std::size_t at = 0; at < text.size(); ++at) {
    const unsigned byte = byte_at(text, at);
    const bool escaped = byte == '"' || byte == '\\';
    const bool control = byte < 0x20 || byte == 0x7f;
    if (!escaped && !control) continue;
    text_.append(text, plain, at - plain);
    plain = escaped ? at : at + 1;
    text_ += '\\';
    if (const std::size_t known = control ? kShort.find(text[at]) : std::string_view::npos;
        known != std::string_view::npos) {
      text_ += kLetters[known];
    } else if (control) {
      text_.append("u00").append({kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  text_.append(text, plain);
  text_ += '"';
}

}  // namespace pale
