// All of Boost.Beast is here: it takes long to compile.
#include "mcp/http_connection.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

namespace pale::mcp {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Async = asio::awaitable<void>;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string text_of(boost::string_view text) { return {text.data(), text.size()}; }

HttpRequest head_of(const http::request_header<>& head) {
  HttpRequest request;
  request.method = text_of(head.method_string());
  const std::string target = text_of(head.target());
  const std::size_t question = target.find('?');
  request.path = target.substr(0, question);
  if (question != std::string::npos) request.query = target.substr(question + 1);
  for (const auto& field : head)
    request.headers.emplace_back(lower(text_of(field.name_string())), text_of(field.value()));
  return request;
}

int status_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Malformed: return 400;
    case Verdict::NoMethod: return 404;
    case Verdict::Answered: break;
  }
  return 200;
}

class BeastConnection final : public Connection, public std::enable_shared_from_this<BeastConnection> {
 public:
  BeastConnection(std::shared_ptr<HttpShared> shared, tcp::socket socket)
      : whole_(std::move(shared)), shared_(*whole_), stream_(std::move(socket)), wake_(stream_.get_executor()) {
    shared_.connections.add(*this);
  }
  ~BeastConnection() override { shared_.connections.remove(*this); }

  Async run(std::shared_ptr<BeastConnection> self);
  bool is_busy() const noexcept override { return busy_; }
  const std::string& owner() const noexcept override { return owner_; }
  std::optional<Time> rests_since() const noexcept override { return rests_since_; }
  void close() override {
    rests_since_.reset();
    stream_.close();
  }
  void cancel() override {
    if (events_) events_->end();
    if (peer_) peer_->cancel_all();
  }
  void end_subscriptions() override {
    if (events_) events_->end();
    if (peer_) peer_->cancel_subscriptions();
  }

 private:
  using Parser = http::request_parser<http::string_body>;
  enum class Next { Request, Close, Drain };

  asio::awaitable<Next> serve_one();
  asio::awaitable<Next> serve(Parser& parser, HttpRequest& request);
  std::optional<HttpReply> let_in(HttpRequest& request);
  asio::awaitable<Next> serve_route(const HttpRequest& request);
  asio::awaitable<bool> send_events(const HttpReply& reply);
  asio::awaitable<Next> serve_stream(Streaming streaming);
  asio::awaitable<bool> stream_events(Streaming& streaming, std::uint64_t attachment);
  asio::awaitable<bool> write(HttpReply reply);
  asio::awaitable<bool> write_head(const std::vector<std::pair<std::string, std::string>>& headers);
  asio::awaitable<bool> write_chunk(std::string_view text);
  asio::awaitable<bool> wait(std::chrono::milliseconds longest);
  Async drain();
  void watch();
  void unwatch();

  const HttpLimits& limits() const { return shared_.options.limits; }
  auto into(error_code& code) { return asio::redirect_error(asio::use_awaitable, code); }

  std::shared_ptr<HttpShared> whole_;  // it may outlive the server, if it did not stop in time
  HttpShared& shared_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  asio::steady_timer wake_;
  asio::cancellation_signal watching_;
  std::shared_ptr<EventSource> events_;  // that are being sent
  std::shared_ptr<Peer> peer_;           // of the request that is being answered, in the newer era
  std::string owner_;
  std::optional<Time> rests_since_ = std::chrono::steady_clock::now();
  bool busy_ = false;
  bool served_ = false;  // a request has come; before that it is a stranger, who may not rest here
  bool keep_ = true;     // the connection may serve another request
  bool closed_ = false;  // by the client
};

Async BeastConnection::run(std::shared_ptr<BeastConnection> self) {
  Next next = Next::Request;
  while (next == Next::Request && !shared_.stopping) {
    next = co_await self->serve_one();
    busy_ = false;
  }
  if (next == Next::Drain) co_await drain();
  error_code ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
}

