#include "grep/file_search.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "sys/file.h"

namespace pale::grep {
namespace {

constexpr std::size_t kUsualWindow = 256UL << 10U;
constexpr std::size_t kLargestWindow = 64UL << 20U;  // A line that is longer is none.
constexpr std::size_t kLooksLikeText = 64UL << 10U;  // A NUL in the first so many bytes says that it is not.
constexpr std::size_t kPage = 4096;

}  // namespace

FileSearch::FileSearch(const Regex& regex, std::uint64_t context, std::function<bool()> go_on)
    : matcher_(regex), context_(context), go_on_(std::move(go_on)), buffer_(kUsualWindow) {}

// True if something came. A short read of a file is its last one, unless a filesystem hands out whole pages.
bool FileSearch::fill(const sys::Fd& file) {
  const std::size_t before = used_;
  while (used_ < buffer_.size()) {
    const std::size_t got = sys::read_some(file.borrow(), std::span(buffer_).subspan(used_));
    used_ += got;
    at_end_ = got == 0 || (used_ < buffer_.size() && got % kPage != 0);
    if (at_end_) break;
  }
  return used_ > before;
}

// What can be searched now: whole lines, with as many behind them as will be shown.
std::size_t FileSearch::searchable() const {
  if (at_end_) return used_;
  const std::string_view text = window();
  const std::size_t newline = text.rfind('\n');
  return newline == std::string_view::npos ? 0 : lines_before(text, newline + 1, context_, 0);
}

bool FileSearch::room_for_more() {
  if (used_ < buffer_.size()) return true;
  if (buffer_.size() >= kLargestWindow) return false;
  buffer_.resize(2 * buffer_.size());
  return true;
}

void FileSearch::search_window(FileResult& result, FileReport* report, std::size_t end) {
  matcher_.begin_text();
  const std::string_view text = window();
  while (searched_ < end) {
    const LineMatch line = matcher_.next(text.substr(0, end), searched_);
    if (line.begin == kNowhere) break;
    ++result.count;
    if (report != nullptr) report->add(text, line);
    searched_ = line.end + 1;
    if ((result.count & 0xfffU) == 0 && !go_on_()) break;
  }
  searched_ = end;
  if (report != nullptr) report->end_window(text, end);
}

void FileSearch::move_window(std::size_t begin) {
  std::memmove(buffer_.data(), buffer_.data() + begin, used_ - begin);
  used_ -= begin;
  searched_ -= begin;
}

FileResult FileSearch::search(const sys::Fd& file, const std::optional<Bounds>& bounds) {
  FileResult result;
  std::optional<FileReport> report;
  if (bounds) report.emplace(context_, *bounds);
  used_ = searched_ = 0;
  at_end_ = false;
  const std::size_t hard_before = matcher_.hard();
  for (bool first = true; !at_end_; first = false) {
    if (!room_for_more()) {
      result.kind = FileKind::Unreadable;
      break;
    }
    (void)fill(file);
    if (first && std::memchr(buffer_.data(), '\0', std::min(used_, kLooksLikeText)) != nullptr) {
      result.kind = FileKind::Binary;
      break;
    }
    const std::size_t end = searchable();
    if (end <= searched_ && !at_end_) continue;
    search_window(result, report ? &*report : nullptr, end);
    if (at_end_ || !go_on_()) break;
    const std::size_t begin = lines_before(window(), end, context_, 0);
    if (report) report->move_to(window(), begin);
    move_window(begin);
  }
  if (report) result.lines = std::move(*report).take();
  result.hard = matcher_.hard() != hard_before;
  return result;
}

}  // namespace pale::grep
