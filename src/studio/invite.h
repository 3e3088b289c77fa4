// studio/invite.h: how people get to a server that runs: where it listens, a link that works once, and a browser.
#pragma once

#include <optional>
#include <string>

#include "base/path.h"
#include "service/request.h"
#include "sys/fd.h"

namespace pale::studio {

// Held by a server, so that others find it: "http://127.0.0.1:7253".
Result<sys::Fd> announce(const Path& pale_home, const std::string& address);
// Of a server that runs now.
std::optional<std::string> announced(const Path& pale_home);

// "http://127.0.0.1:7253/enter?key=…"
Result<std::string> make_link(const Path& pale_home, const std::string& address);

// Shows it in the user's browser, if there is a display and a program for that. The link stands in no command line, where
// others of this machine could read it: the browser is given a file that leads there.
bool open_browser(const Path& pale_home, const std::string& link, const service::Caller& caller);

}  // namespace pale::studio
