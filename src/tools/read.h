// tools/read.h: a part of a file, by bytes or by lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "tools/tool.h"

namespace pale::tools {

inline constexpr std::size_t kMostText = 256UL << 10U;  // bytes in one answer
inline constexpr std::size_t kMostMedia = 4UL << 20U;   // an image is worth nothing in pieces

// What is wanted of a file; all of it, if nothing is set.
struct Range {
  std::uint64_t offset = 0;  // in bytes
  std::optional<std::uint64_t> first_line, last_line;
  std::optional<std::uint64_t> tail;  // that many lines
};

struct Piece {
  std::uint64_t offset = 0;
  std::string bytes;
  bool more = false;  // of what was wanted

  std::uint64_t end() const noexcept { return offset + bytes.size(); }
  bool is_text() const noexcept;
};

// A regular file: what is none may have no end, or make whoever opens it wait.
struct OpenFile {
  sys::Fd fd;
  sys::FileInfo info;
};
Result<OpenFile> open_file(const Call& call, const std::string& path);

// SHA-256 of all that is in it.
std::string hash_of(const OpenFile& file);

// At most so many bytes. What is cut off is cut behind a line, or at least behind a letter.
Piece read_piece(const OpenFile& file, const Range& range, std::size_t most);

}  // namespace pale::tools
