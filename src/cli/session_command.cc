#include <algorithm>
#include <array>

#include "base/amount.h"
#include "base/json.h"
#include "cli/program.h"
#include "cli/tenant.h"
#include "service/prepare.h"
#include "service/sessions.h"
#include "service/task_host.h"
#include "sys/event.h"
#include "sys/process.h"

namespace pale::cli {
namespace {

using session::Ask;
using session::Tell;

constexpr Option kStart[] = {
    {"-p", "ID", "the managed project (pale project list)"},
    {"--workspace", "UUID", "its workspace (pale workspace list)"},
    {"--stage", "[NAME]", "work on a private layer over the workspace; a new one, or this one"},
    {"--memory", "SIZE", "most memory, such as 2G"},
    {"--pids", "N", "most processes and threads at a time"},
    {"--disk", "SIZE", "most room that the workspace and its home may take"},
    {"--time", "TIME", "end the session after this time, such as 8h"},
    {"--idle", "TIME", "end it when nothing was asked of it for this time; usually 1h"},
    {"--json", "", "print as JSON"}};
constexpr Option kRun[] = {{"--directory", "DIR", "where the command starts, below the workspace"},
                           {"--time", "TIME", "end the command after this time"}};
constexpr Option kEnd[] = {{"--json", "", "print as JSON"}};

Result<std::optional<std::uint64_t>> amount(const Arguments& arguments, std::string_view option,
                                            const Measure& measure) {
  if (!arguments.has(option)) return std::nullopt;
  PALE_TRY(number, parse_amount(measure, option, arguments.value(option)));
  return number;
}

Result<service::SessionRequest> request_of(const TenantCall& call) {
  PALE_TRY(project, call.project());
  const Arguments& arguments = call.arguments;
  if (!arguments.has("--workspace"))
    return fail(ErrorKind::Usage, "--workspace is missing", "", "pale workspace list -p " + shell_word(project));
  service::SessionRequest request{{std::move(project), arguments.value("--workspace")}, {}};
  if (arguments.has("--stage")) request.stage = {arguments.value("--stage"), {}};
  PALE_TRY(memory, amount(arguments, "--memory", measure::kBytes));
  PALE_TRY(pids, amount(arguments, "--pids", measure::kTasks));
  PALE_TRY(disk, amount(arguments, "--disk", measure::kBytes));
  PALE_TRY(seconds, amount(arguments, "--time", measure::kSeconds));
  PALE_TRY(idle, amount(arguments, "--idle", measure::kSeconds));
  request.limits = {memory, pids, disk, seconds};
  request.idle_seconds = idle;
  return request;
}

Result<service::StartedSession> start(const TenantCall& call, const CommandLine& line) {
  PALE_TRY(request, request_of(call));
  PALE_TRY(program, sys::open_program());
  return service::start_session(std::move(request), program, {line.argv, line.envp});
}

// A client that is this process's input, outputs and signals.
class Attachment {
 public:
  Attachment(const service::SessionLine& line, sys::Fd signals) : line_(line), signals_(std::move(signals)) {}

  // Until the command has ended; its exit code.
  Result<int> run(Ask ask) {
    PALE_TRY(begins, first_input());
    ask.last = !reads_input_;
    PALE_CHECK(line_.ask(ask));
    if (!begins.empty()) say({.kind = Ask::Kind::Input, .data = std::move(begins)});
    while (!code_) {
      sys::Ready ready[] = {{line_.socket().borrow()}, {signals_.borrow()}, {0}};
      PALE_CHECK(sys::wait_ready({ready, reads_input_ ? 3U : 2U}, sys::kForever));
      if (ready[0].readable || ready[0].closed) PALE_CHECK(take(line_.next()));
      while (const auto signal = sys::next_signal(signals_)) {
        if (sys::asks_to_end(*signal)) say({.kind = Ask::Kind::Cancel});
      }
      if (reads_input_ && (ready[2].readable || ready[2].closed)) pass_input();
    }
    return *code_;
  }

 private:
  // Mostly there is none, and the command need not be given a pipe for it.
  Result<std::string> first_input() {
    sys::Ready ready = {0};
    PALE_CHECK(sys::wait_ready({&ready, 1}, 0));
    if (!ready.readable && !ready.closed) return std::string();
    std::array<char, session::kMostOutput> buffer;
    const std::size_t got = read_input(buffer);
    reads_input_ = got != 0;
    return std::string(buffer.data(), got);
  }

