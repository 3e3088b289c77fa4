#include "proxy/server.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <exception>

#include "proxy/name_message.h"
#include "proxy/passage.h"
#include "sys/message.h"
#include "sys/process.h"

namespace pale::proxy {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostUnsent = 20'000;
constexpr std::size_t kMostBlockedNames = 1000;
constexpr auto kUntilAgain = 20ms;  // a line that is full is tried again
// Each may hold a head or a piece of what it carries: who is inside shall not decide how much memory is used out here.
constexpr std::size_t kMostAtOnce = 4096;

}  // namespace

Server::Server(const network::Settings& wanted, std::vector<LoadedKey> loaded, std::string_view certificates,
               sys::Fd line)
    : settings(wanted),
      keys(std::move(loaded)),
      policy(settings),
      tally(settings.limits),
      resolver(context.get_executor(), settings.resolver),
      tls(asio::ssl::context::tls_client),
      line_(std::move(line)),
      owner_(context),
      clock_(context),
      again_(context) {
  error_code ignored;
  tls.set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1, ignored);
  if (!certificates.empty())
    tls.add_certificate_authority(asio::buffer(certificates.data(), certificates.size()), ignored);
  if (auto copy = sys::duplicate(line_.borrow())) owner_.assign(copy->release(), ignored);
}

void Server::serve(plan::Listener::Kind kind, sys::Fd listener) {
  error_code error;
  if (kind == plan::Listener::Kind::NamesUdp) {
    udp::socket socket(context);
    socket.assign(udp::v4(), listener.release(), error);
    asio::co_spawn(context, answer_datagrams(std::move(socket)), asio::detached);
    return;
  }
  tcp::acceptor acceptor(context);
  acceptor.assign(tcp::v4(), listener.release(), error);
  if (!error) asio::co_spawn(context, accept(std::move(acceptor), kind), asio::detached);
}

Async<> Server::accept(tcp::acceptor listener, plan::Listener::Kind kind) {
  for (;;) {
    if (passages_.size() + name_streams_ >= kMostAtOnce) {
      co_await wait_for_room();
      continue;
    }
    error_code error;
    tcp::socket socket = co_await listener.async_accept(into(error));
    if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor) co_return;
    if (error) {  // No descriptors are left.
      co_await wait_for_room();
      continue;
    }
    if (kind == plan::Listener::Kind::NamesTcp) {
      asio::co_spawn(context, answer_stream(std::move(socket)), asio::detached);
      continue;
    }
    auto passage = std::make_shared<Passage>(*this, std::move(socket));
    auto way = kind == plan::Listener::Kind::Proxy  ? passage->through_proxy()
               : kind == plan::Listener::Kind::Door ? passage->through_door()
                                                    : passage->through_port();
    asio::co_spawn(context, std::move(way), [passage](std::exception_ptr) {});
  }
}

// Others have to end first; until then, whoever comes waits in the kernel.
Async<> Server::wait_for_room() {
  asio::steady_timer pause(context, kUntilAgain);
  error_code ignored;
  co_await pause.async_wait(into(ignored));
}

std::string Server::answer_name(std::string_view message) {
  const auto question = parse_question(message);
  if (!question) return {};
  if (!question->standard) return answer_to(*question, NameCode::NotImplemented, {});
  if (question->klass != kClassInternet) return answer_to(*question, NameCode::Refused, {});
  if (question->name == "localhost")
    return answer_to(*question, NameCode::Fine, {Address::v4(0x7f000001), *Address::parse("::1")});
  const auto name = normal_host(question->name);
  if (!name || Address::parse(*name)) return answer_to(*question, NameCode::NoSuchName, {});
  const Ruling ruling = policy.on_name(*name);
  if (!ruling.allowed) {
    const bool address = question->type == kTypeA || question->type == kTypeAaaa;
    if (address && blocked_names_.size() < kMostBlockedNames && blocked_names_.insert(*name).second)
      report({network::Verdict::Blocked, *name, 0, "name", ruling.reason, ruling.rule});
    return answer_to(*question, NameCode::NoSuchName, {});
  }
  if (question->type != kTypeA) return answer_to(*question, NameCode::Fine, {});
  const auto address = policy.stand_in_for(*name);
  return address ? answer_to(*question, NameCode::Fine, {*address}) : answer_to(*question, NameCode::Failed, {});
}

