// base/json.h: writes JSON as it goes, with no tree in between; it is on the start-up path.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace pale {

// Keys and values in the order of the calls; commas are its business, balance is the caller's.
// Text that is not UTF-8 (a path may be any bytes) becomes {"base64": "…"}.
class JsonWriter {
 public:
  JsonWriter() { text_.reserve(kUsual); }
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(std::integral auto number) { return raw(std::to_string(number)); }
  JsonWriter& value(bool truth) { return raw(truth ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }
  JsonWriter& number(std::string_view written) { return raw(written); }
  JsonWriter& json(std::string_view written) { return raw(written); }  // a whole value

  template <typename T>
  JsonWriter& field(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  const std::string& text() const noexcept { return text_; }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& raw(std::string_view text);
  void separate();
  void quote(std::string_view text);

  static constexpr std::size_t kUsual = 4000;  // bytes: a boundary

  std::string text_;
  bool first_ = true;  // Nothing written yet at this level, or a key was just written.
};

// One member or item a line, two spaces a level, for files that people look at. `json` is good JSON.
std::string indented(std::string_view json);

bool is_utf8(std::string_view text) noexcept;
std::string to_base64(std::string_view bytes);
bool from_base64(std::string_view text, std::string& bytes);

}  // namespace pale
