#include <algorithm>
#include <array>

#include "base/text.h"
#include "cli/choice.h"
#include "cli/console.h"
#include "cli/program.h"
#include "cli/start.h"
#include "service/tools.h"
#include "sys/terminal.h"

namespace pale::cli {
namespace {

constexpr std::uint64_t kMostSeconds = 24UL * 3600;

constexpr Option kManage[] = {{"--manage", "", "instead: projects, workspaces and sessions, as the one who starts it"}};
constexpr Option kServed[] = {
    {"--worker", "NAME|FILE", "in the boundary of a worker: its folders at /NAME, and the files that it takes"},
    {"--approval", "MODE", "who answers what is asked about: auto, manual or tool"},
    {"--approval-timeout", "TIME", "how long a question waits, then it is a no; usually 5m"},
    {"--receipt", "FILE", "write what the kernel was asked for and what was read back, as JSON"},
    {"--dry-run", "", "print the boundary and the steps; serve nothing"},
};
constexpr auto kOptions = [] {
  std::array<Option, std::size(kManage) + std::size(kBoundaryOptions) + std::size(kServed)> options = {};
  auto* end = std::ranges::copy(kManage, options.begin()).out;
  end = std::ranges::copy(kBoundaryOptions, end).out;
  std::ranges::copy(kServed, end);
  return options;
}();

// What a worker has, its file says, and the project.
Status check_worker_options(const Arguments& arguments) {
  if (!arguments.has("--worker")) return {};
  constexpr std::string_view kOthers[] = {"--worker",           "--project-root", "-p",        "--trust", "--approval",
                                          "--approval-timeout", "--receipt",      "--dry-run", "--json"};
  for (const auto& [name, value] : arguments.options) {
    if (std::ranges::find(kOthers, name) == std::end(kOthers))
      return fail(ErrorKind::Usage, "with --worker its file says what it has, so there is no", std::string(name),
                  "pale worker show " + shell_word(arguments.value("--worker")));
  }
  return {};
}

Result<service::ToolsRequest> tools_of(const Arguments& arguments) {
  service::ToolsRequest tools;
  PALE_CHECK(check_worker_options(arguments));
  tools.worker = arguments.value("--worker");
  PALE_TRY(approval, chosen<project::ApprovalMode>(arguments, "--approval", project::kApprovalModes));
  tools.approval = approval;
  tools.notice = [](const session::Question& question) {
    print_note("somebody must allow this: " + printable(question.summary) + ": pale approve " + question.id);
  };
  if (!arguments.has("--approval-timeout")) return tools;
  const auto seconds = parse_duration(arguments.value("--approval-timeout"));
  if (!seconds || *seconds == 0 || *seconds > kMostSeconds)
    return fail(ErrorKind::Usage, "not a time for --approval-timeout:", arguments.value("--approval-timeout"),
                "--approval-timeout 5m");
  tools.ask_seconds = *seconds;
  return tools;
}

}  // namespace

std::span<const Option> mcp_options() { return kOptions; }

int mcp_command(const CommandLine& line) {
  const auto arguments = parse_for("mcp", line, 0, 0);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  if (arguments->has("--manage")) {
    if (arguments->options.size() == 1) return keeper_command(line);
    return fail_with(
        {ErrorKind::Usage, 0, "--manage serves all projects;", "other options are about one", "pale mcp --manage"},
        Format::Text);
  }
  auto request = request_of(*arguments);
  if (!request) return fail_with(request.error(), Format::Text);
  request->runs = service::Runs::Tools;
  request->command = {"pale"};
  auto tools = tools_of(*arguments);
  if (!tools) return fail_with(tools.error(), Format::Text);
  request->tools = *tools;
  if (sys::is_terminal(0)) print_hint("this speaks MCP, for a client to start: claude mcp add pale -- pale mcp");
  return start(*request, *arguments, line);
}

int tools_command(const CommandLine& line) {
  const auto code = service::serve_tools(line.words, line.envp, kVersion);
  return code ? *code : fail_with(code.error(), Format::Text);
}

}  // namespace pale::cli