Async<> Server::answer_datagrams(udp::socket socket) {
  std::array<char, 2048> buffer;
  for (;;) {
    error_code error;
    udp::endpoint from;
    const std::size_t size = co_await socket.async_receive_from(asio::buffer(buffer), from, into(error));
    if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor) co_return;
    const std::string answer = error ? std::string() : answer_name({buffer.data(), size});
    if (!answer.empty()) co_await socket.async_send_to(asio::buffer(answer), from, into(error));
  }
}

Async<> Server::answer_stream(tcp::socket socket) {
  ++name_streams_;
  Inlet inlet;
  asio::steady_timer timer(context, 10s);
  timer.async_wait([&socket](error_code error) {
    error_code ignored;
    if (!error) socket.close(ignored);
  });
  for (;;) {
    const std::string_view bytes = inlet.bytes();
    const std::size_t size = bytes.size() < 2 ? 0
                                              : static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) << 8U |
                                                    static_cast<unsigned char>(bytes[1]);
    if (bytes.size() < 2 || bytes.size() < 2 + size) {
      if (!co_await inlet.fill(socket)) break;
      continue;
    }
    const std::string answer = answer_name(bytes.substr(2, size));
    inlet.use(2 + size);
    std::string message = {static_cast<char>(answer.size() >> 8U), static_cast<char>(answer.size() & 0xffU)};
    message += answer;
    const bool sent = !answer.empty() && co_await send(socket, message);
    if (!sent) break;
  }
  timer.cancel();
  --name_streams_;
}

void Server::enter(Passage& passage) {
  passages_.insert(&passage);
  if (ticking_) return;
  ticking_ = true;
  tick();
}

void Server::tick() {
  clock_.expires_after(1s);
  clock_.async_wait([this](error_code error) {
    if (error) return;
    ++ticks_;
    for (Passage* passage : passages_) passage->look_at_time();
    ticking_ = !passages_.empty();
    if (ticking_) tick();
  });
}

void Server::report(const network::Visit& visit) {
  if (unsent_.size() < kMostUnsent) unsent_.push_back(to_json(visit));
  if (!waits_) send_reports();
}

void Server::send_reports() {
  waits_ = false;
  while (!unsent_.empty()) {
    const auto sent = sys::send_message(line_, unsent_.front(), {}, sys::Waiting::No);
    if (!sent) return unsent_.clear();  // Nobody listens: it is over.
    if (!*sent) {
      waits_ = true;
      again_.expires_after(kUntilAgain);
      again_.async_wait([this](error_code error) {
        if (!error) send_reports();
      });
      return;
    }
    unsent_.pop_front();
  }
}

void Server::send_last_reports() {
  for (Passage* passage : passages_) passage->conclude();
  for (const std::string& text : unsent_) {
    const auto sent = sys::send_message(line_, text, {}, sys::Waiting::Yes);
    if (!sent || !*sent) return;
  }
}

// Whatever comes from it, or its end: it is over.
Async<> Server::watch_owner() {
  error_code error;
  co_await owner_.async_wait(asio::posix::stream_descriptor::wait_read, into(error));
  context.stop();
}

void Server::run() {
  asio::co_spawn(context, watch_owner(), asio::detached);
  while (!context.stopped()) {
    try {
      context.run();
    } catch (const std::exception&) {  // One connection's; the others go on.
      continue;
    }
  }
  // What lies unread when a socket is closed is an error at its other end, before all that was sent.
  (void)sys::receive_message(line_, sys::Waiting::No);
  send_last_reports();
}

}  // namespace pale::proxy
