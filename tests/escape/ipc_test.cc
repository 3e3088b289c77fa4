// ESCAPES 23–30: other programs of the user, by their sockets, shared memory, queues, keys and open files.
#include <fcntl.h>
#include <linux/fs.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <memory>

#include "escape/escape.h"
#include "support/session.h"

namespace pale::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

// A program of the host that listens. "@name": in the abstract namespace.
class Listener {
 public:
  Listener(const std::string& name, int type) : fd_(socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    const bool abstract = name.starts_with('@');
    if (abstract) address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0) << name << std::strerror(errno);
    if (!abstract) chmod(name.c_str(), 0777);
    if (type != SOCK_DGRAM) listen(fd_, 10);
  }
  ~Listener() { close(fd_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Somebody came, or something did.
  bool reached() const {
    pollfd ready = {fd_, POLLIN, 0};
    return poll(&ready, 1, 0) > 0;
  }

 private:
  int fd_;
};

struct Backend {
  std::string name;
  std::vector<std::string> flags;

  // And these.
  std::vector<std::string> with(std::vector<std::string> more) const {
    more.insert(more.begin(), flags.begin(), flags.end());
    return more;
  }
};

const Backend kNamespaces = {"namespaces", {}};
const Backend kLandlock = {"landlock", {"--backend", "landlock", "--ro", "."}};

class OtherPrograms : public Escape {
 protected:
  // Sockets of the host below one directory, and what a user's session says of them.
  void attack_sockets(const std::vector<std::string>& names, const std::vector<std::string>& session,
                      const std::string& client) {
    std::vector<std::unique_ptr<Listener>> listeners;
    std::vector<std::string> words = {"./attack", "connect"};
    for (const std::string& name : names) {
      const std::string path = runtime_.text() + "/" + name;
      runtime_.make_directory(std::filesystem::path(name).parent_path().string());
      listeners.push_back(std::make_unique<Listener>(path, SOCK_STREAM));
      words.push_back(path);
      std::filesystem::create_symlink(path, workspace().path() / ("link-" + std::to_string(listeners.size())));
      words.push_back("link-" + std::to_string(listeners.size()));
    }
    for (const Backend& backend : {kNamespaces, kLandlock}) {
      SCOPED_TRACE(backend.name);
      Process process = on_host(pale_run(backend.flags, words));
      for (const std::string& variable : session) process.environment.push_back(variable + runtime_.text());
      const Finished connected = run(process);
      process.arguments = pale_run(backend.flags, {"/bin/sh", "-c", "env; " + client + "; exit 7"});
      const Finished asked = run(process);
      EXPECT_EQ(connected.exit_code, 0) << connected.err;
      EXPECT_EQ(lines_of(connected.out).size(), 6 * names.size());
      EXPECT_THAT(connected.out, Not(HasSubstr("succeeded")));
      for (const std::string& line : lines_of(connected.out)) EXPECT_EQ(line.ends_with("EACCES"), is_refused(backend));
      EXPECT_EQ(asked.exit_code, 7);
      EXPECT_THAT(asked.out, Not(HasSubstr(runtime_.text()))) << "no variable tells where they are";
      for (const auto& listener : listeners) EXPECT_FALSE(listener->reached());
    }
  }
  // Sockets of this machine, if it has them.
  void attack_known_sockets(std::vector<std::string> paths) {
    paths.insert(paths.begin(), "connect");
    for (const Backend& backend : {kNamespaces, kLandlock}) {
      for (const std::string& line : lines_of(attack(paths, backend.flags).out))
        EXPECT_THAT(line, HasSubstr(is_refused(backend) ? "EACCES" : "ENOENT"));
    }
  }
  // There is no such socket, or none can be made at all.
  static bool is_refused(const Backend& backend) { return !backend.flags.empty(); }

  TemporaryDirectory runtime_{GetParam(), "run"};
};

TEST_P(OtherPrograms, E23_SocketsOfContainerEngines) {
  attack_sockets({"docker.sock", "podman/podman.sock", "containerd/containerd.sock", "buildkit/buildkitd.sock"},
                 {"DOCKER_HOST=unix://", "CONTAINER_HOST=unix://", "XDG_RUNTIME_DIR="}, "docker ps; podman ps");
  attack_known_sockets({"/run/docker.sock", "/var/run/docker.sock", "/run/podman/podman.sock",
                        "/run/containerd/containerd.sock", "/run/crio/crio.sock"});
}

TEST_P(OtherPrograms, E24_TheSessionBusAndItsServiceManager) {
  attack_sockets({"bus", "systemd/private", "systemd/notify"},
                 {"DBUS_SESSION_BUS_ADDRESS=unix:path=", "XDG_RUNTIME_DIR=", "NOTIFY_SOCKET="},
                 "systemd-run --user touch " + runtime_.text() +
                     "/escaped; busctl --user list; dbus-send --session --dest=org.freedesktop.DBus / x.y");
  EXPECT_FALSE(runtime_.exists("escaped"));
  attack_known_sockets({"/run/dbus/system_bus_socket", "/var/run/dbus/system_bus_socket", "/run/systemd/private",
                        "/run/systemd/journal/stdout", "/run/user/0/bus"});
}

TEST_P(OtherPrograms, E25_DaemonsOfTheDesktop) {
  attack_sockets({"gvfsd/socket-1", "gvfs/x", "keyring/control", "pulse/native", "wayland-0", "at-spi/bus"},
                 {"XDG_RUNTIME_DIR=", "GNOME_KEYRING_CONTROL=", "WAYLAND_DISPLAY="}, "gio mount -l; gio open .");
}

TEST_P(OtherPrograms, E26_ControlSocketsOfTerminalsAndAgents) {
  attack_sockets({"agent.sock", "tmux-0/default", "screen/S-x/1.pts", "ssh-control", "gnupg/S.gpg-agent"},
                 {"SSH_AUTH_SOCK=", "TMUX=", "STY=", "SSH_AGENT_PID=", "GPG_AGENT_INFO="},
                 "ssh-add -l; tmux new -d 'touch " + runtime_.text() + "/escaped'; tmux ls");
  EXPECT_FALSE(runtime_.exists("escaped"));
}

TEST_P(OtherPrograms, E26_AbstractSocketsWithAndWithoutTheHostsNetwork) {
  const std::string name = "@pale-test-" + std::to_string(getpid()) + account_name(GetParam());
  const Listener stream(name + "-s", SOCK_STREAM), packets(name + "-p", SOCK_SEQPACKET),
      datagrams(name + "-d", SOCK_DGRAM);
  for (const Backend& backend : {kNamespaces, kLandlock}) {
    for (const char* network : {"none", "open"}) {
      const Finished run =
          attack({"connect", name + "-s", name + "-p", name + "-d"}, backend.with({"--network", network}));
      EXPECT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(lines_of(run.out).size(), 9U);
      EXPECT_THAT(run.out, Not(HasSubstr("succeeded"))) << backend.name << network;
    }
  }
  EXPECT_FALSE(stream.reached());
  EXPECT_FALSE(packets.reached());
}

TEST_P(OtherPrograms, E27_DatagramsWithoutAConnection) {
  const std::string name = "@pale-test-" + std::to_string(getpid()) + account_name(GetParam()) + "-datagram";
  const std::string path = runtime_.text() + "/log";
  const Listener abstract(name, SOCK_DGRAM), plain(path, SOCK_DGRAM);
  for (const Backend& backend : {kNamespaces, kLandlock}) {
    for (const char* network : {"none", "open"}) {
      const Finished run =
          attack({"send", name, path, "/dev/log", "/run/systemd/journal/socket", "/run/systemd/notify"},
                 backend.with({"--network", network}));
      EXPECT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(lines_of(run.out).size(), 75U);
      EXPECT_THAT(run.out, Not(HasSubstr("succeeded"))) << backend.name << network;
    }
  }
  EXPECT_FALSE(abstract.reached());
  EXPECT_FALSE(plain.reached());
}

constexpr const char* kIpcApart =
    "shmget ENOENT\nmsgget ENOENT\nsemget ENOENT\nany-segment ENOENT\nown-segment succeeded";
constexpr const char* kIpcRefused = "shmget EPERM\nmsgget EPERM\nsemget EPERM\nany-segment ENOENT\nown-segment EPERM";

TEST_P(OtherPrograms, E28_SharedMemoryAndQueues) {
  const key_t key = 0x50414c45 ^ getpid();
  const int segment = shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0666);
  ASSERT_GE(segment, 0);
  auto* memory = static_cast<char*>(shmat(segment, nullptr, 0));
  std::strcpy(memory, "of the host");
  const std::string queue = "/pale-test-" + std::to_string(getpid());
  const mqd_t messages = mq_open(queue.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666, nullptr);
  const std::string shared = "/dev/shm" + queue;
  std::ofstream(shared) << "of the host";
  chmod(shared.c_str(), 0666);

  const std::string script = R"(
    ./attack queue ${LIBRARY#/dev/shm}
    cat $LIBRARY; ls /dev/shm /dev/mqueue; ipcs -m | grep -c 0x
    echo hacked > $LIBRARY; echo hacked > /dev/shm/pale-test-own
    exit 7)";
  for (const Backend& backend : {kNamespaces, kLandlock}) {
    const Finished run = shell("./attack shared-memory " + std::to_string(key) + script, backend.flags, shared);
    EXPECT_EQ(run.exit_code, 7);
    EXPECT_THAT(run.out, HasSubstr(is_refused(backend) ? kIpcRefused : kIpcApart));
    EXPECT_THAT(run.out, HasSubstr(is_refused(backend) ? "mq_open EPERM\nown-queue EPERM" : "mq_open ENOENT"));
    EXPECT_THAT(run.out, Not(HasSubstr("of the host")));
  }
  EXPECT_EQ(shmget(key, 0, 0), segment);
  EXPECT_STREQ(memory, "of the host");
  mq_attr state = {};
  EXPECT_EQ(mq_getattr(messages, &state), 0);
  EXPECT_EQ(state.mq_curmsgs, 0);
  EXPECT_EQ(file_text(shared), "of the host");
  EXPECT_FALSE(std::filesystem::exists("/dev/shm/pale-test-own"));

  shmdt(memory);
  shmctl(segment, IPC_RMID, nullptr);
  mq_close(messages);
  mq_unlink(queue.c_str());
  std::filesystem::remove(shared);
}

