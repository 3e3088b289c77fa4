#include "worker/front_matter.h"

#include <algorithm>

namespace pale::worker {
namespace {

constexpr std::string_view kMark = "---";
constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kNoBegin = "a worker begins with a line of --- and its keys";
constexpr std::string_view kBegin = "first a line of ---, then name: my-worker, then another line of ---";

bool is_mark(std::string_view line) {
  return line.starts_with(kMark) && line.find_first_not_of(kBlank, kMark.size()) == std::string_view::npos;
}

bool is_blank_or_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(kBlank);
  return first == std::string_view::npos || line[first] == '#';
}

}  // namespace

Result<Parts> split_front_matter(const Origin& origin) {
  const std::string_view text = origin.text;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, end - at);
    if (is_mark(line)) {
      if (inside) return Parts{text.substr(0, at), text.substr(end)};
      inside = true;
    } else if (!inside && !is_blank_or_comment(line)) {
      return origin.wrong(at, std::string(kNoBegin), std::string(kBegin));
    }
    at = end;
  }
  if (inside) return origin.wrong(text.size(), "the keys have no end", "a line of --- ends them");
  return origin.wrong(0, std::string(kNoBegin), std::string(kBegin));
}

std::string_view without_blank_edges(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  const std::size_t line = text.substr(0, first).rfind('\n');
  const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

}  // namespace pale::worker
