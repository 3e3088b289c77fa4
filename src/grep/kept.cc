#include "grep/kept.h"

#include <algorithm>
#include <utility>

namespace pale::grep {

std::optional<Bounds> Kept::wants(std::string_view path) const {
  if (bounds_.lines == 0 || (!last_.empty() && search::path_before(last_, path))) return std::nullopt;
  return bounds_;
}

// A file whose matches are only counted costs as much as one line.
Bounds Kept::cost(const search::FileMatches& file) const {
  Bounds cost = {report_ == search::Report::Counts ? 1U : 0U, file.path.size()};
  for (const search::Line& line : file.lines) {
    cost.lines += line.matches ? 1 : 0;
    cost.bytes += line.text.size() + 1;
  }
  return cost;
}

void Kept::add(search::FileMatches file) {
  const Bounds more = cost(file);
  held_.lines += more.lines;
  held_.bytes += more.bytes;
  files_.push_back(std::move(file));
  if (held_.lines > 2 * bounds_.lines || held_.bytes > 2 * bounds_.bytes) cut();
}

// Lines from the end until the rest fits. Whether anything is left.
bool Kept::shorten(search::FileMatches& file, const Bounds& left) const {
  Bounds all = cost(file);
  while (!file.lines.empty() && (all.lines > left.lines || all.bytes > left.bytes)) {
    all.lines -= file.lines.back().matches ? 1 : 0;
    all.bytes -= file.lines.back().text.size() + 1;
    file.lines.pop_back();
  }
  const bool any = report_ == search::Report::Counts || all.lines > 0;
  return any && all.lines <= left.lines && all.bytes <= left.bytes;
}

void Kept::cut() {
  std::ranges::sort(files_, search::path_before, &search::FileMatches::path);
  Bounds left = bounds_;
  auto file = files_.begin();
  for (; file != files_.end(); ++file) {
    const Bounds wanted = cost(*file);
    if (wanted.lines > left.lines || wanted.bytes > left.bytes) break;
    left = {left.lines - wanted.lines, left.bytes - wanted.bytes};
  }
  if (file != files_.end()) {
    if (shorten(*file, left)) ++file;
    files_.erase(file, files_.end());
    last_ = files_.empty() ? std::string() : files_.back().path;
  }
  held_ = {};
  for (const search::FileMatches& each : files_) {
    const Bounds each_cost = cost(each);
    held_ = {held_.lines + each_cost.lines, held_.bytes + each_cost.bytes};
  }
}

void Kept::merge(Kept&& other) { std::ranges::move(other.files_, std::back_inserter(files_)); }

std::vector<search::FileMatches> Kept::take() && {
  cut();
  return std::move(files_);
}

}  // namespace pale::grep
