// What goes through once a host is reached: the beginning is looked at, the rest is carried.
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <vector>

#include "proxy/hello.h"
#include "proxy/passage.h"

namespace pale::proxy {
namespace {

constexpr std::size_t kLeastBuffer = 16UL << 10U;
constexpr std::size_t kMostBuffer = 512UL << 10U;

// One direction of a connection, until it ends. Its buffer grows with what comes.
struct Pump {
  tcp::socket& from;
  tcp::socket& to;
  std::function<bool(std::uint64_t)> count;
  std::function<void(bool broken)> done;
  std::vector<char> buffer = std::vector<char>(kLeastBuffer);

  void read() {
    from.async_read_some(asio::buffer(buffer), [this](error_code error, std::size_t size) {
      if (error) return end(error != asio::error::eof);
      if (!count(size)) return end(true);
      write(size);
    });
  }
  // At once, if there is room: a round of the loop for each piece would cost more than the piece.
  void write(std::size_t size) {
    error_code error;
    const std::size_t sent = to.write_some(asio::buffer(buffer.data(), size), error);
    if (error && error != asio::error::would_block) return end(true);
    if (!error && sent == size) return go_on(size);
    const std::size_t begin = error ? 0 : sent;
    asio::async_write(to, asio::buffer(buffer.data() + begin, size - begin),
                      [this, size](error_code failure, std::size_t) {
                        if (failure) return end(true);
                        go_on(size);
                      });
  }
  void go_on(std::size_t size) {
    if (size == buffer.size() && size < kMostBuffer) buffer.resize(size * 2);
    read();
  }
  void end(bool broken) {
    error_code ignored;
    to.shutdown(tcp::socket::shutdown_send, ignored);
    done(broken);
  }
};

// Both of them. Made by no coroutine: g++ 12 destroys what is put together in one twice.
struct Relay {
  Relay(tcp::socket& client, tcp::socket& host, Passage& passage)
      : finished(client.get_executor(), asio::steady_timer::time_point::max()),
        out{client, host, [&passage](std::uint64_t bytes) { return passage.count_sent(bytes); },
            [this, &passage](bool broken) { end(passage, broken); }},
        in{host, client, [&passage](std::uint64_t bytes) { return passage.count_received(bytes); },
           [this, &passage](bool broken) { end(passage, broken); }} {}

  void end(Passage& passage, bool broken) {
    if (broken) passage.close();
    if (--left == 0) finished.cancel();
  }

  asio::steady_timer finished;
  int left = 2;
  Pump out;
  Pump in;
};

}  // namespace

Async<> Passage::relay() {
  opening_ = false;
  if (!from_client_.empty()) {
    if (!count_sent(from_client_.bytes().size())) co_return;
    if (!co_await send(host_, from_client_.bytes())) co_return;
    from_client_.clear();
  }
  if (!from_host_.empty()) {
    if (!count_received(from_host_.bytes().size())) co_return;
    if (!co_await send(client_, from_host_.bytes())) co_return;
    from_host_.clear();
  }
  error_code ignored;
  client_.non_blocking(true, ignored);
  host_.non_blocking(true, ignored);
  const auto both = std::make_unique<Relay>(client_, host_, *this);
  both->out.read();
  both->in.read();
  while (both->left > 0) {
    error_code cancelled;
    co_await both->finished.async_wait(into(cancelled));
  }
}

Async<> Passage::carry_on() {
  const std::uint16_t port = visit_.port;
  if (port == kHttpsPort) co_return co_await carry_tls();
  if (port == kHttpPort) co_return co_await carry_http();
  co_await carry_unknown();
}

// The name that the client gives to the server is the one that was let through: a server with many names would serve another.
Async<bool> Passage::check_hello() {
  opening_ = true;
  Hello hello = read_hello(from_client_.bytes());
  while (hello.state == Hello::State::More && from_client_.bytes().size() <= kMostHello) {
    if (!co_await from_client_.fill(client_)) co_return false;
    hello = read_hello(from_client_.bytes());
  }
  visit_.way = "https";
  const bool by_address = Address::parse(visit_.host).has_value();
  std::string why;
  if (hello.state == Hello::State::NotTls)
    why = "what is spoken there is not TLS";
  else if (hello.state != Hello::State::Whole)
    why = "the beginning of TLS is broken";
  else if (hello.encrypted)
    why = "the name in TLS is encrypted, and could be any";
  else if (hello.server_name.empty() && !by_address)
    why = "TLS names no server";
  const auto name = normal_host(hello.server_name);
  if (why.empty() && !by_address && (!name || *name != visit_.host))
    why = "TLS names another server: " + hello.server_name.substr(0, 255);
  if (why.empty()) co_return true;
  refuse({false, std::move(why), {}});
  close();
  co_return false;
}

Async<> Passage::carry_tls() {
  const bool good = co_await check_hello();
  if (!good) co_return;
  co_await relay();
}

Async<> Passage::carry_http() {
  visit_.way = "http";
  for (bool first = true;; first = false) {
    RequestHead head = read_request_head(from_client_.bytes());
    while (head.state == HeadState::More) {
      if (!co_await from_client_.fill(client_)) co_return;
      head = read_request_head(from_client_.bytes());
    }
    if (head.state == HeadState::Wrong) {
      refuse({false, "what is spoken there is not HTTP: " + head.why, {}});
      co_return co_await answer_refusal();
    }
    const std::string* host = head.find("host");
    const auto named = host == nullptr ? std::nullopt : parse_authority(*host, kHttpPort);
    const bool same = named && named->host == visit_.host && named->port == visit_.port;
    if (!same || !(head.target.starts_with('/') || head.target == "*")) {
      refuse({false, "it is asked for another host: " + (host == nullptr ? "none" : host->substr(0, 255)), {}});
      co_return co_await answer_refusal();
    }
    from_client_.use(head.size);
    if (!first && is_stale() && co_await open(visit_.host, visit_.port, "http") != Opened::Yes)
      co_return co_await answer_refusal();
    if (co_await exchange(head, head.target) == After::Over) co_return;
  }
}

// On another port, by who speaks first: of a client TLS and HTTP are known by their beginning. What a server begins is neither.
Async<> Passage::carry_unknown() {
  struct Race {
    explicit Race(const asio::any_io_executor& executor) : over(executor, asio::steady_timer::time_point::max()) {}
    asio::steady_timer over;
    bool decided = false;
    bool client = false;
  };
  auto race = std::make_shared<Race>(client_.get_executor());
  const auto decide = [race](bool client) {
    return [race, client](error_code) {
      if (race->decided) return;
      race->decided = true;
      race->client = client;
      race->over.cancel();
    };
  };
  if (from_client_.empty()) {
    client_.async_wait(tcp::socket::wait_read, decide(true));
    host_.async_wait(tcp::socket::wait_read, decide(false));
    while (!race->decided) {
      error_code cancelled;
      co_await race->over.async_wait(into(cancelled));
    }
    if (!race->client || !co_await from_client_.fill(client_)) co_return co_await relay();
  }
  touch();
  if (from_client_.bytes().front() == '\x16') co_return co_await carry_tls();
  opening_ = true;
  Beginning beginning = beginning_of(from_client_.bytes());
  while (beginning == Beginning::Unclear) {
    if (!co_await from_client_.fill(client_)) break;
    beginning = beginning_of(from_client_.bytes());
  }
  opening_ = false;
  if (beginning == Beginning::Http) co_return co_await carry_http();
  co_await relay();
}

}  // namespace pale::proxy
