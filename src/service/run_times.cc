#include "service/run_times.h"

#include "base/json.h"

namespace pale::service {
namespace {

// "1.2 ms".
std::string in_milliseconds(std::int64_t microseconds) {
  return std::to_string(microseconds / 1000) + "." + std::to_string(microseconds / 100 % 10) + " ms";
}

}  // namespace

std::string to_json(const RunTimes& times) {
  JsonWriter out;
  out.begin_object().key("times").begin_object();
  out.field("validationUs", times.validation_us).field("startUs", times.start_us);
  out.field("watchUs", times.watch_us).field("accesses", times.accesses);
  return out.end_object().end_object().text();
}

std::string in_words(const RunTimes& times) {
  std::string text = "validation: " + in_milliseconds(times.validation_us) +
                     ", start: " + in_milliseconds(times.start_us) + ", watch: " + in_milliseconds(times.watch_us);
  if (times.accesses == 0) return text;
  const auto each = times.watch_us * 1000 / static_cast<std::int64_t>(times.accesses);
  return text + " for " + std::to_string(times.accesses) + (times.accesses == 1 ? " access" : " accesses") + ", " +
         std::to_string(each / 1000) + "." + std::to_string(each / 100 % 10) + " us each";
}

}  // namespace pale::service