  Status take(Result<Tell> told) {
    if (!told) return fail(std::move(told).error());
    switch (told->kind) {
      case Tell::Kind::Output:
        if (told->stream == "stdout") print(told->data);
        if (told->stream != "stdout") print_beside(told->data);
        return {};
      case Tell::Kind::Exit:
        if (told->ending == "timed_out") print_note("the time limit was reached and the command ended");
        if (told->ending == "disk") print_note("the workspace takes more room than it may; the command was ended");
        code_ = told->exit_code;
        return {};
      case Tell::Kind::Failed: return fail(std::move(told->error));
      case Tell::Kind::Begun:
      case Tell::Kind::Done: return {};
    }
    return {};
  }

  void pass_input() {
    std::array<char, session::kMostOutput> buffer;
    const std::size_t got = read_input(buffer);
    reads_input_ = got != 0;
    say({.kind = Ask::Kind::Input, .data = std::string(buffer.data(), got), .last = got == 0});
  }

  // The session hangs up on a command that has ended, perhaps just now. How it ended can still be read, and why a session is gone.
  void say(const Ask& ask) {
    if (!line_.ask(ask)) reads_input_ = false;
  }

  const service::SessionLine& line_;
  sys::Fd signals_;
  bool reads_input_ = true;
  std::optional<int> code_;
};

Result<int> run(const CommandLine& line) {
  PALE_TRY(arguments, parse_arguments(line.words, kRun, AfterDashes::Command));
  if (arguments.operands.size() != 1)
    return fail(ErrorKind::Usage, "one session, and its command after --", "", "pale session run SESSION -- COMMAND");
  PALE_TRY(time, amount(arguments, "--time", measure::kSeconds));
  PALE_TRY(pale_home, service::pale_home_of({line.argv, line.envp}));
  PALE_TRY(connection, service::SessionLine::find(pale_home, arguments.operands.front()));
  (void)sys::block_signals(sys::kAllSignals);
  PALE_TRY(signals, sys::open_signals(sys::kAllSignals));
  Attachment attachment(connection, std::move(signals));
  return attachment.run({.kind = Ask::Kind::Run,
                         .command = std::move(arguments.command),
                         .directory = arguments.value("--directory"),
                         .time_limit = time,
                         .brief = true});
}

int end_with(std::string_view command, const CommandLine& line,
             Status (*end)(const Path& pale_home, const session::Name& name)) {
  const auto call = TenantCall::parse(command, line, 1, 1);
  if (!call) return fail_with(call.error(), Format::Text);
  const auto name = service::find_live_session(call->pale_home, call->arguments.operands.front());
  if (!name) return fail_with(name.error(), call->format);
  const Status ended = end(call->pale_home, *name);
  if (!ended) return fail_with(ended.error(), call->format);
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("session", name->session).field("state", "ended").end_object();
  print(call->format == Format::Json ? out.text() + "\n" : "ended " + name->session + "\n");
  return 0;
}

}  // namespace

std::span<const Option> session_start_options() { return kStart; }
std::span<const Option> session_run_options() { return kRun; }
std::span<const Option> session_end_options() { return kEnd; }
std::span<const Option> session_kill_options() { return kEnd; }

int session_host_command(const CommandLine& line) {
  const auto request = service::parse_session_request(line.words.front());
  if (!request) return fail_with(request.error(), Format::Text);
  return service::host_session(*request, {line.argv, line.envp}, 1);
}

int task_host_command(const CommandLine& line) {
  const auto request = service::parse_task_request(line.words.front());
  if (!request) return fail_with(request.error(), Format::Text);
  return service::host_task(*request, {line.argv, line.envp}, 1);
}

int session_start_command(const CommandLine& line) {
  const auto call = TenantCall::parse("session start", line, 0, 0);
  if (!call) return fail_with(call.error(), Format::Text);
  const auto started = start(*call, line);
  if (!started) return fail_with(started.error(), call->format);
  for (const std::string& note : started->notes) print_note(note);
  const session::Name& name = started->name;
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("session", name.session).field("project", name.project);
  out.field("workspace", call->arguments.value("--workspace")).end_object();
  print(call->format == Format::Json ? out.text() + "\n" : name.session + "\n");
  return 0;
}

int session_run_command(const CommandLine& line) {
  const auto code = run(line);
  return code ? *code : fail_with(code.error(), Format::Text);
}

int session_end_command(const CommandLine& line) { return end_with("session end", line, service::end_session); }
int session_kill_command(const CommandLine& line) { return end_with("session kill", line, service::kill_session); }

}  // namespace pale::cli
