#include "mcp/fixtures.h"

namespace pale::mcp {

About fixture_about() {
  return {.name = "pale-fixtures",
          .title = "Pale's fixtures",
          .version = "1.0.0",
          .instructions = "For conformance tests. None of these tools does anything."};
}

void add_fixtures(Server& server) {
  server.declare(Json{{"tools", {{"listChanged", true}}},
                      {"prompts", {{"listChanged", true}}},
                      {"resources", {{"subscribe", true}}},
                      {"completions", Json::object()},
                      {"logging", Json::object()}});
  add_content_fixtures(server);
  add_asking_fixtures(server);
  add_behaviour_fixtures(server);
  add_resource_fixtures(server);
  add_prompt_fixtures(server);
}

}  // namespace pale::mcp
