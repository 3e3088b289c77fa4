#include "sandbox/root.h"

#include <cerrno>
#include <utility>

#include "base/hash.h"
#include "sys/file.h"
#include "sys/message.h"
#include "sys/mount.h"
#include "sys/process.h"

namespace pale::sandbox {
namespace {

using plan::Step;
using plan::StepKind;
using sys::Devices;
using sys::kWorkingDirectory;
using sys::MountAccess;
using sys::Subtree;

// The new root is put together here, over the host's /proc: the one directory every Linux has and no project lies in.
constexpr const char* kScaffold = "/proc";
constexpr const char* kScratch = "/run";
constexpr std::size_t kMostSkeletons = 64;  // a project has one or two
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

Result<sys::Fd> open_source(const std::string& path) {
  auto source = sys::mount_point(kWorkingDirectory, path.c_str());
  if (!source) return fail(unreachable(std::move(source).error()));
  return source;
}

Status bind(const Step& step) {
  PALE_TRY(source, open_source(step.source));
  auto mount = sys::clone_mount(source.borrow(), "", Subtree::WithMounts);
  if (!mount) {
    mount.error().subject = step.source;
    return std::unexpected(mount.error());
  }
  const auto access = step.access == Access::Write ? MountAccess::Writable : MountAccess::ReadOnly;
  PALE_CHECK(sys::restrict_mount(*mount, access, Devices::Hidden, Subtree::WithMounts));
  // It may lie in a workspace whose owner is hostile: mounted on exactly what is found without any link.
  PALE_TRY(point, sys::mount_point(kWorkingDirectory, relative(step.target)));
  return sys::attach_mount(*mount, point);
}

// Named by descriptors, in the new root's own /proc: no path of the host shows inside, and none needs quoting.
std::string layer_name(const sys::Fd& fd) { return "proc/self/fd/" + std::to_string(fd.borrow()); }

Error no_overlay(Error error, const Step& step) {
  error.kind = ErrorKind::Refused;
  error.operation = "the kernel cannot lay a stage over this directory:";
  error.subject = step.target.text();
  error.hint = "a stage needs a project without other filesystems mounted in it, and PALE_HOME (" +
               step.layers.front().text() + ") on ext4, xfs, btrfs or tmpfs";
  return error;
}

// What is changed goes to the first layer; beside it lies a directory that the kernel works in.
Status overlay(const Step& step) {
  std::vector<sys::Fd> fds;
  std::string lower;
  for (const Path& layer : step.layers) {
    PALE_TRY(fd, open_source(layer.text()));
    if (!fds.empty()) lower += layer_name(fd) + ":";
    fds.push_back(std::move(fd));
  }
  PALE_TRY(work, open_source((step.layers.front().parent() / "work").text()));
  // Nothing is synced when the overlay goes: the kernel would write out all of the filesystem beneath, whoever made it dirty.
  // It leaves a mark, and would refuse to mount it again.
  (void)sys::remove_file(work.borrow(), "work/incompat/volatile/dirty");
  (void)sys::remove_directory(work.borrow(), "work/incompat/volatile");
  PALE_TRY(base, open_source(step.source));
  lower += layer_name(base);
  const std::string upper = layer_name(fds.front());
  const std::string work_name = layer_name(work);
  auto mount = sys::new_filesystem("overlay",
                                   {{"userxattr", nullptr},
                                    {"volatile", nullptr},
                                    {"lowerdir", lower.c_str()},
                                    {"upperdir", upper.c_str()},
                                    {"workdir", work_name.c_str()}},
                                   step.access == Access::Write ? MountAccess::Writable : MountAccess::ReadOnly);
  if (!mount) return fail(no_overlay(std::move(mount).error(), step));
  PALE_TRY(point, sys::mount_point(kWorkingDirectory, relative(step.target)));
  return sys::attach_mount(*mount, point);
}

Status private_directory(const Step& step) {
  const char* directory = step.source.c_str() + 1;
  PALE_CHECK(sys::make_directory(kWorkingDirectory, directory, 01777));
  PALE_TRY(mount, sys::clone_mount(kWorkingDirectory, directory, Subtree::Only));
  PALE_CHECK(sys::restrict_mount(mount, MountAccess::Writable, Devices::Hidden, Subtree::Only));
  return sys::attach_mount(mount, kWorkingDirectory, relative(step.target));
}

// What stands at `target` is looked up once, and mounted on that very thing.
Status mount_on_itself(const char* target, MountAccess access) {
  PALE_TRY(point, sys::mount_point(kWorkingDirectory, target));
  PALE_TRY(mount, sys::clone_mount(point.borrow(), "", Subtree::WithMounts));
  PALE_CHECK(sys::restrict_mount(mount, access, Devices::Hidden, Subtree::WithMounts));
  return sys::attach_mount(mount, point);
}

Status reopen(const char* target) {
  PALE_TRY(point, sys::mount_point(kWorkingDirectory, target));
  PALE_TRY(mount, sys::clone_mount(point.borrow(), "", Subtree::Only));
  PALE_CHECK(sys::allow_writing(mount));
  return sys::attach_mount(mount, point);
}

Status hide(const char* target) {
  PALE_TRY(point, sys::mount_point(kWorkingDirectory, target));
  PALE_TRY(info, sys::file_info(point));
  const bool directory = info.kind == sys::FileKind::Directory;
  PALE_TRY(mount, sys::clone_mount(kWorkingDirectory, directory ? kHiddenDirectory : kHiddenFile, Subtree::Only));
  PALE_CHECK(sys::restrict_mount(mount, MountAccess::ReadOnly, Devices::Hidden, Subtree::Only));
  return sys::attach_mount(mount, point);
}

Status make_file(int directory, const char* path, unsigned mode, std::string_view text) {
  PALE_TRY(fd, sys::open_at(directory, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode));
  return sys::write_all(fd.borrow(), text);
}

Status shape(int directory, const Step& step) {
  switch (step.kind) {
    case StepKind::Directory: return sys::make_directory(directory, relative(step.target), 0755);
    case StepKind::File: return make_file(directory, relative(step.target), 0444, {});
    default: return sys::make_symlink(step.source.c_str(), directory, relative(step.target));
  }
}

// What is mounted over something hidden.
Status make_masks() {
  PALE_CHECK(sys::make_directory(kWorkingDirectory, kHiddenDirectory, 0));
  return make_file(kWorkingDirectory, kHiddenFile, 0, {});
}

Status mount_processes(const Path& target) {
  PALE_TRY(mount, sys::new_filesystem("proc", {}, MountAccess::ReadOnly));
  return sys::attach_mount(mount, kWorkingDirectory, relative(target));
}

Status mount_scratch(const Step& step) {
  auto mount = step.source.empty() ? sys::new_filesystem("tmpfs", {{"mode", "0755"}}, MountAccess::Writable)
                                   : sys::new_filesystem("tmpfs", {{"mode", "0755"}, {"size", step.source.c_str()}},
                                                         MountAccess::Writable);
  if (!mount) return fail(std::move(mount).error());
  return sys::attach_mount(*mount, kWorkingDirectory, relative(step.target));
}

Status mount_terminals(const Path& target) {
  PALE_TRY(mount, sys::new_filesystem("devpts", {{"ptmxmode", "0666"}}, MountAccess::Writable, Devices::Shown));
  return sys::attach_mount(mount, kWorkingDirectory, relative(target));
}

Status run(const Step& step) {
  switch (step.kind) {
    case StepKind::Directory:
    case StepKind::File:
    case StepKind::Link: return shape(kWorkingDirectory, step);
    case StepKind::Device: return sys::bind_device(step.source.c_str(), relative(step.target));
    // A device can be written all the same, but its mode, owner and times are the host's.
    case StepKind::Seal: return sys::make_read_only(".", Subtree::WithMounts);
    case StepKind::Scratch: return mount_scratch(step);
    case StepKind::Private: return private_directory(step);
    case StepKind::Bind: return bind(step);
    case StepKind::Overlay: return overlay(step);
    case StepKind::Terminals: return mount_terminals(step.target);
    case StepKind::Processes: return mount_processes(step.target);
    case StepKind::Reopen: return reopen(relative(step.target));
    case StepKind::Pin: return mount_on_itself(relative(step.target), MountAccess::Writable);
    case StepKind::Protect: return mount_on_itself(relative(step.target), MountAccess::ReadOnly);
    case StepKind::Hide: return hide(relative(step.target));
  }
  return {};
}

// It exists in this sandbox and nowhere else: who comes through it is known to be inside.
Status open_door(const sys::Fd& broker_line) {
  PALE_TRY(listener, sys::listen_for_streams(plan::kBrokerSocket.data() + 1));
  const int descriptor = listener.borrow();
  PALE_TRY(sent, sys::send_message(broker_line, "broker", {&descriptor, 1}, sys::Waiting::Yes));
  return sent ? Status() : fail(ErrorKind::System, "nobody takes the broker's socket", "");
}

std::uint64_t key_of(const std::vector<Step>& skeleton) {
  Hash hash;
  for (const Step& step : skeleton)
    hash.add(static_cast<std::uint64_t>(step.kind)).add(step.target.text()).add(step.source);
  return hash.value();
}

Result<Kept> make_skeleton(const Shelf& shelf, std::uint64_t key, const std::vector<Step>& skeleton) {
  PALE_TRY(fresh, shelf.begin(key));
  for (const Step& step : skeleton) PALE_CHECK(shape(fresh.directory().borrow(), step));
  return fresh.put_on_shelf();
}

}  // namespace

Result<Kept> prepare_skeleton(const Places& places, const std::vector<Step>& skeleton) {
  const Shelf shelf(places, "roots", kMostSkeletons);
  const std::uint64_t key = key_of(skeleton);
  PALE_TRY(known, shelf.find(key));
  if (known) return std::move(*known);
  const unsigned umask = sys::set_umask(0);
  auto made = make_skeleton(shelf, key, skeleton);
  (void)sys::set_umask(umask);
  return made;
}

Status build_root(const plan::Plan& plan, const std::string& skeleton, const OwnFiles& own) {
  PALE_TRY(source, open_source(skeleton));
  PALE_TRY(root, sys::clone_mount(source.borrow(), "", Subtree::Only));
  PALE_CHECK(sys::restrict_mount(root, MountAccess::Writable, Devices::Hidden, Subtree::Only));
  PALE_CHECK(sys::attach_mount(root, kWorkingDirectory, kScaffold));
  PALE_CHECK(sys::change_directory(kScaffold));
  bool masks = false;
  for (const Step& step : plan.steps) {
    if (step.kind == StepKind::Hide && !std::exchange(masks, true)) PALE_CHECK(make_masks());
    auto done = run(step);
    if (!done) {
      if (done.error().subject.empty()) done.error().subject = step.target.text();
      return done;
    }
  }
  if (plan.watching == plan::Watching::Opening && !masks) PALE_CHECK(make_masks());
  PALE_CHECK(make_file(kWorkingDirectory, plan::kBoundaryFile.data() + 1, 0444, own.boundary_json));
  if (own.broker_line != nullptr) PALE_CHECK(open_door(*own.broker_line));
  PALE_CHECK(sys::enter_root());
  return sys::make_read_only(kScratch, Subtree::Only);
}

Status protect_again(const Path& target) { return mount_on_itself(target.c_str(), MountAccess::ReadOnly); }
Status hide_now(const Path& target) { return hide(target.c_str()); }

}  // namespace pale::sandbox
