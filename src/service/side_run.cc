#include "service/side_run.h"

#include <csignal>

#include "sandbox/launch.h"
#include "sandbox/limits.h"
#include "sandbox/record.h"
#include "sandbox/survey.h"
#include "sys/event.h"

namespace pale::service {
namespace {

// What the new process has open, and nothing else: the ends of others would stay open with it.
// In this order: input, output, errors, the line to the broker, the program, the line to the proxy.
constexpr int kLine = 3, kProgram = 4, kGate = 5, kFirstOther = 6;

// Where one of them is now, another may belong: all of them first stand aside.
Status keep_only(const SideRequest& request) {
  constexpr int kAside = 900;
  const int line = request.broker_line != nullptr ? request.broker_line->borrow() : -1;
  const int program = request.command.program != nullptr ? request.command.program->borrow() : -1;
  const int gate = request.gate_line != nullptr ? request.gate_line->borrow() : -1;
  const int kept[] = {request.input, request.output, request.errors, line, program, gate};
  for (int number = 0; number < kFirstOther; ++number) {
    if (kept[number] >= 0) PALE_CHECK(sys::place_descriptor(kept[number], kAside + number));
  }
  for (int number = 0; number < kFirstOther; ++number) {
    if (kept[number] >= 0) PALE_CHECK(sys::place_descriptor(kAside + number, number));
  }
  sys::close_from(kFirstOther);
  return {};
}

Result<sandbox::RunResult> supervise(const SideGround& ground, const SideRequest& request, sandbox::Shared& shared) {
  (void)sys::block_signals(0);     // Whoever wants this one may have blocked some for its own loop.
  PALE_CHECK(sys::new_session());  // What is asked on the terminal, nobody inside may answer, or paint over.
  PALE_CHECK(keep_only(request));
  const sys::Fd line(kLine);
  const sys::Fd program(kProgram);
  const sys::Fd gate(request.gate_line != nullptr ? kGate : -1);
  sandbox::Command command = request.command;
  if (command.program != nullptr) command.program = &program;
  const sandbox::Places places{request.pale_home};
  PALE_TRY(cleaned, sandbox::clean_up(places));
  if (!cleaned.idle) {
    PALE_TRY(made, sandbox::RunRecord::make(places));
    cleaned.idle.emplace(std::move(made));
  }
  sandbox::SandboxRequest wanted{ground.boundary, ground.plan, ground.facts, *cleaned.idle, places};
  wanted.argv = request.caller.argv;
  wanted.envp = request.caller.envp;
  wanted.broker_line = request.broker_line != nullptr ? &line : nullptr;
  wanted.gate_line = request.gate_line != nullptr ? &gate : nullptr;
  wanted.within = request.within;
  wanted.stage_began_ns = request.stage_began_ns;
  wanted.shared = &shared;
  return sandbox::run(wanted, command);
}

}  // namespace

// What both processes see.
struct SideRun::Board {
  sandbox::Shared shared;
  bool done;  // what follows is set
  bool failed;
  sandbox::SharedError error;
  sandbox::Ending ending;
  int exit_code;
  int exec_error;
};

void SideRun::LetGo::operator()(Board* board) const noexcept { sys::let_go_of_memory(board, sizeof(Board)); }

Result<SideGround> plan_side_run(Boundary boundary, const std::vector<plan::Link>& links) {
  plan::Facts facts = sandbox::survey(boundary, std::nullopt, links);
  facts.terminal.clear();  // It has none.
  PALE_TRY(plan, plan::make_plan(boundary, facts, plan::Backend::Namespaces, plan::Weakening::Refused));
  return SideGround{std::move(boundary), std::move(plan), std::move(facts)};
}

void SideRun::be_supervisor(const SideGround& ground, const SideRequest& request, Board& board, sys::Pid parent) {
  const Status tied = sys::die_with_parent();
  if (!tied || sys::parent_id() != parent) sys::exit_now(0);  // It may have died before that.
  const auto result = supervise(ground, request, board.shared);
  board.failed = !result;
  if (result) {
    board.ending = result->ending;
    board.exit_code = result->exit_code;
    board.exec_error = result->exec_error;
  } else {
    board.error.put(result.error());
  }
  board.done = true;
  sys::exit_now(0);
}

Result<SideRun> SideRun::start(std::unique_ptr<const SideGround> ground, const SideRequest& request) {
  std::unique_ptr<Board, LetGo> board(static_cast<Board*>(sys::share_memory(sizeof(Board))));
  if (board == nullptr) return fail(ErrorKind::System, "no memory for a sandbox", "");
  const sys::Pid parent = sys::process_id();
  PALE_TRY(child, sys::fork_into(0));
  if (child.pid == 0) be_supervisor(*ground, request, *board, parent);
  return SideRun(std::move(ground), std::move(board), std::move(child));
}

SideRun::~SideRun() {
  if (!board_ || finished_) return;
  end();
  (void)sys::wait_for(child_.pid);
}

bool SideRun::stands() const noexcept { return board_->shared.observed.complete; }

sandbox::Within SideRun::as_outer() const { return sandbox::as_outer(board_->shared.observed); }

std::string SideRun::receipt(std::optional<std::uint64_t> within) const {
  const auto limits = sandbox::plan_limits(ground_->boundary.limits(), ground_->plan.backend);
  return sandbox::receipt_json(ground_->boundary, ground_->plan, board_->shared.observed,
                               limits ? limits->guards : sandbox::LimitGuards(), within);
}

void SideRun::ask_to_end() const { (void)sys::send_signal(child_.pidfd, SIGTERM); }
void SideRun::end() const { (void)sys::send_signal(child_.pidfd, SIGKILL); }

Result<sandbox::RunResult> SideRun::finish() {
  PALE_CHECK(sys::wait_for(child_.pid));
  finished_ = true;
  if (!board_->done) return sandbox::RunResult{sandbox::Ending::Killed, 128 + SIGKILL, 0, {}};
  if (board_->failed) return fail(board_->error.get());
  return sandbox::RunResult{board_->ending, board_->exit_code, board_->exec_error, {}};
}

}  // namespace pale::service
