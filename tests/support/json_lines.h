// support/json_lines.h: reads messages of JSON from a descriptor, one a line.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace pale::test {

class JsonLines {
 public:
  using Json = nlohmann::ordered_json;

  // Nothing: none came for so long, or none will.
  std::optional<Json> next(int descriptor, int milliseconds) {
    for (;;) {
      if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
        Json message = Json::parse(buffer_.substr(0, end));
        buffer_.erase(0, end + 1);
        return message;
      }
      pollfd waited = {descriptor, POLLIN, 0};
      char bytes[65536];
      const ssize_t got = poll(&waited, 1, milliseconds) == 1 ? read(descriptor, bytes, sizeof bytes) : -1;
      if (got <= 0) return std::nullopt;
      buffer_.append(bytes, static_cast<std::size_t>(got));
    }
  }

 private:
  std::string buffer_;
};

}  // namespace pale::test
