// proxy/socks.h: what a client of SOCKS 5 says (RFC 1928), and what it is answered. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pale::proxy {

enum class SocksState { More, Wrong, Whole };

struct SocksGreeting {
  SocksState state = SocksState::More;
  bool without_name = false;  // it can do without a user's name, which is the only way here
  std::size_t size = 0;
};
SocksGreeting read_socks_greeting(std::string_view bytes);

struct SocksRequest {
  SocksState state = SocksState::More;
  bool connect = false;  // and not: listen, or send datagrams
  std::string host;      // as it was sent, or an address; any bytes
  std::uint16_t port = 0;
  std::size_t size = 0;
};
SocksRequest read_socks_request(std::string_view bytes);

enum class SocksReply : std::uint8_t { Fine = 0, Failed = 1, NotAllowed = 2, Unreachable = 4, NoSuchCommand = 7 };
std::string to_bytes(SocksReply reply);
inline constexpr std::string_view kSocksGreeted = {"\5\0", 2};
inline constexpr std::string_view kSocksNoWay = {"\5\xff", 2};

}  // namespace pale::proxy
