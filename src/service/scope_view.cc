#include "service/scope_view.h"

#include <cerrno>
#include <csignal>

#include "project/here.h"
#include "project/root.h"
#include "service/scope_mount.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/mount.h"
#include "sys/process.h"

namespace pale::service {
namespace {

constexpr std::size_t kLongestWhy = 4096;
constexpr sys::SignalSet kTyped = sys::signal_bit(SIGINT) | sys::signal_bit(SIGQUIT);

// A bare directory over the place, and in it the folders.
Status lay_view(const scope::Folders& folders, const Path& place) {
  PALE_TRY(bare, sys::new_filesystem("tmpfs", {{"mode", "0755"}}, sys::MountAccess::Writable));
  PALE_CHECK(sys::attach_mount(bare, sys::kAbsolute, place.c_str()));
  for (const scope::Folder* folder : outermost(folders)) {
    const Path target = place / folder->name;
    PALE_CHECK(sys::make_directories(target.text(), 0755));
    PALE_TRY(mount, sys::clone_mount(sys::kAbsolute, folder->path.c_str(), sys::Subtree::WithMounts));
    PALE_CHECK(sys::attach_mount(mount, sys::kAbsolute, target.c_str()));
  }
  return sys::change_directory(place.c_str());
}

// In the new process. Returns only with what went wrong.
Error become(const scope::Folders& folders, const Path& place, const std::vector<std::string>& command,
             const Caller& caller, unsigned user, unsigned group) {
  const auto prepare = [&]() -> Status {
    PALE_CHECK(sys::die_with_parent());
    PALE_CHECK(sys::map_self(user, group));
    PALE_CHECK(lay_view(folders, place));
    return sys::drop_capabilities();
  };
  if (Status prepared = prepare(); !prepared) return std::move(prepared).error();
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int number = sys::execute_from_path(command.front(), words.data(), caller.envp, caller.variable("PATH"));
  return {ErrorKind::NotFound, number, "the command cannot be executed:", command.front(), ""};
}

Result<int> run_there(const scope::Folders& folders, const Path& place, const std::vector<std::string>& command,
                      const Caller& caller) {
  // Closed by the exec; what is written before that is why there was none.
  PALE_TRY(why, sys::open_pipe());
  const unsigned user = sys::user_id();
  const unsigned group = sys::group_id();
  // What is typed is for the command.
  const sys::SignalSet before = sys::block_signals(kTyped);
  auto child = sys::fork_into(CLONE_NEWUSER | CLONE_NEWNS);
  if (child && child->pid == 0) {
    (void)sys::block_signals(before);
    const Error error = become(folders, place, command, caller, user, group);
    (void)sys::write_all(why.write_end.borrow(), error.sentence());
    sys::exit_now(1);
  }
  why.write_end.reset();
  if (!child) {
    (void)sys::block_signals(before);
    return fail(std::move(child).error().with_hint("pale doctor; without a command, mount makes copies"));
  }
  const auto said = sys::read_all(why.read_end, kLongestWhy);
  const auto status = sys::wait_for(child->pid);
  (void)sys::block_signals(before);
  if (said && !said->empty()) return fail(ErrorKind::System, *said, "", "pale doctor");
  if (!status) return fail(status.error());
  return sys::exit_code_of(*status);
}

}  // namespace

Result<int> run_in_view(const scope::Folders& folders, const std::string& directory,
                        const std::vector<std::string>& command, const Caller& caller) {
  PALE_TRY(full, project::from_here(directory));
  PALE_TRY(place, project::leads_to(full));
  PALE_CHECK(check_apart(folders, place));
  PALE_TRY(there, sys::file_info(sys::kAbsolute, place.c_str()));
  PALE_CHECK(make_workers_directory(place));
  auto code = run_there(folders, place, command, caller);
  if (there.kind == sys::FileKind::Missing) (void)sys::remove_directory(sys::kAbsolute, place.c_str());
  return code;
}

}  // namespace pale::service
