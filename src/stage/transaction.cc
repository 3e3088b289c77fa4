#include "stage/transaction.h"

#include <linux/openat2.h>

#include <algorithm>

#include "stage/view.h"
#include "sys/event.h"
#include "sys/tree.h"

namespace pale::stage {
namespace {

using sys::FileInfo;
using sys::FileKind;

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
constexpr const char* kInProject = ".pale";
constexpr std::size_t kFew = 8;

std::string workshop_name(std::uint64_t number) { return "apply-" + std::to_string(number); }

// A rename must be possible between the two: one filesystem, and seen through one mount.
Result<bool> can_rename_between(const Path& left, const Path& right) {
  PALE_TRY(one, sys::file_info(sys::kAbsolute, left.c_str()));
  PALE_TRY(other, sys::file_info(sys::kAbsolute, right.c_str()));
  return one.device == other.device && one.mount == other.mount;
}

// In the history, where nobody sees it; else in the project itself, for as long as it takes.
Result<Path> make_workshop(const Path& history, std::uint64_t number, const Path& target) {
  Path slots = slots_of(history, number);
  PALE_CHECK(sys::make_directories(slots.text(), 0700));
  PALE_TRY(near, can_rename_between(slots, target));
  if (near) return slots;
  const Path own = target / kInProject;
  PALE_CHECK(sys::make_directory(sys::kAbsolute, own.c_str(), 0755));
  PALE_TRY(info, sys::file_info(sys::kAbsolute, own.c_str()));
  if (info.kind != FileKind::Directory)
    return fail(ErrorKind::Refused, "this must be a directory, and no link to one:", own.text(), "ls -ld it");
  Path workshop = own / workshop_name(number);
  PALE_CHECK(sys::make_directory(sys::kAbsolute, workshop.c_str(), 0700));
  return workshop;
}

void remove_workshop(const Path& workshop) {
  (void)sys::remove_tree(sys::kAbsolute, workshop.c_str());
  (void)sys::remove_directory(sys::kAbsolute, workshop.parent().c_str());  // unless there is more in it
}

// The directory that holds a path of the target, without following a link.
Result<sys::Fd> open_parent(const sys::Fd& target, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  sys::Fd parent = open_below(target, slash == std::string::npos ? "." : path.substr(0, slash), kDirectory);
  if (parent.is_open()) return parent;
  return fail(ErrorKind::Refused, "the directory of this path is gone, or has become something else:", path,
              "pale stage show");
}

std::string name_in(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::unexpected<Error> changed_meanwhile(const std::string& path) {
  return fail(ErrorKind::Refused, "this was changed while it was being applied:", path, "pale stage show, then again");
}

// Carries out the operations of a journal, or takes them back.
class Performer {
 public:
  static Result<Performer> open(const Journal& journal) {
    PALE_TRY(target, sys::open_at(sys::kAbsolute, journal.target.c_str(), kDirectory));
    PALE_TRY(slots, sys::open_at(sys::kAbsolute, journal.workshop.c_str(), kDirectory));
    return Performer(journal, std::move(target), std::move(slots));
  }

  Status perform() const {
    for (std::size_t at = 0; at < journal_.operations.size(); ++at) {
      PALE_TRY(done, is_done(at));
      if (!done) PALE_CHECK(perform(at));
    }
    return flush_all();
  }

  Status take_back() const {
    for (std::size_t at = journal_.operations.size(); at-- > 0;) {
      PALE_TRY(done, is_done(at));
      if (done) PALE_CHECK(take_back(at));
    }
    return flush_all();
  }

 private:
  Performer(const Journal& journal, sys::Fd target, sys::Fd slots)
      : journal_(journal), target_(std::move(target)), slots_(std::move(slots)) {}

  Result<FileInfo> in_slot(std::size_t at) const { return sys::file_info(slots_.borrow(), std::to_string(at).c_str()); }

  // By what lies where: a rename is done or not done.
  Result<bool> is_done(std::size_t at) const {
    const Operation& operation = journal_.operations[at];
    if (operation.action == Action::Mode) {
      const sys::Fd directory = open_below(target_, operation.path, kDirectory);
      PALE_TRY(info, directory.is_open() ? sys::file_info(directory) : Result<FileInfo>(FileInfo{}));
      return info.mode == operation.new_mode;
    }
    PALE_TRY(slot, in_slot(at));
    if (operation.action == Action::Put) return slot.kind == FileKind::Missing;
    if (operation.action == Action::Take) return slot.kind != FileKind::Missing;
    return slot.inode != operation.new_inode;
  }

  Status perform(std::size_t at) const {
    const Operation& operation = journal_.operations[at];
    if (operation.action == Action::Mode) return set_mode(operation.path, operation.new_mode);
    PALE_CHECK(rename(at, operation.action));
    if (operation.action == Action::Put) return {};
    PALE_TRY(taken, in_slot(at));
    if (taken.inode == operation.old_inode && taken.modified_ns == operation.old_modified_ns) return {};
    return changed_meanwhile(operation.path);
  }

  Status take_back(std::size_t at) const {
    const Operation& operation = journal_.operations[at];
    switch (operation.action) {
      case Action::Mode: return set_mode(operation.path, operation.old_mode);
      case Action::Put: return rename(at, Action::Take);
      case Action::Take: return rename(at, Action::Put);
      case Action::Swap: break;
    }
    return rename(at, Action::Swap);
  }

  Status rename(std::size_t at, Action action) const {
    const std::string& path = journal_.operations[at].path;
    PALE_TRY(parent, open_parent(target_, path));
    const std::string slot = std::to_string(at);
    const std::string name = name_in(path);
    Status done;
    switch (action) {
      case Action::Put: done = sys::rename_to_free(slots_.borrow(), slot.c_str(), parent.borrow(), name.c_str()); break;
      case Action::Take:
        done = sys::rename_to_free(parent.borrow(), name.c_str(), slots_.borrow(), slot.c_str());
        break;
      default: done = sys::exchange(slots_.borrow(), slot.c_str(), parent.borrow(), name.c_str()); break;
    }
    if (!done) done.error().subject = path;
    return done;
  }

  Status set_mode(const std::string& path, std::uint32_t mode) const {
    const sys::Fd directory = open_below(target_, path, kDirectory);
    if (!directory.is_open()) return changed_meanwhile(path);
    return sys::set_mode(directory, mode);
  }

  // A few directories one by one; many at once, with whatever else is dirty there.
  Status flush_all() const {
    std::vector<std::string> parents;
    for (const Operation& operation : journal_.operations) {
      std::string parent = operation.path.substr(0, operation.path.size() - name_in(operation.path).size());
      if (parents.empty() || parents.back() != parent) parents.push_back(std::move(parent));
    }
    if (parents.size() > kFew) return sys::flush_filesystem(slots_);
    for (const std::string& parent : parents) {
      const auto directory = open_parent(target_, parent + "x");
      if (directory) PALE_CHECK(sys::flush(*directory));
    }
    return sys::flush(slots_);
  }

  const Journal& journal_;
  sys::Fd target_;
  sys::Fd slots_;
};

Status take_back_all(const Path& history, Journal& journal) {
  journal.phase = Phase::TakenBack;
  PALE_CHECK(write_journal(history, journal));
  PALE_TRY(performer, Performer::open(journal));
  PALE_CHECK(performer.take_back());
  return clear_away(history, journal.number, journal.target);
}

}  // namespace

Result<Transaction> Transaction::begin(const Path& history, Journal about) {
  PALE_TRY(numbers, list_journals(history));
  about.number = numbers.empty() ? 1 : numbers.back() + 1;
  about.seconds = sys::wall_clock_seconds();
  PALE_TRY(workshop, make_workshop(history, about.number, about.target));
  about.workshop = std::move(workshop);
  PALE_TRY(target, sys::open_at(sys::kAbsolute, about.target.c_str(), kDirectory));
  PALE_TRY(slots, sys::open_at(sys::kAbsolute, about.workshop.c_str(), kDirectory));
  return Transaction(history, std::move(about), std::move(target), std::move(slots));
}

// Where the workshop is in the project, nothing stays in it: what was there before is kept in the history now.
Status Transaction::keep_before_image(const Place& place) const {
  const Path slots = slots_of(history_, journal_.number);
  if (journal_.workshop == slots) return {};
  PALE_TRY(kept, sys::open_at(sys::kAbsolute, slots.c_str(), kDirectory));
  return copy_object(place, {kept, slot().name});
}

Status Transaction::add(const std::string& path) {
  PALE_TRY(parent, open_parent(target_, path));
  const Place place{parent, name_in(path)};
  PALE_TRY(there, sys::file_info(parent.borrow(), place.name.c_str()));
  PALE_TRY(fresh, sys::file_info(slots_.borrow(), slot().name.c_str()));
  const bool comes = fresh.kind != FileKind::Missing;
  const bool goes = there.kind != FileKind::Missing;
  if (!comes && !goes) return {};
  if (goes) PALE_CHECK(keep_before_image(place));
  Operation operation{comes && goes ? Action::Swap : comes ? Action::Put : Action::Take, path};
  operation.old_inode = there.inode;
  operation.old_modified_ns = there.modified_ns;
  operation.new_inode = fresh.inode;
  journal_.operations.push_back(std::move(operation));
  return {};
}

Status Transaction::add_mode(const std::string& path, std::uint32_t mode) {
  const sys::Fd directory = open_below(target_, path, kDirectory);
  if (!directory.is_open()) return changed_meanwhile(path);
  PALE_TRY(info, sys::file_info(directory));
  journal_.operations.push_back({.action = Action::Mode, .path = path, .old_mode = info.mode, .new_mode = mode});
  return {};
}

Result<Journal> Transaction::commit(std::vector<std::string> paths) {
  journal_.paths = std::move(paths);
  // At once: one by one it would take as long as everything else together.
  PALE_CHECK(sys::flush_filesystem(slots_));
  if (journal_.workshop != slots_of(history_, journal_.number)) {
    PALE_TRY(kept, sys::open_at(sys::kAbsolute, history_.c_str(), kDirectory));
    PALE_CHECK(sys::flush_filesystem(kept));
  }
  PALE_CHECK(write_journal(history_, journal_));
  slots_.reset();  // From here on the journal decides, and nothing is abandoned.
  PALE_TRY(performed, go_on(history_, journal_));
  if (!performed) return fail(ErrorKind::System, "the apply was taken back", "");
  return std::move(*performed);
}

void Transaction::abandon() {
  if (!slots_.is_open()) return;
  slots_.reset();
  (void)clear_away(history_, journal_.number, journal_.target);
}

Result<std::optional<Journal>> go_on(const Path& history, Journal journal) {
  if (journal.phase == Phase::TakenBack) {
    PALE_CHECK(take_back_all(history, journal));
    return std::nullopt;
  }
  if (journal.phase != Phase::Ready) return journal;
  PALE_TRY(performer, Performer::open(journal));
  if (auto done = performer.perform(); !done) {
    PALE_CHECK(take_back_all(history, journal));
    return fail(std::move(done).error());
  }
  journal.phase = Phase::Performed;
  PALE_CHECK(write_journal(history, journal));
  return journal;
}

Status record(const Path& history, Journal journal) {
  PALE_TRY(target, sys::open_at(sys::kAbsolute, journal.target.c_str(), kDirectory));
  for (Operation& operation : journal.operations) {
    if (operation.action == Action::Take || operation.action == Action::Mode) continue;
    PALE_TRY(parent, open_parent(target, operation.path));
    PALE_TRY(newest, newest_change({parent, name_in(operation.path)}));
    operation.newest_ns = newest;
  }
  if (journal.workshop != slots_of(history, journal.number)) remove_workshop(journal.workshop);
  journal.phase = Phase::Recorded;
  return write_journal(history, journal);
}

Status remove_empty_workshops(const Path& target) {
  const Path own = target / kInProject;
  PALE_TRY(info, sys::file_info(sys::kAbsolute, own.c_str()));
  if (info.kind == FileKind::Directory) (void)sys::remove_directory(sys::kAbsolute, own.c_str());
  return {};
}

Status clear_away(const Path& history, std::uint64_t number, const Path& target) {
  // First the journal: without one there is nothing to go on with, and the rest is cleared away whenever somebody looks.
  const Path directory = directory_of(history, number);
  (void)sys::remove_file(sys::kAbsolute, (directory / "journal.json").c_str());
  const Path own = target / kInProject / workshop_name(number);
  PALE_TRY(info, sys::file_info(sys::kAbsolute, own.c_str()));
  if (info.kind == FileKind::Directory) remove_workshop(own);
  return sys::remove_tree(sys::kAbsolute, directory.c_str());
}

}  // namespace pale::stage
