#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/text.h"
#include "cli/console.h"
#include "cli/keeper_options.h"
#include "cli/program.h"
#include "history/tokens.h"
#include "keeper/commands.h"
#include "keeper/serve_fixtures.h"
#include "keeper/tools.h"
#include "mcp/http.h"
#include "mcp/stdio.h"
#include "service/prepare.h"
#include "studio/invite.h"
#include "studio/process.h"
#include "studio/studio.h"

namespace pale::keeper {
namespace {

using cli::CommandLine;

constexpr std::uint16_t kUsualPort = 7253;
constexpr auto kTakeInPause = std::chrono::seconds(5);

constexpr const char* kInstructions =
    "Pale keeps projects whose agents work inside boundaries that the kernel enforces. Make a project "
    "(project_create), a "
    "workspace in it for each user or task (workspace_create), start a session there (session_start) and run commands "
    "in it "
    "(session_run). A session stays until it is ended, and session_log tells everything that happened. A session with "
    "a stage "
    "changes nothing until stage_apply.";

mcp::About about() { return {"pale", "Pale", std::string(cli::kVersion), kInstructions}; }

// So that the records are true also when nobody asks.
boost::asio::awaitable<void> take_in(Keeper& keeper) {
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
  for (;;) {
    timer.expires_after(kTakeInPause);
    co_await timer.async_wait(boost::asio::use_awaitable);
    (void)co_await keeper.take_in_all();  // What goes wrong with one session says so when somebody asks for it.
  }
}

Result<std::uint16_t> port_of(const cli::Arguments& arguments) {
  if (!arguments.has("--port")) return kUsualPort;
  const auto port = parse_number(arguments.value("--port"));
  if (port && *port <= 65535) return static_cast<std::uint16_t>(*port);
  return fail(ErrorKind::Usage, "not a port:", arguments.value("--port"), "--port 7253");
}

// Twice as many may come at once.
Result<mcp::HttpLimits> limits_of(const cli::Arguments& arguments) {
  mcp::HttpLimits limits;
  if (!arguments.has("--rate")) return limits;
  const auto rate = parse_number(arguments.value("--rate"));
  if (!rate || *rate == 0) return fail(ErrorKind::Usage, "not a rate:", arguments.value("--rate"), "--rate 2000");
  limits.requests_per_second = static_cast<double>(*rate);
  limits.burst = 2 * limits.requests_per_second;
  return limits;
}

std::optional<mcp::Principal> principal_of(history::Tokens& tokens, std::string_view secret) {
  const auto known = tokens.check(secret);
  if (!known || !*known) return std::nullopt;
  return mcp::Principal{(*known)->info.id, (*known)->info.scopes};
}

Status hint_at_tokens(const history::Tokens& tokens) {
  PALE_TRY(all, tokens.list());
  if (all.empty()) cli::print_hint("nobody has a token yet: pale token create --scope admin");
  return {};
}

enum class Browser { Open, Leave };

// For people: a link that works once, and what to do when it did.
Status invite(const Path& pale_home, const service::Caller& caller, const std::string& address, Browser browser) {
  PALE_TRY(link, studio::make_link(pale_home, address));
  cli::print("Studio: " + link + "\n");
  const bool shown = browser == Browser::Open && studio::open_browser(pale_home, link, caller);
  if (browser == Browser::Open && !shown) cli::print_hint("open the link in a browser of this machine; it works once");
  return {};
}

std::string url_of(const std::string& host, std::uint16_t port) {
  return "http://" + (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(port);
}

// What listens everywhere is reached by this machine's own name.
std::string address_of(const std::string& bind, std::uint16_t port) {
  return url_of(bind == "0.0.0.0" || bind == "::" ? "127.0.0.1" : bind, port);
}

// Names by which others reach the server: of whatever stands before it, and passes on what it was asked for.
Result<std::vector<std::string>> hosts_of(const cli::Arguments& arguments) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
  std::vector<std::string> hosts;
  for (const auto& [option, value] : arguments.options) {
    if (option != "--host") continue;
    if (value.empty() || value.find_first_not_of(kLetters) != std::string::npos)
      return fail(ErrorKind::Usage, "not the name of a host:", "'" + value + "'", "--host pale.example.org");
    hosts.push_back(value);
  }
  return hosts;
}

Status serve(const cli::Arguments& arguments, const CommandLine& line, Browser browser) {
  PALE_TRY(port, port_of(arguments));
  PALE_TRY(limits, limits_of(arguments));
  PALE_TRY(hosts, hosts_of(arguments));
  PALE_TRY(keeper, Keeper::open({line.argv, line.envp}));
  PALE_TRY(tokens, history::Tokens::open(keeper->pale_home()));
  mcp::Server server(about());
  add_tools(server, *keeper);
  mcp::HttpOptions options;
  options.port = port;
  options.limits = limits;
  options.hosts = std::move(hosts);
  if (arguments.has("--bind")) options.address = arguments.value("--bind");
  options.authenticate = [&tokens](std::string_view secret) { return principal_of(tokens, secret); };
  const bool page = !arguments.has("--no-studio");
  sys::Fd announced;
  options.started = [&](std::uint16_t bound) {
    cli::print("Serving MCP at " + url_of(options.address, bound) + options.path + "\n");
    (void)hint_at_tokens(tokens);
    if (!page) return;
    const std::string address = address_of(options.address, bound);
    if (auto file = studio::announce(keeper->pale_home(), address)) announced = std::move(*file);
    if (const Status invited = invite(keeper->pale_home(), keeper->caller(), address, browser); !invited)
      cli::print_note("no link to Studio can be made: " + invited.error().sentence());
  };
  std::unique_ptr<studio::Studio> studio;
  mcp::Loop loop;
  if (page) {
    PALE_TRY(opened, studio::Studio::open(
                         loop, {keeper->pale_home(), keeper->caller(), keeper->program(), std::string(cli::kVersion)}));
    studio = std::move(opened);
    studio->join(options);
  }
  loop.spawn(take_in(*keeper));
  return mcp::serve_http(loop, server, options);
}

Status serve_here(const CommandLine& line) {
  PALE_TRY(keeper, Keeper::open({line.argv, line.envp}));
  mcp::Server server(about());
  add_tools(server, *keeper);
  mcp::Loop loop;
  loop.spawn(take_in(*keeper));
  return mcp::serve_stdio(loop, server, {.principal = {"local user", {"admin"}}});
}

}  // namespace

int serve_command(const CommandLine& line) {
  const auto arguments = cli::parse_for("serve", line, 0, 0);
  if (!arguments) return cli::fail_with(arguments.error(), cli::Format::Text);
  if (arguments->has("--conformance-fixtures")) {
    const auto port = port_of(*arguments);
    return port ? serve_fixtures(*port) : cli::fail_with(port.error(), cli::Format::Text);
  }
  const Status served = serve(*arguments, line, Browser::Leave);
  return served ? 0 : cli::fail_with(served.error(), cli::Format::Text);
}

int studio_command(const CommandLine& line) {
  const auto arguments = cli::parse_for("studio", line, 0, 0);
  if (!arguments) return cli::fail_with(arguments.error(), cli::Format::Text);
  const Browser browser = arguments->has("--no-browser") ? Browser::Leave : Browser::Open;
  const service::Caller caller{line.argv, line.envp};
  const auto pale_home = service::pale_home_of(caller);
  if (!pale_home) return cli::fail_with(pale_home.error(), cli::Format::Text);
  const auto running = arguments->has("--port") ? std::nullopt : studio::announced(*pale_home);
  const Status done = running ? invite(*pale_home, caller, *running, browser) : serve(*arguments, line, browser);
  return done ? 0 : cli::fail_with(done.error(), cli::Format::Text);
}

int studio_work_command(const CommandLine& line) { return studio::work_here({line.argv, line.envp}); }

int mcp_command(const CommandLine& line) {
  const auto arguments = cli::parse_for("mcp", line, 0, 0);
  if (!arguments) return cli::fail_with(arguments.error(), cli::Format::Text);
  if (!arguments->has("--manage"))
    return cli::fail_with({ErrorKind::Usage, 0, "pale mcp", "needs --manage", "pale mcp --manage"}, cli::Format::Text);
  const Status served = serve_here(line);
  return served ? 0 : cli::fail_with(served.error(), cli::Format::Text);
}

}  // namespace pale::keeper
