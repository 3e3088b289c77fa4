#include "proxy/http_head.h"

#include <algorithm>

#include "base/text.h"
#include "boundary/host_rule.h"

namespace pale::proxy {
namespace {

constexpr std::size_t kMostFields = 256;
constexpr std::size_t kLongestMethod = 32;

bool is_token(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(byte) != std::string_view::npos;
}
bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char byte) { return is_token(byte); });
}
bool is_text(char byte) { return byte == '\t' || (static_cast<unsigned char>(byte) >= ' ' && byte != 0x7f); }
bool is_visible(char byte) { return static_cast<unsigned char>(byte) > ' ' && static_cast<unsigned char>(byte) < 0x7f; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

template <typename Head>
Head& wrong(Head& head, std::string why) {
  head.state = HeadState::Wrong;
  head.why = std::move(why);
  return head;
}

// The next line, if it is there as a whole; a line feed that stands alone is found, and wrong.
struct Line {
  HeadState state;
  std::string_view text;
};
Line take_line(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return {HeadState::More, {}};
  if (end == 0 || bytes[end - 1] != '\r') return {HeadState::Wrong, {}};
  const std::string_view text = bytes.substr(0, end - 1);
  bytes.remove_prefix(end + 1);
  return {std::ranges::all_of(text, is_text) ? HeadState::Whole : HeadState::Wrong, text};
}

bool read_version(std::string_view text, int& minor) {
  if (text != "HTTP/1.0" && text != "HTTP/1.1") return false;
  minor = text.back() - '0';
  return true;
}

template <typename Head>
void read_fields(std::string_view whole, std::string_view bytes, Head& head) {
  for (;;) {
    const Line line = take_line(bytes);
    if (line.state == HeadState::More) return;
    if (line.state == HeadState::Wrong) return void(wrong(head, "a line that is none"));
    if (line.text.empty()) break;
    const std::size_t colon = line.text.find(':');
    if (colon == std::string_view::npos || !is_token(line.text.substr(0, colon)))
      return void(wrong(head, "a header without a name"));
    if (head.fields.size() >= kMostFields) return void(wrong(head, "too many headers"));
    head.fields.push_back({std::string(line.text.substr(0, colon)), std::string(trimmed(line.text.substr(colon + 1)))});
  }
  head.size = whole.size() - bytes.size();
  head.state = HeadState::Whole;
}

std::size_t count_of(const HttpHead& head, std::string_view name) {
  return static_cast<std::size_t>(
      std::ranges::count_if(head.fields, [&](const Field& field) { return lower_case(field.name) == name; }));
}

// What a body is bounded by, if anything says so; false: it contradicts itself.
bool read_framing(HttpHead& head) {
  const std::size_t lengths = count_of(head, "content-length");
  const std::size_t codings = count_of(head, "transfer-encoding");
  if (lengths + codings > 1) return false;
  if (codings == 1) {
    head.framing = Framing::Chunked;
    return head.minor == 1 && lower_case(*head.find("transfer-encoding")) == "chunked";
  }
  if (lengths == 0) return true;
  const std::string& text = *head.find("content-length");
  const auto number = parse_number(text);
  if (!number || text.empty() || !std::ranges::all_of(text, [](char byte) { return byte >= '0' && byte <= '9'; }) ||
      *number > static_cast<std::uint64_t>(INT64_MAX))
    return false;
  head.framing = Framing::Length;
  head.length = *number;
  return true;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& byte : result) {
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte + 32);
  }
  return result;
}

const std::string* HttpHead::find(std::string_view name) const {
  const auto found = std::ranges::find_if(
      fields, [&](const Field& field) { return field.name.size() == name.size() && lower_case(field.name) == name; });
  return found == fields.end() ? nullptr : &found->value;
}

