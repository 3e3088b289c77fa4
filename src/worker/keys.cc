#include "worker/keys.h"

#include "base/text.h"

namespace pale::worker {
namespace {

// A NUL would cut it short wherever it is handed to a program. Nothing, and a word for nothing, is no text.
const std::string* plain_text(const YamlValue& value) {
  const std::string* text = value.text();
  return text == nullptr || value.is_null() || text->find('\0') != std::string::npos ? nullptr : text;
}

std::string listed(std::span<const std::string_view> words) {
  std::string all;
  for (const std::string_view word : words) all += (all.empty() ? "" : ", ") + std::string(word);
  return all;
}

}  // namespace

std::unexpected<Error> Origin::wrong(std::size_t at, const std::string& what, std::string hint) const {
  return fail(ErrorKind::Usage, file + ": " + place_in(text, at) + ": " + what, "", std::move(hint));
}

std::size_t Origin::line(std::size_t at) const {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
}

const YamlMember* Keys::find(std::string_view key) {
  known_.push_back(key);
  const auto found = std::ranges::find(mapping_.members(), key, &YamlMember::key);
  return found == mapping_.members().end() ? nullptr : &*found;
}

std::string Keys::said_name(std::string_view key) const {
  return name_.empty() ? std::string(key) : name_ + "." + std::string(key);
}

std::string Keys::where(std::string_view key) const {
  const auto found = std::ranges::find(mapping_.members(), key, &YamlMember::key);
  const std::size_t at = found == mapping_.members().end() ? mapping_.at() : found->key_at;
  return origin_.file.substr(origin_.file.rfind('/') + 1) + ":" + std::to_string(origin_.line(at));
}

std::unexpected<Error> Keys::wrong(std::string_view key, const std::string& what, std::string hint) const {
  const auto found = std::ranges::find(mapping_.members(), key, &YamlMember::key);
  const std::size_t at = found == mapping_.members().end() ? mapping_.at()
                         : found->value.is_null()          ? found->key_at
                                                           : found->value.at();
  return origin_.wrong(at, said_name(key) + " " + what, std::move(hint));
}

std::unexpected<Error> Keys::wrong_choice(std::string_view key, const std::string& given,
                                          std::span<const std::string_view> names) const {
  const auto close = nearest(given, names);
  return wrong(key, "must be one of " + listed(names) + ", not " + given,
               std::string(key) + ": " + std::string(close.value_or(names.front())));
}

Result<std::optional<std::string>> Keys::text(std::string_view key) {
  const YamlMember* member = find(key);
  if (member == nullptr) return std::nullopt;
  const std::string* text = plain_text(member->value);
  if (text == nullptr) return wrong(key, "must be a text", std::string(key) + ": \"…\"");
  return *text;
}

Result<std::optional<bool>> Keys::boolean(std::string_view key) {
  const YamlMember* member = find(key);
  if (member == nullptr) return std::nullopt;
  const auto truth = member->value.boolean();
  if (!truth) return wrong(key, "must be true or false", std::string(key) + ": true");
  return *truth;
}

Result<std::optional<std::uint64_t>> Keys::amount(std::string_view key) {
  const YamlMember* member = find(key);
  if (member == nullptr) return std::nullopt;
  const auto number = member->value.whole_number();
  if (!number || *number == 0) return wrong(key, "must be a whole number above zero", std::string(key) + ": 5");
  return *number;
}

Result<std::optional<std::vector<std::string>>> Keys::texts(std::string_view key) {
  const YamlMember* member = find(key);
  if (member == nullptr) return std::nullopt;
  std::string example = std::string(key) + ": [\"…\", \"…\"]";
  if (member->value.kind() != YamlValue::Kind::Sequence) return wrong(key, "must be a list of texts", example);
  std::vector<std::string> texts;
  for (const YamlValue& item : member->value.items()) {
    const std::string* text = plain_text(item);
    if (text == nullptr) return wrong(key, "must be a list of texts", example);
    texts.push_back(*text);
  }
  return texts;
}

Result<std::optional<Keys>> Keys::mapping(std::string_view key) {
  const YamlMember* member = find(key);
  if (member == nullptr) return std::nullopt;
  if (member->value.kind() != YamlValue::Kind::Mapping)
    return wrong(key, "must be a mapping", "write its keys below it, each indented");
  return Keys(member->value, origin_, said_name(key));
}

Status Keys::finish() const {
  for (const YamlMember& member : mapping_.members()) {
    if (std::ranges::find(known_, member.key) != known_.end()) continue;
    const auto close = nearest(member.key, known_);
    return origin_.wrong(member.key_at, "unknown key " + said_name(member.key),
                         close ? "did you mean " + std::string(*close) + "?" : "known here: " + listed(known_));
  }
  return {};
}

}  // namespace pale::worker
