// tools/answer.h: what a tool answers: text that a model reads, and the same as data.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace pale::tools {

struct Answer {
  std::string content;     // JSON: the items of the protocol's list, with commas between them
  std::string structured;  // JSON: an object
};

// What is not UTF-8 in a text is replaced: JSON has no other bytes.
std::string as_text(std::string_view bytes);

std::string text_block(std::string_view text);
Answer text_answer(std::string_view text, const JsonWriter& structured);

}  // namespace pale::tools
