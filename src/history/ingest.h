// history/ingest.h: one session's journal, taken into the database.
#pragma once

#include "base/path.h"
#include "history/database.h"
#include "session/place.h"

namespace pale::history {

// Complete: it is over, all of it is here, and nothing is left to take in.
enum class Taken { More, Complete };
Result<Taken> ingest_session(Database& database, const Path& pale_home, const session::Name& name);

}  // namespace pale::history
