#include "sandbox/command.h"

#include <fcntl.h>

#include <cerrno>

#include "sys/file.h"
#include "sys/seccomp.h"
#include "sys/terminal.h"

namespace pale::sandbox {
namespace {

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";
constexpr int kNotFound = 127;

Status take_terminal(const Confinement& confinement) {
  if (confinement.terminal == TerminalUse::None) return {};
  if (confinement.terminal == TerminalUse::Apart) return sys::new_session();
  PALE_CHECK(sys::new_process_group());
  if (confinement.terminal == TerminalUse::Foreground) return sys::give_terminal(0, sys::process_id());
  return {};
}

Status set_limits(const Confinement& confinement) {
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
  PALE_CHECK(sys::change_directory(confinement.command.directory.c_str()));
  PALE_CHECK(set_limits(confinement));
  PALE_CHECK(sys::drop_capabilities());
  PALE_CHECK(sys::set_no_new_privileges());
  Observed& observed = confinement.shared.observed;
  if (confinement.landlock != nullptr) {
    PALE_CHECK(confinement.landlock->enforce());
    observed.landlock_denies = landlock_denies();
  }
  // From here on a call that creates or writes a file would wait for an answer that nobody is there to give.
  const bool watched = confinement.plan.watching != plan::Watching::Nothing;
  PALE_TRY(listener,
           sys::install_filter(confinement.plan.filter, watched ? sys::Listener::Wanted : sys::Listener::None));
  confinement.listener = std::move(listener);
  const sys::Privileges privileges = sys::read_privileges();
  observed.no_new_privileges = privileges.no_new_privileges;
  observed.capabilities = privileges.capabilities;
  observed.seccomp_mode = privileges.seccomp_mode;
  return check_privileges(confinement.plan, observed);
}

// As a shell looks for it. The errno of the attempt that came closest.
int execute_from_path(const std::string& name, char* const* argv, char* const* envp, std::string_view search) {
  if (name.find('/') != std::string::npos) return static_cast<int>(-sys::execute(name.c_str(), argv, envp));
  int result = ENOENT;
  while (!search.empty()) {
    const std::size_t end = std::min(search.find(':'), search.size());
    const std::string candidate = std::string(search.substr(0, end)) + "/" + name;
    search.remove_prefix(std::min(end + 1, search.size()));
    const int number = static_cast<int>(-sys::execute(candidate.c_str(), argv, envp));
    if (number == EACCES) result = EACCES;
    if (number != ENOENT && number != ENOTDIR && number != EACCES) return number;
  }
  return result;
}

struct Image {
  std::vector<std::string> texts;
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::string path = kDefaultPath;
};

Image image_of(const Confinement& confinement) {
  Image image;
  for (const Variable& variable : confinement.boundary.environment()) {
    image.texts.push_back(variable.name + "=" + variable.value);
    if (variable.name == "PATH") image.path = variable.value;
  }
  for (std::string& text : image.texts) image.envp.push_back(text.data());
  image.envp.push_back(nullptr);
  for (const std::string& argument : confinement.command.arguments)
    image.argv.push_back(const_cast<char*>(argument.c_str()));
  image.argv.push_back(nullptr);
  return image;
}

struct Birth {
  Confinement& confinement;
  Image image;
};

bool is_confined(Confinement& confinement) {
  Status done = take_terminal(confinement);
  if (done) done = confine(confinement);
  if (!done) {
    confinement.shared.error.put(done.error());
    confinement.shared.failed = true;
    return false;
  }
  confinement.shared.observed.complete = true;
  return true;
}

int become_nothing(void* argument) { return is_confined(*static_cast<Confinement*>(argument)) ? 0 : kNotFound; }

int become_command(void* argument) {
  auto& birth = *static_cast<Birth*>(argument);
  Confinement& confinement = birth.confinement;
  if (!is_confined(confinement)) return kNotFound;
  (void)sys::block_signals(confinement.signals);
  confinement.shared.started = true;
  confinement.shared.exec_error = execute_from_path(confinement.command.arguments.front(), birth.image.argv.data(),
                                                    birth.image.envp.data(), birth.image.path);
  confinement.shared.started = false;
  return kNotFound;
}

}  // namespace

Result<sys::Pid> start_command(Confinement& confinement) {
  Birth birth{confinement, image_of(confinement)};
  PALE_TRY(pid, sys::spawn_sharing_memory(become_command, &birth, sys::Descriptors::Shared));
  if (confinement.shared.failed) return fail(confinement.shared.error.get());
  return pid;
}

Status rehearse(Confinement& confinement) {
  PALE_TRY(pid, sys::spawn_sharing_memory(become_nothing, &confinement, sys::Descriptors::Shared));
  PALE_CHECK(sys::wait_for(pid));
  confinement.listener.reset();
  if (confinement.shared.failed) return fail(confinement.shared.error.get());
  return {};
}

}  // namespace pale::sandbox
