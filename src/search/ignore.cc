#include "search/ignore.h"

#include <algorithm>
#include <ranges>

namespace pale::search {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// A space that is escaped stays. Behind a backslash at the end nothing is escaped, and git leaves such a line alone.
std::string_view without_trailing_spaces(std::string_view line) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool escaped = line[at] == '\\';
    if (escaped && ++at == line.size()) return line;
    if (escaped || line[at] != ' ') end = at + 1;
  }
  return line.substr(0, end);
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// "*.o": a star, and then what stands for itself.
bool is_suffix(std::string_view pattern) {
  return pattern.size() > 1 && pattern.front() == '*' && literal_length(pattern.substr(1)) == pattern.size() - 1;
}

}  // namespace

std::optional<IgnoreRule> IgnoreRule::parse(std::string_view line) {
  if (line.starts_with('#')) return std::nullopt;
  line = without_trailing_spaces(line);
  IgnoreRule rule;
  if (line.starts_with('!')) {
    rule.verdict_ = Verdict::Keep;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    rule.directories_only_ = true;
    line.remove_suffix(1);
  }
  if (line.empty()) return std::nullopt;
  rule.by_name_ = line.find('/') == std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  const std::size_t literal = literal_length(line);
  rule.begin_ = line.substr(0, literal);
  line.remove_prefix(literal);
  if (rule.by_name_ && literal == 0 && is_suffix(line)) {
    rule.suffix_ = line.substr(1);
  } else if (!line.empty()) {
    rule.rest_ = Pattern::compile(line);
    if (!rule.rest_) return std::nullopt;
  }
  return rule;
}

bool IgnoreRule::matches(std::string_view path, EntryKind kind) const noexcept {
  if (directories_only_ && kind != EntryKind::Directory) return false;
  if (by_name_) path = name_of(path);
  if (!suffix_.empty()) return path.ends_with(suffix_);
  if (!path.starts_with(begin_)) return false;
  path.remove_prefix(begin_.size());
  return rest_ ? rest_->matches(path) : path.empty();
}

IgnoreRules IgnoreRules::parse(std::string_view text) {
  IgnoreRules rules;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = line.substr(0, line.find('\0'));
    if (auto rule = IgnoreRule::parse(line)) rules.rules_.push_back(std::move(*rule));
  }
  return rules;
}

Verdict IgnoreRules::judge(std::string_view path, EntryKind kind) const noexcept {
  for (const IgnoreRule& rule : std::views::reverse(rules_)) {
    if (rule.matches(path, kind)) return rule.verdict();
  }
  return Verdict::Silent;
}

}  // namespace pale::search
