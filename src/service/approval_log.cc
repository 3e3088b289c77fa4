#include "service/approval_log.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <span>

#include "sys/file.h"

namespace pale::service {
namespace {

constexpr std::size_t kFirstLook = 64UL << 10U;
constexpr std::size_t kMostRead = 64UL << 20U;

Path log_of(const Path& pale_home) { return pale_home / "approvals/log.jsonl"; }

// The end of a file, as many bytes as are wanted, or all.
std::string end_of(const sys::Fd& file, std::uint64_t size, std::size_t wanted) {
  std::string text(std::min<std::uint64_t>(wanted, size), '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t got = sys::read_at(file, size - text.size() + length, std::span(text).subspan(length));
    if (got == 0) break;
    length += got;
  }
  text.resize(length);
  return text;
}

// The last whole lines. What stands before the first newline may be half of one, unless the file begins there.
std::vector<std::string_view> last_lines(std::string_view text, std::size_t most, bool from_beginning) {
  std::vector<std::string_view> lines;
  text = text.substr(0, text.rfind('\n') + 1);
  while (!text.empty() && lines.size() < most) {
    text.remove_suffix(1);
    const std::size_t before = text.rfind('\n');
    if (before == std::string_view::npos && !from_beginning) break;
    const std::size_t begin = before + 1;  // npos + 1 is 0
    lines.push_back(text.substr(begin));
    text = text.substr(0, begin);
  }
  std::ranges::reverse(lines);
  return lines;
}

}  // namespace

Status record_decision(const Path& pale_home, const session::Question& question, const session::Decision& decision) {
  PALE_CHECK(sys::make_directories((pale_home / "approvals").text(), 0700));
  PALE_TRY(file,
           sys::open_at(sys::kAbsolute, log_of(pale_home).c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0600));
  return sys::write_all(file.borrow(), to_line(session::Decided{question, decision}));
}

Result<DecisionsRead> newest_decisions(const Path& pale_home, std::size_t most) {
  auto file = sys::open_at(sys::kAbsolute, log_of(pale_home).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file && file.error().number == ENOENT) return DecisionsRead{};
  if (!file) return std::unexpected(std::move(file).error());
  PALE_TRY(info, sys::file_info(*file));
  if (info.kind != sys::FileKind::File) return fail(ErrorKind::Refused, "this is no file:", log_of(pale_home).text());
  for (std::size_t wanted = kFirstLook;; wanted *= 2) {
    const std::string text = end_of(*file, info.size, wanted);
    const bool whole = info.size <= wanted;
    const auto lines = last_lines(text, most, whole);
    if (lines.size() < most && !whole && wanted < kMostRead) continue;
    DecisionsRead read;
    for (const std::string_view line : lines) {
      auto decided = session::parse_decided(line);
      if (decided) read.decisions.push_back(std::move(*decided));
      if (!decided) ++read.unreadable;
    }
    return read;
  }
}

}  // namespace pale::service
