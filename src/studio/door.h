// studio/door.h: who may come in with a browser: by a link that works once, and then by a cookie. Knows no HTTP.
//
// Keys of links lie in PALE_HOME/studio/keys by their hash, so that `pale studio` can make one for a server that runs already;
// no sandbox shows that place. Pages that came in are known in memory alone: they end with the server.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/path.h"

namespace pale::studio {

inline constexpr std::int64_t kKeyMs = 300'000;
inline constexpr std::int64_t kIdleMs = 43'200'000;
inline constexpr std::int64_t kLongestMs = 604'800'000;

// 256 bits that nobody can guess, as letters and digits.
Result<std::string> make_secret();

// For a link; good for one visit within kKeyMs.
Result<std::string> make_key(const Path& pale_home, std::int64_t now_ms);

struct Page {
  std::string csrf;
  std::int64_t entered_ms = 0;
  std::int64_t seen_ms = 0;
};

class Door {
 public:
  explicit Door(Path pale_home) : pale_home_(std::move(pale_home)) {}

  // What the cookie holds from now on. An error if the key is none, was used, or is too old.
  Result<std::string> enter(std::string_view key, std::int64_t now_ms);
  // The page that has this cookie; nothing if there is none, or its time is over.
  const Page* find(std::string_view cookie, std::int64_t now_ms);
  void leave(std::string_view cookie);

 private:
  Path pale_home_;
  std::map<std::string, Page, std::less<>>
      pages_;  // by the hash of the cookie: to look one up tells nothing of the others
};

// Takes as long for one that is nearly right.
bool same_secret(std::string_view left, std::string_view right) noexcept;

}  // namespace pale::studio
