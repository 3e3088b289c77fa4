// history/ingest.h: one session's journal, taken into the database.
#pragma once

#include "base/path.h"
#include "history/database.h"
#include "session/place.h"

namespace pale::history {

enum class Taken {
  Some,      // there is more already
  All,       // until it writes more
  Complete,  // it is over, all of it is here, and nothing is left to take in
};
// About two megabytes of it at most, so that whoever does this on the side can do something else in between.
Result<Taken> ingest_session(Database& database, const Path& pale_home, const session::Name& name);

}  // namespace pale::history