// All that a program of the host could have done to it, as the kernel says.
std::string state_of_process(pid_t pid) {
  constexpr int kProcess = 1;
  return file_text("/proc/" + std::to_string(pid) + "/limits") + "nice " +
         std::to_string(getpriority(PRIO_PROCESS, static_cast<id_t>(pid))) + ", ioprio " +
         std::to_string(syscall(SYS_ioprio_get, kProcess, pid));
}

int flags_of(const std::string& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  int flags = 0;
  EXPECT_EQ(ioctl(fd, FS_IOC_GETFLAGS, &flags), 0) << std::strerror(errno);
  close(fd);
  return flags;
}

TEST_P(OtherPrograms, E28_LimitsAndPrioritiesOfProcesses) {
  Session victim(on_host({"/bin/sh", "-c", "ulimit -c 1; echo up; exec sleep 1000"}), Line::Pipes);
  victim.expect("up");
  runtime_.write("file", "of the host");
  const std::string before = state_of_process(victim.pid());
  ASSERT_THAT(before, HasSubstr("Max core file size"));
  const int flags = flags_of(runtime_.text() + "/file");
  for (const Backend& backend : {kNamespaces, kLandlock}) {
    const Finished run = attack({"neighbours", std::to_string(victim.pid()), runtime_.text() + "/file"}, backend.flags);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(lines_of(run.out).size(), 7U);
    EXPECT_THAT(run.out, Not(HasSubstr("succeeded"))) << backend.name;
    EXPECT_EQ(state_of_process(victim.pid()), before) << backend.name;
    EXPECT_EQ(flags_of(runtime_.text() + "/file"), flags) << backend.name;
  }
}

