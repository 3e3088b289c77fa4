// studio/calls.h: calls of workers, from the session that wrote them down.
#pragma once

#include "history/record.h"
#include "studio/answer.h"

namespace pale::studio {

// WorkerCall of the API for each run of the session. `denied`: what was refused in it.
void add_calls(Json& calls, const history::SessionWithRuns& session, const std::vector<session::Event>& denied);

}  // namespace pale::studio
