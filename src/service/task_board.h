// service/task_board.h: memory that a task's host shares with the run it started: what was refused so far, and what came of it.
// The first process inside writes to it too, before foreign code runs, and never by its hand: exec replaces the memory.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "service/gate.h"
#include "service/run.h"
#include "service/watch_notes.h"

namespace pale::service {

struct TaskEnd {
  int exit_code = 0;
  std::string ending;
  std::string text;  // for a person: why it did not run, what was found afterwards
};

class TaskBoard {
 public:
  static Result<TaskBoard*> make();  // for as long as the process lives

  // Of each kind one process writes and one reads; what does not fit is left out.
  void add(const WatchNote& note) noexcept;
  void add(const network::Visit& visit) noexcept;
  // Those that came since the last time.
  std::vector<WatchNote> take();
  std::vector<network::Visit> take_visits();

  void put_end(const TaskEnd& end) noexcept;
  std::optional<TaskEnd> end() const;  // nothing: it was killed before

 private:
  // Texts one behind another.
  struct Lane {
    void put(std::string_view text) noexcept;
    std::string_view take() noexcept;  // what was not taken yet

    std::atomic<std::size_t> written;
    std::size_t taken;
    std::array<char, 1UL << 20U> bytes;
  };
  static constexpr std::size_t kText = 16UL << 10U;
  Lane notes_;   // from inside
  Lane visits_;  // from the supervisor
  std::atomic<bool> over_;
  int exit_code_;
  std::array<char, 16> ending_;
  std::size_t length_;
  std::array<char, kText> text_;
};

// Tells the board of connections.
class TaskVisits final : public VisitListener {
 public:
  explicit TaskVisits(TaskBoard& board) : board_(board) {}
  Status visited(const network::Visit& visit) override;

 private:
  TaskBoard& board_;
};

// Tells the board while the run goes on.
class TaskWatch final : public sandbox::Onlooker {
 public:
  explicit TaskWatch(TaskBoard& board) : board_(board) {}
  bool tell_now(const sandbox::WatchedScope& scope, const Boundary& boundary,
                const sandbox::Sighting& sighting) override;
  void hear(const sandbox::WatchedScope& scope, const Boundary& boundary, const sandbox::Sighting& sighting,
            bool told) override;

 private:
  TaskBoard& board_;
};

}  // namespace pale::service
