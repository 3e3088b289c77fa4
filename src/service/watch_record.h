// service/watch_record.h: a run that tried something outside its folders, written down as a session is.
#pragma once

#include "service/run.h"
#include "service/watch_notes.h"

namespace pale::service {

// Once it is over; nothing, if there is nothing to tell: then a run leaves no record. The session's id.
Result<std::string> record_run(const Request& request, const RunOutcome& outcome, const std::vector<WatchNote>& notes);

}  // namespace pale::service
