#include "stage/apply.h"

#include <algorithm>
#include <ranges>

#include "stage/assemble.h"
#include "stage/changes.h"
#include "stage/view.h"
#include "sys/tree.h"

namespace pale::stage {
namespace {

using sys::FileKind;

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
constexpr std::int64_t kPatience = 60'000;  // milliseconds for another command to end

// Where a stage's changes go: the project, or the layer of the stage beneath.
Path target_of(const Store& store, const std::string& into) {
  return into.empty() ? store.root() : store.directory() / into / "upper";
}

Result<std::optional<Journal>> load(const Store& store, std::uint64_t number) {
  PALE_TRY(journal, read_journal(store.history(), number));
  if (journal) journal->target = target_of(store, journal->into);
  return journal;
}

Result<sandbox::LayeredDirectory> lower_of(const Store& store, const Stage& stage) {
  std::vector<Path> layers(stage.layers.begin() + std::min<std::ptrdiff_t>(2, std::ssize(stage.layers)),
                           stage.layers.end());
  layers.push_back(store.root());
  return sandbox::LayeredDirectory::open(layers);
}

Status forget_path(const sys::Fd& upper, const std::string& path) {
  PALE_TRY(possible, can_forget(upper, path));
  const std::size_t slash = path.rfind('/');
  const sys::Fd parent = open_below(upper, slash == std::string::npos ? "." : path.substr(0, slash), kDirectory);
  if (!possible || !parent.is_open()) return {};
  const std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  PALE_TRY(info, sys::file_info(parent.borrow(), name.c_str()));
  if (info.kind == FileKind::Missing) return {};
  if (info.kind != FileKind::Directory) return sys::remove_file(parent.borrow(), name.c_str());
  PALE_TRY(directory, sys::open_at(parent.borrow(), name.c_str(), kDirectory));
  PALE_TRY(entries, sys::list_directory(directory));
  return entries.empty() ? sys::remove_tree(parent.borrow(), name.c_str()) : Status{};
}

Status empty_directory(const sys::Fd& directory) {
  PALE_TRY(listing, sys::open_at(directory.borrow(), ".", kDirectory));
  PALE_TRY(entries, sys::list_directory(listing));
  for (const sys::Entry& entry : entries) PALE_CHECK(sys::remove_tree(directory.borrow(), entry.name.c_str()));
  return {};
}

// What lies beneath the stage now, at a path and below it, is the original.
Status renew(const View& view, const sandbox::LayeredDirectory& directory, const std::string& path,
             const std::string& name) {
  PALE_TRY(info, directory.look(name.c_str()));
  PALE_CHECK(view.originals().renew(path, info));
  if (info.kind != FileKind::Directory) return {};
  PALE_TRY(below, directory.enter(name.c_str()));
  PALE_TRY(entries, below.list());
  for (const sys::Entry& entry : entries) PALE_CHECK(renew(view, below, path + "/" + entry.name, entry.name));
  return {};
}

// The stage lets go of what was applied. With nothing left in it, it begins anew.
Status tidy_stage(const Store& store, const Journal& journal) {
  PALE_TRY(stage, store.find(journal.stage));
  if (!stage) return {};
  if (journal.undoes == 0) PALE_CHECK(forget_paths(*stage, journal.paths));
  PALE_TRY(view, View::open(*stage, store.root()));
  PALE_TRY(left, has_changes(view));
  if (!left) {
    PALE_CHECK(empty_directory(view.upper()));
    return Store::begin_anew(*stage);
  }
  for (const Operation& operation : journal.operations) {
    PALE_TRY(place, sandbox::find_place(view.beneath(), operation.path));
    if (operation.action != Action::Mode) PALE_CHECK(renew(view, place.directory, operation.path, place.name));
  }
  return {};
}

Status mark_undone(const Store& store, const Journal& by) {
  if (by.undoes == 0) return {};
  PALE_TRY(undone, load(store, by.undoes));
  if (!undone) return {};
  undone->undone_by = by.number;
  return write_journal(store.history(), *undone);
}

// As long as it is there, somebody is changing the project, or was when he was killed.
Path mark_of(const Store& store) { return store.history() / "under-way"; }

Status mark(const Store& store) {
  PALE_TRY(file, sys::open_at(sys::kAbsolute, mark_of(store).c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW, 0600));
  return {};
}

Status finish(const Store& store, const Journal& journal) {
  PALE_CHECK(tidy_stage(store, journal));
  PALE_CHECK(mark_undone(store, journal));
  return record(store.history(), journal);
}

std::unexpected<Error> changed_since(const std::string& path) {
  return fail(ErrorKind::Refused, "this was changed after the apply, and an undo would lose that:", path,
              "pale stage undo --list, which names every apply");
}

// Whether the target still has what an operation left there.
Status check_unchanged(const sys::Fd& target, const Operation& operation) {
  const std::size_t slash = operation.path.rfind('/');
  const sys::Fd parent =
      open_below(target, slash == std::string::npos ? "." : operation.path.substr(0, slash), kDirectory);
  if (!parent.is_open()) return changed_since(operation.path);
  const Place place{parent, operation.path.substr(slash == std::string::npos ? 0 : slash + 1)};
  PALE_TRY(info, sys::file_info(parent.borrow(), place.name.c_str()));
  if (operation.action == Action::Take)
    return info.kind == FileKind::Missing ? Status{} : changed_since(operation.path);
  if (operation.action == Action::Mode)
    return info.mode == operation.new_mode ? Status{} : changed_since(operation.path);
  PALE_TRY(newest, newest_change(place));
  const bool same = info.inode == operation.new_inode && newest == operation.newest_ns;
  return same ? Status{} : changed_since(operation.path);
}

}  // namespace

Result<sys::Fd> lock_history(const Store& store) {
  PALE_CHECK(sys::make_directories(store.history().text(), 0700));
  PALE_TRY(fd, sys::open_at(sys::kAbsolute, store.history().c_str(), kDirectory));
  PALE_TRY(lock, sys::lock_within(fd, sys::LockKind::Exclusive, kPatience));
  if (lock == sys::Lock::Held)
    return fail(ErrorKind::Refused, "another command is changing this project:", store.root().text(),
                "wait for it to end");
  return fd;
}

bool is_under_way(const Store& store) {
  const auto info = sys::file_info(sys::kAbsolute, mark_of(store).c_str());
  return !info || info->kind != FileKind::Missing;
}

Status recover(const Store& store) {
  if (!is_under_way(store)) return {};
  PALE_TRY(numbers, list_journals(store.history()));
  for (const std::uint64_t number : numbers) {
    auto read = load(store, number);
    if (!read)
      continue;  // damaged, though it was written as a whole: nobody can go on with it, and the others need not wait
    std::optional<Journal>& journal = *read;
    if (!journal) {
      PALE_CHECK(clear_away(store.history(), number, store.root()));
      PALE_CHECK(remove_empty_workshops(store.root()));
      continue;
    }
    if (journal->phase == Phase::Recorded) continue;
    PALE_TRY(performed, go_on(store.history(), std::move(*journal)));
    if (performed) PALE_CHECK(finish(store, *performed));
  }
  return sys::remove_file(sys::kAbsolute, mark_of(store).c_str());
}

namespace {

Result<std::optional<Journal>> apply_marked(const Store& store, const Stage& stage, const std::vector<Item>& items,
                                            Progress* progress) {
  PALE_TRY(view, View::open(stage, store.root()));
  PALE_TRY(transaction,
           Transaction::begin(store.history(),
                              {.stage = stage.name, .into = stage.on, .target = target_of(store, stage.on)}));
  PALE_TRY(lower, lower_of(store, stage));
  PALE_CHECK(assemble(view, items, transaction, stage.layers.size() > 1 ? &lower : nullptr, progress));
  if (transaction.is_empty()) return std::nullopt;
  std::vector<std::string> paths;
  for (const Item& item : items) {
    if (!item.stays) paths.push_back(item.change.path);
    if (!item.change.from.empty()) paths.push_back(item.change.from);
  }
  PALE_TRY(performed, transaction.commit(std::move(paths)));
  PALE_CHECK(finish(store, performed));
  return performed;
}

Result<Journal> undo_marked(const Store& store, const Journal& journal) {
  PALE_TRY(target, sys::open_at(sys::kAbsolute, journal.target.c_str(), kDirectory));
  for (const Operation& operation : journal.operations) PALE_CHECK(check_unchanged(target, operation));
  PALE_TRY(slots, sys::open_at(sys::kAbsolute, slots_of(store.history(), journal.number).c_str(), kDirectory));
  PALE_TRY(transaction,
           Transaction::begin(
               store.history(),
               {.stage = journal.stage, .undoes = journal.number, .into = journal.into, .target = journal.target}));
  for (std::size_t at = 0; at < journal.operations.size(); ++at) {
    const Operation& operation = journal.operations[at];
    if (operation.action == Action::Mode) {
      PALE_CHECK(transaction.add_mode(operation.path, operation.old_mode));
      continue;
    }
    if (operation.action != Action::Put) PALE_CHECK(copy_object({slots, std::to_string(at)}, transaction.slot()));
    PALE_CHECK(transaction.add(operation.path));
  }
  PALE_TRY(performed, transaction.commit({}));
  PALE_CHECK(finish(store, performed));
  return performed;
}

}  // namespace

Result<std::optional<Journal>> apply(const Store& store, const Stage& stage, const std::vector<Item>& items,
                                     Progress* progress) {
  PALE_CHECK(mark(store));
  auto done = apply_marked(store, stage, items, progress);
  PALE_CHECK(recover(store));
  return done;
}

Result<Journal> undo(const Store& store, const Journal& journal) {
  PALE_CHECK(mark(store));
  auto done = undo_marked(store, journal);
  PALE_CHECK(recover(store));
  return done;
}

// An opaque directory hides what lies beneath it: what is taken out of it would look deleted.
Result<bool> can_forget(const sys::Fd& upper, const std::string& path) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const sys::Fd directory = open_below(upper, path.substr(0, slash), kDirectory);
    if (!directory.is_open()) return true;
    PALE_TRY(opaque, sandbox::is_opaque(directory));
    if (opaque) return false;
  }
  return true;
}

Status forget_paths(const Stage& stage, const std::vector<std::string>& paths) {
  PALE_TRY(upper, sys::open_at(sys::kAbsolute, stage.upper().c_str(), kDirectory));
  // From the last on: a directory goes when it is empty.
  for (const std::string& path : paths | std::views::reverse) PALE_CHECK(forget_path(upper, path));
  return {};
}

Result<std::vector<Journal>> read_history(const Store& store) {
  std::vector<Journal> history;
  PALE_TRY(numbers, list_journals(store.history()));
  for (const std::uint64_t number : numbers) {
    auto read = load(store, number);
    if (!read) continue;  // damaged: it can be neither undone nor shown
    std::optional<Journal>& journal = *read;
    if (journal && journal->phase == Phase::Recorded) history.push_back(std::move(*journal));
  }
  return history;
}

}  // namespace pale::stage
