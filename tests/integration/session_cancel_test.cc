// A cancel ends the command of whoever says it, whatever comes before or behind it, and nobody else's. These clients speak with a
// session's host themselves, so that they say things in an order, and at a time, that no client can be brought to.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "session/message.h"
#include "tenants.h"

namespace pale::test {
namespace {

using session::Ask;
using session::Tell;

// A client of a session's host.
class HostLine {
 public:
  explicit HostLine(const std::filesystem::path& place) : line_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string path = place / "socket";
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(connect(line_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << path;
  }
  HostLine(const HostLine&) = delete;
  HostLine& operator=(const HostLine&) = delete;
  ~HostLine() { close(line_); }

  void say(const Ask& ask) const {
    const std::string text = to_text(ask);
    EXPECT_EQ(send(line_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  bool has_news() const {
    pollfd waiting = {line_, POLLIN, 0};
    return poll(&waiting, 1, 30'000) == 1;
  }
  Tell next() const {
    std::string text(1 << 18, '\0');
    const ssize_t got = has_news() ? recv(line_, text.data(), text.size(), 0) : -1;
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    const auto told = session::parse_tell(text);
    EXPECT_TRUE(told) << text;
    return told.value_or(Tell());
  }
  pid_t host() const {
    ucred peer = {};
    socklen_t size = sizeof peer;
    EXPECT_EQ(getsockopt(line_, SOL_SOCKET, SO_PEERCRED, &peer, &size), 0);
    return peer.pid;
  }

 private:
  int line_;
};

class SessionCancel : public WithTenants {
 protected:
  void SetUp() override {
    const std::string project = new_project({{"workspace_isolation", true}});
    session_ = new_session(project, new_workspace(project));
    place_ = project_.pale_home() / "live" / session_;
  }
  static Ask run_of(const std::string& line) { return {.kind = Ask::Kind::Run, .command = {"/bin/sh", "-c", line}}; }
  std::string last_ending() {
    const Json seen = client_.call("session_get", {{"session_id", session_}});
    return seen.contains("last_run") ? seen.at("last_run").value("ending", "") : "";
  }
  static bool comes_true(const std::function<bool()>& holds) {
    for (int tries = 0; tries < 600 && !holds(); ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return holds();
  }
  bool ends_as(const std::string& ending) {
    return comes_true([&] { return last_ending() == ending; });
  }

  std::string session_;
  std::filesystem::path place_;
};
INSTANTIATE_TEST_SUITE_P(As, SessionCancel, testing::ValuesIn(accounts()), account_suffix);

TEST_P(SessionCancel, SaidBeforeTheHostHasLookedAndThenHungUp) {
  const pid_t host = HostLine(place_).host();
  ASSERT_EQ(kill(host, SIGSTOP), 0);
  {
    const HostLine line(place_);
    line.say(run_of("sleep 1000"));
    line.say({.kind = Ask::Kind::Cancel});
  }
  ASSERT_EQ(kill(host, SIGCONT), 0);
  EXPECT_TRUE(ends_as("cancelled")) << last_ending();
}

TEST_P(SessionCancel, SaidByOneWhoLeavesUnreadWhatHeWasTold) {
  {
    const HostLine line(place_);
    line.say(run_of("echo begun; exec sleep 1000"));
    EXPECT_EQ(line.next().kind, Tell::Kind::Begun);
    EXPECT_TRUE(line.has_news());
    line.say({.kind = Ask::Kind::Cancel});
  }
  EXPECT_TRUE(ends_as("cancelled")) << last_ending();
}

TEST_P(SessionCancel, OfARefusedClientEndsNobodysCommandAndItsInputReachesNone) {
  const HostLine line(place_);
  line.say(run_of("read line; echo \"$line\""));
  EXPECT_EQ(line.next().kind, Tell::Kind::Begun);
  const HostLine other(place_);
  other.say(run_of("true"));
  EXPECT_EQ(other.next().kind, Tell::Kind::Failed) << "one at a time";
  other.say({.kind = Ask::Kind::Cancel});
  EXPECT_EQ(other.next().kind, Tell::Kind::Failed);
  other.say({.kind = Ask::Kind::Input, .data = "meant for another\n"});
  EXPECT_EQ(other.next().kind, Tell::Kind::Failed);
  client_.call("session_input", {{"session_id", session_}, {"text", "from whoever may\n"}});
  EXPECT_EQ(line.next().data, "from whoever may\n");
  const Tell exit = line.next();
  EXPECT_EQ(exit.kind, Tell::Kind::Exit);
  EXPECT_EQ(exit.ending, "exited");
}

}  // namespace
}  // namespace pale::test
