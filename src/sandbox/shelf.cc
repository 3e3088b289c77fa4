#include "sandbox/shelf.h"

#include <fcntl.h>

#include <cerrno>

#include "sys/file.h"
#include "sys/process.h"
#include "sys/tree.h"

namespace pale::sandbox {
namespace {

constexpr int kPatience = 1000;

Result<Kept> take(const std::string& path) {
  PALE_TRY(directory, sys::open_at(sys::kAbsolute, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  PALE_TRY(lock, sys::try_lock(directory, sys::LockKind::Shared));
  if (lock == sys::Lock::Held) return fail(ErrorKind::System, "another command is removing", path, "try again");
  return Kept{path, std::move(directory)};
}

}  // namespace

void remove_unless_in_use(const sys::Fd& parent, const std::string& name) {
  const auto directory = sys::open_at(parent.borrow(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) return;
  const auto lock = sys::try_lock(*directory, sys::LockKind::Exclusive);
  if (lock && *lock == sys::Lock::Taken) (void)sys::remove_tree(parent.borrow(), name.c_str());
}

Fresh::~Fresh() {
  if (directory_.is_open()) (void)sys::remove_tree(sys::kAbsolute, temporary_.c_str());
}

Result<std::optional<Kept>> Shelf::find(std::uint64_t key) const {
  auto kept = take(path_of(key));
  if (!kept && kept.error().number == ENOENT) return std::nullopt;
  if (!kept) return std::unexpected(std::move(kept).error());
  return std::move(*kept);
}

void Shelf::make_room() const {
  const auto directory = sys::open_at(sys::kAbsolute, directory_.c_str(), O_RDONLY | O_DIRECTORY);
  if (!directory) return;
  const auto entries = sys::list_directory(*directory);
  if (!entries || entries->size() < most_) return;
  for (const sys::Entry& entry : *entries) remove_unless_in_use(*directory, entry.name);
}

// Made aside and locked, so that nobody takes it for a leftover; then it gets its name.
Result<Fresh> Shelf::begin(std::uint64_t key) const {
  PALE_CHECK(sys::make_directories(directory_, 0755));
  PALE_CHECK(sys::make_directories(workshop_, 0700));
  make_room();
  const std::string temporary = workshop_ + "/" + std::to_string(key) + "-" + std::to_string(sys::process_id());
  for (int attempt = 0; attempt < kPatience; ++attempt) {
    PALE_CHECK(sys::make_directory(sys::kAbsolute, temporary.c_str(), 0755));
    auto made = take(temporary);
    if (!made) continue;  // A command that cleans up saw it before it was locked.
    PALE_TRY(info, sys::file_info(made->in_use));
    if (info.links != 0) return Fresh(temporary, path_of(key), std::move(made->in_use));
  }
  return fail(ErrorKind::System, "other commands keep removing", temporary, "try again");
}

Result<Kept> Fresh::put_on_shelf() {
  const auto renamed = sys::rename_to(sys::kAbsolute, temporary_.c_str(), sys::kAbsolute, path_.c_str());
  if (renamed) return Kept{path_, std::move(directory_)};
  // Another start was quicker; its directory is as good.
  if (renamed.error().number == EEXIST || renamed.error().number == ENOTEMPTY) return take(path_);
  return std::unexpected(renamed.error());
}

}  // namespace pale::sandbox
