// stage/transaction.h: many changes of a directory tree, all or none of them, whatever happens meanwhile.
//
// Everything new is written and flushed first, beside its place. Then the journal says what is to be done, and from there on
// only names change: each operation is one rename. After a kill the next command reads the journal and goes on; after an
// error everything is taken back. What was there before stays in the history.
#pragma once

#include <functional>

#include "stage/journal.h"
#include "stage/object.h"

namespace pale::stage {

class Transaction {
 public:
  // `about`: stage, undoes and target. Nothing else may be under way in this history.
  static Result<Transaction> begin(const Path& history, Journal about);

  // The next operation's slot, to be filled before it is added.
  Place slot() const { return {slots_, std::to_string(journal_.operations.size())}; }
  const sys::Fd& target() const noexcept { return target_; }
  // What stands at the path, and what lies in the slot, say what is to be done; nothing, if both are missing.
  Status add(const std::string& path);
  Status add_mode(const std::string& path, std::uint32_t mode);
  bool is_empty() const noexcept { return journal_.operations.empty(); }

  // Does it all. On an error nothing is done.
  Result<Journal> commit(std::vector<std::string> paths);
  // Leaves no trace. Also on destruction, unless committed.
  void abandon();

  Transaction(Transaction&& other) noexcept = default;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction() { abandon(); }

 private:
  Transaction(Path history, Journal journal, sys::Fd target, sys::Fd slots)
      : history_(std::move(history)),
        journal_(std::move(journal)),
        target_(std::move(target)),
        slots_(std::move(slots)) {}
  Status keep_before_image(const Place& place) const;

  Path history_;
  Journal journal_;
  sys::Fd target_;
  sys::Fd slots_;
};

// Goes on with one that a kill interrupted: to the end, or back. The journal is then Performed, or gone.
Result<std::optional<Journal>> go_on(const Path& history, Journal journal);
// Last of all: what it leaves behind is tidied, and it becomes history.
Status record(const Path& history, Journal journal);
// The directory in the project that workshops lie in, if it is empty: a kill came between the two.
Status remove_empty_workshops(const Path& target);
// One that never got ready: nothing was done. `target`: where its workshop may lie.
Status clear_away(const Path& history, std::uint64_t number, const Path& target);

}  // namespace pale::stage
