// The beginning of TLS: what was read from a part is never taken back by more.
#include "fuzz/property.h"
#include "proxy/hello.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using pale::proxy::Hello;
  const std::string_view bytes = pale::fuzz::as_text(data, size);
  const Hello whole = pale::proxy::read_hello(bytes);
  for (const std::size_t cut : {size / 2, size > 0 ? size - 1 : 0}) {
    const Hello part = pale::proxy::read_hello(bytes.substr(0, cut));
    if (part.state == Hello::State::More) continue;
    pale::fuzz::must(part.state == whole.state, "a verdict stays");
    pale::fuzz::must(part.server_name == whole.server_name, "so does the name");
  }
  return 0;
}
