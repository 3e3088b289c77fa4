#include "history/tokens.h"

#include <nettle/memops.h>
#include <nettle/sha2.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/json_value.h"
#include "base/text.h"
#include "history/database.h"
#include "sys/event.h"
#include "sys/random.h"

namespace pale::history {
namespace {

constexpr std::string_view kPrefix = "pale_";
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kLongestSecret = 1024;  // what is longer is not worth hashing
constexpr std::size_t kLongestName = 200;
constexpr std::int64_t kMinute = 60'000;

std::int64_t now_ms() { return sys::wall_clock_ns() / 1'000'000; }

Result<std::string> new_secret() {
  std::array<std::byte, kSecretBytes> bytes = {};
  PALE_CHECK(sys::fill_random(bytes));
  std::string text = to_base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  text.resize(text.find('='));
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return std::string(kPrefix) + text;
}

std::string hash_of(std::string_view secret) {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest = {};
  sha256_ctx context = {};
  sha256_init(&context);
  sha256_update(&context, secret.size(), reinterpret_cast<const std::uint8_t*>(secret.data()));
  sha256_digest(&context, digest.size(), digest.data());
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string scopes_text(const std::vector<std::string>& scopes) {
  JsonWriter out;
  out.begin_array();
  for (const std::string& scope : scopes) out.value(scope);
  out.end_array();
  return out.text();
}

Result<TokenInfo> info_at(const Query& row) {
  TokenInfo info{row.text(0), row.text(1), {}, row.number(3), row.maybe(4), row.maybe(5)};
  PALE_TRY(scopes, JsonValue::parse(row.text(2), 2));
  for (const JsonValue& scope : scopes.items()) info.scopes.push_back(scope.bytes().value_or(""));
  return info;
}

constexpr const char* kAll =
    "SELECT id, name, scopes, created_ms, last_used_ms, expires_ms, hash FROM tokens ORDER BY id";
constexpr int kHashColumn = 6;

Status check_request(const TokenRequest& request) {
  if (request.scopes.empty())
    return fail(ErrorKind::Usage, "a token without a scope", "is good for nothing",
                "--scope admin, admin:ro, project:ID or project:ID:ro");
  if (request.name.size() > kLongestName || !is_utf8(request.name))
    return fail(ErrorKind::Usage, "a token's name is", "at most 200 bytes of text");
  PALE_CHECK(Access::from_scopes(request.scopes));
  return {};
}

}  // namespace

Tokens::Tokens(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Tokens::Tokens(Tokens&& other) noexcept = default;
Tokens& Tokens::operator=(Tokens&& other) noexcept = default;
Tokens::~Tokens() = default;

Result<Tokens> Tokens::open(const Path& pale_home) {
  PALE_TRY(database, Database::open(pale_home));
  return Tokens(std::move(database));
}

Result<NewToken> Tokens::create(const TokenRequest& request) {
  PALE_CHECK(check_request(request));
  NewToken token;
  PALE_TRY(secret, new_secret());
  token.secret = std::move(secret);
  token.info = {"", request.name, request.scopes, now_ms(), std::nullopt, request.expires_ms};
  PALE_TRY(query, database_->ask(
                      "INSERT INTO tokens(name, scopes, created_ms, expires_ms, hash) VALUES(?1, ?2, ?3, ?4, ?5)",
                      token.info.name, scopes_text(token.info.scopes), token.info.created_ms, token.info.expires_ms));
  query.bind_bytes(5, hash_of(token.secret));
  PALE_CHECK(query.next());
  token.info.id = std::to_string(database_->last_key());
  return token;
}

Result<std::vector<TokenInfo>> Tokens::list() const {
  PALE_TRY(query, database_->ask(kAll));
  std::vector<TokenInfo> tokens;
  for (;;) {
    PALE_TRY(there, query.next());
    if (!there) return tokens;
    PALE_TRY(info, info_at(query));
    tokens.push_back(std::move(info));
  }
}

Status Tokens::revoke(std::string_view id) {
  if (const auto number = parse_number(id)) {
    PALE_CHECK(database_->run("DELETE FROM tokens WHERE id = ?1", *number));
    if (database_->changed_rows() != 0) return {};
  }
  return fail(ErrorKind::NotFound, "there is no token", "'" + std::string(id) + "'", "pale token list");
}

Result<Tokens::Freed> Tokens::free_project(std::string_view project) {
  PALE_TRY(transaction, Transaction::begin(*database_));
  PALE_TRY(tokens, list());
  Freed freed;
  for (TokenInfo& token : tokens) {
    const auto others = std::ranges::remove(token.scopes, project, project_of_scope);
    if (others.empty()) continue;
    token.scopes.erase(others.begin(), others.end());
    if (token.scopes.empty()) {
      PALE_CHECK(revoke(token.id));
      ++freed.revoked;
    } else {
      PALE_CHECK(database_->run("UPDATE tokens SET scopes = ?2 WHERE id = ?1", token.id, scopes_text(token.scopes)));
      ++freed.narrowed;
    }
  }
  PALE_CHECK(transaction.commit());
  return freed;
}

Result<std::optional<Tokens::Known>> Tokens::check(std::string_view secret) {
  if (secret.size() > kLongestSecret) return std::nullopt;
  const std::string hash = hash_of(secret);
  std::optional<TokenInfo> found;
  {
    PALE_TRY(query, database_->ask(kAll));
    for (;;) {
      PALE_TRY(there, query.next());
      if (!there) break;
      const std::string other = query.text(kHashColumn);
      PALE_TRY(info, info_at(query));
      if (other.size() == hash.size() && memeql_sec(other.data(), hash.data(), hash.size()) != 0)
        found = std::move(info);
    }
  }
  const std::int64_t now = now_ms();
  if (!found || (found->expires_ms && *found->expires_ms <= now)) return std::nullopt;
  PALE_TRY(access, Access::from_scopes(found->scopes));
  if (!found->last_used_ms || now - *found->last_used_ms >= kMinute) {
    // That the disk is full keeps nobody out.
    (void)database_->run("UPDATE tokens SET last_used_ms = ?2 WHERE id = ?1", found->id, now);
    found->last_used_ms = now;
  }
  return Known{std::move(*found), std::move(access)};
}

}  // namespace pale::history
