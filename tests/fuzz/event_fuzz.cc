// Lines of a session's journal: an event that was read is the same when it is written again, and stays one line.
#include "fuzz/property.h"
#include "session/event.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using pale::fuzz::must;
  const auto event = pale::session::parse_event(pale::fuzz::as_text(data, size));
  if (!event) {
    must(!event.error().sentence().empty(), "a refusal says why");
    return 0;
  }
  const std::string line = to_line(*event);
  must(line.find('\n') == line.size() - 1, "an event is one line", line);
  const auto again = pale::session::parse_event(line);
  must(again.has_value(), "what was read can be read again", line);
  must(*again == *event, "it says the same", line);
  return 0;
}
