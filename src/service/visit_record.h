// service/visit_record.h: connections as a session's journal has them, and as a person is told of them. The first is pure.
#pragma once

#include <string>

#include "network/visit.h"
#include "session/event.h"

namespace pale::service {

session::Event event_of(const network::Visit& visit, std::uint64_t run);

// A few whole lines on what was blocked, and how it can be allowed. `root`: of the project.
std::string block_of(const network::Visit& visit, const std::string& root);

// How many of one session are written down.
inline constexpr std::size_t kMostVisits = 10'000;

}  // namespace pale::service
