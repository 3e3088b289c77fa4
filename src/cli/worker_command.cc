#include "cli/program.h"
#include "cli/worker_options.h"
#include "cli/worker_view.h"

namespace pale::cli {
namespace {

// A command line of `pale worker …`, and the project it is about.
struct WorkerCall {
  Arguments arguments;
  Format format = Format::Text;
  Palette colours;
  service::Caller caller;
  service::ProjectWorkers all;

  static Result<WorkerCall> parse(const Arguments& arguments, const CommandLine& line) {
    const service::Caller caller{line.argv, line.envp};
    PALE_TRY(overrides, overrides_of(arguments));
    PALE_TRY(all, service::load_workers({arguments.value("--project-root"), arguments.value("-p")}, overrides, caller));
    return WorkerCall{arguments, format_of(arguments), palette(!caller.has_variable("NO_COLOR")), caller,
                      std::move(all)};
  }
  static Format format_of(const Arguments& arguments) { return arguments.has("--json") ? Format::Json : Format::Text; }
};

// Beside what is right; those who want both ask for JSON.
int tell_problems(const std::vector<Error>& problems, Format format) {
  if (format == Format::Text) {
    for (const Error& problem : problems) print_error(problem, Format::Text);
  }
  return problems.empty() ? 0 : 1;
}

int list(WorkerCall& call) {
  if (call.format == Format::Json) {
    print(worker_list_json(call.all));
  } else if (!call.all.found.workers.empty()) {
    print(worker_list_lines(call.all));
  } else if (call.all.found.problems.empty()) {
    print_note("no workers yet; a file NAME.worker in .pale/workers is one (pale help workers)");
  }
  return tell_problems(call.all.found.problems, call.format);
}

int show(WorkerCall& call) {
  const auto name = service::find_worker(call.all, call.arguments.operands.front());
  if (!name) return fail_with(name.error(), call.format);
  const worker::Tree tree = worker::grow_tree(call.all.zones, call.all.found.workers, *name, worker::Rest::Leave);
  print(call.format == Format::Json ? worker_show_json(call.all, tree.front())
                                    : worker_show_lines(call.all, tree.front(), call.colours));
  return 0;
}

// Of one worker, or of all: from the one that is called first, and from those that it does not reach.
int check(WorkerCall& call) {
  std::string first = call.all.found.entry;
  auto rest = worker::Rest::Follow;
  if (!call.arguments.operands.empty()) {
    const auto name = service::find_worker(call.all, call.arguments.operands.front());
    if (!name) return fail_with(name.error(), call.format);
    first = *name;
    rest = worker::Rest::Leave;
  }
  const worker::Tree tree = worker::grow_tree(call.all.zones, call.all.found.workers, first, rest);
  const std::vector<Error> problems = service::problems_of(call.all, call.caller);
  print(call.format == Format::Json ? worker_check_json(call.all, tree, problems)
                                    : worker_check_lines(call.all, tree, problems, call.colours));
  return problems.empty() && refused_in(tree) == 0 ? 0 : 1;
}

int run_with(std::string_view name, const CommandLine& line, std::size_t least, std::size_t most,
             int (*run)(WorkerCall&)) {
  const auto arguments = parse_for(name, line, least, most);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  auto call = WorkerCall::parse(*arguments, line);
  if (!call) return fail_with(call.error(), WorkerCall::format_of(*arguments));
  return run(*call);
}

}  // namespace

std::span<const Option> worker_options() { return kWorkerProject; }
std::span<const Option> worker_check_options() { return kWorkerChecked; }

int worker_list_command(const CommandLine& line) { return run_with("worker list", line, 0, 0, list); }
int worker_show_command(const CommandLine& line) { return run_with("worker show", line, 1, 1, show); }
int worker_check_command(const CommandLine& line) { return run_with("worker check", line, 0, 1, check); }

}  // namespace pale::cli
