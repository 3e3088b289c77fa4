// scope/prd_edit.h: changes single values of the stories in a prd.json; every other byte stays. Touches no disk.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pale::scope {

// A key of one story, and the value it gets: JSON on one line, without spaces between its parts. If the story has no such key
// yet, it comes last, laid out as the key before it is.
struct StoryEdit {
  std::size_t story = 0;  // its place in userStories
  std::string key;
  std::string value;
};

// `text` is one that parse_prd accepts.
std::string edit_stories(std::string_view text, std::span<const StoryEdit> edits);

// As a value of an edit.
std::string json_of(std::string_view text);
std::string json_of(std::span<const std::string> texts);

}  // namespace pale::scope
