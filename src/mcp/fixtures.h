// mcp/fixtures.h: the tools, resources and prompts that the protocol's conformance suites call by name, and a few of our own tests.
#pragma once

#include "mcp/server.h"

namespace pale::mcp {

About fixture_about();
void add_fixtures(Server& server);

// Their parts.
void add_content_fixtures(Server& server);
void add_asking_fixtures(Server& server);
void add_behaviour_fixtures(Server& server);
void add_resource_fixtures(Server& server);
void add_prompt_fixtures(Server& server);

// One red dot, in base64.
inline constexpr const char* kPicture =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

}  // namespace pale::mcp
