// ESCAPE 43 by way of workers: one that is called has no more than its caller, and a pure function has nothing: not the disk, not
// the network, not its caller's memory, and not the broker, whomever it says to be.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>

#include "escape/escape.h"

namespace pale::test {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class Workers : public Escape {
 protected:
  Workers() : Escape(PaleHome::Own) {
    workspace().write(".pale/project.toml",
                      "[project]\nid = \"shop\"\n[approval]\nmode = \"auto\"\n"
                      "[zones.data]\n[zones.tools]\nmode = \"ro\"\n");
    workspace().write("data/secret", "the secret of the project");
    workspace().make_directory("tools");
  }

  void worker(const std::string& name, const std::string& keys, const std::vector<std::string>& command) const {
    workspace().write(".pale/workers/" + name + ".worker",
                      "---\nname: " + name + "\n" + keys + "run: " + json(command).dump() + "\n---\n");
  }
  void script(const std::string& name, const std::string& keys, const std::string& text) const {
    worker(name, keys, {"/bin/bash", "-c", names() + text});
  }
  void python(const std::string& name, const std::string& keys, const std::string& text) const {
    worker(name, keys, {"python3", "-c", text});
  }
  static std::string asks(const std::string& zones) { return "sandbox: {zones: [" + zones + "]}\n"; }
  static std::string calls(const std::string& names) {
    return "toolsets: {workers: {allowed_workers: [" + names + "]}}\n";
  }
  Finished call(const std::string& name) const {
    return project_.pale({"worker", "call", name, "--project-root", workspace().text()});
  }
};

TEST_P(Workers, E43_APureFunctionFindsNothingOfTheDisk) {
  script("index", asks("{name: data}") + calls("pure"), "pale worker call pure");
  script("pure", "",
         "cat /data/secret $SECRET '" + workspace().text() +
             "/data/secret' /proc/1/root/data/secret "
             "/proc/self/root/../data/secret\n"
             "ls -d /data '" +
             workspace().text() +
             "' $OUTSIDE /root /home /var /mnt /opt\n"
             "for d in / /usr /etc /run /run/pale /proc /dev; do touch $d/made && echo made $d; done\n"
             "mkdir /data && echo made; mount -t tmpfs x /tmp && echo mounted; unshare -rm true && echo unshared\n"
             "grep -rl 'secret of the [p]roject' /tmp /run /etc /proc/[0-9]*/environ /proc/[0-9]*/cmdline; exit 0");
  const std::string whole = workspace().snapshot();
  const Finished done = call("index");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(workspace().snapshot(), whole);
  EXPECT_EQ(project_.home().read(".ssh/id_test"), Project::kSecret);
}

TEST_P(Workers, E43_APureFunctionReachesNoNetworkThoughTheProjectDoes) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener, 4), 0);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const std::string name = "pale-worker-" + std::to_string(getpid());
  const int abstract = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un unix_address = {};
  unix_address.sun_family = AF_UNIX;
  std::memcpy(unix_address.sun_path + 1, name.data(), name.size());
  ASSERT_EQ(bind(abstract, reinterpret_cast<sockaddr*>(&unix_address),
                 static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())),
            0);
  ASSERT_EQ(listen(abstract, 4), 0);

  workspace().write(".pale/project.toml", workspace().read(".pale/project.toml") + "[network]\nmode = \"open\"\n");
  ASSERT_EQ(project_.pale({"config", "set", "network", "open", "--project-root", workspace().text()}).exit_code, 0);
  script("index", asks("{name: data}") + calls("pure"), "pale worker call pure");
  python("pure", "",
         "import socket\n"
         "for family, where in ((socket.AF_INET, ('127.0.0.1', " +
             std::to_string(ntohs(address.sin_port)) + ")), (socket.AF_UNIX, '\\0" + name +
             "'), (socket.AF_INET, ('192.0.2.1', 80))):\n"
             "    try: socket.socket(family).connect(where); print('reached', where)\n"
             "    except OSError: pass\n"
             "try: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53)); print('sent')\n"
             "except OSError: pass\n");
  const Finished done = call("index");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out, "");
  for (const int fd : {listener, abstract}) {
    pollfd ready = {fd, POLLIN, 0};
    EXPECT_EQ(poll(&ready, 1, 0), 0);
    close(fd);
  }
}

