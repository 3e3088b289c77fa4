#include "mcp/http.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "mcp/http_connection.h"

namespace pale::mcp {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Async = asio::awaitable<void>;

// The numbers are the kernel's; asio takes them plain.
constexpr int kInterrupt = 2;
constexpr int kBrokenPipe = 13;
constexpr int kTerminate = 15;

class Listening {
 public:
  Listening(Loop& loop, Server& server, const HttpOptions& options)
      : whole_(std::make_shared<HttpShared>(loop, server, options)),
        shared_(*whole_),
        acceptor_(loop.executor()),
        signals_(loop.executor(), kInterrupt, kTerminate, kBrokenPipe),
        sweeping_(loop.executor()) {}

  void open() {
    const tcp::endpoint place(asio::ip::make_address(shared_.options.address), shared_.options.port);
    acceptor_.open(place.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(place);
    acceptor_.listen(1024);
  }
  void start() {
    shared_.loop.spawn(accept());
    shared_.loop.spawn(sweep());
    watch_signals();
    if (shared_.options.stopper) {
      shared_.options.stopper([this, executor = shared_.loop.executor()] { asio::post(executor, [this] { stop(); }); });
    }
    if (shared_.options.started) shared_.options.started(acceptor_.local_endpoint().port());
  }

 private:
  Async accept();
  Async sweep();
  Async finish();
  void refuse(tcp::socket& socket);
  bool is_idle();
  void stop();
  void watch_signals();

  std::shared_ptr<HttpShared> whole_;
  HttpShared& shared_;
  tcp::acceptor acceptor_;
  asio::signal_set signals_;
  asio::steady_timer sweeping_;
};

Async Listening::accept() {
  while (!shared_.stopping) {
    error_code failed;
    tcp::socket socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, failed));
    if (shared_.stopping) co_return;
    if (failed) {
      // Out of descriptors, most likely: some will be free soon.
      asio::steady_timer pause(shared_.loop.executor(), std::chrono::milliseconds(50));
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, failed));
      continue;
    }
    if (!shared_.connections.has_room()) {
      refuse(socket);
      continue;
    }
    socket.set_option(tcp::no_delay(true), failed);
    serve_connection(whole_, std::move(socket));
  }
}

void Listening::refuse(tcp::socket& socket) {
  constexpr std::string_view kBusy =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\nConnection: close\r\n\r\n";
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(kBusy), ignored);
}

Async Listening::sweep() {
  while (!shared_.stopping) {
    sweeping_.expires_after(std::chrono::seconds(30));
    error_code ignored;
    co_await sweeping_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    shared_.service.sweep();
  }
}

void Listening::watch_signals() {
  signals_.async_wait([this](const error_code& failed, int signal) {
    if (failed) return;
    if (signal != kBrokenPipe) stop();
    watch_signals();
  });
}

void Listening::stop() {
  // Asked twice, it does not wait.
  if (shared_.stopping) return shared_.loop.stop();
  shared_.stopping = true;
  shared_.loop.spawn(finish());
}

bool Listening::is_idle() {
  for (const Connection* connection : shared_.connections) {
    if (connection->is_busy()) return false;
  }
  return shared_.service.is_idle();
}

// No new requests; those that are there finish, or are cancelled when their time is over.
Async Listening::finish() {
  error_code ignored;
  acceptor_.close(ignored);
  sweeping_.cancel();
  shared_.service.end_streams();
  for (Connection* connection : shared_.connections) {
    connection->end_subscriptions();
    if (!connection->is_busy()) connection->close();
  }
  asio::steady_timer tick(shared_.loop.executor());
  for (int round = 0; round < 2 && !is_idle(); ++round) {
    const auto end = std::chrono::steady_clock::now() + shared_.options.grace;
    while (!is_idle() && std::chrono::steady_clock::now() < end) {
      tick.expires_after(std::chrono::milliseconds(10));
      co_await tick.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    shared_.service.cancel_all();
    for (Connection* connection : shared_.connections) connection->cancel();
  }
  for (Connection* connection : shared_.connections) connection->close();
  signals_.cancel(ignored);
  shared_.loop.stop();
}

}  // namespace

Status serve_http(Loop& loop, Server& server, const HttpOptions& options) {
  const std::string place = options.address + ":" + std::to_string(options.port);
  try {
    Listening listening(loop, server, options);
    listening.open();
    listening.start();
    loop.run();
    return {};
  } catch (const boost::system::system_error& error) {
    return fail(
        Error{ErrorKind::System, error.code().value(), "listen on", place, "--port 0 takes one that is free", {}});
  } catch (const std::exception& error) {
    return fail(ErrorKind::System, std::string("serve (") + error.what() + ")", place);
  }
}

}  // namespace pale::mcp
