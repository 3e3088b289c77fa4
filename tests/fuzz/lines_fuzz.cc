// How a stream is cut into lines: the same lines come of it in whatever pieces it arrives, and no more is held than one may be long.
// The first byte of the input says how long that is, the second in what pieces it comes.
#include <vector>

#include "fuzz/property.h"
#include "mcp/message.h"

namespace pale::mcp {
namespace {

using fuzz::must;

std::vector<LineReader::Line> expected(std::string_view stream, std::size_t most) {
  std::vector<LineReader::Line> lines;
  while (!stream.empty()) {
    const std::size_t end = stream.find('\n');
    const std::string_view line = stream.substr(0, end);
    if (end == std::string_view::npos && line.size() <= most) break;  // it may go on
    const bool too_long = line.size() > most;
    lines.push_back(
        {too_long ? "" : std::string(line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0))), too_long});
    stream.remove_prefix(end == std::string_view::npos ? stream.size() : end + 1);
  }
  return lines;
}

void check(std::string_view stream, std::size_t most, unsigned pieces) {
  LineReader reader(most);
  std::vector<LineReader::Line> lines;
  for (std::size_t at = 0; at < stream.size();) {
    pieces = pieces * 1103515245U + 12345U;
    const std::size_t piece = 1 + (pieces >> 16U) % (most + 2);
    reader.feed(stream.substr(at, piece));
    at += piece;
    while (auto line = reader.next()) lines.push_back(std::move(*line));
    must(reader.held() <= most, "no more is held than a line may have", stream);
  }
  const auto wanted = expected(stream, most);
  must(lines.size() == wanted.size(), "each line comes once", stream);
  for (std::size_t each = 0; each < lines.size(); ++each) {
    must(lines[each].too_long == wanted[each].too_long, "the long ones are given up", stream);
    must(lines[each].text == wanted[each].text, "the others come whole", stream);
  }
}

}  // namespace
}  // namespace pale::mcp

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 2) return 0;
  pale::mcp::check(pale::fuzz::as_text(data + 2, size - 2), data[0], data[1]);
  return 0;
}