// The caller holds something in its memory and waits; its child looks for it in every process that it can see.
TEST_P(Workers, E43_APureFunctionDoesNotSeeItsCallersMemory) {
  python(
      "index", calls("pure"),
      "import subprocess, sys\n"
      "word = 'in-the-memory-' + 'of-the-caller'\n"
      "print(subprocess.run(['pale', 'worker', 'call', 'pure'], capture_output=True, text=True).stdout, len(word))\n");
  python("pure", "", R"(
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
own = os.getpid()
for pid in [p for p in os.listdir('/proc') if p.isdigit() and int(p) != own] + [str(n) for n in range(1, 4000)]:
    for name in ('mem', 'environ', 'root', 'cwd', 'fd/0', 'maps'):
        path = f'/proc/{pid}/{name}'
        if int(pid) == own: continue
        try:
            if name in ('root', 'cwd'): os.listdir(path)
            else: open(path, 'rb').read(1)
            print('read', path)
        except OSError: pass
    if int(pid) != own and libc.ptrace(16, int(pid), 0, 0) == 0: print('traced', pid)
    if int(pid) not in (1, own):
        try: os.kill(int(pid), 0); print('could signal', pid)
        except OSError: pass
)");
  const Finished done = call("index");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out, " 27\n");
}

// Whoever it says to be: it is asked by the sandbox that the line comes out of.
TEST_P(Workers, E43_TheBrokerIsNotToldWhoCalls) {
  const std::string ask = R"(
import json, os, socket
def ask(text, places=('/run/pale/broker',)):
    for place in places:
        try:
            line = socket.socket(socket.AF_UNIX); line.connect(place)
            line.sendall(text.encode()); print(line.makefile().readline().strip())
        except OSError as error: print(type(error).__name__)
)";
  script("index", asks("{name: data}") + calls("pure, limited, writer"),
         "pale worker call pure; pale worker call limited");
  python("pure", "", ask + R"(
ask('{"worker": "writer"}\n', ['/run/pale/broker', '/proc/1/root/run/pale/broker', '\0/run/pale/broker',
    '/proc/self/cwd/run/pale/broker'] + [f'/proc/{n}/root/run/pale/broker' for n in (2, 3, 4)]))");
  // It may call somebody, and so has a socket.
  python("limited", calls("pure"), ask + R"(
for forged in ('{"worker": "writer"}', '{"worker": "writer", "caller": "index"}', '{"worker": "writer", "call": 1}',
               '{"caller": 1, "worker": "index/writer"}', '{"worker": "index/writer"}'):
    ask(forged + '\n'))");
  script("writer", asks("{name: data}"), "echo written > /data/secret");
  const Finished done = call("index");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const std::vector<std::string> lines = lines_of(done.out);
  ASSERT_EQ(lines.size(), 12U) << done.out;
  for (std::size_t at = 0; at < 7; ++at)
    EXPECT_THAT(lines[at], AnyOf("FileNotFoundError", "ConnectionRefusedError", "PermissionError"));
  for (std::size_t at = 7; at < 12; ++at) {
    const json answer = json::parse(lines[at]);
    EXPECT_EQ(answer["ok"], false);
    EXPECT_THAT(answer["error"]["code"].get<std::string>(), AnyOf("NOT_ALLOWED", "INVALID_REQUEST"));
  }
  EXPECT_EQ(workspace().read("data/secret"), "the secret of the project");
}

// A file of a worker, a zone's folder, or a way through them that changes while calls are under way.
TEST_P(Workers, E43_WhatAWorkerWritesDoesNotWidenWhatItCalls) {
  workspace().write(".pale/project.toml",
                    "[project]\nid = \"shop\"\n[approval]\nmode = \"auto\"\n"
                    "[zones.data]\n[zones.out]\npath = \"data2/out\"\n");
  script(
      "index", asks("{name: data}, {name: out}") + calls("child"),
      "echo 'name: child' > /data/child.worker; ln -s $OUTSIDE /data/link; rmdir /out; ln -s $OUTSIDE/.ssh /out/ssh\n"
      "pale worker call child");
  script("child", asks("{name: data}, {name: out, mode: ro}"),
         "cat /data/link/.ssh/id_test /out/ssh/id_test; echo x > /out/file; echo hacked > /out/ssh/id_test; exit 0");
  const Finished done = call("index");
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(project_.home().read(".ssh/id_test"), Project::kSecret);
  EXPECT_FALSE(workspace().exists("data2/out/file"));
}

TEST_P(Workers, E43_AZonesFolderThatBecameALinkIsNotFollowed) {
  std::filesystem::remove_all(workspace().path() / "data");
  std::filesystem::create_symlink(project_.home().path() / ".ssh", workspace().path() / "data");
  script("index", asks("{name: data}"), "cat /data/id_test; echo hacked > /data/id_test");
  const Finished done = call("index");
  EXPECT_NE(done.exit_code, 0);
  EXPECT_THAT(done.out + done.err, Not(HasSubstr(Project::kSecret)));
  EXPECT_EQ(project_.home().read(".ssh/id_test"), Project::kSecret);
}

INSTANTIATE_TEST_SUITE_P(, Workers, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
