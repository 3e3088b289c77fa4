#include "mcp/seal.h"

#include <nettle/hmac.h>
#include <nettle/memops.h>

#include <random>

#include "mcp/base64.h"

namespace pale::mcp {
namespace {

constexpr std::size_t kMark = SHA256_DIGEST_SIZE;

const std::uint8_t* bytes_of(std::string_view text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

std::string mark(const std::array<std::uint8_t, 32>& key, std::string_view text, std::string_view purpose) {
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key.size(), key.data());
  // The length comes first: nothing moves from one to the other.
  const std::string length = std::to_string(purpose.size()) + ":";
  hmac_sha256_update(&context, length.size(), bytes_of(length));
  hmac_sha256_update(&context, purpose.size(), bytes_of(purpose));
  hmac_sha256_update(&context, text.size(), bytes_of(text));
  std::string digest(kMark, '\0');
  hmac_sha256_digest(&context, digest.size(), reinterpret_cast<std::uint8_t*>(digest.data()));
  return digest;
}

}  // namespace

Seal::Seal() {
  std::random_device random;
  for (std::uint8_t& byte : key_) byte = static_cast<std::uint8_t>(random());
}

std::string Seal::close(std::string_view text, std::string_view purpose) const {
  return to_base64(mark(key_, text, purpose).append(text));
}

std::optional<std::string> Seal::open(std::string_view sealed, std::string_view purpose) const {
  auto bytes = from_base64(sealed);
  if (!bytes || bytes->size() < kMark) return std::nullopt;
  std::string text = bytes->substr(kMark);
  if (memeql_sec(bytes->data(), mark(key_, text, purpose).data(), kMark) == 0) return std::nullopt;
  return text;
}

std::string random_name() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device random;
  std::string name;
  for (int word = 0; word < 4; ++word) {
    for (unsigned bits = random(), digit = 0; digit < 8; ++digit, bits >>= 4) name += kDigits[bits & 15];
  }
  return name;
}

}  // namespace pale::mcp
