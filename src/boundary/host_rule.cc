#include "boundary/host_rule.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "boundary/punycode.h"

namespace pale {
namespace {

constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestLabel = 63;

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

// '_' is in no host's name, and in many that are asked for.
bool is_of_label(char byte) { return (byte >= 'a' && byte <= 'z') || is_digit(byte) || byte == '-' || byte == '_'; }

std::unexpected<Error> no_host(std::string_view text, const std::string& why, std::string hint = {}) {
  if (hint.empty()) hint = "a name such as api.example.org, *.example.org, or an address, with :PORT if need be";
  return fail(ErrorKind::Usage, "not a host:", printable(text) + " (" + why + ")", std::move(hint));
}

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= kLongestLabel && label.front() != '-' && label.back() != '-' &&
         std::ranges::all_of(label, is_of_label);
}

// "127.1", "0x7f.0.0.1", "2130706433": inet_aton() makes addresses of them.
bool looks_like_number(std::string_view last_label) {
  return std::ranges::all_of(last_label, is_digit) ||
         (last_label.starts_with("0x") &&
          last_label.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& byte : result) {
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte + ('a' - 'A'));
  }
  return result;
}

Result<std::string> normal_name(std::string_view text) {
  std::string name = lower(text);
  if (std::ranges::any_of(name, [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; })) {
    const auto coded = to_punycode(name);
    return no_host(text, "letters outside ASCII are written otherwise in the network", coded ? *coded : "");
  }
  if (name.ends_with('.')) name.pop_back();
  if (name.empty() || name.size() > kLongestName) return no_host(text, name.empty() ? "it is empty" : "it is too long");
  std::string_view rest = name;
  for (;;) {
    const std::size_t dot = rest.find('.');
    if (!is_label(rest.substr(0, dot))) return no_host(text, "a part of it is no part of a name");
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (looks_like_number(rest)) return no_host(text, "programs differ on which address that is");
  return name;
}

struct Split {
  std::string_view host;
  std::string_view port;  // empty: none is given
  bool bracketed = false;
};

Result<Split> split_port(std::string_view text) {
  const std::size_t close = text.starts_with('[') ? text.find(']') : std::string_view::npos;
  if (text.starts_with('[') && close == std::string_view::npos) return no_host(text, "a bracket is open");
  const bool bracketed = close != std::string_view::npos;
  const std::string_view rest = bracketed ? text.substr(close + 1) : text.substr(std::min(text.find(':'), text.size()));
  if (!rest.empty() && (rest.front() != ':' || rest.size() == 1))
    return no_host(text, "behind the host stands no port");
  const std::string_view host = bracketed ? text.substr(1, close - 1) : text.substr(0, text.size() - rest.size());
  return Split{host, rest.empty() ? rest : rest.substr(1), bracketed};
}

Result<std::uint16_t> parse_port(std::string_view text, std::string_view whole) {
  std::uint32_t port = 0;
  if (text.size() > 5 || !std::ranges::all_of(text, is_digit)) return no_host(whole, "behind the host stands no port");
  for (const char digit : text) port = port * 10 + static_cast<std::uint32_t>(digit - '0');
  if (port == 0 || port > 65535) return no_host(whole, "a port is a number from 1 to 65535");
  return static_cast<std::uint16_t>(port);
}

bool host_covers(const HostRule& wide, HostRule::Kind kind, std::string_view host) {
  const bool below = host.size() > wide.host.size() + 1 && host.ends_with(wide.host) &&
                     host[host.size() - wide.host.size() - 1] == '.';
  if (wide.kind != HostRule::Kind::Below) return wide.kind == kind && wide.host == host;
  if (kind == HostRule::Kind::Address) return false;
  return below || (kind == HostRule::Kind::Below && host == wide.host);
}

bool has_port(const HostRule& rule, std::uint16_t port) {
  return rule.port == port || (rule.port == 0 && (port == kHttpPort || port == kHttpsPort));
}

}  // namespace

Result<std::string> normal_host(std::string_view text) {
  const bool bracketed = text.size() > 2 && text.starts_with('[') && text.ends_with(']');
  const auto address = Address::parse(bracketed ? text.substr(1, text.size() - 2) : text);
  if (address && (!bracketed || address->family == Address::Family::V6)) return to_text(*address);
  return normal_name(text);
}

