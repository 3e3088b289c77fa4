// keeper/session_json.h: sessions as the tools show them.
#pragma once

#include "history/record.h"
#include "keeper/tool.h"

namespace pale::keeper {

Json session_schema();
Json to_json(const history::Session& session);
Json to_json(const history::Run& run);
Json to_json(const session::Event& event);

// Any bytes as text: what is not UTF-8 in it becomes U+FFFD.
std::string as_text(std::string_view bytes);

}  // namespace pale::keeper
