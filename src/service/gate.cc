#include "service/gate.h"

#include <csignal>

#include "service/keeper.h"
#include "sys/file.h"
#include "sys/message.h"

namespace pale::service {
namespace {

constexpr std::int64_t kPatienceMs = 3000;  // for what it still has to tell
constexpr int kErrors = 2;
constexpr std::size_t kMostTrusted = 16UL << 20U;

// Without them every host of a key would be refused for its certificate, and nothing would say why.
Status check_certificates(const network::Settings& settings) {
  if (settings.keys.empty() || settings.ca_file.empty()) return {};
  const auto text = sys::read_file(sys::kAbsolute, settings.ca_file.c_str(), kMostTrusted);
  if (text) return {};
  Error error = text.error();
  error.operation = "[network] ca_file cannot be read:";
  error.subject = settings.ca_file;
  error.hint = "mend it in PALE_HOME/config.toml";
  return fail(std::move(error));
}

}  // namespace

Result<std::unique_ptr<Gate>> Gate::open(const network::Settings& settings, const Caller& caller,
                                         VisitListener& listener) {
  PALE_CHECK(check_certificates(settings));
  const std::span<const char> image = keeper_image();
  PALE_TRY(program, sys::make_memory_file("pale", {image.data(), image.size()}));
  PALE_TRY(sockets, sys::make_message_pair());
  PALE_TRY(line, sys::make_message_pair());
  const std::string text = to_json(settings);
  if (text.size() > sys::kMostMessage)
    return fail(ErrorKind::Usage, "the network's list is too long", "", "allow hosts by *.NAME");
  PALE_TRY(sent, sys::send_message(line.first, text, {}, sys::Waiting::Yes));
  if (!sent) return fail(ErrorKind::System, "the proxy cannot be told what to let through", "");
  std::string name = "pale";
  std::string command = "network-proxy";
  char* const argv[] = {name.data(), command.data(), nullptr};
  PALE_TRY(process,
           sys::start_program({program, argv, caller.envp, sockets.second.borrow(), line.second.borrow(), kErrors}));
  return std::unique_ptr<Gate>(new Gate(std::move(sockets.first), std::move(line.first), process, listener));
}

Gate::~Gate() { (void)close(); }

Status Gate::hear() {
  while (line_.is_open()) {
    auto received = sys::receive_message(line_, sys::Waiting::No);
    if (!received || received->closed) line_.reset();
    if (!received || !received->message) return {};
    const auto visit = network::parse_visit(received->message->text);
    if (visit) PALE_CHECK(listener_.visited(*visit));
  }
  return {};
}

Status Gate::close() {
  if (process_ == 0) return {};
  sockets_.reset();
  Status heard;
  if (line_.is_open()) {
    (void)sys::send_message(line_, "over", {}, sys::Waiting::No);
    const std::int64_t until = sys::monotonic_ms() + kPatienceMs;
    while (heard && line_.is_open()) {
      sys::Ready ready = {line_.borrow()};
      const std::int64_t left = until - sys::monotonic_ms();
      if (left <= 0 || !sys::wait_ready({&ready, 1}, left)) break;
      heard = hear();
    }
  }
  (void)sys::send_signal(process_, SIGKILL);
  (void)sys::wait_for(process_);
  process_ = 0;
  return heard;
}

}  // namespace pale::service
