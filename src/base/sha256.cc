#include "base/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pale {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t kLength = 8;  // bytes at the end, which say how much there was

std::uint32_t big_endian(const unsigned char* at) noexcept {
  return std::uint32_t{at[0]} << 24U | std::uint32_t{at[1]} << 16U | std::uint32_t{at[2]} << 8U | at[3];
}

std::array<std::uint32_t, 64> schedule_of(const unsigned char* block) noexcept {
  std::array<std::uint32_t, 64> words;
  for (std::size_t t = 0; t < 16; ++t) words[t] = big_endian(block + 4 * t);
  for (std::size_t t = 16; t < words.size(); ++t) {
    const std::uint32_t near = words[t - 15], late = words[t - 2];
    const std::uint32_t small0 = std::rotr(near, 7) ^ std::rotr(near, 18) ^ near >> 3U;
    const std::uint32_t small1 = std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10U;
    words[t] = words[t - 16] + small0 + words[t - 7] + small1;
  }
  return words;
}

}  // namespace

void Sha256::take_block(const unsigned char* block) noexcept {
  const auto words = schedule_of(block);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < words.size(); ++t) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t first = h + sum1 + ((e & f) ^ (~e & g)) + kRounds[t] + words[t];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t second = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> more = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < more.size(); ++i) state_[i] += more[i];
}

Sha256& Sha256::add(std::string_view bytes) noexcept {
  const std::size_t held = size_ % kBlock;
  size_ += bytes.size();
  if (held > 0) {
    const std::size_t taken = std::min(bytes.size(), kBlock - held);
    if (taken > 0) std::memcpy(rest_.data() + held, bytes.data(), taken);
    bytes.remove_prefix(taken);
    if (held + taken < kBlock) return *this;
    take_block(rest_.data());
  }
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock))
    take_block(reinterpret_cast<const unsigned char*>(bytes.data()));
  if (!bytes.empty()) std::memcpy(rest_.data(), bytes.data(), bytes.size());
  return *this;
}

std::string Sha256::hex() const {
  Sha256 whole = *this;
  std::string padding(1, '\x80');
  padding.resize(1 + (2 * kBlock - 1 - kLength - size_ % kBlock) % kBlock, '\0');
  for (std::size_t i = 0; i < kLength; ++i) padding += static_cast<char>(size_ * 8 >> (8 * (kLength - 1 - i)) & 0xffU);
  whole.add(padding);
  std::string text;
  for (const std::uint32_t word : whole.state_) {
    for (unsigned shift = 32; shift > 0;) text += "0123456789abcdef"[word >> (shift -= 4) & 0xfU];
  }
  return text;
}

}  // namespace pale
