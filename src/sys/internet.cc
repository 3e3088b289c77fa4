#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "sys/call.h"
#include "sys/namespaces.h"

namespace pale::sys {
namespace {

constexpr int kMostWaiting = 1024;
constexpr int kLoopbackInterface = 1;  // in a fresh network

// A request to add a route, with its two attributes behind it.
constexpr std::size_t kMostRequest = 128;

std::size_t size_of(InternetAddress::Family family) { return family == InternetAddress::Family::V4 ? 4 : 16; }
int number_of(InternetAddress::Family family) { return family == InternetAddress::Family::V4 ? AF_INET : AF_INET6; }

std::array<char, kMostRequest> route_request(const InternetAddress& first, unsigned bits, std::size_t& length) {
  const std::size_t size = size_of(first.family);
  std::array<char, kMostRequest> bytes = {};
  std::size_t at = 0;
  const auto put = [&](const void* data, std::size_t count) {
    std::memcpy(bytes.data() + at, data, count);
    at += count;
  };
  nlmsghdr header = {};
  header.nlmsg_type = RTM_NEWROUTE;
  header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE;
  rtmsg route = {};
  route.rtm_family = static_cast<unsigned char>(number_of(first.family));
  route.rtm_dst_len = static_cast<unsigned char>(bits);
  route.rtm_table = RT_TABLE_LOCAL;
  route.rtm_protocol = RTPROT_STATIC;
  route.rtm_scope = RT_SCOPE_HOST;
  route.rtm_type = RTN_LOCAL;
  const rtattr destination = {static_cast<unsigned short>(RTA_LENGTH(size)), RTA_DST};
  const rtattr interface = {static_cast<unsigned short>(RTA_LENGTH(sizeof(int))), RTA_OIF};
  const int loopback = kLoopbackInterface;
  length = sizeof header + sizeof route + sizeof destination + size + sizeof interface + sizeof loopback;
  header.nlmsg_len = static_cast<std::uint32_t>(length);
  put(&header, sizeof header);
  put(&route, sizeof route);
  put(&destination, sizeof destination);
  put(first.bytes.data(), size);
  put(&interface, sizeof interface);
  put(&loopback, sizeof loopback);
  return bytes;
}

Status set_option(const Fd& socket, int level, int option) {
  const int on = 1;
  const long result = call(SYS_setsockopt, socket.borrow(), level, option, &on, sizeof on);
  return failed(result) ? fail_errno(static_cast<int>(-result), "prepare a socket", "") : Status();
}

Status bind_to(const Fd& socket, const InternetAddress& address) {
  const auto port = static_cast<std::uint16_t>(address.port << 8U | address.port >> 8U);
  sockaddr_in four = {};
  four.sin_family = AF_INET;
  four.sin_port = port;
  std::memcpy(&four.sin_addr, address.bytes.data(), sizeof four.sin_addr);
  sockaddr_in6 six = {};
  six.sin6_family = AF_INET6;
  six.sin6_port = port;
  std::memcpy(&six.sin6_addr, address.bytes.data(), sizeof six.sin6_addr);
  const bool v4 = address.family == InternetAddress::Family::V4;
  const long result =
      v4 ? call(SYS_bind, socket.borrow(), &four, sizeof four) : call(SYS_bind, socket.borrow(), &six, sizeof six);
  return failed(result) ? fail_errno(static_cast<int>(-result), "listen on port", std::to_string(address.port))
                        : Status();
}

}  // namespace

Status add_local_range(const InternetAddress& first, unsigned bits) {
  const long opened = call(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (failed(opened)) return fail_errno(static_cast<int>(-opened), "ask for a route", "");
  const Fd socket(static_cast<int>(opened));
  std::size_t length = 0;
  const auto request = route_request(first, bits, length);
  const long sent = call(SYS_sendto, socket.borrow(), request.data(), length, 0, nullptr, 0);
  if (failed(sent)) return fail_errno(static_cast<int>(-sent), "ask for a route", "");
  struct {
    nlmsghdr header;
    nlmsgerr error;
    char rest[512];
  } answer = {};
  const long got = call(SYS_recvfrom, socket.borrow(), &answer, sizeof answer, 0, nullptr, nullptr);
  if (failed(got)) return fail_errno(static_cast<int>(-got), "ask for a route", "");
  if (answer.header.nlmsg_type != NLMSG_ERROR) return fail_errno(EPROTO, "ask for a route", "");
  return answer.error.error == 0 ? Status() : fail_errno(-answer.error.error, "add a route", "");
}

Result<Fd> listen_on(const InternetAddress& address, Transport transport) {
  const int kind = (transport == Transport::Stream ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC;
  const long opened = call(SYS_socket, number_of(address.family), kind, 0);
  if (failed(opened)) return fail_errno(static_cast<int>(-opened), "open a socket", "");
  Fd socket(static_cast<int>(opened));
  if (address.family == InternetAddress::Family::V6) PALE_CHECK(set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY));
  if (transport == Transport::Stream) PALE_CHECK(set_option(socket, SOL_SOCKET, SO_REUSEADDR));
  PALE_CHECK(bind_to(socket, address));
  if (transport == Transport::Datagram) return socket;
  const long listening = call(SYS_listen, socket.borrow(), kMostWaiting);
  if (failed(listening)) return fail_errno(static_cast<int>(-listening), "listen", "");
  return socket;
}

}  // namespace pale::sys
