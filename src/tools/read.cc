#include "tools/read.h"

#include <fcntl.h>

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/sha256.h"
#include "tools/checks.h"
#include "tools/refusal.h"

namespace pale::tools {
namespace {

constexpr std::uint64_t kToTheEnd = UINT64_MAX;
constexpr std::size_t kStep = 65536, kLeastStep = 4096;
constexpr std::size_t kLongestLetter = 4;

// Where the line begins that has `count` others before it, counted from `at`; or the end of the file.
std::uint64_t after_lines(const sys::Fd& fd, std::uint64_t at, std::uint64_t count) {
  std::array<char, kStep> buffer;
  while (count > 0) {
    const std::size_t got = sys::read_at(fd, at, buffer);
    if (got == 0) return at;
    const std::string_view bytes(buffer.data(), got);
    std::size_t next = 0;
    while (count > 0) {
      const std::size_t newline = bytes.find('\n', next);
      if (newline == std::string_view::npos) break;
      next = newline + 1;
      --count;
    }
    at += count > 0 ? got : next;
  }
  return at;
}

// Where the last `count` lines begin.
std::uint64_t last_lines(const OpenFile& file, std::uint64_t count) {
  const std::uint64_t size = file.info.size;
  std::array<char, kStep> buffer;
  std::uint64_t at = size;
  while (at > 0) {
    const std::uint64_t begin = at - std::min<std::uint64_t>(at, buffer.size());
    const std::size_t got = sys::read_at(file.fd, begin, std::span(buffer).first(static_cast<std::size_t>(at - begin)));
    for (std::size_t i = got; i-- > 0;) {
      // The newline at the very end ends the last line; it begins none.
      if (buffer[i] == '\n' && begin + i + 1 != size && --count == 0) return begin + i + 1;
    }
    at = begin;
  }
  return 0;
}

std::string read_bytes(const OpenFile& file, std::uint64_t offset, std::uint64_t wanted) {
  std::string bytes;
  const std::uint64_t expected = file.info.size - std::min(offset, file.info.size);
  while (bytes.size() < wanted) {
    const std::size_t step =
        std::min(wanted - bytes.size(), std::clamp<std::uint64_t>(expected + 1, kLeastStep, kStep));
    const std::size_t before = bytes.size();
    bytes.resize(before + step);
    const std::size_t got = sys::read_at(file.fd, offset + before, std::span(bytes).subspan(before));
    bytes.resize(before + got);
    // Files of /proc, whose size is 0, give less than they have.
    if (got == 0 || (got < step && file.info.size > 0)) break;
  }
  return bytes;
}

void cut_well(std::string& bytes) {
  const std::size_t newline = bytes.rfind('\n');
  if (newline != std::string::npos && newline >= bytes.size() / 2) return bytes.resize(newline + 1);
  // Less the bytes of a letter whose rest is cut off: no more of them than make a letter.
  for (std::size_t less = 0; less < std::min(kLongestLetter, bytes.size()); ++less) {
    if (!is_utf8(std::string_view(bytes).substr(0, bytes.size() - less))) continue;
    return bytes.resize(bytes.size() - less);
  }
}

}  // namespace

bool Piece::is_text() const noexcept { return is_utf8(bytes) && bytes.find('\0') == std::string::npos; }

Result<OpenFile> open_file(const Call& call, const std::string& path) {
  auto fd = sys::open_at(call.root(), path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return refuse(call, Operation::Read, path, fd.error());
  auto info = sys::file_info(*fd);
  if (!info) return refuse(call, Operation::Read, path, info.error());
  if (!kChecked) return OpenFile{std::move(*fd), *info};
  if (info->kind == sys::FileKind::Directory)
    return fail(ErrorKind::Usage, path + ":", "it is a directory", "list_directory shows what is in it");
  if (info->kind != sys::FileKind::File)
    return fail(ErrorKind::Usage, path + ":", "it is a device, a pipe or a socket, and no file");
  return OpenFile{std::move(*fd), *info};
}

std::string hash_of(const OpenFile& file) {
  Sha256 hash;
  std::vector<char> buffer(kStep);
  for (std::uint64_t at = 0;;) {
    const std::size_t got = sys::read_at(file.fd, at, buffer);
    if (got == 0) return hash.hex();
    hash.add({buffer.data(), got});
    at += got;
  }
}

Piece read_piece(const OpenFile& file, const Range& range, std::size_t most) {
  std::uint64_t end = kToTheEnd;
  Piece piece{.offset = range.offset};
  if (range.tail) piece.offset = *range.tail == 0 ? file.info.size : last_lines(file, *range.tail);
  const std::uint64_t first = std::max<std::uint64_t>(range.first_line.value_or(1), 1);
  if (range.first_line) piece.offset = after_lines(file.fd, 0, first - 1);
  if (range.last_line) {
    const std::uint64_t count = *range.last_line >= first ? *range.last_line - first + 1 : 0;
    end = after_lines(file.fd, piece.offset, count);
  }
  // One byte more than fits tells whether there is more.
  piece.bytes = read_bytes(file, piece.offset, std::min<std::uint64_t>(end - piece.offset, most + 1));
  piece.more = piece.bytes.size() > most;
  if (!piece.more) return piece;
  piece.bytes.resize(most);
  cut_well(piece.bytes);
  return piece;
}

}  // namespace pale::tools
