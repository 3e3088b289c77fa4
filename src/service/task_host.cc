#include "service/task_host.h"

#include <fcntl.h>

#include <csignal>

#include "service/agents.h"
#include "service/prepare.h"
#include "service/run.h"
#include "service/task_loop.h"
#include "service/watch_report.h"
#include "sys/file.h"
#include "sys/message.h"

namespace pale::service {
namespace {

using session::Tell;

constexpr int kFirstInherited = 3;
constexpr int kCannotRun = 125;
constexpr int kNotFound = 127;
constexpr std::size_t kMostReply = 1UL << 16U;

struct Task {
  Request request;
  std::string agent;
  Path root;
};

Result<Task> task_of(const TaskRequest& asked, const Path& pale_home, const Caller& caller) {
  Request request;
  request.project.id = asked.project;
  request.attention = Attention::Always;
  const std::string origin = "Studio";
  if (!asked.folders.empty()) request.workspace.folders = {asked.folders, origin};
  if (!asked.mode.empty())
    request.workspace.mode = {asked.mode == "strict" ? project::Scope::Strict : project::Scope::Permissive, origin};
  PALE_TRY(around, surroundings_of(caller));
  PALE_TRY(resolved, project::resolve(request.project, around));
  if (asked.staged) {
    PALE_TRY(name, store_of(pale_home, resolved.project.root()).free_name());
    request.stage = {std::move(name), {}};
  }
  request.command = asked.command;
  if (!asked.command.empty()) return Task{std::move(request), {}, resolved.project.root()};
  PALE_TRY(agent, equip_agent({asked.agent, asked.task, std::move(request)}, caller));
  return Task{std::move(agent.request), std::move(agent.agent), resolved.project.root()};
}

TaskEnd end_of(const Request& request, const Result<RunOutcome>& outcome) {
  if (!outcome)
    return {kCannotRun, "failed", "pale: " + outcome.error().sentence() + "\nhint: " + outcome.error().hint + "\n"};
  std::string text;
  if (!outcome->why_landlock.empty()) text += "pale: enforced by Landlock alone: " + outcome->why_landlock + "\n";
  if (!outcome->why_unwatched.empty()) text += "pale: not watched: " + outcome->why_unwatched + "\n";
  for (const RefReport& report : outcome->refs) {
    for (const std::string& line : lines_of(report)) text += "pale: " + line + "\n";
  }
  if (outcome->result.exec_error != 0) {
    text += "pale: the command cannot be executed inside: " + request.command.front() + ": " +
            errno_text(outcome->result.exec_error) + "\n";
    return {kNotFound, "failed", text};
  }
  return {outcome->result.exit_code, std::string(in_a_word(outcome->result.ending)), text};
}

struct Pipes {
  sys::Pipe input;
  sys::Pipe output;
  sys::Pipe errors;
};

// In the child: it is what `pale run` is, but that its ends are the host's.
[[noreturn]] void be_run(Pipes& pipes, const Request& request, const Caller& caller, TaskBoard& board) {
  (void)sys::block_signals(0);
  (void)sys::die_with_parent();
  (void)sys::new_process_group();
  (void)sys::place_descriptor(pipes.input.read_end.borrow(), 0);
  (void)sys::place_descriptor(pipes.output.write_end.borrow(), 1);
  (void)sys::place_descriptor(pipes.errors.write_end.borrow(), 2);
  sys::close_from(kFirstInherited);
  TaskWatch watch(board);
  TaskVisits visits(board);
  Request told = request;
  told.visits = &visits;
  board.put_end(end_of(request, run(told, caller, &watch)));
  sys::exit_now(0);
}

Result<TaskEnds> start_run(const Request& request, const Caller& caller, TaskBoard& board) {
  PALE_TRY(input, sys::open_pipe());
  PALE_TRY(output, sys::open_pipe());
  PALE_TRY(errors, sys::open_pipe());
  for (const sys::Fd* end : {&input.write_end, &output.read_end, &errors.read_end})
    PALE_CHECK(sys::set_nonblocking(*end));
  Pipes pipes{std::move(input), std::move(output), std::move(errors)};
  PALE_TRY(child, sys::fork_into(0));
  if (child.pid == 0) be_run(pipes, request, caller, board);
  return TaskEnds{std::move(child), std::move(pipes.input.write_end), std::move(pipes.output.read_end),
                  std::move(pipes.errors.read_end)};
}

// The caller's ends: from here on the task is its own.
Status let_go_of_caller() {
  PALE_TRY(null, sys::open_at(sys::kAbsolute, "/dev/null", O_RDWR));
  for (int number = 0; number < kFirstInherited; ++number) PALE_CHECK(sys::place_descriptor(null.borrow(), number));
  return {};
}

Status host_here(const TaskRequest& asked, const Caller& caller, int reply) {
  PALE_TRY(pale_home, pale_home_of(caller));
  PALE_TRY(task, task_of(asked, pale_home, caller));
  PALE_CHECK(prepare(task.request, caller));  // What is wrong is said to whoever asks, before there is a session.
  const std::string kind = asked.command.empty() ? "agent" : "run";
  const std::string title = !asked.title.empty() ? asked.title : asked.task;
  PALE_TRY(record, CallRecord::begin(pale_home, asked.project,
                                     {kind, title, task.agent, task.request.stage ? task.request.stage->name : ""}));
  PALE_TRY(live, sys::open_at(sys::kAbsolute, record.live().c_str(), O_PATH | O_DIRECTORY));
  PALE_TRY(listener, sys::listen_at(live, "socket"));
  const Path receipt = record.live() / "receipt.json";
  task.request.receipt_path = receipt.text();
  PALE_TRY(board, TaskBoard::make());
  PALE_CHECK(record.run(1, {}, task.request.command, task.root.text()));
  PALE_CHECK(sys::write_all(reply, record.session()));
  PALE_CHECK(let_go_of_caller());
  auto ends = start_run(task.request, caller, *board);
  if (!ends) return record.end("failed");
  TaskLoop loop(record, *board, std::move(*ends), std::move(listener), receipt);
  const Status lived = loop.run();
  PALE_CHECK(record.end(lived ? "ended" : "failed"));
  loop.tell_ended();
  return lived;
}

}  // namespace

int host_task(const TaskRequest& request, const Caller& caller, int reply) {
  sys::close_from(kFirstInherited);
  const auto child = sys::fork_into(0);
  const auto failed = [&](const Error& error) {
    (void)sys::write_all(reply, to_text(Tell{.kind = Tell::Kind::Failed, .error = error}));
    return 1;
  };
  if (!child) return failed(child.error());
  if (child->pid != 0) return 0;  // So that whoever started this has nobody to wait for.
  (void)sys::new_session();
  const Status done = host_here(request, caller, reply);
  return done ? 0 : failed(done.error());
}

Result<std::string> start_task(const TaskRequest& request, const sys::Fd& program, const Caller& caller) {
  std::string name = "pale";
  std::string command(kTaskCommand);
  std::string text = to_json(request);
  char* argv[] = {name.data(), command.data(), text.data(), nullptr};
  PALE_TRY(null, sys::open_at(sys::kAbsolute, "/dev/null", O_RDWR));
  PALE_TRY(pipe, sys::open_pipe());
  const sys::ProgramStart start{program, argv, caller.envp, null.borrow(), pipe.write_end.borrow(), null.borrow()};
  PALE_TRY(pid, sys::start_program(start));
  PALE_CHECK(sys::wait_for(pid));
  pipe.write_end.reset();
  PALE_TRY(reply, sys::read_all(pipe.read_end, kMostReply));
  if (reply.empty()) return fail(ErrorKind::System, "the task was killed before it began", "", "pale doctor");
  if (!reply.starts_with('{')) return reply;
  PALE_TRY(tell, session::parse_tell(reply));
  return fail(std::move(tell.error));
}

}  // namespace pale::service
