#include "sys/copy.h"

#include <fcntl.h>

#include <cerrno>
#include <optional>

#include "sys/file.h"
#include "sys/tree.h"
#include "tenant/place.h"
#include "tenant/workspace.h"

namespace pale::tenant {
namespace {

constexpr std::string_view kAgents = "AGENTS.md";
constexpr std::string_view kFactory = ".factory";
constexpr char kIncoming[] = "incoming";  // in the project's .pale
// Where workspaces are not isolated, an agent may have written what is copied into all that follow.
constexpr unsigned kDeepest = 32;  // directories in each other: each is an open descriptor
constexpr std::uint64_t kMostEntries = 10'000;
constexpr std::uint64_t kMostBytes = 256UL << 20U;
constexpr unsigned kMode = 0777;  // what is kept of one: nobody's rights are lent to others

std::string_view reason_for(sys::FileKind kind) {
  switch (kind) {
    case sys::FileKind::Symlink: return "a symbolic link";
    case sys::FileKind::Directory: return "a directory";
    default: return "neither a file nor a directory";
  }
}

// One look at what is there, and that is what is copied, or left out: whatever is put in its place meanwhile is not followed.
class Copy {
 public:
  Copy(const sys::Fd& from, const sys::Fd& to, std::vector<LeftOut>& left_out)
      : from_(from), to_(to), left_out_(left_out) {}

  Status file(const std::string& name) { return copy_file(from_, to_, name, name); }

  // Its mode is left to the caller: what is read-only cannot be moved. Nothing, if it was left out.
  Result<std::optional<unsigned>> directory(const std::string& name) {
    auto source = open_beneath(from_, name, O_RDONLY | O_DIRECTORY);
    if (!source) {
      PALE_CHECK(leave_out(name, source.error()));
      return std::nullopt;
    }
    PALE_TRY(mode, fill(*source, to_, name, name, 1));
    return mode;
  }

