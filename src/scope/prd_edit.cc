#include "scope/prd_edit.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/json_value.h"
#include "base/toml.h"

namespace pale::scope {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

struct Member {
  TextSpan key;  // with its quotes
  TextSpan value;
};

// Finds its way through good JSON, and checks nothing.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  // The members of the object, or the items of the list (without a key), that begins at `at`.
  std::vector<Member> parts_of(std::size_t at) const {
    const bool object = text_[at] == '{';
    std::vector<Member> parts;
    for (++at;;) {
      at = skip_space(at);
      if (text_[at] == '}' || text_[at] == ']') return parts;
      Member part;
      if (object) {
        part.key = {at, end_of(at)};
        at = skip_space(skip_space(part.key.end) + 1);
      }
      part.value = {at, end_of(at)};
      parts.push_back(part);
      at = skip_space(part.value.end);
      if (text_[at] == ',') ++at;
    }
  }

  std::optional<Member> find(std::size_t object, std::string_view key) const {
    for (const Member& member : parts_of(object)) {
      // A key may be written with escapes.
      const auto name = JsonValue::parse(text_.substr(member.key.begin, member.key.end - member.key.begin), 1);
      if (name && *name->text() == key) return member;
    }
    return std::nullopt;
  }

  std::size_t skip_space(std::size_t at) const { return std::min(text_.find_first_not_of(kSpace, at), text_.size()); }

 private:
  std::size_t end_of_string(std::size_t at) const {
    for (++at; text_[at] != '"'; ++at) {
      if (text_[at] == '\\') ++at;
    }
    return at + 1;
  }

  std::size_t end_of(std::size_t at) const {
    if (text_[at] == '"') return end_of_string(at);
    if (text_[at] != '{' && text_[at] != '[') return std::min(text_.find_first_of(",]} \t\r\n", at), text_.size());
    for (std::size_t depth = 0;;) {
      if (text_[at] == '"') {
        at = end_of_string(at);
        continue;
      }
      if (text_[at] == '{' || text_[at] == '[') ++depth;
      if ((text_[at] == '}' || text_[at] == ']') && --depth == 0) return at + 1;
      ++at;
    }
  }

  std::string_view text_;
};

// How a story is laid out: what stands before each of its keys, and before its end.
struct Layout {
  std::string_view before_key;
  std::string_view before_end;
  std::string_view colon;  // with the spaces around it

  bool many_lines() const { return before_key.find('\n') != std::string_view::npos; }
  static std::string_view last_line(std::string_view space) { return space.substr(space.rfind('\n') + 1); }

  // What one level is moved in by.
  std::string unit() const {
    const std::string_view inner = last_line(before_key);
    const std::string_view outer = last_line(before_end);
    const bool deeper =
        before_end.find('\n') != std::string_view::npos && inner.size() > outer.size() && inner.starts_with(outer);
    return deeper ? std::string(inner.substr(outer.size())) : "  ";
  }

  // A list goes over several lines where the story does; anything else stays on one.
  std::string laid_out(std::string_view value) const {
    if (!value.starts_with('[') || value == "[]") return std::string(value);
    const std::string item = many_lines() ? std::string(before_key) + unit() : colon.ends_with(' ') ? " " : "";
    std::string text = "[";
    const std::vector<Member> items = Walk(value).parts_of(0);
    for (const Member& each : items) {
      const bool first = &each == items.data();
      text += first ? "" : ",";
      if (many_lines() || !first) text += item;
      text += value.substr(each.value.begin, each.value.end - each.value.begin);
    }
    return text + (many_lines() ? std::string(before_key) : "") + "]";
  }
};

Layout layout_of(std::string_view text, TextSpan story, const Member& last) {
  const std::size_t before = text.find_last_not_of(kSpace, last.key.begin - 1) + 1;
  return {text.substr(before, last.key.begin - before), text.substr(last.value.end, story.end - 1 - last.value.end),
          text.substr(last.key.end, last.value.begin - last.key.end)};
}

struct Replacement {
  TextSpan where;
  std::string by;
  std::size_t given = 0;  // its place among those given
};

Replacement replacement(std::string_view text, TextSpan story, const StoryEdit& edit) {
  const Walk walk(text);
  const Member last = walk.parts_of(story.begin).back();
  const Layout layout = layout_of(text, story, last);
  if (const auto known = walk.find(story.begin, edit.key)) return {known->value, layout.laid_out(edit.value)};
  return {{last.value.end, last.value.end},
          "," + std::string(layout.before_key) + json_of(edit.key) + std::string(layout.colon) +
              layout.laid_out(edit.value)};
}

}  // namespace

std::string edit_stories(std::string_view text, std::span<const StoryEdit> edits) {
  const Walk walk(text);
  const std::vector<Member> stories = walk.parts_of(walk.find(walk.skip_space(0), "userStories")->value.begin);
  std::vector<Replacement> replacements;
  for (const StoryEdit& edit : edits) {
    replacements.push_back(replacement(text, stories[edit.story].value, edit));
    replacements.back().given = replacements.size();
  }
  // New keys of one story stand at the same place, and come in the order in which they were given.
  std::ranges::sort(replacements, {}, [](const Replacement& each) { return std::pair(each.where.begin, each.given); });
  std::string edited;
  std::size_t at = 0;
  for (const Replacement& each : replacements) {
    edited += text.substr(at, each.where.begin - at);
    edited += each.by;
    at = each.where.end;
  }
  edited += text.substr(at);
  return edited;
}

std::string json_of(std::string_view text) {
  JsonWriter out;
  out.value(text);
  return out.text();
}

std::string json_of(std::span<const std::string> texts) {
  JsonWriter out;
  out.begin_array();
  for (const std::string& text : texts) out.value(text);
  out.end_array();
  return out.text();
}

}  // namespace pale::scope
