#include "keeper/serve_fixtures.h"

#include "cli/console.h"
#include "mcp/fixtures.h"
#include "mcp/http.h"
#include "mcp/stdio.h"

namespace pale::keeper {

int serve_fixtures(int port) {
  mcp::Server server(mcp::fixture_about());
  mcp::add_fixtures(server);
  mcp::Loop loop;
  Status served;
  if (port < 0) {
    served = mcp::serve_stdio(loop, server, {.principal = {"tester", {}}});
  } else {
    served = mcp::serve_http(
        loop, server,
        {.port = static_cast<std::uint16_t>(port), .anonymous = {"tester", {}}, .started = [](std::uint16_t at) {
           cli::print("http://127.0.0.1:" + std::to_string(at) + "/mcp\n");
         }});
  }
  if (served) return 0;
  return cli::fail_with(served.error(), cli::Format::Text);
}

}  // namespace pale::keeper
