#include "sandbox/command.h"

#include <fcntl.h>

#include <cerrno>

#include "sys/file.h"
#include "sys/message.h"
#include "sys/seccomp.h"
#include "sys/terminal.h"

namespace pale::sandbox {
namespace {

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";
constexpr int kNotFound = 127;

Status take_terminal(const Confinement& confinement) {
  if (confinement.terminal == TerminalUse::None) return {};
  PALE_CHECK(sys::new_process_group());
  if (confinement.terminal == TerminalUse::Foreground) return sys::give_terminal(0, sys::process_id());
  return {};
}

Status set_limits(const Confinement& confinement) {
  PALE_CHECK(sys::forbid_core_dumps());  // A core file is a name that the filter is not asked about.
  if (confinement.data_limit) PALE_CHECK(sys::limit(sys::Resource::DataMemory, *confinement.data_limit));
  if (confinement.process_limit) PALE_CHECK(sys::limit(sys::Resource::Processes, *confinement.process_limit));
  return {};
}

// Two things that only Landlock refuses: a signal to the parent, which is not confined, and writing the random device, whose
// mode lets everyone. The plan leaves at least one of them refused.
bool landlock_denies() {
  if (!sys::may_signal(sys::parent_id())) return true;
  const auto fd = sys::open_at(sys::kAbsolute, "/dev/urandom", O_WRONLY);
  return !fd && fd.error().number == EACCES;
}

Status confine(Confinement& confinement) {
  PALE_CHECK(set_limits(confinement));
  PALE_CHECK(sys::drop_capabilities());
  PALE_CHECK(sys::set_no_new_privileges());
  Observed& observed = confinement.shared.observed;
  if (confinement.landlock != nullptr) {
    PALE_CHECK(confinement.landlock->enforce());
    observed.landlock_denies = landlock_denies();
  }
  // From here on a call that creates or writes a file would wait for an answer that nobody is there to give.
  const bool watched = confinement.plan.has_listener();
  PALE_TRY(listener,
           sys::install_filter(confinement.plan.filter, watched ? sys::Listener::Wanted : sys::Listener::None));
  confinement.listener = std::move(listener);
  const sys::Privileges privileges = sys::read_privileges();
  observed.no_new_privileges = privileges.no_new_privileges;
  observed.capabilities = privileges.capabilities;
  observed.seccomp_mode = privileges.seccomp_mode;
  return check_privileges(confinement.plan, observed);
}

// What a process exec's, made before it does.
struct Image {
  std::vector<std::string> texts;
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::string path;  // where to look for it
};

Image image_of(const Boundary& boundary, const Command& command) {
  Image image{.path = kDefaultPath};
  for (const Variable& variable : boundary.environment()) {
    image.texts.push_back(variable.name + "=" + variable.value);
    if (variable.name == "PATH") image.path = variable.value;
  }
  for (std::string& text : image.texts) image.envp.push_back(text.data());
  image.envp.push_back(nullptr);
  for (const std::string& argument : command.arguments) image.argv.push_back(const_cast<char*>(argument.c_str()));
  image.argv.push_back(nullptr);
  return image;
}

// The errno of why it cannot be.
int execute(const Command& command, const Image& image) {
  char* const* argv = image.argv.data();
  char* const* envp = image.envp.data();
  if (command.program != nullptr) return static_cast<int>(-sys::execute(*command.program, argv, envp));
  return sys::execute_from_path(command.arguments.front(), argv, envp, image.path);
}

// Whether it was; if not, `shared` says why.
bool has_done(const Status& done, Shared& shared) {
  if (done) return true;
  shared.error.put(done.error());
  shared.failed = true;
  return false;
}

// What went wrong in a child is its parent's to tell.
Status failure_of_child(Shared& shared) {
  if (!shared.failed) return {};
  shared.failed = false;
  return fail(shared.error.get());
}

int execute_as_told(const Confinement& confinement, const Command& command, const Image& image) {
  Shared& shared = confinement.shared;
  (void)sys::block_signals(confinement.signals);
  shared.started_ns = sys::wall_clock_ns();
  shared.started = true;
  shared.exec_error = execute(command, image);
  shared.started = false;
  return kNotFound;
}

struct Birth {
  Confinement& confinement;
  const Command& command;
  std::span<const sys::Fd> streams;  // in a live sandbox
  Image image;
  const sys::Fd* parent = nullptr;  // a line to it, if it does not share this memory
};

int become_command(void* argument) {
  const Birth& birth = *static_cast<Birth*>(argument);
  Status ready = sys::change_directory(birth.command.directory.c_str());
  if (ready) ready = take_terminal(birth.confinement);
  if (!has_done(ready, birth.confinement.shared) || !confine_self(birth.confinement)) return kNotFound;
  if (birth.parent != nullptr) {
    const std::array<int, 1> listener = {birth.confinement.listener.borrow()};
    if (!sys::send_message(*birth.parent, "confined", listener, sys::Waiting::Yes)) return kNotFound;
  }
  return execute_as_told(birth.confinement, birth.command, birth.image);
}

Status take_streams(std::span<const sys::Fd> streams) {
  int number = 0;
  for (const sys::Fd& stream : streams) PALE_CHECK(sys::place_descriptor(stream.borrow(), number++));
  return {};
}

int become_confined_command(void* argument) {
  const Birth& birth = *static_cast<Birth*>(argument);
  Status ready = sys::new_session();
  if (ready) ready = sys::change_directory(birth.command.directory.c_str());
  if (ready) ready = take_streams(birth.streams);
  if (!has_done(ready, birth.confinement.shared)) return kNotFound;
  birth.confinement.shared.last.pid = sys::process_id();
  return execute_as_told(birth.confinement, birth.command, birth.image);
}

Result<sys::Pid> give_birth(int (*become)(void*), Birth birth, sys::Descriptors descriptors) {
  PALE_TRY(pid, sys::spawn_sharing_memory(become, &birth, descriptors));
  if (const Status done = failure_of_child(birth.confinement.shared); !done) {
    (void)sys::wait_for(pid);
    return fail(done.error());
  }
  return pid;
}

}  // namespace

bool confine_self(Confinement& confinement) {
  if (!has_done(confine(confinement), confinement.shared)) return false;
  confinement.shared.observed.complete = true;
  return true;
}

namespace {

// Its exec is asked about, too, and this process, which answers, must not sleep until then.
Result<sys::Pid> start_apart(Confinement& confinement, const Command& command) {
  PALE_TRY(line, sys::make_message_pair());
  Birth birth{confinement, command, {}, image_of(confinement.boundary, command), &line.second};
  PALE_TRY(child, sys::fork_into(0));
  if (child.pid == 0) sys::exit_now(become_command(&birth));
  line.second.reset();
  PALE_TRY(received, sys::receive_message(line.first, sys::Waiting::Yes));
  if (received.message && !received.message->descriptors.empty()) {
    confinement.listener = std::move(received.message->descriptors.front());
    return child.pid;
  }
  (void)sys::wait_for(child.pid);
  PALE_CHECK(failure_of_child(confinement.shared));
  return fail(ErrorKind::System, "a process was killed while it was confined", "");
}

}  // namespace

Result<sys::Pid> start_command(Confinement& confinement, const Command& command) {
  if (confinement.plan.reporting != plan::Reporting::Nothing) return start_apart(confinement, command);
  return give_birth(become_command, {confinement, command, {}, image_of(confinement.boundary, command)},
                    sys::Descriptors::Shared);
}

Result<sys::Pid> start_confined(Confinement& confinement, const Command& command, std::span<const sys::Fd> streams) {
  return give_birth(become_confined_command, {confinement, command, streams, image_of(confinement.boundary, command)},
                    sys::Descriptors::Own);
}

}  // namespace pale::sandbox
