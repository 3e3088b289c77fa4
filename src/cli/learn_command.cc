#include "base/text.h"
#include "cli/console.h"
#include "cli/live_report.h"
#include "cli/program.h"
#include "cli/start.h"
#include "service/learn.h"

namespace pale::cli {
namespace {

// What a manifest cannot say.
void print_notes(const service::Learnt& learnt, const service::RunOutcome& outcome) {
  if (outcome.result.exit_code != 0)
    print_note("the command ended with " + std::to_string(outcome.result.exit_code) +
               ": what it did not come to is not in there");
  if (outcome.result.saw_more) print_note("it did more than is kept: the manifest may not suffice");
  if (learnt.whole) print_note("it makes or removes names at the project's root: it needs all of it, and no folders");
  if (learnt.nothing()) print_note("it used no file of the project");
  for (const std::string& folder : learnt.made) {
    print_note(folder + " was made by the command; a strict run needs it to be there");
    print_hint("mkdir -p " + shell_word((outcome.root / folder).text()));
  }
  const std::string where = " --project-root " + shell_word(outcome.root.text());
  std::string hosts;
  for (const std::string& host : learnt.hosts) {
    print_note("it connected to " + host);
    hosts += " " + shell_word(host);
  }
  if (!hosts.empty()) print_hint("pale config add hosts" + hosts + where);
  if (!hosts.empty()) return print_hint("save it as " + shell_word((outcome.root / ".pale/project.toml").text()));
  for (const std::string& address : learnt.reached) print_note("it connected to " + address);
  if (!learnt.reached.empty()) {
    print_hint("pale learn --network observe, to learn which hosts these are");
    print_hint("pale config set network open" + where);
  }
  print_hint("save it as " + shell_word((outcome.root / ".pale/project.toml").text()));
}

}  // namespace

std::span<const Option> learn_options() { return kBoundaryOptions; }

int learn_command(const CommandLine& line) {
  auto arguments = parse_arguments(line.words, kBoundaryOptions, AfterDashes::Command);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  if (!arguments->operands.empty() || arguments->command.empty() || arguments->command.front().empty())
    return fail_with({ErrorKind::Usage, 0, "no command to learn from", "", "pale learn -- COMMAND"}, Format::Text);
  auto request = request_of(*arguments);
  if (!request) return fail_with(request.error(), Format::Text);
  request->command = arguments->command;
  request->attention = service::Attention::ToLearn;
  request->tell = tell_person;
  LiveReport report;
  auto outcome = service::run(*request, {line.argv, line.envp}, &report);
  if (!outcome) return fail_with(outcome.error(), Format::Text);
  const int code = report_outcome(*request, *outcome, Format::Text);
  if (outcome->result.exec_error != 0) return code;
  service::Learnt learnt = service::learn_from(outcome->root, report.heard());
  if (outcome->visits) {
    for (const HostRule& rule : simplified(outcome->visits->reached())) learnt.hosts.push_back(to_text(rule));
  }
  print(service::to_manifest(learnt, outcome->manifest_head));
  print_notes(learnt, *outcome);
  return code;
}

}  // namespace pale::cli
