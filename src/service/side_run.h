// service/side_run.h: a sandbox in a process of its own, so that whoever wants it goes on meanwhile: its ends are given, what
// became of it can be looked at, and it dies with this process. It has no terminal.
#pragma once

#include <memory>
#include <string_view>

#include "sandbox/outside.h"
#include "service/request.h"

namespace pale::service {

// What one of them runs in.
struct SideGround {
  Boundary boundary;
  plan::Plan plan;
  plan::Facts facts;
};
Result<SideGround> plan_side_run(Boundary boundary, const std::vector<plan::Link>& links);

struct SideRequest {
  std::string pale_home;
  const Caller& caller;
  sandbox::Command command;
  int input = 0;  // they become its 0, 1 and 2
  int output = 1;
  int errors = 2;
  const sys::Fd* broker_line = nullptr;  // as sandbox::SandboxRequest has it
  const sys::Fd* gate_line = nullptr;    // the same
  sandbox::Within within;
  std::optional<std::int64_t> stage_began_ns;  // if the boundary has a stage
};

class SideRun {
 public:
  static Result<SideRun> start(std::unique_ptr<const SideGround> ground, const SideRequest& request);
  SideRun(SideRun&&) = default;
  SideRun& operator=(SideRun&&) = delete;
  ~SideRun();

  const Boundary& boundary() const noexcept { return ground_->boundary; }
  // Readable once it is over.
  const sys::Fd& over() const noexcept { return child_.pidfd; }
  // Whether all was read back, and the command begun: then there is a receipt.
  bool stands() const noexcept;
  std::string receipt(std::optional<std::uint64_t> within) const;  // JSON; as sandbox::receipt_json has it
  sandbox::Within as_outer() const;                                // what was read back, for one that is called from it

  void ask_to_end() const;  // the command, by a signal
  void end() const;         // at once
  // Once it is over.
  Result<sandbox::RunResult> finish();

 private:
  struct Board;
  struct LetGo {
    void operator()(Board* board) const noexcept;
  };
  SideRun(std::unique_ptr<const SideGround> ground, std::unique_ptr<Board, LetGo> board, sys::Child child)
      : ground_(std::move(ground)), board_(std::move(board)), child_(std::move(child)) {}
  [[noreturn]] static void be_supervisor(const SideGround& ground, const SideRequest& request, Board& board,
                                         sys::Pid parent);

  std::unique_ptr<const SideGround> ground_;
  std::unique_ptr<Board, LetGo> board_;
  sys::Child child_;
  bool finished_ = false;
};

}  // namespace pale::service