bool HttpHead::lists(std::string_view name, std::string_view word) const {
  for (const Field& field : fields) {
    if (field.name.size() != name.size() || lower_case(field.name) != name) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (lower_case(trimmed(rest.substr(0, comma))) == word) return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
}

RequestHead read_request_head(std::string_view bytes) {
  RequestHead head;
  const std::string_view whole = bytes;
  const Line line = take_line(bytes);
  if (line.state == HeadState::Wrong) return wrong(head, "a line that is none");
  if (line.state == HeadState::More) return whole.size() > kMostHead ? wrong(head, "a head that is too long") : head;
  const std::size_t first = line.text.find(' ');
  const std::size_t last = line.text.rfind(' ');
  if (first == std::string_view::npos || first == last || !read_version(line.text.substr(last + 1), head.minor))
    return wrong(head, "no request of HTTP/1");
  head.method = std::string(line.text.substr(0, first));
  head.target = std::string(line.text.substr(first + 1, last - first - 1));
  if (!is_token(head.method) || head.method.size() > kLongestMethod || head.target.empty() ||
      !std::ranges::all_of(head.target, is_visible))
    return wrong(head, "no request of HTTP/1");
  read_fields(whole, bytes, head);
  if (head.state == HeadState::More && whole.size() > kMostHead) return wrong(head, "a head that is too long");
  if (head.state != HeadState::Whole) return head;
  const std::size_t hosts = count_of(head, "host");
  if (hosts > 1 || (hosts == 0 && head.minor == 1)) return wrong(head, "not one Host");
  return read_framing(head) ? head : wrong(head, "a body whose end is said twice, or not at all");
}

ResponseHead read_response_head(std::string_view bytes, std::string_view method) {
  ResponseHead head;
  const std::string_view whole = bytes;
  const Line line = take_line(bytes);
  if (line.state == HeadState::Wrong) return wrong(head, "a line that is none");
  if (line.state == HeadState::More) return whole.size() > kMostHead ? wrong(head, "a head that is too long") : head;
  const std::string_view text = line.text;
  const auto status = text.size() >= 12 ? parse_number(text.substr(9, 3)) : std::nullopt;
  if (!status || *status < 100 || !read_version(text.substr(0, 8), head.minor) || text[8] != ' ' ||
      (text.size() > 12 && text[12] != ' '))
    return wrong(head, "no response of HTTP/1");
  head.status = static_cast<int>(*status);
  head.reason = std::string(text.size() > 13 ? text.substr(13) : std::string_view());
  read_fields(whole, bytes, head);
  if (head.state == HeadState::More && whole.size() > kMostHead) return wrong(head, "a head that is too long");
  if (head.state != HeadState::Whole) return head;
  const bool bounded = count_of(head, "content-length") + count_of(head, "transfer-encoding") > 0;
  if (!read_framing(head)) return wrong(head, "a body whose end is said twice, or not at all");
  if (method == "HEAD" || head.status < 200 || head.status == 204 || head.status == 304) {
    head.framing = Framing::None;
    head.length = 0;
  } else if (!bounded) {
    head.framing = Framing::UntilClose;
  }
  return head;
}

std::optional<Authority> parse_authority(std::string_view text, std::uint16_t usual_port) {
  std::uint16_t port = usual_port;
  std::size_t end = text.rfind(':');
  if (text.ends_with(']')) end = std::string_view::npos;
  if (end != std::string_view::npos) {
    const std::string_view digits = text.substr(end + 1);
    const auto number = parse_number(digits);
    if (digits.empty() || digits.size() > 5 || !number || *number == 0 || *number > UINT16_MAX) return std::nullopt;
    port = static_cast<std::uint16_t>(*number);
    text = text.substr(0, end);
  }
  if (text.find(':') != std::string_view::npos && !text.starts_with('[')) return std::nullopt;
  auto host = normal_host(text);
  if (!host || port == 0) return std::nullopt;
  return Authority{std::move(*host), port};
}

std::optional<AbsoluteTarget> parse_absolute(std::string_view target) {
  constexpr std::string_view kScheme = "http://";
  if (lower_case(target.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  target.remove_prefix(kScheme.size());
  const std::size_t end = std::min(target.find_first_of("/?#"), target.size());
  auto authority = parse_authority(target.substr(0, end), kHttpPort);
  if (!authority) return std::nullopt;
  std::string path(target.substr(end));
  if (!path.starts_with('/')) path.insert(path.begin(), '/');
  return AbsoluteTarget{std::move(*authority), std::move(path)};
}

bool is_for_one_hop(std::string_view name) {
  return name == "connection" || name == "proxy-connection" || name == "keep-alive" || name == "te" ||
         name == "upgrade" || name == "proxy-authorization" || name == "proxy-authenticate" || name == "http2-settings";
}

// More is taken for a request than read_request_head() reads: some servers are not strict, and what they would understand is refused
// there.
Beginning beginning_of(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of("\r\n");
  if (first == std::string_view::npos) return bytes.size() > kMostHead ? Beginning::Other : Beginning::Unclear;
  bytes.remove_prefix(first);
  const std::size_t blank = bytes.find_first_of(" \t");
  const std::string_view method = bytes.substr(0, blank);
  if (!is_token(method) || method.size() > kLongestMethod) return Beginning::Other;
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos && bytes.size() <= kMostHead) return Beginning::Unclear;
  const bool versioned = bytes.substr(0, end).find("HTTP/") != std::string_view::npos;
  return versioned || end == std::string_view::npos ? Beginning::Http : Beginning::Other;
}

ChunkScanner::State ChunkScanner::after_size() {
  if (digits_ == 0) return State::Wrong;
  digits_ = 0;
  return left_ == 0 ? State::TrailerStart : State::Data;
}

ChunkScanner::State ChunkScanner::next(char byte) {
  constexpr int kMostDigits = 15;
  switch (state_) {
    case State::Size: {
      const std::size_t digit =
          std::string_view("0123456789abcdef").find(static_cast<char>(byte >= 'A' && byte <= 'F' ? byte + 32 : byte));
      if (digit != std::string_view::npos) {
        left_ = left_ << 4U | digit;
        return ++digits_ > kMostDigits ? State::Wrong : State::Size;
      }
      if (digits_ == 0) return State::Wrong;
      if (byte == ';') return State::Extension;
      return byte == '\r' ? State::SizeEnd : State::Wrong;
    }
    case State::Extension:
      if (byte == '\r') return State::SizeEnd;
      return is_text(byte) && ++trailer_ <= kMostHead ? State::Extension : State::Wrong;
    case State::SizeEnd: return byte == '\n' ? after_size() : State::Wrong;
    case State::DataReturn: return byte == '\r' ? State::DataEnd : State::Wrong;
    case State::DataEnd: return byte == '\n' ? State::Size : State::Wrong;
    case State::TrailerStart:
      if (byte == '\r') return State::LastEnd;
      return is_token(byte) && ++trailer_ <= kMostHead ? State::Trailer : State::Wrong;
    case State::Trailer:
      if (byte == '\r') return State::TrailerEnd;
      return is_text(byte) && ++trailer_ <= kMostHead ? State::Trailer : State::Wrong;
    case State::TrailerEnd: return byte == '\n' ? State::TrailerStart : State::Wrong;
    case State::LastEnd: return byte == '\n' ? State::Done : State::Wrong;
    case State::Data:
    case State::Done:
    case State::Wrong: break;
  }
  return state_;
}

std::size_t ChunkScanner::scan(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && state_ != State::Done && state_ != State::Wrong) {
    if (state_ == State::Data) {
      const std::uint64_t piece = std::min<std::uint64_t>(left_, bytes.size() - at);
      left_ -= piece;
      at += piece;
      if (left_ == 0) state_ = State::DataReturn;
      continue;
    }
    state_ = next(bytes[at]);
    if (state_ != State::Wrong) ++at;
  }
  return at;
}

}  // namespace pale::proxy
