// history/tokens.h: bearer tokens: made once, shown once, kept as hashes in PALE_HOME/history.db.
//
// Of one thread at a time, like History, but not of the same one: each has a connection of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "history/access.h"

namespace pale::history {

class Database;

// What may be known of a token by others than its owner.
struct TokenInfo {
  std::string id;    // "3": for people and `revoke`; never given again
  std::string name;  // what its maker calls it; may be empty
  std::vector<std::string> scopes;
  std::int64_t created_ms = 0;
  std::optional<std::int64_t> last_used_ms;  // to the minute
  std::optional<std::int64_t> expires_ms;
};

struct NewToken {
  TokenInfo info;
  std::string secret;  // "pale_…": the only time that it is known
};

struct TokenRequest {
  std::string name;
  std::vector<std::string> scopes;
  std::optional<std::int64_t> expires_ms;
};

class Tokens {
 public:
  static Result<Tokens> open(const Path& pale_home);
  Tokens(Tokens&& other) noexcept;
  Tokens& operator=(Tokens&& other) noexcept;
  ~Tokens();

  Result<NewToken> create(const TokenRequest& request);
  Result<std::vector<TokenInfo>> list() const;  // oldest first
  Status revoke(std::string_view id);           // counts from the next check on, in every process

  // Takes a project that is gone from all of them: whoever gets its name next must not get its callers, too.
  struct Freed {
    std::size_t revoked = 0;   // were for it alone
    std::size_t narrowed = 0;  // go on with their other scopes
  };
  Result<Freed> free_project(std::string_view project);

  // Whose token it is, and what it may do; nothing if it is none, revoked or expired. How long it takes says nothing of how near
  // a wrong one was: it is hashed, and compared with every token there is.
  struct Known {
    TokenInfo info;
    Access access;
  };
  Result<std::optional<Known>> check(std::string_view secret);

 private:
  explicit Tokens(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

}  // namespace pale::history
