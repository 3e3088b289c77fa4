#include "cli/console.h"

#include <algorithm>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "sys/file.h"
#include "sys/terminal.h"

namespace pale::cli {
namespace {

constexpr std::size_t kMostAnswer = 256;

std::string_view kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Usage: return "usage";
    case ErrorKind::NotFound: return "not_found";
    case ErrorKind::Refused: return "refused";
    case ErrorKind::Unsupported: return "unsupported";
    case ErrorKind::System: return "system";
    case ErrorKind::Mismatch: return "mismatch";
  }
  return "system";
}

}  // namespace

std::string padded(std::string text, std::size_t width) {
  const auto goes_on = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; };
  const auto columns = text.size() - static_cast<std::size_t>(std::ranges::count_if(text, goes_on));
  text.append(columns < width ? width - columns : 1, ' ');
  return text;
}

void print(std::string_view text) { (void)sys::write_all(1, text); }

void print_note(std::string_view text) { (void)sys::write_all(2, "pale: " + printable(text) + "\n"); }

void print_hint(std::string_view text) { (void)sys::write_all(2, "hint: " + printable(text) + "\n"); }

void print_beside(std::string_view text) { (void)sys::write_all(2, text); }

std::size_t read_input(std::span<char> buffer) { return sys::read_some(0, buffer); }

std::string read_answer() {
  std::string answer;
  char byte = 0;
  while (answer.size() < kMostAnswer && sys::read_some(0, {&byte, 1}) == 1) {
    answer += byte;
    if (byte == '\n') break;
  }
  return answer;
}

bool confirm(const std::string& question) {
  if (!sys::is_terminal(0) || !sys::is_terminal(2)) return false;
  print_beside(question + " [y/N] ");
  const std::string answer = read_answer();
  return answer == "y\n" || answer == "Y\n" || answer == "yes\n";
}

void print_error(const Error& error, Format format) {
  if (format == Format::Json) {
    JsonWriter out;
    out.begin_object().field("schemaVersion", 1).key("error").begin_object();
    out.field("code", kind_name(error.kind)).field("message", error.sentence()).field("hint", error.hint);
    if (!error.other_hints.empty()) {
      out.key("other_hints").begin_array();
      for (const std::string& other : error.other_hints) out.value(other);
      out.end_array();
    }
    out.end_object().end_object();
    (void)sys::write_all(2, out.text() + "\n");
    return;
  }
  print_note(error.sentence());
  if (!error.hint.empty()) print_hint(error.hint);
  for (const std::string& other : error.other_hints) print_hint(other);
}

int fail_with(const Error& error, Format format) {
  print_error(error, format);
  return exit_code_for(error);
}

int exit_code_for(const Error& error) noexcept {
  switch (error.kind) {
    case ErrorKind::Usage:
    case ErrorKind::NotFound: return 2;
    case ErrorKind::Refused: return kRefused;
    case ErrorKind::Unsupported:
    case ErrorKind::System:
    case ErrorKind::Mismatch: return 125;
  }
  return 125;
}

Palette palette(bool wanted) {
  if (!wanted || !sys::is_terminal(1)) return {};
  return {"\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[0m"};
}

}  // namespace pale::cli
