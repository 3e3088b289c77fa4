// A credential's door: a plain request comes in, and goes out over TLS to one host, with the key that nobody inside has.
#include <algorithm>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "proxy/exchange.h"
#include "proxy/passage.h"

namespace pale::proxy {
namespace {

using Tls = asio::ssl::stream<tcp::socket&>;

// Keys that a client inside may have put there: it has none that anybody should see.
// Nor is another protocol begun in here.
constexpr std::string_view kDropped[] = {"authorization", "x-api-key", "api-key", "x-goog-api-key", "upgrade"};

std::string with_key(const RequestHead& head, const LoadedKey& loaded, const std::string& host) {
  return request_text(head, head.target, {{"Host", host}, {loaded.key.header, loaded.value}}, kDropped);
}

Async<std::string> begin_tls(Tls& tls, const std::string& host) {
  if (!Address::parse(host) && SSL_set_tlsext_host_name(tls.native_handle(), host.c_str()) != 1)
    co_return "TLS cannot be begun";
  tls.set_verify_mode(asio::ssl::verify_peer);
  tls.set_verify_callback(asio::ssl::host_name_verification(host));
  error_code error;
  co_await tls.async_handshake(Tls::client, into(error));
  if (!error) co_return std::string();
  const long verified = SSL_get_verify_result(tls.native_handle());
  co_return verified == X509_V_OK
      ? "TLS with the host failed (" + error.message() + ")"
      : "the host's certificate is not good (" + std::string(X509_verify_cert_error_string(verified)) + ")";
}

}  // namespace

Async<> Passage::through_door() {
  const auto self = shared_from_this();
  error_code error;
  const std::uint16_t door = client_.local_endpoint(error).port();
  const auto found =
      std::ranges::find_if(server_.keys, [&](const LoadedKey& each) { return each.key.credential.door == door; });
  if (error || found == server_.keys.end()) co_return;
  const LoadedKey& loaded = *found;
  const Credential& credential = loaded.key.credential;
  const std::string way = "key " + credential.name;
  std::unique_ptr<Tls> tls;
  const std::string host_field =
      credential.port == kHttpsPort ? credential.host : credential.host + ":" + std::to_string(credential.port);
  for (;;) {
    RequestHead head = read_request_head(from_client_.bytes());
    while (head.state == HeadState::More) {
      if (!co_await from_client_.fill(client_)) co_return;
      head = read_request_head(from_client_.bytes());
    }
    const std::string why = head.state == HeadState::Wrong ? "not a request: " + head.why
                                                           : "this door takes requests for paths of " + credential.host;
    if (head.state == HeadState::Wrong) co_return co_await answer(400, "Bad Request", why);
    from_client_.use(head.size);
    // TRACE answers with what it was sent.
    if (!head.target.starts_with('/') || head.method == "TRACE" || head.method == "CONNECT")
      co_return co_await answer(405, "Method Not Allowed", why);
    if (loaded.value.empty()) {
      visit_ = {.host = credential.host, .port = credential.port, .way = way};
      fail_with("its key cannot be read: " + loaded.why);
      co_return co_await answer_refusal();
    }
    if (!tls || !visiting_ || is_stale()) {
      tls.reset();
      if (co_await open(credential.host, credential.port, way) != Opened::Yes) co_return co_await answer_refusal();
      tls = std::make_unique<Tls>(host_, server_.tls);
      opening_ = true;
      const std::string trouble = co_await begin_tls(*tls, credential.host);
      opening_ = false;
      if (!visiting_) co_return;  // It took too long, and that has been told.
      if (!trouble.empty()) {
        fail_with(trouble);
        co_return co_await answer_refusal();
      }
    }
    if (const auto over = server_.tally.add_request()) {
      refuse({false, *over, {}});
      co_return co_await answer_refusal();
    }
    Sides<Tls> sides = sides_with(*tls);
    const std::string text = with_key(head, loaded, host_field);
    const Exchanged end = co_await proxy::exchange(sides, head, text);
    if (end == Exchanged::Again) continue;
    if (end == Exchanged::Broken && visiting_) {
      fail_with("the host did not answer as HTTP wants it");
      co_await answer_refusal();
    }
    co_return;
  }
}

}  // namespace pale::proxy
