// keeper/run_in_session.h: the tool session_run: one command, with what it writes as it comes.
#pragma once

#include "keeper/keeper.h"
#include "keeper/tool.h"

namespace pale::keeper {

Json run_input_schema();
Json run_output_schema();

// A call that is cancelled ends the command; a client that merely goes away does so too, unless it said wait: false.
boost::asio::awaitable<Answer> run_in_session(Keeper& keeper, Call& call, const session::Name& name);

}  // namespace pale::keeper
