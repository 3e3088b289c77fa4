// Many clients at once: nobody gets an error, and when their sessions have ended nothing of them is left. How fast it is, bench/serve.py
// says.
#include <atomic>
#include <set>

#include "serving.h"

namespace pale::test {
namespace {

namespace fs = std::filesystem;

constexpr int kWorkspaces = 50;
constexpr int kSessions = 20;
constexpr int kClients = 10;
constexpr auto kTime = std::chrono::seconds(5);

std::size_t lines_of(const std::string& path) {
  const std::string text = contents_of(path);
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

class ServeUnderLoad : public WithServer {
 protected:
  ServeUnderLoad() : server_(start_server()), token_(make_token("admin").secret), admin_(server_->port(), token_) {
    admin_.must("project_create", {{"name", project_name_}, {"id", project_name_}});
    for (int each = 0; each < kWorkspaces; ++each)
      workspaces_.push_back(admin_.must("workspace_create", {{"project_id", project_name_}}).value("id", ""));
  }
  ~ServeUnderLoad() override {
    for (const pid_t host : processes_with(project_name_)) kill(host, SIGKILL);
  }

  std::string start(const std::string& workspace) {
    return admin_.must("session_start", {{"project_id", project_name_}, {"workspace_id", workspace}}).value("id", "");
  }
  std::size_t descriptors() const {
    const auto all = fs::directory_iterator("/proc/" + std::to_string(server_->pid()) + "/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
  long resident_kb() const {
    const std::string status = contents_of("/proc/" + std::to_string(server_->pid()) + "/status");
    return std::stol(status.substr(status.find("VmRSS:") + 6));
  }

  // One client's minute; what went wrong in it.
  std::string work(int client, const std::vector<std::string>& sessions, std::atomic<int>& calls) const {
    Caller who(server_->port(), token_, client % 2 == 0 ? Caller::Era::Older : Caller::Era::Newer);
    if (client % 2 == 0) who.initialize();
    const auto end = std::chrono::steady_clock::now() + kTime;
    for (int turn = client; std::chrono::steady_clock::now() < end; ++turn) {
      // No other client works in these two.
      const std::string& session = sessions[static_cast<std::size_t>(client + kClients * (turn % 2))];
      HttpAnswer answer;
      switch (turn % 10) {
        case 0: answer = who.call("session_list", {{"state", "running"}}); break;
        case 1: answer = who.call("session_log", {{"session_id", session}, {"limit", 10}}); break;
        case 2: answer = who.call("project_get", {{"project_id", project_name_}}); break;
        case 3: answer = who.call("workspace_list", {{"project_id", project_name_}}); break;
        case 4: answer = who.call("session_run", {{"session_id", session}, {"command", "echo x; echo y >&2"}}); break;
        default: answer = who.call("session_run", {{"session_id", session}, {"command", {"true"}}});
      }
      if (!succeeded(answer)) return std::to_string(answer.status) + " " + answer.body;
      ++calls;
      std::this_thread::sleep_for(std::chrono::milliseconds(20 + turn % 30));
    }
    return {};
  }

  // Starts the sessions, lets all clients work in them, ends them.
  std::set<std::string> round() {
    std::vector<std::string> sessions;
    for (int each = 0; each < kSessions; ++each) sessions.push_back(start(workspaces_[static_cast<std::size_t>(each)]));
    std::set<std::string> sandboxes = sandboxes_below(processes_with(project_name_));
    EXPECT_GE(sandboxes.size(), static_cast<std::size_t>(kSessions));
    std::atomic<int> calls = 0;
    std::vector<std::string> problems(kClients);
    std::vector<std::thread> clients;
    for (int each = 0; each < kClients; ++each)
      clients.emplace_back([&, each] { problems[static_cast<std::size_t>(each)] = work(each, sessions, calls); });
    for (std::thread& client : clients) client.join();
    for (const std::string& problem : problems) EXPECT_EQ(problem, "");
    EXPECT_GT(calls, kClients * 10);
    for (const std::string& session : sessions) admin_.must("session_end", {{"session_id", session}});
    return sandboxes;
  }

  std::string project_name_ = "load-" + std::to_string(getpid());
  std::unique_ptr<ServerProcess> server_;
  std::string token_;
  Caller admin_;
  std::vector<std::string> workspaces_;
};
INSTANTIATE_TEST_SUITE_P(As, ServeUnderLoad, testing::ValuesIn(accounts()),
                         [](const auto& which) { return account_name(which.param); });

TEST_P(ServeUnderLoad, NobodyGetsAnErrorAndNothingIsLeft) {
  const std::size_t open_before = descriptors(), mounts_before = lines_of("/proc/self/mountinfo");
  const std::set<std::string> sandboxes = round();
  EXPECT_TRUE(eventually([&] { return processes_with(project_name_).empty(); }));
  EXPECT_TRUE(eventually([&] { return descriptors() <= open_before; })) << descriptors() << " after " << open_before;
  EXPECT_TRUE(eventually([&] { return lines_of("/proc/self/mountinfo") <= mounts_before; }));
  EXPECT_TRUE(eventually([&] { return are_gone(sandboxes); }));
  EXPECT_EQ(fs::directory_iterator(in_pale_home("live")), fs::directory_iterator());
  // What is made once has been made: a second round adds nothing to speak of.
  const long settled = resident_kb();
  round();
  EXPECT_LT(resident_kb(), settled + 8192);
  EXPECT_EQ(server_->end(SIGTERM), 0);
}

}  // namespace
}  // namespace pale::test
