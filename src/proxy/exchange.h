// proxy/exchange.h: one request and its response, passed on as they come, with the heads rewritten.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <span>

#include "proxy/asio.h"
#include "proxy/http_head.h"

namespace pale::proxy {

// What was agreed on by it.
enum class Exchanged {
  Again,     // both sides wait for the next request
  Closed,    // the client is served, and the connection of no more use
  Upgraded,  // another protocol is spoken from now on
  Broken,    // the host did not answer; the client has not been told
};

// The one protocol that a connection may go on with: in others, as in HTTP/2, any host could be asked for.
bool begins_web_socket(const RequestHead& head);

// The request as it goes out. `added` stands instead of what has the same name.
std::string request_text(const RequestHead& head, std::string_view path, const std::vector<Field>& added,
                         std::span<const std::string_view> dropped);
std::string response_text(const ResponseHead& head, bool closes);

using Count = std::function<bool(std::uint64_t)>;

// A body from one side to the other, each piece as soon as it is there; false: it did not come to its end.
template <typename From, typename To>
Async<bool> pass_body(From& from, Inlet& inlet, To& to, Framing framing, std::uint64_t length, Count count) {
  constexpr std::size_t kPiece = 64UL << 10U;
  ChunkScanner scanner;
  for (;;) {
    if (framing == Framing::None || (framing == Framing::Length && length == 0) || scanner.done()) co_return true;
    if (inlet.empty() && !co_await inlet.fill(from, kPiece)) co_return framing == Framing::UntilClose;
    std::string_view piece = inlet.bytes();
    if (framing == Framing::Length) piece = piece.substr(0, length);
    if (framing == Framing::Chunked) piece = piece.substr(0, scanner.scan(piece));
    if (scanner.wrong() || !count(piece.size()) || !co_await send(to, piece)) co_return false;
    length -= framing == Framing::Length ? piece.size() : 0;
    inlet.use(piece.size());
  }
}

template <typename Host>
struct Sides {
  tcp::socket& client;
  Inlet& from_client;
  Host& host;
  Inlet& from_host;
  std::function<void()> close;  // both
  Count sent;
  Count received;
};

// A request's body that goes out while the response may already come in.
struct BodyUnderWay {
  explicit BodyUnderWay(const asio::any_io_executor& executor)
      : finished(executor, asio::steady_timer::time_point::max()) {}
  bool done = false;
  bool good = false;
  asio::steady_timer finished;
};

template <typename Host>
Async<std::shared_ptr<BodyUnderWay>> start_body(Sides<Host>& sides, const RequestHead& head) {
  auto body = std::make_shared<BodyUnderWay>(sides.client.get_executor());
  if (head.framing == Framing::None || (head.framing == Framing::Length && head.length == 0)) {
    body->done = body->good = true;
    co_return body;
  }
  // `sides` outlives it: whoever exchanges waits for it.
  auto pass = [body, &sides, framing = head.framing, length = head.length]() -> Async<> {
    body->good = co_await pass_body(sides.client, sides.from_client, sides.host, framing, length, sides.sent);
    body->done = true;
    body->finished.cancel();
  };
  asio::co_spawn(sides.client.get_executor(), std::move(pass), asio::detached);
  co_return body;
}

template <typename Host>
Async<Exchanged> receive(Sides<Host>& sides, const RequestHead& request, BodyUnderWay& body) {
  const bool client_stays =
      request.minor == 1 && !request.lists("connection", "close") && !request.lists("proxy-connection", "close");
  for (bool first = true;; first = false) {
    ResponseHead head = read_response_head(sides.from_host.bytes(), request.method);
    while (head.state == HeadState::More) {
      if (!co_await sides.from_host.fill(sides.host)) co_return first ? Exchanged::Broken : Exchanged::Closed;
      head = read_response_head(sides.from_host.bytes(), request.method);
    }
    if (head.state == HeadState::Wrong) co_return first ? Exchanged::Broken : Exchanged::Closed;
    if (!sides.received(head.size)) co_return Exchanged::Closed;
    sides.from_host.use(head.size);
    const bool again = client_stays && body.done && body.good && head.framing != Framing::UntilClose &&
                       head.minor == 1 && !head.lists("connection", "close");
    const std::string text = response_text(head, !again && head.status >= 200);
    if (!co_await send(sides.client, text)) co_return Exchanged::Closed;
    if (head.status == 101) co_return begins_web_socket(request) ? Exchanged::Upgraded : Exchanged::Closed;
    if (head.status < 200) continue;
    const bool whole =
        co_await pass_body(sides.host, sides.from_host, sides.client, head.framing, head.length, sides.received);
    co_return whole&& again ? Exchanged::Again : Exchanged::Closed;
  }
}

template <typename Host>
Async<Exchanged> exchange(Sides<Host>& sides, const RequestHead& request, const std::string& text) {
  if (!sides.sent(text.size())) co_return Exchanged::Closed;
  if (!co_await send(sides.host, text)) co_return Exchanged::Broken;
  const std::shared_ptr<BodyUnderWay> body = co_await start_body(sides, request);
  Exchanged end = co_await receive(sides, request, *body);
  // What is left of the body nobody waits for any more.
  if (!body->done && end != Exchanged::Broken) sides.close();
  if (!body->done && end == Exchanged::Broken) {
    error_code ignored;
    sides.client.shutdown(tcp::socket::shutdown_receive, ignored);
    sides.host.lowest_layer().close(ignored);
  }
  while (!body->done) {
    error_code cancelled;
    co_await body->finished.async_wait(into(cancelled));
  }
  co_return end;
}

}  // namespace pale::proxy