TEST_P(OtherPrograms, E29_TheKernelKeyring) {
  const std::string name = "pale-test-" + std::to_string(getpid()) + "-key";
  const std::string script = "keyctl show; keyctl print %user:" + name + "; cat /proc/keys /proc/key-users; exit 7";
  const Finished finished = run(pale_run_by({PALE_ATTACK, "with-key", name, std::string(Project::kSecret)}, {},
                                            {"/bin/bash", "-c", "./attack keys " + name + "; " + script}));
  EXPECT_EQ(finished.exit_code, 7) << finished.err;
  for (const char* line : {"request_key", "search-session", "search-user", "read-session", "read-user", "describe",
                           "add_key", "revoke", "join"}) {
    EXPECT_THAT(finished.out, HasSubstr(std::string(line) + " EPERM"));
  }
  EXPECT_THAT(finished.out, Not(HasSubstr(Project::kSecret)));
  EXPECT_THAT(finished.out, Not(HasSubstr(name))) << "not even its name";
}

TEST_P(OtherPrograms, E30_InheritedDescriptors) {
  const std::string home = project_.home().text();
  std::string open = "exec 3</ 4<" + home + " 5<" + home + "/.ssh";
  for (int fd = 6; fd <= 20; ++fd) open += " " + std::to_string(fd) + "<>" + secret();
  const std::string script = R"(
    for n in {3..40} 255; do
      f=/proc/$$/fd/$n
      readlink $f; cat $f $f/.ssh/id_test $f/id_test $f$SECRET; cat <&$n; echo hacked >&$n
    done
    ls -l /proc/$$/fd
    exit 7)";
  const Finished finished =
      run(pale_run_by({"/bin/bash", "-c", open + "; exec \"$@\"", "bash"}, {}, {"/bin/bash", "-c", names() + script}));
  EXPECT_EQ(finished.exit_code, 7);
  EXPECT_THAT(finished.out, Not(HasSubstr(Project::kSecret)));
  EXPECT_THAT(finished.out, Not(HasSubstr(home)));
  EXPECT_EQ(project_.home().read(".ssh/id_test"), Project::kSecret);
}

// With 0, 1 and 2 free, what Pale opens for itself takes their place; none of it may reach the command.
TEST_P(OtherPrograms, E30_ClosedStandardDescriptors) {
  const std::string script = R"(
    exec 9>list; for n in {0..40}; do readlink /proc/$$/fd/$n >&9; done; echo end >&9
    exit 7)";
  const std::vector<std::string> closed = {"/bin/bash", "-c", "exec 0<&- 1>&- 2>&-; exec \"$@\"", "bash"};
  EXPECT_EQ(run(pale_run_by(closed, {}, {"/bin/bash", "-c", script})).exit_code, 7);
  const std::string list = workspace().read("list");
  EXPECT_THAT(list, HasSubstr("end"));
  for (const std::string& line : lines_of(list)) EXPECT_THAT(line, AnyOf("end", workspace().text() + "/list"));
}

INSTANTIATE_TEST_SUITE_P(, OtherPrograms, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
