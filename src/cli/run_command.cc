#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/text.h"
#include "cli/console.h"
#include "cli/live_report.h"
#include "cli/program.h"
#include "cli/start.h"
#include "cli/tree.h"
#include "service/explain.h"
#include "service/run.h"
#include "service/run_times.h"

namespace pale::cli {
namespace {

constexpr int kCannotExecute = 126;
constexpr int kNotFound = 127;

Format format_of(const Arguments& arguments) { return arguments.has("--json") ? Format::Json : Format::Text; }

int report_exec_error(const service::Request& request, int number, Format format) {
  const bool missing = number == ENOENT || number == ENOTDIR;
  const Error error{
      ErrorKind::NotFound, number,
      missing ? "the command does not exist inside:" : "the command cannot be executed:", request.command.front(),
      missing ? "pale explain PATH; grant its place with --ro"
              : "ls -l the file: is it executable, and for this machine?"};
  print_error(error, format);
  return missing ? kNotFound : kCannotExecute;
}

void report_cleaned(const std::vector<Path>& paths, const std::string& quarantine, const char* when) {
  for (const Path& path : paths)
    print_note(path.text() + " appeared at a protected path " + when + "; it is now in " + quarantine);
}

// What is left to do, and who does it.
Error unswept(Error error) {
  error.operation = "a protected path could not be cleared of what the command may have put there: " + error.operation;
  if (error.hint.empty()) error.hint = "pale run -- true, once that path can be read: each run tries again";
  return error;
}

void report_unsettled(const Error& error) {
  print_note("what an earlier run may have left cannot be cleared away: " + error.sentence());
  print_hint("each run tries again; to give it up: " + error.hint);
}

// Whether anything was refused.
bool report_refs(const std::vector<service::RefReport>& reports) {
  bool refused = false;
  for (const service::RefReport& report : reports) {
    for (const std::string& line : service::lines_of(report)) print_note(line);
    for (const service::RefFinding& found : report.refs) {
      if (found.kept.empty()) continue;
      print_hint("git show " + shell_word(found.kept));
      break;
    }
    refused = refused || (report.strict && !report.is_clean());
  }
  return refused;
}

// What directories cannot tell: it was written, and is told.
bool report_file_scope(const std::vector<std::string>& outside) {
  constexpr std::size_t kMostNamed = 20;
  for (std::size_t at = 0; at < std::min(outside.size(), kMostNamed); ++at)
    print_note("changed outside the file scope: " + printable(outside[at]));
  if (outside.size() > kMostNamed) print_note("and " + std::to_string(outside.size() - kMostNamed) + " more");
  if (!outside.empty()) print_hint("git diff; with --stage nothing is changed before you have looked at it");
  return !outside.empty();
}

int report(const service::Request& request, const service::RunOutcome& outcome, Format format) {
  const bool outside = report_file_scope(outcome.outside_file_scope);
  const bool refused = report_refs(outcome.refs) || outside;
  report_cleaned(outcome.result.appeared, outcome.quarantine, "and the run was ended");
  if (outcome.result.unswept) print_error(unswept(*outcome.result.unswept), format);
  if (outcome.result.exec_error != 0) return report_exec_error(request, outcome.result.exec_error, format);
  switch (outcome.result.ending) {
    case sandbox::Ending::Exited: break;
    case sandbox::Ending::TimedOut: print_note("the time limit was reached and the command ended"); break;
    case sandbox::Ending::Contained: return kRefused;
    case sandbox::Ending::Killed: print_note("the sandbox was killed from outside"); break;
  }
  return refused && outcome.result.exit_code == 0 ? kRefused : outcome.result.exit_code;
}

int dry_run(const service::Request& request, const service::Caller& caller, Format format) {
  const auto prepared = service::prepare(request, caller);
  if (!prepared) return fail_with(prepared.error(), format);
  if (format == Format::Json) {
    print(service::to_json(*prepared));
  } else {
    print(boundary_tree(*prepared, palette(!caller.has_variable("NO_COLOR"))) + "\nSteps\n" + plan_lines(*prepared));
  }
  return 0;
}

Result<service::Request> parse(const CommandLine& line, Arguments& arguments, AfterDashes after) {
  PALE_TRY(parsed, parse_arguments(line.words, kRunOptions, after));
  arguments = std::move(parsed);
  if (!arguments.operands.empty()) {
    return fail(ErrorKind::Usage, "unexpected word", arguments.operands.front(),
                after == AfterDashes::Command ? "put the command after --: pale run -- " + arguments.operands.front()
                                              : "pale help shell");
  }
  return request_of(arguments);
}

}  // namespace

int report_outcome(const service::Request& request, const service::RunOutcome& outcome, Format format) {
  if (!outcome.why_landlock.empty()) print_note("enforced by Landlock alone: " + outcome.why_landlock);
  report_cleaned(outcome.cleaned, outcome.quarantine, "during a run that was killed");
  if (outcome.unsettled) report_unsettled(*outcome.unsettled);
  if (!outcome.stage.empty())
    print_note("the changes are in stage " + outcome.stage + "; look at them with: pale stage show " + outcome.stage);
  if (!outcome.kept.empty()) print_note("the project is kept in " + outcome.kept);
  return report(request, outcome, format);
}

int start(const service::Request& request, const Arguments& arguments, const CommandLine& line) {
  const service::Caller caller{line.argv, line.envp};
  const Format format = format_of(arguments);
  if (arguments.has("--dry-run")) return dry_run(request, caller, format);
  LiveReport report_of_watch;
  service::Request told = request;
  told.tell = tell_person;
  auto outcome = service::run(std::move(told), caller, &report_of_watch);
  if (!outcome) return fail_with(outcome.error(), format);
  report_of_watch.conclude(request, *outcome);
  if (arguments.has("-v")) print_note(service::in_words(outcome->times));
  return report_outcome(request, *outcome, format);
}

std::span<const Option> run_options() { return kRunOptions; }

int run_command(const CommandLine& line) {
  Arguments arguments;
  auto request = parse(line, arguments, AfterDashes::Command);
  if (!request) return fail_with(request.error(), format_of(arguments));
  request->command = arguments.command;
  const bool none = request->command.empty() || request->command.front().empty();
  if (none && !arguments.has("--dry-run")) {
    return fail_with({ErrorKind::Usage, 0, "no command to run", "", "pale run -- COMMAND"}, format_of(arguments));
  }
  return start(*request, arguments, line);
}

int shell_command(const CommandLine& line) {
  Arguments arguments;
  auto request = parse(line, arguments, AfterDashes::Forbidden);
  if (!request) return fail_with(request.error(), format_of(arguments));
  const service::Caller caller{line.argv, line.envp};
  request->command = {service::shell_inside(caller)};
  return start(*request, arguments, line);
}

}  // namespace pale::cli
