// proxy/http_head.h: the heads of HTTP/1 messages, read as strictly as two programs need to understand the same by them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pale::proxy {

struct Field {
  std::string name;   // as it was written
  std::string value;  // without blanks around it
};

enum class HeadState { More, Wrong, Whole };
inline constexpr std::size_t kMostHead = 64UL << 10U;

// How the end of a body is found.
enum class Framing { None, Length, Chunked, UntilClose };

struct HttpHead {
  HeadState state = HeadState::More;
  std::string why;  // Wrong: what is
  std::size_t size = 0;
  int minor = 1;  // HTTP/1.0 or 1.1
  std::vector<Field> fields;
  Framing framing = Framing::None;
  std::uint64_t length = 0;  // Framing::Length

  // The first of that name, which is given in lower case; null: there is none.
  const std::string* find(std::string_view name) const;
  // Whether one of the words of a list is among its values.
  bool lists(std::string_view name, std::string_view word) const;
};

struct RequestHead : HttpHead {
  std::string method;
  std::string target;
};
// Wrong: bare line ends, folded lines, blanks before a colon, two lengths, a length beside chunks, two hosts …
RequestHead read_request_head(std::string_view bytes);

struct ResponseHead : HttpHead {
  int status = 0;
  std::string reason;
};
// `method`: of the request that it answers.
ResponseHead read_response_head(std::string_view bytes, std::string_view method);

// "example.org:8080", "[::1]", as Host and CONNECT have it. The host is normal.
struct Authority {
  std::string host;
  std::uint16_t port = 0;
};
std::optional<Authority> parse_authority(std::string_view text, std::uint16_t usual_port);

// "http://example.org/path", as a proxy is asked.
struct AbsoluteTarget {
  Authority authority;
  std::string path;
};
std::optional<AbsoluteTarget> parse_absolute(std::string_view target);

// For one connection, and not for who is behind it.
bool is_for_one_hop(std::string_view lower_name);
std::string lower_case(std::string_view text);
// What a client that says this first will go on with. Unclear: it could still become a request, and so nothing of it is passed on
// yet; else whoever sends a request in pieces could name any host in it.
enum class Beginning { Unclear, Http, Other };
Beginning beginning_of(std::string_view bytes);

// Goes along a chunked body and finds its end.
class ChunkScanner {
 public:
  // How many of these bytes belong to it. Fewer than there are: it is at its end, or wrong.
  std::size_t scan(std::string_view bytes);
  bool done() const noexcept { return state_ == State::Done; }
  bool wrong() const noexcept { return state_ == State::Wrong; }

 private:
  enum class State {
    Size,
    Extension,
    SizeEnd,
    Data,
    DataReturn,
    DataEnd,
    TrailerStart,
    Trailer,
    TrailerEnd,
    LastEnd,
    Done,
    Wrong
  };
  State next(char byte);
  State after_size();
  State state_ = State::Size;
  std::uint64_t left_ = 0;
  int digits_ = 0;
  std::size_t trailer_ = 0;
};

}  // namespace pale::proxy
