#include "proxy/resolver.h"

#include <algorithm>
#include <array>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "proxy/http_head.h"
#include "proxy/name_message.h"
#include "sys/file.h"
#include "sys/random.h"

namespace pale::proxy {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 2s;      // with one server
constexpr std::size_t kRounds = 2;  // datagrams are lost
constexpr auto kKept = 30s;
constexpr std::size_t kMostKept = 1024;
constexpr std::size_t kMostText = 1UL << 20U;
constexpr std::size_t kMostServers = 3;
constexpr std::uint16_t kPort = 53;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  line = line.substr(0, line.find_first_of("#;"));
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

template <typename Take>
void for_lines(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    take(words_of(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::uint16_t any_number() {
  std::array<std::byte, 2> bytes = {};
  if (!sys::fill_random(bytes)) return 0;
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[0]) << 8U | std::to_integer<unsigned>(bytes[1]));
}

// Closes a socket when the time is over, unless it is let go before.
template <typename Socket>
std::shared_ptr<asio::steady_timer> close_after(const std::shared_ptr<Socket>& socket, std::chrono::seconds patience) {
  auto timer = std::make_shared<asio::steady_timer>(socket->get_executor(), patience);
  timer->async_wait([socket, timer](error_code error) {
    error_code ignored;
    if (!error) socket->close(ignored);
  });
  return timer;
}

std::unexpected<Error> no_address(const std::string& host, const char* why) {
  return fail(ErrorKind::NotFound, "the name " + host, why);
}

}  // namespace

std::vector<Address> addresses_in_hosts(std::string_view text, std::string_view host) {
  std::vector<Address> addresses;
  for_lines(text, [&](const std::vector<std::string_view>& words) {
    const auto address = words.size() > 1 ? Address::parse(words.front()) : std::nullopt;
    const auto is_host = [&](std::string_view word) { return lower_case(word) == host; };
    if (address && std::any_of(words.begin() + 1, words.end(), is_host)) addresses.push_back(*address);
  });
  return addresses;
}

std::vector<Address> servers_in(std::string_view resolv_conf) {
  std::vector<Address> servers;
  for_lines(resolv_conf, [&](const std::vector<std::string_view>& words) {
    if (words.size() < 2 || words.front() != "nameserver" || servers.size() >= kMostServers) return;
    if (const auto address = Address::parse(words[1])) servers.push_back(*address);
  });
  return servers;
}

std::vector<network::Endpoint> Resolver::servers() const {
  if (server_) return {*server_};
  std::vector<network::Endpoint> all;
  const auto text = sys::read_file(sys::kAbsolute, "/etc/resolv.conf", kMostText);
  if (text) {
    for (const Address& address : servers_in(*text)) all.push_back({address, kPort});
  }
  if (all.empty()) all.push_back({Address::v4(0x7f000001), kPort});
  return all;
}

Async<Result<std::vector<Address>>> Resolver::resolve(std::string host) {
  const auto now = std::chrono::steady_clock::now();
  if (const auto found = known_.find(host); found != known_.end() && found->second.until > now)
    co_return found->second.addresses;
  const auto hosts = sys::read_file(sys::kAbsolute, "/etc/hosts", kMostText);
  if (auto listed = addresses_in_hosts(hosts ? *hosts : std::string(), host); !listed.empty()) co_return listed;
  Result<std::vector<Address>> answer = no_address(host, "could not be asked for");
  const std::vector<network::Endpoint> all = servers();
  for (std::size_t asked = 0; asked < all.size() * kRounds && !answer; ++asked)
    answer = co_await ask(host, all[asked % all.size()]);
  if (!answer) co_return answer;
  if (answer->empty()) co_return no_address(host, "has no address");
  if (known_.size() >= kMostKept) known_.clear();
  known_[host] = {*answer, now + kKept};
  co_return answer;
}

Async<Result<std::vector<Address>>> Resolver::ask(std::string host, network::Endpoint server) {
  const udp::endpoint endpoint(to_asio(server.address), server.port);
  auto socket = std::make_shared<udp::socket>(executor_);
  error_code error;
  // Connected: what others send is not received.
  socket->open(endpoint.protocol(), error);
  if (!error) socket->connect(endpoint, error);
  if (error) co_return no_address(host, "could not be asked for");
  const auto timer = close_after(socket, kPatience);
  struct Asked {
    std::uint16_t type;
    std::uint16_t id;
    std::optional<std::vector<Address>> addresses;
  };
  std::array<Asked, 2> asked = {Asked{kTypeA, any_number(), {}}, Asked{kTypeAaaa, any_number(), {}}};
  for (const Asked& each : asked) {
    const std::string question = question_for(each.id, host, each.type);
    co_await socket->async_send(asio::buffer(question), into(error));
    if (error) break;
  }
  std::array<char, 4096> buffer;
  while (!error && !(asked[0].addresses && asked[1].addresses)) {
    const std::size_t got = co_await socket->async_receive(asio::buffer(buffer), into(error));
    for (Asked& each : asked) {
      const auto answer = error ? std::nullopt : parse_answer({buffer.data(), got}, each.id, host, each.type);
      if (!answer) continue;
      if (answer->code != NameCode::Fine && answer->code != NameCode::NoSuchName) {
        error = asio::error::host_not_found_try_again;
        break;
      }
      each.addresses = answer->addresses;
      if (answer->cut) each.addresses = co_await ask_in_full(host, each.type, server);
    }
  }
  timer->cancel();
  std::vector<Address> all;
  for (const Asked& each : asked) {
    if (each.addresses) all.insert(all.end(), each.addresses->begin(), each.addresses->end());
  }
  // That there is no address counts only from a server that has said so of both kinds.
  if (all.empty() && !(asked[0].addresses && asked[1].addresses))
    co_return no_address(host, "could not be asked for: no name server answers");
  co_return all;
}

Async<std::vector<Address>> Resolver::ask_in_full(std::string host, std::uint16_t type, network::Endpoint server) {
  auto socket = std::make_shared<tcp::socket>(executor_);
  const auto timer = close_after(socket, kPatience);
  error_code error;
  co_await socket->async_connect({to_asio(server.address), server.port}, into(error));
  const std::uint16_t id = any_number();
  const std::string question = question_for(id, host, type);
  std::string message = {static_cast<char>(question.size() >> 8U), static_cast<char>(question.size() & 0xffU)};
  message += question;
  Inlet inlet;
  bool good = !error;
  if (good) good = co_await send(*socket, message);
  std::size_t size = 2;
  while (good && inlet.bytes().size() < size) {
    good = co_await inlet.fill(*socket);
    const std::string_view bytes = inlet.bytes();
    if (bytes.size() >= 2)
      size = 2 + (static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) << 8U |
                  static_cast<unsigned char>(bytes[1]));
  }
  timer->cancel();
  const auto answer = good ? parse_answer(inlet.bytes().substr(2, size - 2), id, host, type) : std::nullopt;
  co_return answer ? answer->addresses : std::vector<Address>();
}

}  // namespace pale::proxy
