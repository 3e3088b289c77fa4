#include "proxy/hello.h"

#include <algorithm>
#include <vector>

#include "proxy/bytes.h"

namespace pale::proxy {
namespace {

constexpr std::uint32_t kHandshake = 22;
constexpr std::uint32_t kClientHello = 1;
constexpr std::size_t kRecordHead = 5;
constexpr std::size_t kMessageHead = 4;
constexpr std::uint32_t kMostRecord = 1UL << 14U;
constexpr std::uint32_t kServerName = 0;
constexpr std::uint32_t kEncryptedHello = 0xfe0d;
constexpr std::uint32_t kEncryptedName = 0xffce;  // what it was called before

Hello in(Hello::State state) { return {state, {}, false}; }

// One name, of a host, and nothing behind it.
bool read_name(std::string_view extension, Hello& hello) {
  Bytes outer(extension);
  Bytes list(outer.counted(2));
  const bool is_host = list.number(1) == 0;
  hello.server_name = std::string(list.counted(2));
  return outer.good() && outer.empty() && list.good() && list.empty() && is_host && !hello.server_name.empty();
}

bool read_extensions(std::string_view bytes, Hello& hello) {
  std::vector<std::uint32_t> seen;
  Bytes extensions(bytes);
  while (!extensions.empty()) {
    const std::uint32_t kind = extensions.number(2);
    const std::string_view content = extensions.counted(2);
    if (!extensions.good() || std::ranges::find(seen, kind) != seen.end()) return false;
    seen.push_back(kind);
    if (kind == kServerName && !read_name(content, hello)) return false;
    if (kind == kEncryptedHello || kind == kEncryptedName) hello.encrypted = true;
  }
  return extensions.good();
}

Hello read_message(std::string_view message) {
  Hello hello = in(Hello::State::Whole);
  Bytes body(message);
  body.take(2 + 32);  // version, random
  body.counted(1);    // session
  body.counted(2);    // ciphers
  body.counted(1);    // compressions
  if (body.good() && body.empty()) return hello;
  const std::string_view extensions = body.counted(2);
  const bool good = body.good() && body.empty() && read_extensions(extensions, hello);
  return good ? hello : in(Hello::State::Wrong);
}

}  // namespace

Hello read_hello(std::string_view bytes) {
  std::string message;
  while (bytes.size() >= kRecordHead || !bytes.empty()) {
    if (static_cast<unsigned char>(bytes[0]) != kHandshake || (bytes.size() > 1 && bytes[1] != 3))
      return in(message.empty() ? Hello::State::NotTls : Hello::State::Wrong);
    if (bytes.size() < kRecordHead) return in(Hello::State::More);
    Bytes head(bytes.substr(3, 2));
    const std::uint32_t length = head.number(2);
    if (length == 0 || length > kMostRecord) return in(Hello::State::Wrong);
    message += bytes.substr(kRecordHead, length);
    bytes.remove_prefix(std::min<std::size_t>(bytes.size(), kRecordHead + length));
    if (!message.empty() && message[0] != kClientHello) return in(Hello::State::Wrong);
    if (message.size() < kMessageHead) continue;
    Bytes start(std::string_view(message).substr(1, 3));
    const std::uint32_t size = start.number(3);
    if (size > kMostHello) return in(Hello::State::Wrong);
    if (message.size() >= kMessageHead + size)
      return read_message(std::string_view(message).substr(kMessageHead, size));
  }
  return in(Hello::State::More);
}

}  // namespace pale::proxy
