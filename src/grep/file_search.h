// grep/file_search.h: searches one file after another, with memory that is used again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grep/lines.h"
#include "grep/report.h"
#include "sys/fd.h"

namespace pale::grep {

enum class FileKind { Text, Binary, Unreadable };
struct FileResult {
  FileKind kind = FileKind::Text;
  std::uint64_t count = 0;  // lines that match
  std::vector<search::Line> lines;
  bool hard = false;  // a line took too many steps
};

class FileSearch {
 public:
  // `go_on` is asked now and then whether there is time left.
  FileSearch(const Regex& regex, std::uint64_t context, std::function<bool()> go_on);

  // Reads to its end. Lines are only kept within the bounds; without any, they are only counted. It is read, never mapped: whoever
  // cuts a mapped file short ends the process that looks at it.
  FileResult search(const sys::Fd& file, const std::optional<Bounds>& bounds);

 private:
  bool fill(const sys::Fd& file);
  bool room_for_more();
  std::size_t searchable() const;
  void search_window(FileResult& result, FileReport* report, std::size_t end);
  void move_window(std::size_t begin);
  std::string_view window() const { return {buffer_.data(), used_}; }

  LineMatcher matcher_;
  std::uint64_t context_;
  std::function<bool()> go_on_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
  std::size_t searched_ = 0;
  bool at_end_ = false;
};

}  // namespace pale::grep
