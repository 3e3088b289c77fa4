#include "service/watch_record.h"

#include "service/call_record.h"

namespace pale::service {
namespace {

std::vector<std::string> command_of(const Request& request) {
  return request.runs == Runs::Tools ? std::vector<std::string>{"pale", "mcp"} : request.command;
}

}  // namespace

Result<std::string> record_run(const Request& request, const RunOutcome& outcome, const std::vector<WatchNote>& notes) {
  if (notes.empty()) return std::string();
  const RunTimes& times = outcome.times;
  // A run with an allow-list may have one already.
  if (CallRecord* const begun = outcome.visits ? outcome.visits->record() : nullptr; begun != nullptr) {
    for (const WatchNote& note : notes) PALE_CHECK(begun->note(1, note));
    return begun->session();
  }
  PALE_TRY(record, CallRecord::begin(outcome.pale_home, outcome.project,
                                     {.kind = request.runs == Runs::Tools ? "tools" : "run", .stage = outcome.stage},
                                     times.began_ms));
  PALE_CHECK(record.run(1, {}, command_of(request), outcome.root.text(), times.began_ms));
  PALE_CHECK(record.receipt(1, to_json(times)));
  for (const WatchNote& note : notes) PALE_CHECK(record.note(1, note));
  PALE_CHECK(record.exit(1, outcome.result.exit_code, in_a_word(outcome.result.ending), times.milliseconds));
  PALE_CHECK(record.end("ended"));
  return record.session();
}

}  // namespace pale::service