asio::awaitable<BeastConnection::Next> BeastConnection::serve_one() {
  error_code failed;
  rests_since_ = std::chrono::steady_clock::now();
  // The time for a header begins with its first byte; before that a connection may rest.
  if (buffer_.size() == 0) {
    stream_.expires_after(served_ ? limits().idle_time : limits().header_time);
    const std::size_t size = co_await stream_.async_read_some(buffer_.prepare(4096), into(failed));
    if (failed) co_return Next::Close;
    buffer_.commit(size);
  }
  busy_ = true;
  served_ = true;
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(limits().header_bytes));
  parser.body_limit(shared_.options.bounds.bytes);
  stream_.expires_after(limits().header_time);
  co_await http::async_read_header(stream_, buffer_, parser, into(failed));
  keep_ = false;
  if (failed == http::error::header_limit) {
    co_await write(refusal(431, "the header is too large"));
    co_return Next::Drain;
  }
  if (failed == http::error::body_limit) {
    co_await write(refusal(413, "the body is larger than " + std::to_string(shared_.options.bounds.bytes) + " bytes"));
    co_return Next::Drain;
  }
  if (failed == beast::error::timeout || failed == http::error::end_of_stream) co_return Next::Close;
  if (failed) {
    co_await write(refusal(400, "this is not HTTP/1.1"));
    co_return Next::Drain;
  }
  HttpRequest request = head_of(parser.get());
  Next next = co_await serve(parser, request);
  co_return next;
}

// Why a request is not, or nothing.
std::optional<HttpReply> BeastConnection::let_in(HttpRequest& request) {
  if (shared_.stopping) return refusal(503, "the server is stopping");
  error_code ignored;
  request.local = stream_.socket().local_endpoint(ignored).address();
  if (auto refused = shared_.service.vet(request)) return refused;
  if (request.principal && request.principal->name != owner_) {
    if (!shared_.connections.has_room_for(request.principal->name))
      return shared_.service.refuse_busy(request, "too many connections");
    owner_ = request.principal->name;
  }
  rests_since_.reset();
  return std::nullopt;
}

asio::awaitable<BeastConnection::Next> BeastConnection::serve(Parser& parser, HttpRequest& request) {
  std::optional<HttpReply> refused = let_in(request);
  if (refused) {
    co_await write(std::move(*refused));
    co_return Next::Drain;
  }
  error_code failed;
  stream_.expires_after(limits().body_time);
  if (lower(request.header("expect")) == "100-continue") {
    co_await asio::async_write(stream_, asio::buffer("HTTP/1.1 100 Continue\r\n\r\n", 25), into(failed));
  }
  co_await http::async_read(stream_, buffer_, parser, into(failed));
  if (failed == http::error::body_limit) {
    co_await write(refusal(413, "the body is larger than " + std::to_string(shared_.options.bounds.bytes) + " bytes"));
    co_return Next::Drain;
  }
  if (failed) co_return Next::Close;
  keep_ = parser.get().keep_alive();
  request.body = std::move(parser.get().body());
  if (!shared_.service.has_path(request)) {
    const Next next = co_await serve_route(request);
    co_return next;
  }
  auto outcome = shared_.service.answer(request);
  request.body = {};
  Next next = Next::Close;
  if (auto* reply = std::get_if<HttpReply>(&outcome)) {
    const bool written = co_await write(std::move(*reply));
    if (written && keep_) next = Next::Request;
  } else {
    next = co_await serve_stream(std::move(std::get<Streaming>(outcome)));
  }
  co_return next;
}

asio::awaitable<BeastConnection::Next> BeastConnection::serve_route(const HttpRequest& request) {
  const Route* route = shared_.service.route(request);
  HttpReply reply = co_await route->answer(request);
  bool whole = false;
  if (reply.events) {
    events_ = reply.events;
    watch();
    whole = co_await send_events(reply);
    unwatch();
    events_ = nullptr;
  } else {
    whole = co_await write(std::move(reply));
  }
  co_return whole&& keep_ ? Next::Request : Next::Close;
}

asio::awaitable<bool> BeastConnection::send_events(const HttpReply& reply) {
  bool good = co_await write_head(reply.headers);
  while (good && !closed_) {
    std::optional<std::string> text = co_await events_->next();
    if (!text || shared_.stopping) {
      good = co_await write_chunk("");
      co_return good;
    }
    good = co_await write_chunk(text->empty() ? std::string_view(":\n\n") : std::string_view(*text));
  }
  co_return false;
}

asio::awaitable<BeastConnection::Next> BeastConnection::serve_stream(Streaming streaming) {
  peer_ = streaming.peer;
  // The stream may be kept by a session, which connections keep: it must not keep them.
  const std::weak_ptr<BeastConnection> weak = weak_from_this();
  const std::uint64_t attachment = streaming.stream->attach([weak] {
    if (const auto self = weak.lock()) self->wake_.cancel();
  });
  watch();
  const bool whole = co_await stream_events(streaming, attachment);
  unwatch();
  streaming.stream->detach(attachment);
  shared_.service.end(streaming);
  peer_ = nullptr;
  co_return whole&& keep_ ? Next::Request : Next::Close;
}

