#include "proxy/program.h"

#include <string>

#include "proxy/secrets.h"
#include "proxy/server.h"
#include "sandbox/gate.h"
#include "sys/file.h"
#include "sys/landlock.h"
#include "sys/message.h"
#include "sys/process.h"

namespace pale::proxy {
namespace {

constexpr std::size_t kMostCertificates = 16UL << 20U;
constexpr std::uint64_t kNothing = 0;

// Where distributions keep what they trust, in one file.
constexpr const char* kBundles[] = {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                                    "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};
// All that is read later: which name servers there are.
constexpr const char* kRead[] = {"/etc/hosts", "/etc/resolv.conf", "/run/systemd/resolve", "/run/resolvconf",
                                 "/run/NetworkManager"};

std::string certificates(const std::string& own_file) {
  std::string all;
  for (const char* bundle : kBundles) {
    auto text = sys::read_file(sys::kAbsolute, bundle, kMostCertificates);
    if (!text) continue;
    all = std::move(*text);
    break;
  }
  if (own_file.empty()) return all;
  const auto text = sys::read_file(sys::kAbsolute, own_file.c_str(), kMostCertificates);
  return text ? all + "\n" + *text : all;
}

// It reads what others send: if that ever made it do something else, this is what it could.
Status confine() {
  PALE_CHECK(sys::set_no_new_privileges());
  PALE_CHECK(sys::limit(sys::Resource::CoreFile, kNothing));
  const int abi = sys::landlock_abi();
  if (abi > 0) {
    PALE_TRY(rules, sys::LandlockRules::make(abi, sys::LandlockTcp::Free));
    for (const char* path : kRead) (void)rules.allow(path, sys::LandlockAccess::Read);
    PALE_CHECK(rules.enforce());
  }
  PALE_CHECK(sys::drop_capabilities());
  return sys::hide_memory();
}

Result<network::Settings> receive_settings(const sys::Fd& owner) {
  PALE_TRY(received, sys::receive_message(owner, sys::Waiting::Yes));
  if (!received.message) return fail(ErrorKind::System, "nobody says what to let through", "");
  return network::parse_settings(received.message->text);
}

Status take_sockets(Server& server, const sys::Fd& gate) {
  for (;;) {
    PALE_TRY(received, sys::receive_message(gate, sys::Waiting::Yes));
    if (!received.message) return fail(ErrorKind::System, "the sandbox did not come to stand", "");
    sys::Message& message = *received.message;
    if (message.text == sandbox::kGateStands) return {};
    const auto kind = plan::parse_listener_kind(message.text);
    if (!kind || message.descriptors.size() != 1) return fail(ErrorKind::System, "these are no sockets", message.text);
    server.serve(*kind, std::move(message.descriptors.front()));
  }
}

Status serve(char** envp) {
  PALE_CHECK(sys::die_with_parent());
  sys::Fd gate(kGateLine);
  sys::Fd owner(kOwnerLine);
  PALE_TRY(settings, receive_settings(owner));
  std::vector<LoadedKey> keys = load_keys(settings.keys, envp);
  const std::string trusted = keys.empty() ? std::string() : certificates(settings.ca_file);
  sys::allow_many_files();
  Server server(settings, std::move(keys), trusted, std::move(owner));
  PALE_CHECK(confine());
  PALE_CHECK(take_sockets(server, gate));
  gate.reset();
  server.run();
  return {};
}

}  // namespace

int run_proxy(char** envp) { return serve(envp) ? 0 : 1; }

}  // namespace pale::proxy
