// Heads of HTTP: what goes out is read again as the same, and never holds more than one request.
#include "fuzz/property.h"
#include "proxy/exchange.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace pale::proxy;
  const std::string_view bytes = pale::fuzz::as_text(data, size);
  (void)read_response_head(bytes, "GET");
  ChunkScanner scanner;
  pale::fuzz::must(scanner.scan(bytes) <= bytes.size(), "no more is used than there is");
  const RequestHead head = read_request_head(bytes);
  if (head.state != HeadState::Whole) return 0;
  const std::string text = request_text(head, head.target, {}, {});
  const RequestHead again = read_request_head(text);
  pale::fuzz::must(again.state == HeadState::Whole, "what goes out can be read", text);
  pale::fuzz::must(again.size == text.size() && again.method == head.method && again.target == head.target,
                   "it is the same", text);
  pale::fuzz::must(again.framing == head.framing && again.length == head.length, "its body ends where it did", text);
  return 0;
}
