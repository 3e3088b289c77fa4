// YAML as the small program reads it: everything knows where it stands, and means the same when it is written in the strictest form.
#include <algorithm>

#include "base/json.h"
#include "base/yaml.h"
#include "fuzz/property.h"

namespace pale {
namespace {

using fuzz::must;

constexpr std::size_t kDeepest = 12;

// The code point that begins here, and how many bytes it has. The text is UTF-8.
std::pair<unsigned, std::size_t> point_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return {first, 1};
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  unsigned point = first & (0xffU >> (length + 1));
  for (const char c : text.substr(1, length - 1)) point = point << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  return {point, length};
}

// In double quotation marks; every character that could mean anything as its number.
std::string quoted(std::string_view text) {
  must(is_utf8(text), "text is UTF-8", text);
  std::string out = "\"";
  while (!text.empty()) {
    const auto [point, length] = point_at(text);
    if (point >= 0x20 && point < 0x7f && point != '"' && point != '\\') {
      out += static_cast<char>(point);
    } else {
      constexpr char kDigits[] = "0123456789abcdef";
      out += "\\U";
      for (unsigned shift = 32; shift > 0; shift -= 4) out += kDigits[point >> (shift - 4) & 15U];
    }
    text.remove_prefix(length);
  }
  return out + "\"";
}

std::string strict(const YamlValue& value) {
  std::string out;
  switch (value.kind()) {
    case YamlValue::Kind::Null: return "null";
    case YamlValue::Kind::Scalar: return value.is_null() ? "null" : quoted(*value.text());
    case YamlValue::Kind::Sequence:
      for (const YamlValue& item : value.items()) out += (out.empty() ? "" : ", ") + strict(item);
      return "[" + out + "]";
    case YamlValue::Kind::Mapping:
      for (const YamlMember& member : value.members())
        out += (out.empty() ? "" : ", ") + quoted(member.key) + ": " + strict(member.value);
      return "{" + out + "}";
  }
  return out;
}

// YAML lets a key have 1024 characters, and in the strictest form each takes ten.
bool has_long_key(const YamlValue& value) {
  return std::ranges::any_of(value.items(), has_long_key) ||
         std::ranges::any_of(value.members(), [](const YamlMember& member) {
           return member.key.size() > 100 || has_long_key(member.value);
         });
}

void check_places(const YamlValue& value, std::string_view text) {
  must(value.at() <= text.size(), "it stands in the text", text);
  for (const YamlValue& item : value.items()) check_places(item, text);
  for (const YamlMember& member : value.members()) {
    must(member.key_at <= text.size(), "a key stands in the text", text);
    must(std::ranges::count(value.members(), member.key, &YamlMember::key) == 1, "a key stands once", text);
    check_places(member.value, text);
  }
}

void check(std::string_view text) {
  const auto value = YamlValue::parse(text, kDeepest);
  if (!value) {
    must(value.error().subject.starts_with("line "), "a refusal says where", value.error().sentence());
    return;
  }
  check_places(*value, text);
  if (value->kind() == YamlValue::Kind::Null || has_long_key(*value)) return;
  const std::string once = strict(*value);
  const auto again = YamlValue::parse(once, kDeepest);
  must(again.has_value(), "what was read can be read again", again ? "" : again.error().sentence() + "\n" + once);
  must(strict(*again) == once, "it says the same", once + "\n" + strict(*again));
}

}  // namespace
}  // namespace pale

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  pale::check(pale::fuzz::as_text(data, size));
  return 0;
}
