// The way to a host: whether it may be reached, where it is, whether that may be reached, and what it used.
#include <boost/asio/steady_timer.hpp>

#include "proxy/passage.h"

namespace pale::proxy {

using network::Verdict;

namespace {

constexpr std::uint64_t kUntilTold = 3;  // seconds: who stays longer is told of while he is there
constexpr std::size_t kMostTried = 4;

std::string in_words(const error_code& error) {
  if (error == asio::error::connection_refused) return "the host refuses the connection";
  if (error == asio::error::operation_aborted || error == asio::error::timed_out ||
      error == asio::error::bad_descriptor)
    return "the host does not answer in time";
  return "the host cannot be reached (" + error.message() + ")";
}

}  // namespace

Passage::Opened Passage::refuse(Ruling ruling) {
  visit_.verdict = Verdict::Blocked;
  visit_.reason = std::move(ruling.reason);
  visit_.rule = std::move(ruling.rule);
  visiting_ = false;
  server_.report(visit_);
  return Opened::Blocked;
}

Passage::Opened Passage::fail_with(std::string reason) {
  visit_.verdict = Verdict::Failed;
  visit_.reason = std::move(reason);
  visiting_ = false;
  server_.report(visit_);
  return Opened::Failed;
}

void Passage::end_visit() {
  visiting_ = false;
  visit_.verdict = Verdict::Allowed;
  server_.report(visit_);
}

// Whatever has come unasked: the end of the connection, in whichever form.
bool Passage::is_stale() {
  char byte = 0;
  error_code error;
  if (!host_.is_open() || !from_host_.empty()) return true;
  host_.non_blocking(true, error);
  if (!error) (void)host_.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, error);
  return error != asio::error::would_block;
}

bool Passage::count(std::uint64_t& counter, std::uint64_t bytes) {
  touch();
  counter += bytes;
  if (of_host_ == nullptr) return true;
  const auto over = server_.tally.add_bytes(*of_host_, bytes);
  if (!over) return true;
  if (visiting_) refuse({false, *over, {}});
  close();
  return false;
}

void Passage::look_at_time() {
  const std::uint64_t quiet = server_.now() - touched_;
  const std::uint64_t most = opening_ ? server_.settings.connect_seconds : server_.settings.idle_seconds;
  if (quiet > most) {
    if (visiting_) fail_with(opening_ ? "nothing was agreed on in time" : "nothing moved for too long");
    close();
  } else if (visiting_ && !opening_ && !announced_ && server_.now() - began_ >= kUntilTold) {
    announced_ = true;
    visit_.verdict = Verdict::Begun;
    server_.report(visit_);
  }
}

// `asked` may be of the visit before, so nothing reads it after that is concluded.
Async<Passage::Opened> Passage::open(const std::string& asked, std::uint16_t port, std::string_view way) {
  network::Visit visit{.host = asked.substr(0, 255), .port = port, .way = std::string(way)};
  const auto host = normal_host(asked);
  conclude();
  error_code ignored;
  host_.close(ignored);
  from_host_.clear();
  visit_ = std::move(visit);
  announced_ = false;
  opening_ = true;
  touch();
  if (!host || port == 0) co_return refuse({false, "it is not the name of a host", {}});
  visit_.host = *host;
  if (Ruling ruling = server_.policy.on_host(*host, port); !ruling.allowed) co_return refuse(std::move(ruling));
  if (auto over = server_.tally.add_connection()) co_return refuse({false, std::move(*over), {}});
  of_host_ = &server_.tally.bytes_of(*host);
  if (auto over = server_.tally.add_bytes(*of_host_, 0)) co_return refuse({false, std::move(*over), {}});
  std::vector<network::Endpoint> endpoints;
  const auto place = server_.policy.place_of(*host);
  const auto itself = Address::parse(*host);
  if (place) endpoints.push_back(*place);
  if (!place && itself) endpoints.push_back({*itself, port});
  if (!endpoints.empty()) co_return co_await connect(endpoints);
  const auto addresses = co_await server_.resolver.resolve(*host);
  if (!addresses) co_return fail_with(addresses.error().sentence());
  Ruling refusal;
  for (const Address& address : *addresses) {
    Ruling ruling = server_.policy.on_address(*host, port, address);
    if (ruling.allowed)
      endpoints.push_back({address, port});
    else
      refusal = std::move(ruling);
  }
  if (endpoints.empty()) co_return refuse(std::move(refusal));
  co_return co_await connect(endpoints);
}

Async<Passage::Opened> Passage::connect(const std::vector<network::Endpoint>& endpoints) {
  error_code error = asio::error::host_unreachable;
  const std::size_t tried = std::min(endpoints.size(), kMostTried);
  for (std::size_t at = 0; at < tried && error && client_.is_open(); ++at) {
    host_ = tcp::socket(server_.context);
    asio::steady_timer timer(
        server_.context, std::chrono::seconds(std::max<std::uint64_t>(1, server_.settings.connect_seconds / tried)));
    timer.async_wait([self = weak_from_this()](error_code cancelled) {
      const auto passage = self.lock();
      error_code ignored;
      if (!cancelled && passage) passage->host_.close(ignored);
    });
    touch();
    co_await host_.async_connect({to_asio(endpoints[at].address), endpoints[at].port}, into(error));
    timer.cancel();
  }
  if (error) co_return fail_with(in_words(error));
  error_code ignored;
  host_.set_option(tcp::no_delay(true), ignored);
  visiting_ = true;
  opening_ = false;
  began_ = server_.now();
  touch();
  co_return Opened::Yes;
}

}  // namespace pale::proxy
