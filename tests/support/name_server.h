// support/name_server.h: a name server of the host: it knows one address for every name, and counts who asks.
#pragma once

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>

namespace pale::test {

class NameServer {
 public:
  // How its first questions fare: lost, then answered with a failure.
  struct Bad {
    int lost = 0;
    int failed = 0;
  };
  explicit NameServer(std::array<unsigned char, 4> address) : NameServer(address, Bad{}) {}
  NameServer(std::array<unsigned char, 4> address, Bad bad)
      : fd_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)), address_(address), bad_(bad) {
    sockaddr_in place = {};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
    socklen_t size = sizeof place;
    getsockname(fd_, reinterpret_cast<sockaddr*>(&place), &size);
    port_ = ntohs(place.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~NameServer() {
    over_ = true;
    thread_.join();
    close(fd_);
  }
  NameServer(const NameServer&) = delete;
  NameServer& operator=(const NameServer&) = delete;
  int port() const { return port_; }
  int asked() const { return asked_; }

 private:
  void serve() {
    while (!over_) {
      pollfd ready = {fd_, POLLIN, 0};
      if (poll(&ready, 1, 20) <= 0) continue;
      std::array<char, 512> buffer = {};
      sockaddr_in from = {};
      socklen_t size = sizeof from;
      const ssize_t got = recvfrom(fd_, buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
      if (got < 12) continue;
      const int number = ++asked_;
      if (number <= bad_.lost) continue;
      const bool fails = number <= bad_.lost + bad_.failed;
      std::string answer(buffer.data(), static_cast<std::size_t>(got));
      answer[2] = static_cast<char>(0x81);
      answer[3] = static_cast<char>(fails ? 2 : 0);
      const bool four = !fails && answer[answer.size() - 3] == 1;
      answer[7] = four ? 1 : 0;
      if (four) {
        answer += std::string("\xc0\x0c\0\1\0\1\0\0\0\1\0\4", 12);
        for (const unsigned char byte : address_) answer += static_cast<char>(byte);
      }
      sendto(fd_, answer.data(), answer.size(), 0, reinterpret_cast<sockaddr*>(&from), size);
    }
  }
  int fd_;
  std::array<unsigned char, 4> address_;
  Bad bad_;
  int port_ = 0;
  std::atomic<int> asked_ = 0;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace pale::test
