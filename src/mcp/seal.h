// mcp/seal.h: what a client keeps for the server between two requests, so that it cannot change it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pale::mcp {

// As long as the process lives: its key is made up at the start.
class Seal {
 public:
  Seal();
  // `purpose` is what the text was sealed for: it opens for nothing else.
  std::string close(std::string_view text, std::string_view purpose) const;
  std::optional<std::string> open(std::string_view sealed, std::string_view purpose) const;

 private:
  std::array<std::uint8_t, 32> key_{};
};

// Letters and digits that nobody guesses: 128 bits.
std::string random_name();

}  // namespace pale::mcp
