#include "stage/colour.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/line_diff.h"
#include "base/text.h"

namespace pale::stage {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kCyan = "\x1b[36m";
constexpr std::string_view kReverse = "\x1b[7m";
constexpr std::string_view kNotReverse = "\x1b[27m";
constexpr std::string_view kReset = "\x1b[m";

// Longer lines and blocks are no help to look at word by word, and cost time.
constexpr std::size_t kLongestLine = 500;
constexpr std::size_t kLongestBlock = 100;

// --- what a line is ---------------------------------------------------------------------------------------------------

enum class Role { Header, Range, Context, Removed, Added, Note };

struct PatchLine {
  std::string_view text;  // without its line end
  Role role;
  std::string_view twin;  // what a removed line became, or an added one was; without the sign

  std::string_view body() const { return text.substr(1); }
};

// How many lines of both versions a hunk still has.
struct Rest {
  std::uint64_t removed = 0, added = 0;
};

// "7,3": 3 lines. "7": one.
std::optional<std::uint64_t> count_in(std::string_view range) {
  const std::size_t comma = range.find(',');
  return comma == std::string_view::npos ? std::optional<std::uint64_t>(1) : parse_number(range.substr(comma + 1));
}

// "@@ -1,4 +1,5 @@"
std::optional<Rest> read_range(std::string_view line) {
  constexpr std::string_view kBegin = "@@ -", kMiddle = " +", kEnd = " @@";
  if (!line.starts_with(kBegin)) return std::nullopt;
  line.remove_prefix(kBegin.size());
  const std::size_t middle = line.find(kMiddle);
  if (middle == std::string_view::npos) return std::nullopt;
  const std::size_t end = line.find(kEnd, middle);
  if (end == std::string_view::npos) return std::nullopt;
  const auto removed = count_in(line.substr(0, middle));
  const auto added = count_in(line.substr(middle + kMiddle.size(), end - middle - kMiddle.size()));
  if (!removed || !added) return std::nullopt;
  return Rest{*removed, *added};
}

// By the counts of its hunk: a removed line "-- a/x" looks like a header otherwise.
Role role_of(std::string_view line, Rest& rest) {
  const char sign = line.empty() ? '\0' : line.front();
  if (sign == '\\') return Role::Note;
  if (sign == ' ' && rest.removed > 0 && rest.added > 0) {
    --rest.removed;
    --rest.added;
    return Role::Context;
  }
  if (sign == '-' && rest.removed > 0) {
    --rest.removed;
    return Role::Removed;
  }
  if (sign == '+' && rest.added > 0) {
    --rest.added;
    return Role::Added;
  }
  const auto range = read_range(line);
  rest = range.value_or(Rest{});
  return range ? Role::Range : Role::Header;
}

std::vector<PatchLine> lines_of(std::string_view patch) {
  std::vector<PatchLine> lines;
  Rest rest;
  for (std::string_view line : split_lines(patch)) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    lines.push_back({line, role_of(line, rest), {}});
  }
  return lines;
}

// --- which words differ -----------------------------------------------------------------------------------------------

// The lines of one role from here on, over notes about a missing line end.
std::vector<PatchLine*> run_of(Role role, std::vector<PatchLine>& lines, std::size_t& at) {
  std::vector<PatchLine*> run;
  for (; at < lines.size() && (lines[at].role == role || lines[at].role == Role::Note); ++at) {
    if (lines[at].role == role) run.push_back(&lines[at]);
  }
  return run;
}

void find_twins(std::vector<PatchLine>& lines) {
  for (std::size_t at = 0; at < lines.size();) {
    if (lines[at].role != Role::Removed) {
      ++at;
      continue;
    }
    const auto removed = run_of(Role::Removed, lines, at);
    const auto added = run_of(Role::Added, lines, at);
    if (removed.size() != added.size() || removed.size() > kLongestBlock) continue;
    for (std::size_t i = 0; i < removed.size(); ++i) {
      if (std::max(removed[i]->text.size(), added[i]->text.size()) > kLongestLine) continue;
      removed[i]->twin = added[i]->body();
      added[i]->twin = removed[i]->body();
    }
  }
}

enum class Letter { Word, Space, Other };

// Bytes of one character stay together: all that is not ASCII counts as part of a word.
Letter letter_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == ' ' || c == '\t') return Letter::Space;
  const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return alphanumeric || c == '_' || byte >= 0x80 ? Letter::Word : Letter::Other;
}

// Words, runs of spaces, and single signs.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const Letter kind = letter_of(line.front());
    std::size_t length = 1;
    while (kind != Letter::Other && length < line.size() && letter_of(line[length]) == kind) ++length;
    words.push_back(line.substr(0, length));
    line.remove_prefix(length);
  }
  return words;
}

// --- writing ----------------------------------------------------------------------------------------------------------

void append_safe(std::string& out, std::string_view text) {
  for (std::size_t tab = text.find('\t'); tab != std::string_view::npos; tab = text.find('\t')) {
    out.append(printable(text.substr(0, tab))).append("\t");
    text.remove_prefix(tab + 1);
  }
  out.append(printable(text));
}

// A line and its twin have little in common: marked words would be nearly all.
bool worth_marking(const std::vector<std::string_view>& words, const std::vector<bool>& differs) {
  std::size_t same = 0, all = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (letter_of(words[i].front()) == Letter::Space) continue;
    all += words[i].size();
    same += differs[i] ? 0 : words[i].size();
  }
  return same * 3 >= all;
}

// Each of the line's words: whether its twin has another one there.
std::vector<bool> differing(const PatchLine& line, const std::vector<std::string_view>& words) {
  const auto others = words_of(line.twin);
  const bool removed = line.role == Role::Removed;
  std::vector<bool> differs(words.size(), false);
  for (const Edit& edit : removed ? diff_lines(words, others) : diff_lines(others, words)) {
    const std::size_t begin = removed ? edit.old_begin : edit.new_begin;
    const std::size_t end = removed ? edit.old_end : edit.new_end;
    for (std::size_t at = begin; at < end; ++at) differs[at] = true;
  }
  return differs;
}

void append_marked(std::string& out, const PatchLine& line) {
  const auto words = words_of(line.body());
  const auto differs = differing(line, words);
  if (!worth_marking(words, differs)) return append_safe(out, line.body());
  bool reverse = false;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (differs[at] != reverse) out.append(differs[at] ? kReverse : kNotReverse);
    reverse = differs[at];
    append_safe(out, words[at]);
  }
}

std::string_view colour_of(Role role) {
  switch (role) {
    case Role::Header: return kBold;
    case Role::Range: return kCyan;
    case Role::Removed: return kRed;
    case Role::Added: return kGreen;
    case Role::Context:
    case Role::Note: return {};
  }
  return {};
}

}  // namespace

std::string coloured_patch(std::string_view patch) {
  std::vector<PatchLine> lines = lines_of(patch);
  find_twins(lines);
  std::string out;
  for (const PatchLine& line : lines) {
    const std::string_view colour = line.text.empty() ? std::string_view() : colour_of(line.role);
    out.append(colour);
    if (line.twin.empty()) {
      append_safe(out, line.text);
    } else {
      out.append(line.text.substr(0, 1));
      append_marked(out, line);
    }
    out.append(colour.empty() ? "" : kReset).append("\n");
  }
  return out;
}

}  // namespace pale::stage
