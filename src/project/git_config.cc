#include "project/git_config.h"

#include <algorithm>

namespace pale::project {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool begins_comment(char c) { return c == '#' || c == ';'; }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

char unescaped(char c) {
  switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'b': return '\b';
    default: return c;
  }
}

}  // namespace

GitConfigText::GitConfigText(std::string_view text) : rest_(text) {
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

std::optional<GitSetting> GitConfigText::next() {
  while (!rest_.empty()) {
    const char first = rest_.front();
    if (is_blank(first) || first == '\n') {
      rest_.remove_prefix(1);
    } else if (begins_comment(first)) {
      skip_line();
    } else if (first == '[') {
      enter_section();
    } else {
      const std::size_t end = std::min(rest_.find_first_of("=\n"), rest_.size());
      std::string key = lower(without_blanks(rest_.substr(0, end)));
      rest_.remove_prefix(end);
      if (!rest_.empty() && take() == '=') return GitSetting{section_, std::move(key), take_value()};
    }
  }
  return std::nullopt;
}

// A line may end as on Windows.
char GitConfigText::take() {
  if (rest_.starts_with("\r\n")) rest_.remove_prefix(1);
  const char c = rest_.front();
  rest_.remove_prefix(1);
  return c;
}

void GitConfigText::skip_line() { rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size())); }

void GitConfigText::enter_section() {
  rest_.remove_prefix(1);
  const std::size_t end = std::min(rest_.find_first_of(" \t\"]\n"), rest_.size());
  section_ = lower(rest_.substr(0, end));
  rest_.remove_prefix(end);
  bool quoted = false;
  while (!rest_.empty() && rest_.front() != '\n') {
    const char c = take();
    if (c == ']' && !quoted) return;
    if (c == '"') quoted = !quoted;
    if (c == '\\' && !rest_.empty()) take();
  }
}

// Blanks around it are no part of it, unless in quotes; behind a backslash at its end it goes on in the next line.
std::string GitConfigText::take_value() {
  std::string value;
  std::size_t length = 0;
  bool quoted = false;
  while (!rest_.empty()) {
    char c = take();
    if (c == '\n') break;
    if (!quoted && begins_comment(c)) {
      skip_line();
      break;
    }
    if (c == '"') {
      quoted = !quoted;
      continue;
    }
    if (!quoted && is_blank(c)) {
      if (!value.empty()) value += c;
      continue;
    }
    if (c == '\\') {
      if (rest_.empty()) break;
      c = take();
      if (c == '\n') continue;
      c = unescaped(c);
    }
    value += c;
    length = value.size();
  }
  value.resize(length);
  return value;
}

std::vector<std::string> config_values(std::string_view text, std::string_view section, std::string_view key) {
  std::vector<std::string> values;
  GitConfigText config(text);
  while (auto setting = config.next()) {
    if (setting->section == section && setting->key == key) values.push_back(std::move(setting->value));
  }
  return values;
}

}  // namespace pale::project