// True when the answer was given whole, and the connection is as good as new.
asio::awaitable<bool> BeastConnection::stream_events(Streaming& streaming, std::uint64_t attachment) {
  Stream& stream = *streaming.stream;
  while (!stream.is_streaming()) {
    if (closed_) co_return false;
    if (stream.is_over()) {
      HttpReply reply{.status = status_of(stream.verdict()), .body = stream.whole(), .headers = streaming.headers};
      const bool written = co_await write(std::move(reply));
      co_return written;
    }
    const bool woken = co_await wait(limits().patience);
    if (!woken && stream.may_stream()) stream.begin_streaming();
  }
  bool good = co_await write_head(streaming.headers);
  while (good && !closed_) {
    const std::string text = stream.take(streaming.cursor);
    if (!text.empty()) {
      good = co_await write_chunk(text);
      continue;
    }
    if (stream.is_over() || stream.is_parted() || !stream.is_attached(attachment)) {
      good = co_await write_chunk("");
      co_return good;
    }
    const bool woken = co_await wait(limits().keep_alive);
    if (!woken) good = co_await write_chunk(":\n\n");
  }
  co_return false;
}

// False when the time is over.
asio::awaitable<bool> BeastConnection::wait(std::chrono::milliseconds longest) {
  wake_.expires_after(longest);
  error_code woken;
  co_await wake_.async_wait(into(woken));
  co_return static_cast<bool>(woken);
}

asio::awaitable<bool> BeastConnection::write(HttpReply reply) {
  http::response<http::string_body> response(static_cast<http::status>(reply.status), 11);
  if (!reply.body.empty()) response.set(http::field::content_type, reply.content_type);
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : reply.headers) response.set(name, value);
  response.keep_alive(keep_ && !shared_.stopping);
  response.body() = std::move(reply.body);
  if (reply.status != 204 && reply.status != 202) response.prepare_payload();
  if (reply.status == 202) response.content_length(0);
  stream_.expires_after(limits().write_time);
  error_code failed;
  co_await http::async_write(stream_, response, into(failed));
  co_return !failed;
}

asio::awaitable<bool> BeastConnection::write_head(const std::vector<std::pair<std::string, std::string>>& headers) {
  http::response<http::empty_body> response(http::status::ok, 11);
  response.set(http::field::content_type, "text/event-stream");
  response.set(http::field::cache_control, "no-store");
  response.set("X-Accel-Buffering", "no");
  for (const auto& [name, value] : headers) response.set(name, value);
  response.keep_alive(keep_);
  response.chunked(true);
  http::response_serializer<http::empty_body> serializer(response);
  stream_.expires_after(limits().write_time);
  error_code failed;
  co_await http::async_write_header(stream_, serializer, into(failed));
  co_return !failed;
}

// An empty text is the last chunk.
asio::awaitable<bool> BeastConnection::write_chunk(std::string_view text) {
  stream_.expires_after(limits().write_time);
  error_code failed;
  if (text.empty()) {
    co_await asio::async_write(stream_, http::make_chunk_last(), into(failed));
  } else {
    co_await asio::async_write(stream_, http::make_chunk(asio::buffer(text)), into(failed));
  }
  co_return !failed;
}

// A client hears a refusal only if what it still sends is taken from it.
Async BeastConnection::drain() {
  error_code failed;
  stream_.socket().shutdown(tcp::socket::shutdown_send, failed);
  stream_.expires_after(std::chrono::seconds(2));
  std::size_t left = shared_.options.bounds.bytes * 4;
  while (!failed && left > 0) {
    buffer_.clear();
    const std::size_t size = co_await stream_.async_read_some(buffer_.prepare(65536), into(failed));
    left -= std::min(left, size);
  }
}

// Sees the client hang up while it waits for an answer.
void BeastConnection::watch() {
  closed_ = false;
  const auto self = shared_from_this();
  stream_.socket().async_wait(tcp::socket::wait_read,
                              asio::bind_cancellation_slot(watching_.slot(), [self](const error_code& failed) {
                                if (failed) return;
                                char next = 0;
                                error_code code;
                                self->stream_.socket().receive(asio::buffer(&next, 1), tcp::socket::message_peek, code);
                                if (!code) return;  // it sends its next request early
                                self->closed_ = true;
                                if (self->events_) self->events_->end();
                                self->wake_.cancel();
                              }));
}

void BeastConnection::unwatch() { watching_.emit(asio::cancellation_type::all); }

}  // namespace

void serve_connection(const std::shared_ptr<HttpShared>& shared, tcp::socket socket) {
  const auto connection = std::make_shared<BeastConnection>(shared, std::move(socket));
  asio::co_spawn(shared->loop.executor(), connection->run(connection), asio::detached);
}

}  // namespace pale::mcp
