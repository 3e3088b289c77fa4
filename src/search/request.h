// search/request.h: what is searched for in the contents of a tree, and what was found: values, and how they are written. The
// search itself needs a library, and so is made by another process (keeper/grep_command.cc).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "search/walk.h"

namespace pale::search {

enum class Syntax { Regex, Literal };
enum class Letters { Exact, AnyCase };
enum class Report { Lines, Counts };  // Counts: of each file, how many lines match

struct Request {
  std::string root;    // an absolute path; all others lie below it
  std::string prefix;  // stands before each path of the answer
  std::string pattern;
  Syntax syntax = Syntax::Regex;
  Letters letters = Letters::Exact;
  std::vector<std::string> paths;  // files and directories to search; none: everything
  std::string glob;                // only files that match it; empty: all
  std::vector<std::string> only;   // only files whose names end in one of these; none: all
  WalkOptions walk;
  Report report = Report::Lines;
  std::uint64_t context = 0;           // lines before and behind each that matches
  std::uint64_t most_lines = 200;      // matching ones, or files with Report::Counts; the rest is only counted
  std::uint64_t most_bytes = 200'000;  // of text
  std::uint64_t time_limit = 20'000;   // milliseconds
  bool operator==(const Request&) const = default;
};

struct Line {
  std::uint64_t number = 0;  // from 1
  bool matches = false;      // otherwise it stands beside one that does
  std::string text;          // without its end; of a long one, the beginning
  bool operator==(const Line&) const = default;
};

struct FileMatches {
  std::string path;         // below the root, with the prefix
  std::uint64_t count = 0;  // lines that match, whether they are here or not
  std::vector<Line> lines;
  bool operator==(const FileMatches&) const = default;
};

struct Answer {
  std::vector<FileMatches> files;  // in the order of a tree; the first ones, if there are too many
  std::uint64_t matching_lines = 0;
  std::uint64_t matching_files = 0;
  std::uint64_t searched_files = 0;
  std::uint64_t unread = 0;  // files and directories that could not be read
  std::uint64_t hard = 0;    // files with a line on which the pattern took too long
  bool more = false;         // not all that matched is here
  bool out_of_time = false;  // not all was searched
  bool operator==(const Answer&) const = default;
};

std::string to_text(const Request& request);
Result<Request> parse_request(std::string_view text);
// What went wrong is an answer as well.
std::string to_text(const Result<Answer>& answer);
Result<Answer> parse_answer(std::string_view text);

}  // namespace pale::search
