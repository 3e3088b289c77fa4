// What a session's host and its clients say to each other: what was read means the same when it is written again.
#include "fuzz/property.h"
#include "session/message.h"

namespace pale::session {
namespace {

using fuzz::must;

// Members that a kind of message does not have are not written, so writing makes a message what it means.
template <typename T>
void check(std::string_view text, Result<T> (*parse)(std::string_view)) {
  const auto read = parse(text);
  if (!read) {
    must(!read.error().sentence().empty(), "a refusal says why");
    return;
  }
  const std::string written = to_text(*read);
  const auto again = parse(written);
  must(again.has_value(), "what was read can be read again", written);
  must(to_text(*again) == written, "it says the same", written + "\n" + to_text(*again));
  must(again->kind == read->kind, "it is the same", written);
}

}  // namespace
}  // namespace pale::session

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text = pale::fuzz::as_text(data, size);
  pale::session::check<pale::session::Ask>(text, pale::session::parse_ask);
  pale::session::check<pale::session::Tell>(text, pale::session::parse_tell);
  return 0;
}
