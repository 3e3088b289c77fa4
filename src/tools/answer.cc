#include "tools/answer.h"

#include <algorithm>

namespace pale::tools {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::size_t kLongestLetter = 4;

// The bytes of the letter that begins here; 0 if none does.
std::size_t letter_at(std::string_view bytes, std::size_t at) {
  for (std::size_t length = 1; length <= std::min(kLongestLetter, bytes.size() - at); ++length) {
    if (is_utf8(bytes.substr(at, length))) return length;
  }
  return 0;
}

}  // namespace

std::string as_text(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = letter_at(bytes, at);
    text += length == 0 ? kReplacement : bytes.substr(at, length);
    at += std::max<std::size_t>(1, length);
  }
  return text;
}

std::string text_block(std::string_view text) {
  JsonWriter out;
  out.begin_object().field("type", "text").field("text", as_text(text)).end_object();
  return out.text();
}

Answer text_answer(std::string_view text, const JsonWriter& structured) {
  return {text_block(text), structured.text()};
}

}  // namespace pale::tools
