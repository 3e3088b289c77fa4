#include "service/visit_record.h"

#include "base/text.h"

namespace pale::service {
namespace {

std::string line(std::string_view name, const std::string& value) {
  return "[NETWORK]   " + std::string(name) + ": " + value + "\n";
}

}  // namespace

session::Event event_of(const network::Visit& visit, std::uint64_t run) {
  session::Event event{.kind = session::EventKind::Connection, .run = run};
  event.path = network::place_of(visit);
  event.operation = visit.way;
  event.rule = visit.reason;
  event.ending = to_text(visit.verdict);
  event.bytes = visit.sent;
  event.received = visit.received;
  if (!visit.rule.empty() && visit.verdict == network::Verdict::Blocked) event.rule += "; allow it by " + visit.rule;
  return event;
}

std::string block_of(const network::Visit& visit, const std::string& root) {
  if (visit.verdict != network::Verdict::Blocked) return {};
  std::string text = "[NETWORK] BLOCKED: connection to a host\n" + line("Host", network::place_of(visit)) +
                     line("Reason", printable(visit.reason));
  if (visit.rule.empty()) return text;
  return text + line("Allow", "--network " + shell_word("allow:…," + visit.rule) + ", or: pale config add hosts " +
                                  shell_word(visit.rule) + " --project-root " + shell_word(root));
}

}  // namespace pale::service
