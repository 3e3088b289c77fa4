// network: both ends of what bench/network.py measures, and a plain relay to compare a proxy with.
//
//   network serve                     prints its port; a connection says 'B' and how many bytes it wants, or 'E' and is echoed
//   network relay PORT                prints its port; passes everything on to that one, with epoll and nothing else
//   network bulk HOST PORT BYTES      seconds to receive so many bytes
//   network small HOST PORT COUNT     seconds for so many requests of 64 bytes on one connection
//   network connect HOST PORT COUNT   median seconds to connect and be answered once
//   network many HOST PORT COUNT      so many connections at a time, each answered; prints how many were
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kMessage = 64;
constexpr std::size_t kPiece = 256UL << 10U;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

[[noreturn]] void stop(const char* what) {
  std::perror(what);
  std::exit(1);
}

int listener(int& port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place = {};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, reinterpret_cast<sockaddr*>(&place), sizeof place) != 0 || listen(fd, 4096) != 0) stop("listen");
  socklen_t size = sizeof place;
  getsockname(fd, reinterpret_cast<sockaddr*>(&place), &size);
  port = ntohs(place.sin_port);
  return fd;
}

int connected(const sockaddr_in& place) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) stop("connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

sockaddr_in place_of(const char* host, const char* port) {
  addrinfo wanted = {};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host, port, &wanted, &found) != 0) stop(host);
  sockaddr_in place = {};
  std::memcpy(&place, found->ai_addr, sizeof place);
  freeaddrinfo(found);
  return place;
}

bool send_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int fd, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = recv(fd, data, size, 0);
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

void answer(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  std::vector<char> buffer(kPiece);
  char kind = 0;
  if (receive_all(fd, &kind, 1) && kind == 'B') {
    unsigned long long left = 0;
    if (receive_all(fd, reinterpret_cast<char*>(&left), sizeof left)) {
      while (left > 0) {
        const std::size_t piece = std::min<unsigned long long>(left, buffer.size());
        if (!send_all(fd, buffer.data(), piece)) break;
        left -= piece;
      }
    }
  }
  ssize_t got = 0;
  while (kind == 'E' && (got = recv(fd, buffer.data(), buffer.size(), 0)) > 0) {
    if (!send_all(fd, buffer.data(), static_cast<std::size_t>(got))) break;
  }
  close(fd);
}

int serve() {
  int port = 0;
  const int fd = listener(port);
  std::printf("%d\n", port);
  std::fflush(stdout);
  for (;;) std::thread(answer, accept(fd, nullptr, nullptr)).detach();
}

int relay(const char* target) {
  int port = 0;
  const int fd = listener(port);
  const sockaddr_in place = place_of("127.0.0.1", target);
  std::printf("%d\n", port);
  std::fflush(stdout);
  const int events = epoll_create1(EPOLL_CLOEXEC);
  std::vector<int> other(65536, -1);
  const auto watch = [&](int each) {
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.fd = each;
    epoll_ctl(events, EPOLL_CTL_ADD, each, &event);
  };
  watch(fd);
  std::vector<char> buffer(kPiece);
  for (;;) {
    epoll_event ready[64];
    const int count = epoll_wait(events, ready, 64, -1);
    for (int at = 0; at < count; ++at) {
      const int from = ready[at].data.fd;
      if (from == fd) {
        const int client = accept(fd, nullptr, nullptr);
        const int on = 1;
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const int host = connected(place);
        other[static_cast<std::size_t>(client)] = host;
        other[static_cast<std::size_t>(host)] = client;
        watch(client);
        watch(host);
        continue;
      }
      const int to = other[static_cast<std::size_t>(from)];
      if (to < 0) continue;
      const ssize_t got = recv(from, buffer.data(), buffer.size(), 0);
      if (got > 0 && send_all(to, buffer.data(), static_cast<std::size_t>(got))) continue;
      other[static_cast<std::size_t>(from)] = other[static_cast<std::size_t>(to)] = -1;
      close(from);
      close(to);
    }
  }
}

double bulk(const sockaddr_in& place, unsigned long long bytes) {
  const double began = now();
  const int fd = connected(place);
  send_all(fd, "B", 1);
  send_all(fd, reinterpret_cast<const char*>(&bytes), sizeof bytes);
  std::vector<char> buffer(kPiece);
  while (bytes > 0) {
    const ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) stop("receive");
    bytes -= static_cast<unsigned long long>(got);
  }
  close(fd);
  return now() - began;
}

int echoing(const sockaddr_in& place) {
  const int fd = connected(place);
  if (!send_all(fd, "E", 1)) stop("send");
  return fd;
}

void ask(int fd) {
  char message[kMessage] = {};
  if (!send_all(fd, message, kMessage) || !receive_all(fd, message, kMessage)) stop("ask");
}

double small(const sockaddr_in& place, int count) {
  const int fd = echoing(place);
  ask(fd);
  const double began = now();
  for (int each = 0; each < count; ++each) ask(fd);
  return now() - began;
}

double connect_time(const sockaddr_in& place, int count) {
  std::vector<double> took;
  for (int each = 0; each < count; ++each) {
    const double began = now();
    const int fd = echoing(place);
    ask(fd);
    took.push_back(now() - began);
    close(fd);
  }
  std::ranges::sort(took);
  return took[took.size() / 2];
}

double many(const sockaddr_in& place, int count) {
  std::vector<int> all;
  for (int each = 0; each < count; ++each) all.push_back(echoing(place));
  for (const int fd : all) ask(fd);
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "serve") return serve();
  if (what == "relay" && argc == 3) return relay(argv[2]);
  if (argc != 5) return 2;
  const sockaddr_in place = place_of(argv[2], argv[3]);
  const long long number = std::atoll(argv[4]);
  double result = 0;
  if (what == "bulk") result = bulk(place, static_cast<unsigned long long>(number));
  if (what == "small") result = small(place, static_cast<int>(number));
  if (what == "connect") result = connect_time(place, static_cast<int>(number));
  if (what == "many") result = many(place, static_cast<int>(number));
  std::printf("%.9f\n", result);
  return 0;
}
