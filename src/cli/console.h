// cli/console.h: data on stdout, the rest on stderr; what comes from outside is made safe to show.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace pale::cli {

// To the width of a column, with at least a space before the next one.
std::string padded(std::string text, std::size_t width);

void print(std::string_view text);       // stdout
void print_note(std::string_view text);  // stderr, "pale: " before it and a newline after it
void print_hint(std::string_view text);  // stderr, "hint: " before it

void print_beside(std::string_view text);  // stderr, as it is: progress, a question

// What there is of the input now, waiting for the first byte; 0 at its end.
std::size_t read_input(std::span<char> buffer);
// One line of input, with its newline; empty at the end.
std::string read_answer();
// A question on the terminal; no, where there is none.
bool confirm(const std::string& question);

enum class Format { Text, Json };
void print_error(const Error& error, Format format);
// Exit codes of more than one command; `pale help exit-codes` tells of all.
inline constexpr int kRefused = 3;
inline constexpr int kPending = 4;  // there are changes that are not applied, or a conflict

// Prints it, and returns the exit code for it.
int fail_with(const Error& error, Format format);

// DESIGN: 2 usage, 3 refused by a boundary, 125 Pale's own failure.
int exit_code_for(const Error& error) noexcept;

// Colours for stdout; empty where it is not a terminal or the user does not want them.
struct Palette {
  std::string_view good, bad, warn, dim, plain;
};
Palette palette(bool wanted);

}  // namespace pale::cli
