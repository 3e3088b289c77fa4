#include "proxy/socks.h"

#include "boundary/address.h"
#include "proxy/bytes.h"

namespace pale::proxy {
namespace {

constexpr std::uint32_t kVersion = 5;
constexpr std::uint32_t kConnect = 1;
enum class Kind : std::uint32_t { V4 = 1, Name = 3, V6 = 4 };

std::string address_text(std::string_view bytes, Address::Family family) {
  Address address{family, {}};
  for (std::size_t at = 0; at < bytes.size(); ++at) address.bytes[at] = static_cast<std::uint8_t>(bytes[at]);
  return to_text(address);
}

}  // namespace

SocksGreeting read_socks_greeting(std::string_view bytes) {
  Bytes message(bytes);
  if (!bytes.empty() && message.number(1) != kVersion) return {SocksState::Wrong};
  const std::string_view ways = message.counted(1);
  if (!message.good()) return {SocksState::More};
  return {SocksState::Whole, ways.find('\0') != std::string_view::npos, bytes.size() - message.rest().size()};
}

SocksRequest read_socks_request(std::string_view bytes) {
  Bytes message(bytes);
  SocksRequest request;
  if (!bytes.empty() && message.number(1) != kVersion) return {SocksState::Wrong};
  request.connect = message.number(1) == kConnect;
  message.take(1);
  const auto kind = static_cast<Kind>(message.number(1));
  if (!message.good()) return {SocksState::More};
  switch (kind) {
    case Kind::V4: request.host = address_text(message.take(4), Address::Family::V4); break;
    case Kind::V6: request.host = address_text(message.take(16), Address::Family::V6); break;
    case Kind::Name: request.host = std::string(message.counted(1)); break;
    default: return {SocksState::Wrong};
  }
  request.port = static_cast<std::uint16_t>(message.number(2));
  if (!message.good()) return {SocksState::More};
  request.state = request.host.empty() ? SocksState::Wrong : SocksState::Whole;
  request.size = bytes.size() - message.rest().size();
  return request;
}

std::string to_bytes(SocksReply reply) {
  std::string bytes("\5\0\0\1\0\0\0\0\0\0", 10);
  bytes[1] = static_cast<char>(reply);
  return bytes;
}

}  // namespace pale::proxy
