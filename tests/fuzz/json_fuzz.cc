// JSON as the small program reads it: what it takes, another reader takes, too; written again it is the same; in lines, too.
#include <nlohmann/json.hpp>

#include "base/json_value.h"
#include "fuzz/property.h"

namespace pale {
namespace {

using fuzz::must;

constexpr std::size_t kDeepest = 16;

std::size_t depth_of(const JsonValue& value) {
  std::size_t deepest = 0;
  for (const JsonValue& item : value.items()) deepest = std::max(deepest, depth_of(item));
  for (const auto& [key, member] : value.members()) deepest = std::max(deepest, depth_of(member));
  return deepest + (value.is_array() || value.is_object() ? 1 : 0);
}

std::string written(const JsonValue& value) {
  JsonWriter out;
  write_json(out, value);
  return out.text();
}

// Numbers that no machine has room for are JSON all the same.
bool other_takes(std::string_view text) {
  try {
    [[maybe_unused]] const auto parsed = nlohmann::json::parse(text);
    return true;
  } catch (const nlohmann::json::out_of_range&) {
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

void check(std::string_view text) {
  const auto value = JsonValue::parse(text, kDeepest);
  if (!value) {
    must(value.error().subject.starts_with("line "), "a refusal says where", value.error().sentence());
    return;
  }
  must(other_takes(text), "it is JSON", text);
  must(depth_of(*value) <= kDeepest, "it is not too deep", text);
  const std::string once = written(*value);
  const auto again = JsonValue::parse(once, kDeepest);
  must(again.has_value(), "what was read can be read again", once);
  must(written(*again) == once, "it says the same", once);
  const auto in_lines = JsonValue::parse(indented(once), kDeepest);
  must(in_lines && written(*in_lines) == once, "it says the same in lines", indented(once));
}

}  // namespace
}  // namespace pale

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  pale::check(pale::fuzz::as_text(data, size));
  return 0;
}