Result<HostRule> parse_host_rule(std::string_view text, std::string origin) {
  HostRule rule;
  rule.origin = std::move(origin);
  // An address with colons and no brackets: what is its port, nobody knows.
  if (!text.starts_with('[') && std::ranges::count(text, ':') > 1)
    return no_host(text, "an address with colons stands in brackets", "[" + printable(text) + "]");
  PALE_TRY(split, split_port(text));
  if (!split.port.empty()) {
    PALE_TRY(port, parse_port(split.port, text));
    rule.port = port;
  }
  if (const auto address = Address::parse(split.host)) {
    if (split.bracketed != (address->family == Address::Family::V6))
      return no_host(text, "only an address of IPv6 stands in brackets");
    rule.kind = HostRule::Kind::Address;
    rule.host = to_text(*address);
    return rule;
  }
  if (split.bracketed) return no_host(text, "in brackets stands no address");
  const bool below = split.host.starts_with("*.");
  PALE_TRY(name, normal_name(below ? split.host.substr(2) : split.host));
  if (below && name.find('.') == std::string::npos)
    return no_host(text, "that would be all of ." + name, "name the hosts below it, or --network open");
  rule.kind = below ? HostRule::Kind::Below : HostRule::Kind::Name;
  rule.host = std::move(name);
  return rule;
}

std::string to_text(const HostRule& rule) {
  std::string text = rule.kind == HostRule::Kind::Below ? "*." + rule.host : rule.host;
  if (rule.kind == HostRule::Kind::Address && text.find(':') != std::string::npos) text = "[" + text + "]";
  return rule.port == 0 ? text : text + ":" + std::to_string(rule.port);
}

std::vector<std::uint16_t> ports_of(const HostRule& rule) {
  if (rule.port != 0) return {rule.port};
  return {kHttpPort, kHttpsPort};
}

const HostRule* rule_for(std::span<const HostRule> rules, std::string_view host, std::uint16_t port) {
  const auto kind = Address::parse(host) ? HostRule::Kind::Address : HostRule::Kind::Name;
  const auto found = std::ranges::find_if(
      rules, [&](const HostRule& rule) { return has_port(rule, port) && host_covers(rule, kind, host); });
  return found == rules.end() ? nullptr : &*found;
}

bool covered(std::span<const HostRule> rules, const HostRule& rule) {
  return std::ranges::all_of(ports_of(rule), [&](std::uint16_t port) {
    return std::ranges::any_of(
        rules, [&](const HostRule& wide) { return has_port(wide, port) && host_covers(wide, rule.kind, rule.host); });
  });
}

std::vector<HostRule> common(std::span<const HostRule> left, std::span<const HostRule> right) {
  std::vector<HostRule> both;
  const auto take = [&](std::span<const HostRule> from, std::span<const HostRule> within) {
    for (const HostRule& rule : from) {
      for (const std::uint16_t port : ports_of(rule)) {
        HostRule single = rule;
        single.port = port;
        if (covered(within, single)) both.push_back(std::move(single));
      }
    }
  };
  take(left, right);
  take(right, left);
  return simplified(std::move(both));
}

std::vector<HostRule> simplified(std::vector<HostRule> rules) {
  const auto key = [](const HostRule& rule) { return std::tie(rule.kind, rule.host, rule.port); };
  std::ranges::sort(rules, [&](const HostRule& left, const HostRule& right) { return key(left) < key(right); });
  std::vector<HostRule> kept;
  for (const HostRule& rule : rules) {
    // "x:80" and "x:443" are "x".
    const auto other = std::ranges::find_if(kept, [&](const HostRule& known) {
      return known.kind == rule.kind && known.host == rule.host && known.port + rule.port == kHttpPort + kHttpsPort &&
             has_port({rule.kind, {}, 0, {}}, rule.port);
    });
    if (other != kept.end())
      other->port = 0;
    else if (!covered(kept, rule))
      kept.push_back(rule);
  }
  std::vector<HostRule> needed;
  for (std::size_t at = 0; at < kept.size(); ++at) {
    std::vector<HostRule> others = needed;
    others.insert(others.end(), kept.begin() + static_cast<std::ptrdiff_t>(at) + 1, kept.end());
    if (!covered(others, kept[at])) needed.push_back(kept[at]);
  }
  return needed;
}

std::string listed(std::span<const HostRule> rules) {
  std::string text;
  for (const HostRule& rule : rules) text += (text.empty() ? "" : ", ") + to_text(rule);
  return text;
}

}  // namespace pale
