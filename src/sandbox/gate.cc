#include "sandbox/gate.h"

#include "sys/message.h"
#include "sys/namespaces.h"

namespace pale::sandbox {
namespace {

sys::InternetAddress on_the_wire(const Address& address, std::uint16_t port) {
  const auto family =
      address.family == Address::Family::V4 ? sys::InternetAddress::Family::V4 : sys::InternetAddress::Family::V6;
  return {family, address.bytes, port};
}

Status send(const sys::Fd& line, std::string_view text, std::span<const int> descriptors) {
  PALE_TRY(sent, sys::send_message(line, text, descriptors, sys::Waiting::Yes));
  return sent ? Status() : fail(ErrorKind::System, "nobody takes the sockets of the network", "");
}

}  // namespace

Status open_gate(const plan::Gate& gate, const sys::Fd* line) {
  if (line == nullptr) return fail(ErrorKind::System, "the network's list has nobody who keeps it", "");
  for (const plan::LocalRange& range : gate.ranges)
    PALE_CHECK(sys::add_local_range(on_the_wire(range.first, 0), range.bits));
  for (const plan::Listener& listener : gate.listeners) {
    const auto transport =
        listener.kind == plan::Listener::Kind::NamesUdp ? sys::Transport::Datagram : sys::Transport::Stream;
    PALE_TRY(socket, sys::listen_on(on_the_wire(listener.address, listener.port), transport));
    const int descriptor = socket.borrow();
    PALE_CHECK(send(*line, plan::to_text(listener.kind), {&descriptor, 1}));
  }
  return send(*line, kGateStands, {});
}

}  // namespace pale::sandbox
