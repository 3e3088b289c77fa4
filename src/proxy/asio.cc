#include "proxy/asio.h"

#include <algorithm>

namespace pale::proxy {

asio::ip::address to_asio(const Address& address) {
  if (address.family == Address::Family::V4) return asio::ip::address_v4(address.number());
  asio::ip::address_v6::bytes_type bytes = {};
  std::ranges::copy(address.bytes, bytes.begin());
  return asio::ip::address_v6(bytes);
}

Address from_asio(const asio::ip::address& address) {
  if (address.is_v4()) return Address::v4(address.to_v4().to_uint());
  Address result{Address::Family::V6, {}};
  std::ranges::copy(address.to_v6().to_bytes(), result.bytes.begin());
  return result;
}

}  // namespace pale::proxy
