// proxy/asio.h: what of Boost.Asio all parts of the proxy use, by short names.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <string_view>

#include "boundary/address.h"

namespace pale::proxy {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio::ip::udp;
using boost::system::error_code;

template <typename T = void>
using Async = asio::awaitable<T>;

// Nothing here throws for what a peer does: each call puts its error there.
inline auto into(error_code& error) { return asio::redirect_error(asio::use_awaitable, error); }

asio::ip::address to_asio(const Address& address);
Address from_asio(const asio::ip::address& address);

// Bytes that have come and are not used yet.
class Inlet {
 public:
  std::string_view bytes() const noexcept { return std::string_view(bytes_).substr(begin_); }
  bool empty() const noexcept { return begin_ == bytes_.size(); }
  void use(std::size_t count) {
    begin_ += count;
    if (begin_ == bytes_.size()) {
      bytes_.clear();
      begin_ = 0;
    }
  }
  void clear() {
    bytes_.clear();
    begin_ = 0;
  }

  // More of them; false: there are none any more.
  template <typename Stream>
  Async<bool> fill(Stream& stream, std::size_t most = kPiece) {
    if (begin_ > 0) {
      bytes_.erase(0, begin_);
      begin_ = 0;
    }
    const std::size_t before = bytes_.size();
    bytes_.resize(before + most);
    error_code error;
    const std::size_t got = co_await stream.async_read_some(asio::buffer(bytes_.data() + before, most), into(error));
    bytes_.resize(before + (error ? 0 : got));
    co_return !error && got > 0;
  }

  static constexpr std::size_t kPiece = 16UL << 10U;

 private:
  std::string bytes_;
  std::size_t begin_ = 0;
};

template <typename Stream>
Async<bool> send(Stream& stream, std::string_view bytes) {
  error_code error;
  co_await asio::async_write(stream, asio::buffer(bytes.data(), bytes.size()), into(error));
  co_return !error;
}

}  // namespace pale::proxy
