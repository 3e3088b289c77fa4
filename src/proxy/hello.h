// proxy/hello.h: the first message of a TLS client, of which nothing is needed but the name of the server that it wants. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pale::proxy {

struct Hello {
  enum class State {
    More,    // it goes on
    NotTls,  // these are no records of TLS
    Wrong,   // a broken message, or one that is too long
    Whole,
  } state = State::More;
  std::string server_name;  // empty: it names none
  bool encrypted = false;   // it names another one that only the server can read
};

inline constexpr std::size_t kMostHello = 64UL << 10U;

// From the beginning of a connection, in however many records.
Hello read_hello(std::string_view bytes);

}  // namespace pale::proxy
