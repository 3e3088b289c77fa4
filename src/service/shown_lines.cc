#include "service/shown_lines.h"

#include <utility>

#include "base/text.h"

namespace pale::service {
namespace {

constexpr std::size_t kLongest = 4096;
constexpr std::size_t kTab = 8;

}  // namespace

std::string shown_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::string text;
  for (std::size_t tab = 0; (tab = line.find('\t')) != std::string_view::npos; line.remove_prefix(tab + 1)) {
    text += printable(line.substr(0, tab));
    text.append(kTab - text.size() % kTab, ' ');
  }
  return text + printable(line) + "\n";
}

std::string ShownLines::add(std::string_view piece) {
  std::string text;
  for (std::size_t end = 0; (end = piece.find('\n')) != std::string_view::npos; piece.remove_prefix(end + 1)) {
    text += shown_line(begun_.append(piece.substr(0, end)));
    begun_.clear();
  }
  begun_ += piece;
  return begun_.size() < kLongest ? text : text + finish();
}

std::string ShownLines::finish() { return begun_.empty() ? std::string() : shown_line(std::exchange(begun_, {})); }

}  // namespace pale::service
