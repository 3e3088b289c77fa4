#include "sandbox/root.h"

#include <cerrno>

#include "sys/file.h"
#include "sys/mount.h"
#include "sys/process.h"

namespace pale::sandbox {
namespace {

using plan::Step;
using plan::StepKind;
using sys::Devices;
using sys::kHere;
using sys::MountAccess;
using sys::Subtree;

// The new root is put together here, over the host's /proc: the one directory every Linux has and no project lies in.
constexpr const char* kScaffold = "/proc";
constexpr const char* kHiddenFile = "run/pale/hidden-file";
constexpr const char* kHiddenDirectory = "run/pale/hidden-directory";

const char* relative(const Path& path) { return path.is_root() ? "." : path.c_str() + 1; }

// Inside, root is an ordinary user: what only another user may enter, it may not.
Error unreachable(Error error) {
  if (error.number != EACCES) return error;
  error.operation = "this belongs to another user and cannot be shown inside:";
  error.hint = "run pale as the user it belongs to";
  return error;
}

Status bind(const Step& step) {
  auto source = sys::mount_point(kHere, step.source.c_str());
  if (!source) return fail(unreachable(std::move(source).error()));
  auto mount = sys::clone_mount(source->borrow(), "", Subtree::WithMounts);
  if (!mount) {
    mount.error().subject = step.source;
    return std::unexpected(mount.error());
  }
  const auto access = step.access == Access::Write ? MountAccess::Writable : MountAccess::ReadOnly;
  PALE_CHECK(sys::restrict_mount(*mount, access, Devices::Hidden, Subtree::WithMounts));
  // It may lie in a workspace whose owner is hostile: mounted on exactly what is found without any link.
  PALE_TRY(point, sys::mount_point(kHere, relative(step.target)));
  return sys::attach_mount(*mount, point);
}

// Read-only: a device can be written all the same, but its mode, owner and times are the host's.
Status device(const Step& step) {
  PALE_TRY(mount, sys::clone_mount(kHere, step.source.c_str(), Subtree::Only));
  PALE_CHECK(sys::restrict_mount(mount, MountAccess::ReadOnly, Devices::Shown, Subtree::Only));
  return sys::attach_mount(mount, kHere, relative(step.target));
}

Status private_directory(const Step& step) {
  PALE_TRY(mount, sys::clone_mount(kHere, relative(step.target), Subtree::Only));
  PALE_CHECK(sys::restrict_mount(mount, MountAccess::Writable, Devices::Hidden, Subtree::Only));
  return sys::attach_mount(mount, kHere, relative(step.target));
}

// What stands at `target` is looked up once, and mounted on that very thing.
Status mount_on_itself(const char* target, MountAccess access) {
  PALE_TRY(point, sys::mount_point(kHere, target));
  PALE_TRY(mount, sys::clone_mount(point.borrow(), "", Subtree::WithMounts));
  PALE_CHECK(sys::restrict_mount(mount, access, Devices::Hidden, Subtree::WithMounts));
  return sys::attach_mount(mount, point);
}

Status hide(const char* target) {
  PALE_TRY(point, sys::mount_point(kHere, target));
  PALE_TRY(info, sys::file_info(point));
  const bool directory = info.kind == sys::FileKind::Directory;
  PALE_TRY(mount, sys::clone_mount(kHere, directory ? kHiddenDirectory : kHiddenFile, Subtree::Only));
  PALE_CHECK(sys::restrict_mount(mount, MountAccess::ReadOnly, Devices::Hidden, Subtree::Only));
  return sys::attach_mount(mount, point);
}

Status make_file(int directory, const char* path, unsigned mode, std::string_view text) {
  PALE_TRY(fd, sys::open_at(directory, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode));
  return sys::write_all(fd.borrow(), text);
}

unsigned mode_of(const Path& directory) {
  return directory.text() == "/tmp" || directory.text() == "/dev/shm" ? 01777 : 0755;
}

Status mount_processes(const Path& target) {
  PALE_TRY(mount, sys::new_filesystem("proc", {}, MountAccess::ReadOnly));
  return sys::attach_mount(mount, kHere, relative(target));
}

Status mount_terminals(const Path& target) {
  PALE_TRY(mount, sys::new_filesystem("devpts", {{"ptmxmode", "0666"}}, MountAccess::Writable, Devices::Shown));
  return sys::attach_mount(mount, kHere, relative(target));
}

Status run(const Step& step) {
  switch (step.kind) {
    case StepKind::Directory: return sys::make_directory(kHere, relative(step.target), mode_of(step.target));
    case StepKind::File: return make_file(kHere, relative(step.target), 0444, {});
    case StepKind::Link: return sys::make_symlink(step.source.c_str(), kHere, relative(step.target));
    case StepKind::Bind: return bind(step);
    case StepKind::Private: return private_directory(step);
    case StepKind::Device: return device(step);
    case StepKind::Terminals: return mount_terminals(step.target);
    case StepKind::Processes: return mount_processes(step.target);
    case StepKind::Pin: return mount_on_itself(relative(step.target), MountAccess::Writable);
    case StepKind::Protect: return mount_on_itself(relative(step.target), MountAccess::ReadOnly);
    case StepKind::Hide: return hide(relative(step.target));
  }
  return {};
}

}  // namespace

Status build_root(const plan::Plan& plan, std::string_view boundary_json) {
  PALE_TRY(root, sys::new_filesystem("tmpfs", {{"mode", "0755"}}, MountAccess::Writable));
  PALE_CHECK(sys::attach_mount(root, kHere, kScaffold));
  PALE_CHECK(sys::change_directory(kScaffold));
  bool masks = false;
  for (const Step& step : plan.steps) {
    if (!masks && (step.kind == StepKind::Hide || plan.watching == plan::Watching::Opening) &&
        step.kind != StepKind::Directory) {
      PALE_CHECK(sys::make_directory(kHere, kHiddenDirectory, 0));
      PALE_CHECK(make_file(kHere, kHiddenFile, 0, {}));
      masks = true;
    }
    auto done = run(step);
    if (!done) {
      if (done.error().subject.empty()) done.error().subject = step.target.text();
      return done;
    }
  }
  PALE_CHECK(make_file(kHere, plan::kBoundaryFile.data() + 1, 0444, boundary_json));
  PALE_CHECK(sys::enter_root());
  return sys::remount_root_read_only();
}

Status protect_again(const Path& target) { return mount_on_itself(target.c_str(), MountAccess::ReadOnly); }
Status hide_now(const Path& target) { return hide(target.c_str()); }

}  // namespace pale::sandbox