 private:
  Status copy_file(const sys::Fd& from, const sys::Fd& to, const std::string& name, const std::string& path) {
    const auto source = open_beneath(from, name, O_RDONLY);
    if (!source) return leave_out(path, source.error());
    PALE_TRY(info, sys::file_info(*source));
    if (info.kind != sys::FileKind::File) return leave_out(path, reason_for(info.kind));
    if (!count(path, info.size)) return {};
    PALE_TRY(target, sys::open_at(to.borrow(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
    PALE_CHECK(sys::copy_contents(*source, target));
    return sys::set_mode(target, info.mode & kMode);
  }

  Status copy_directory(const sys::Fd& from, const sys::Fd& to, const std::string& name, const std::string& path,
                        unsigned depth) {
    if (depth > kDeepest) return leave_out(path, "deeper than 32 directories");
    const auto source = open_beneath(from, name, O_RDONLY | O_DIRECTORY);
    if (!source) return leave_out(path, source.error());
    if (!count(path, 0)) return {};
    PALE_TRY(mode, fill(*source, to, name, path, depth));
    PALE_TRY(target, open_beneath(to, name, O_RDONLY | O_DIRECTORY));
    return sys::set_mode(target, mode);
  }

  // Returns the mode that it should have in the end.
  Result<unsigned> fill(const sys::Fd& source, const sys::Fd& to, const std::string& name, const std::string& path,
                        unsigned depth) {
    PALE_TRY(info, sys::file_info(source));
    PALE_CHECK(sys::make_directory(to.borrow(), name.c_str(), 0700));
    PALE_TRY(target, open_beneath(to, name, O_RDONLY | O_DIRECTORY));
    PALE_TRY(entries, sys::list_directory(source));
    for (const sys::Entry& entry : entries) {
      if (full_) break;
      const std::string inner = path + "/" + entry.name;
      if (entry.kind == sys::FileKind::File) {
        PALE_CHECK(copy_file(source, target, entry.name, inner));
      } else if (entry.kind == sys::FileKind::Directory) {
        PALE_CHECK(copy_directory(source, target, entry.name, inner, depth + 1));
      } else {
        PALE_CHECK(leave_out(inner, reason_for(entry.kind)));
      }
    }
    return info.mode & kMode;
  }

  // What is there but cannot be had as it should is no reason to have no workspace.
  Status leave_out(const std::string& path, std::string_view reason) {
    left_out_.push_back({path, std::string(reason)});
    full_ = full_ || left_out_.size() >= kMostEntries;
    return {};
  }
  Status leave_out(const std::string& path, const Error& error) {
    if (error.number == ENOENT) return {};  // gone since
    return leave_out(path, error.kind == ErrorKind::Refused ? "a symbolic link" : errno_text(error.number));
  }

  bool count(const std::string& path, std::uint64_t bytes) {
    if (++entries_ <= kMostEntries && bytes <= kMostBytes - bytes_) {
      bytes_ += bytes;
      return true;
    }
    (void)leave_out(path, "with all that follows: 10000 files and 256 MiB are copied at most");
    full_ = true;
    return false;
  }

  const sys::Fd& from_;
  const sys::Fd& to_;
  std::vector<LeftOut>& left_out_;
  std::uint64_t entries_ = 0;
  std::uint64_t bytes_ = 0;
  bool full_ = false;
};

// Made where no agent comes, then moved in: nobody sees half of it, nor puts something else in the place of a half.
class Arrival {
 public:
  static Result<Arrival> prepare(const sys::Fd& project) {
    PALE_CHECK(sys::make_directory(project.borrow(), kOwn, 0700));
    PALE_TRY(own, open_beneath(project, kOwn, O_RDONLY | O_DIRECTORY));
    PALE_CHECK(sys::remove_tree(own.borrow(), kIncoming));  // what somebody left who was killed
    PALE_CHECK(sys::make_directory(own.borrow(), kIncoming, 0700));
    PALE_TRY(directory, open_beneath(own, kIncoming, O_RDONLY | O_DIRECTORY));
    return Arrival(std::move(own), std::move(directory));
  }
  Arrival(Arrival&&) = default;
  ~Arrival() {
    if (own_.is_open()) (void)sys::remove_tree(own_.borrow(), kIncoming);
  }

  const sys::Fd& directory() const noexcept { return directory_; }
  // False: there is something of that name.
  Result<bool> move(const std::string& name, const sys::Fd& workspace) const {
    const auto moved = sys::rename_to_free(directory_.borrow(), name.c_str(), workspace.borrow(), name.c_str());
    if (moved) return true;
    if (moved.error().number == EEXIST) return false;
    return std::unexpected(moved.error());
  }

 private:
  Arrival(sys::Fd own, sys::Fd directory) : own_(std::move(own)), directory_(std::move(directory)) {}
  sys::Fd own_;
  sys::Fd directory_;
};

Status copy_agents(const sys::Fd& project, const sys::Fd& workspace, Copied& copied) {
  const std::string name(kAgents);
  PALE_TRY(arrival, Arrival::prepare(project));
  PALE_CHECK(Copy(project, arrival.directory(), copied.left_out).file(name));
  PALE_TRY(made, sys::file_info(arrival.directory().borrow(), name.c_str()));
  if (made.kind == sys::FileKind::Missing) return {};
  PALE_TRY(moved, arrival.move(name, workspace));
  if (moved) copied.names.push_back(name);
  return {};
}

Status copy_factory(const sys::Fd& project, const sys::Fd& workspace, Copied& copied) {
  const std::string name(kFactory);
  PALE_TRY(arrival, Arrival::prepare(project));
  PALE_TRY(mode, Copy(project, arrival.directory(), copied.left_out).directory(name));
  if (!mode) return {};
  PALE_TRY(made, open_beneath(arrival.directory(), name, O_RDONLY | O_DIRECTORY));
  PALE_TRY(moved, arrival.move(name, workspace));
  if (!moved) return {};
  copied.names.push_back(name);
  return sys::set_mode(made, *mode);
}

// Whether there is something to copy, and nothing in its place.
Result<bool> is_wanted(const sys::Fd& project, const sys::Fd& workspace, std::string_view name, sys::FileKind kind,
                       Copied& copied) {
  const std::string text(name);
  PALE_TRY(there, sys::file_info(workspace.borrow(), text.c_str()));
  if (there.kind != sys::FileKind::Missing) return false;
  PALE_TRY(own, sys::file_info(project.borrow(), text.c_str()));
  if (own.kind == sys::FileKind::Missing) return false;
  if (own.kind == kind) return true;
  const bool file = own.kind == sys::FileKind::File;
  copied.left_out.push_back({text, file ? "no directory" : std::string(reason_for(own.kind))});
  return false;
}

}  // namespace

Result<Copied> copy_from_project(const ProjectLock& lock, const Project& project, const sys::Fd& workspace) {
  Copied copied;
  const sys::Fd& root = lock.descriptor();
  if (project.settings.workspace_isolation) {
    PALE_TRY(agents, is_wanted(root, workspace, kAgents, sys::FileKind::File, copied));
    if (agents) PALE_CHECK(copy_agents(root, workspace, copied));
  }
  PALE_TRY(factory, is_wanted(root, workspace, kFactory, sys::FileKind::Directory, copied));
  if (factory) PALE_CHECK(copy_factory(root, workspace, copied));
  return copied;
}

}  // namespace pale::tenant
