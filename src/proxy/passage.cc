// How somebody inside comes in: as the client of a proxy, or to an address that stands in for a host.
#include "proxy/passage.h"

#include "base/text.h"
#include "proxy/exchange.h"
#include "proxy/socks.h"

namespace pale::proxy {

using network::Verdict;

namespace {

constexpr std::string_view kHowTo = "hint: outside of it, the user can allow the host: pale help network\n";

std::string_view status_text(int status) {
  switch (status) {
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 405: return "Method Not Allowed";
    case 421: return "Misdirected Request";
    default: return "Bad Gateway";
  }
}

// HTTP/1.0 may leave its Host out; then a server with many names would choose one.
std::string request_to(const network::Visit& visit, const RequestHead& head, const std::string& path) {
  if (head.find("host") != nullptr) return request_text(head, path, {}, {});
  const std::uint16_t port = visit.port == kHttpPort ? std::uint16_t{0} : visit.port;
  return request_text(head, path, {{"Host", network::place_of({.host = visit.host, .port = port})}}, {});
}

}  // namespace

Passage::Passage(Server& server, tcp::socket client)
    : server_(server), client_(std::move(client)), host_(server.context), touched_(server.now()) {
  error_code ignored;
  client_.set_option(tcp::no_delay(true), ignored);
  server_.enter(*this);
}

Passage::~Passage() {
  conclude();
  server_.leave(*this);
}

void Passage::close() {
  error_code ignored;
  client_.close(ignored);
  host_.close(ignored);
}

void Passage::conclude() {
  if (visiting_) end_visit();
}

Async<> Passage::answer(int status, std::string_view reason, const std::string& why) {
  const std::string text = "pale: " + why + "\n";
  const std::string message =
      "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason) +
      "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " + std::to_string(text.size()) +
      "\r\nConnection: close\r\n\r\n" + text;
  (void)co_await send(client_, message);
  error_code ignored;
  client_.shutdown(tcp::socket::shutdown_send, ignored);
}

Async<> Passage::answer_refusal() {
  const bool blocked = visit_.verdict == Verdict::Blocked;
  const int status = blocked ? 403 : 502;
  const std::string hint = blocked ? "\n" + std::string(kHowTo) : std::string();
  const std::string why = network::place_of(visit_) + ": " + printable(visit_.reason) + hint;
  co_await answer(status, status_text(status), why);
}

Async<> Passage::through_proxy() {
  const auto self = shared_from_this();
  if (!co_await from_client_.fill(client_)) co_return;
  if (from_client_.bytes().front() == '\5') {
    co_await speak_socks();
  } else {
    co_await speak_http();
  }
}

Async<> Passage::speak_socks() {
  SocksGreeting greeting = read_socks_greeting(from_client_.bytes());
  while (greeting.state == SocksState::More) {
    if (!co_await from_client_.fill(client_)) co_return;
    greeting = read_socks_greeting(from_client_.bytes());
  }
  if (greeting.state != SocksState::Whole) co_return;
  from_client_.use(greeting.size);
  const std::string_view greeted = greeting.without_name ? kSocksGreeted : kSocksNoWay;
  const bool sent = co_await send(client_, greeted);
  if (!sent || !greeting.without_name) co_return;
  SocksRequest request = read_socks_request(from_client_.bytes());
  while (request.state == SocksState::More) {
    if (!co_await from_client_.fill(client_)) co_return;
    request = read_socks_request(from_client_.bytes());
  }
  if (request.state != SocksState::Whole) co_return;
  from_client_.use(request.size);
  if (!request.connect) {
    visit_ = {.host = request.host.substr(0, 255), .port = request.port, .way = "udp"};
    refuse({false, "only connections pass, and no datagrams", {}});
    const std::string refusal = to_bytes(SocksReply::NoSuchCommand);
    (void)co_await send(client_, refusal);
    co_return;
  }
  const Opened opened = co_await open(request.host, request.port, "tcp");
  const SocksReply failure = opened == Opened::Blocked ? SocksReply::NotAllowed : SocksReply::Unreachable;
  const std::string reply = to_bytes(opened == Opened::Yes ? SocksReply::Fine : failure);
  const bool told = co_await send(client_, reply);
  if (!told || opened != Opened::Yes) co_return;
  co_await carry_on();
}

Async<> Passage::speak_http() {
  for (;;) {
    RequestHead head = read_request_head(from_client_.bytes());
    while (head.state == HeadState::More) {
      if (!co_await from_client_.fill(client_)) co_return;
      head = read_request_head(from_client_.bytes());
    }
    std::string why = head.state == HeadState::Wrong ? "not a request: " + head.why : std::string();
    from_client_.use(head.size);
    if (why.empty() && head.method == "CONNECT") co_return co_await tunnel_after_connect(head);
    const auto target = why.empty() ? parse_absolute(head.target) : std::nullopt;
    if (why.empty()) why = "a proxy is asked for http://HOST/PATH, or to CONNECT";
    if (!target) co_return co_await answer(400, status_text(400), why);
    const After after = co_await forward(head, *target);
    if (after == After::Over) co_return;
  }
}

Async<> Passage::tunnel_after_connect(const RequestHead& head) {
  const auto authority = parse_authority(head.target, 0);
  if (!authority || head.framing != Framing::None) {
    visit_ = {.verdict = Verdict::Blocked, .host = head.target.substr(0, 255), .way = "tcp"};
    refuse({false, "it is not the name of a host with a port", {}});
    co_return co_await answer_refusal();
  }
  if (co_await open(authority->host, authority->port, "tcp") != Opened::Yes) co_return co_await answer_refusal();
  const bool told = co_await send(client_, "HTTP/1.1 200 Connection established\r\n\r\n");
  if (!told) co_return;
  co_await carry_on();
}

// One request of many, each to a host of its own: another host is another connection.
Async<Passage::After> Passage::forward(const RequestHead& head, const AbsoluteTarget& target) {
  const Authority& wanted = target.authority;
  // What is in Host is overruled by the target (RFC 9112, 3.2.2); a different one is meant to confuse.
  const std::string* host_field = head.find("host");
  const auto named = host_field == nullptr ? std::optional(wanted) : parse_authority(*host_field, kHttpPort);
  if (!named || named->host != wanted.host || named->port != wanted.port) {
    visit_ = {.host = wanted.host, .port = wanted.port, .way = "http"};
    refuse({false, "its Host is another one", {}});
    co_await answer_refusal();
    co_return After::Over;
  }
  const bool same = visiting_ && visit_.host == wanted.host && visit_.port == wanted.port && !is_stale();
  if (!same && co_await open(wanted.host, wanted.port, "http") != Opened::Yes) {
    co_await answer_refusal();
    co_return After::Over;
  }
  co_return co_await exchange(head, target.path);
}

Async<Passage::After> Passage::exchange(const RequestHead& head, const std::string& path) {
  if (const auto over = server_.tally.add_request()) {
    refuse({false, *over, {}});
    co_await answer_refusal();
    co_return After::Over;
  }
  Sides<tcp::socket> sides = sides_with(host_);
  const std::string text = request_to(visit_, head, path);
  const Exchanged end = co_await proxy::exchange(sides, head, text);
  if (end == Exchanged::Again) co_return After::Again;
  if (end == Exchanged::Upgraded) co_await relay();
  if (end == Exchanged::Broken && visiting_) {
    fail_with("the host did not answer as HTTP wants it");
    co_await answer_refusal();
  }
  co_return After::Over;
}

Async<> Passage::through_port() {
  const auto self = shared_from_this();
  error_code error;
  const tcp::endpoint at = client_.local_endpoint(error);
  if (error) co_return;
  const Address address = from_asio(at.address());
  const auto meant = server_.policy.meant_by(address);
  if (!meant) co_return;  // loopback itself, where nobody listens
  const Opened opened = co_await open(*meant, at.port(), "tcp");
  if (opened != Opened::Yes) co_return;
  co_await carry_on();
}

}  // namespace pale::proxy
