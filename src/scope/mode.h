// scope/mode.h: what becomes of a file that lies in the repository, and in none of the folders.
#pragma once

#include <optional>
#include <string_view>

namespace pale::scope {

enum class Mode {
  Permissive,  // it can be used, and that is told
  Strict,      // its name can be seen; the kernel refuses the rest
};

constexpr std::string_view to_text(Mode mode) noexcept { return mode == Mode::Strict ? "strict" : "permissive"; }

constexpr std::optional<Mode> parse_mode(std::string_view text) noexcept {
  if (text == "strict") return Mode::Strict;
  if (text == "permissive") return Mode::Permissive;
  return std::nullopt;
}

}  // namespace pale::scope
