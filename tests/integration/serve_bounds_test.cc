// What one caller of `pale serve` can learn of others, take from them, or leave behind.
#include <poll.h>

#include "serving.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kNobody = "01234567-89ab-4cde-8f01-23456789abcd";

std::string nameless(std::string text, const std::string& name) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) text.replace(at, name.size(), "#");
  return text;
}

class ServeBounds : public WithServer {
 protected:
  ServeBounds() : admin_token_(make_token("admin").secret) { serve(); }
  ~ServeBounds() override {
    for (const Json& session : admin().must("session_list", {{"state", "running"}}).value("sessions", Json::array()))
      (void)admin().call("session_end", {{"session_id", session.at("id")}});
  }

  void serve(const Words& more = {}) {
    server_ = nullptr;
    server_ = start_server(more);
  }
  Caller caller(const std::string& token) const { return {server_->port(), token}; }
  Caller admin() const { return caller(admin_token_); }
  void make_project(const std::string& id) const {
    admin().must("project_create", {{"name", id}, {"id", id}, {"workspace_isolation", true}});
  }
  std::string make_workspace(const std::string& project) const {
    return admin().must("workspace_create", {{"project_id", project}}).value("id", "");
  }
  std::string start(const std::string& project, const std::string& workspace, const std::string& stage = {}) const {
    Json wanted = {{"project_id", project}, {"workspace_id", workspace}};
    if (!stage.empty()) wanted["stage"] = stage;
    return admin().must("session_start", wanted).value("id", "");
  }
  std::string api_text(const std::string& token, const std::string& method, const std::string& path,
                       const std::string& body = {}) const {
    return method + " /api/v1" + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server_->port()) +
           "\r\nAuthorization: Bearer " + token +
           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\nConnection: close\r\n\r\n" + body;
  }
  HttpAnswer api(const std::string& token, const std::string& method, const std::string& path,
                 const std::string& body = {}) const {
    return http::ask(server_->port(), api_text(token, method, path, body));
  }

  std::string admin_token_;
  std::unique_ptr<ServerProcess> server_;
};
INSTANTIATE_TEST_SUITE_P(As, ServeBounds, testing::ValuesIn(accounts()),
                         [](const auto& which) { return account_name(which.param); });

// --- what is learned --------------------------------------------------------------------------------------------------

TEST_P(ServeBounds, AnothersLiveSessionIsOneThatDoesNotExist) {
  make_project("alpha");
  make_project("beta");
  const std::string session = start("beta", make_workspace("beta")), token = make_token("project:alpha").secret;
  const std::string given = R"({"data":"x"})";
  for (const auto& [what, body] : {std::pair<std::string, std::string>("/stop", ""), {"/input", given}}) {
    for (const std::string& id : {session, session.substr(0, 8), session.substr(0, 4)}) {
      const HttpAnswer foreign = api(token, "POST", "/sessions/" + id + what + "?project_id=alpha", body);
      const HttpAnswer missing = api(token, "POST", "/sessions/" + kNobody + what + "?project_id=alpha", body);
      EXPECT_EQ(foreign.status, 404) << foreign.body;
      EXPECT_EQ(nameless(foreign.body, id), nameless(missing.body, kNobody)) << id << what;
    }
  }
  EXPECT_EQ(admin().must("session_get", {{"session_id", session}}).at("state"), "running");
  const std::string own = start("alpha", make_workspace("alpha"));
  EXPECT_EQ(api(token, "POST", "/sessions/" + own + "/stop?project_id=alpha").status, 200);
  EXPECT_EQ(admin().must("session_get", {{"session_id", own}}).at("state"), "ended");
}

// What happens in a stream after its first event, which names everything there is to look at.
class NewsLine {
 public:
  NewsLine(int port, const std::string& text) : line_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(line_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(send(line_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    until("\"stages\"");
    heard_.clear();
  }
  ~NewsLine() { close(line_); }
  NewsLine(const NewsLine&) = delete;
  NewsLine& operator=(const NewsLine&) = delete;
  std::string until(const std::string& wanted) {
    while (heard_.find(wanted) == std::string::npos) {
      pollfd waiting = {line_, POLLIN, 0};
      char buffer[4096];
      const ssize_t got = poll(&waiting, 1, 30'000) == 1 ? recv(line_, buffer, sizeof buffer, 0) : -1;
      if (got <= 0) break;
      heard_.append(buffer, static_cast<std::size_t>(got));
    }
    EXPECT_THAT(heard_, HasSubstr(wanted));
    return heard_;
  }

 private:
  int line_;
  std::string heard_;
};

TEST_P(ServeBounds, AQuestionOfAnotherProjectIsNoNews) {
  make_project("alpha");
  const std::string workspace = make_workspace("alpha"), token = make_token("project:alpha").secret;
  NewsLine stream(server_->port(), api_text(token, "GET", "/stream?project_id=alpha"));
  Process process = pale_process();
  process.arguments = {PALE_ASKER, project_.pale_home().string(), "aaaa2222", "600000", "queue", "+one\n", root()};
  Session asked(process, Line::Pipes);
  asked.expect("waiting\n");
  start("alpha", workspace);
  EXPECT_THAT(stream.until("\"sessions\""), Not(HasSubstr("approvals")));
}

// --- how much may be asked --------------------------------------------------------------------------------------------

TEST_P(ServeBounds, TheApiHasTheBoundsOfTheProtocol) {
  make_project("alpha");
  const std::string token = make_token("project:alpha").secret;
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  const HttpAnswer refused = api(token, "POST", "/boundary/what-if?project_id=alpha", "{\"text\":" + deep + "}");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("nested deeper"));
  serve({"--rate", "1"});
  HttpAnswer last;
  EXPECT_TRUE(eventually([&] {
    last = api(token, "GET", "/me");
    return last.status == 429;
  }));
  EXPECT_NE(last.header("retry-after"), "");
  EXPECT_EQ(last.json().at("error").at("code"), "busy");
}

TEST_P(ServeBounds, WhoGuessesTokensIsSlowedDownAndHoldersOfOneAreNot) {
  serve({"--rate", "1"});
  const std::string wrong = "pale_" + std::string(43, 'A');
  EXPECT_TRUE(eventually([&] { return caller(wrong).post("tools/list", Json::object()).status == 429; }));
  EXPECT_TRUE(eventually([&] { return api(wrong, "GET", "/me").status == 429; }));
  EXPECT_EQ(caller(make_token("admin:ro").secret).post("tools/list", Json::object()).status, 200);
}

TEST_P(ServeBounds, MuchOutputWithProgressEndsInAnAnswer) {
  make_project("alpha");
  const std::string session = start("alpha", make_workspace("alpha"));
  const Json wanted = {{"name", "session_run"},
                       {"arguments", {{"session_id", session}, {"command", "head -c 60M /dev/zero | tr '\\0' a"}}},
                       {"_meta", {{"progressToken", "p"}}}};
  const Json message = {{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", wanted}};
  Caller older(server_->port(), admin_token_, Caller::Era::Older);
  older.initialize();
  Headers headers = older.usual_headers();
  headers.emplace_back("Mcp-Session-Id", older.session());
  const HttpAnswer answer = http::ask(server_->port(), http::request_text("POST", headers, message.dump()));
  ASSERT_TRUE(succeeded(answer)) << answer.body.substr(0, 300);
  EXPECT_EQ(answer.json()["result"]["structuredContent"]["exit_code"], 0);
  EXPECT_EQ(answer.json()["result"]["structuredContent"]["truncated"], true);
}

// --- lists and large answers ------------------------------------------------------------------------------------------

TEST_P(ServeBounds, AListSaysThatThereIsMore) {
  make_project("alpha");
  make_project("beta");
  std::vector<std::string> sessions;
  for (const char* project : {"alpha", "beta", "alpha"}) sessions.push_back(start(project, make_workspace(project)));
  Caller who(server_->port(),
             printed({"token", "create", "--scope", "project:alpha", "--scope", "project:beta"}).value("token", ""));
  const Json two = who.must("session_list", {{"limit", 2}});
  EXPECT_EQ(two.at("more"), true);
  ASSERT_EQ(two.at("sessions").size(), 2U);
  EXPECT_EQ(two.at("sessions")[0].at("id"), sessions[2]) << "the newest of all comes first";
  EXPECT_EQ(two.at("sessions")[1].at("id"), sessions[1]);
  const Json all = who.must("session_list", {{"state", "running"}, {"limit", 3}});
  EXPECT_EQ(all.at("more"), false);
  EXPECT_EQ(all.at("sessions").size(), 3U);
}

TEST_P(ServeBounds, ADiffThatIsTooLargeIsAskedForInParts) {
  make_project("alpha");
  const std::string workspace = make_workspace("alpha"), session = start("alpha", workspace, "work");
  admin().must("session_run", {{"session_id", session}, {"command", "seq 1 3000000 > large; echo small > small"}});
  const Json place = {{"project_id", "alpha"}, {"workspace_id", workspace}, {"stage", "work"}};
  const Json listed = admin().must("stage_diff", place);
  EXPECT_EQ(listed.at("truncated"), true);
  ASSERT_EQ(listed.at("files").size(), 2U);
  EXPECT_EQ(listed.at("files")[0].at("path"), "large");
  EXPECT_GT(listed.at("files")[0].at("size").get<std::size_t>(), 16U << 20U);
  Json part = place;
  part["paths"] = {"small"};
  const Json small = admin().must("stage_diff", part);
  EXPECT_EQ(small.at("truncated"), false);
  EXPECT_THAT(small.at("files")[0].at("patch").get<std::string>(), HasSubstr("+small"));
}

TEST_P(ServeBounds, ACancelledCallLeavesNoProcess) {
  make_project("alpha");
  const std::string workspace = make_workspace("alpha"), session = start("alpha", workspace, "work");
  admin().must("session_run", {{"session_id", session}, {"command", "seq 1 200000 > file"}});
  const Json message = {{"jsonrpc", "2.0"},
                        {"id", 1},
                        {"method", "tools/call"},
                        {"params",
                         {{"name", "stage_diff"},
                          {"arguments", {{"project_id", "alpha"}, {"workspace_id", workspace}, {"stage", "work"}}},
                          {"_meta",
                           {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                            {"io.modelcontextprotocol/clientCapabilities", Json::object()}}}}}};
  Headers headers = admin().usual_headers();
  headers.emplace_back("MCP-Protocol-Version", "2026-07-28");
  headers.emplace_back("Mcp-Method", "tools/call");
  headers.emplace_back("Mcp-Name", "stage_diff");
  const auto children = [&] { return descendants_of(server_->pid()).size(); };
  for (int round = 0; round < 5; ++round) {
    const int line = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(line, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const std::string text = http::request_text("POST", headers, message.dump());
    ASSERT_EQ(send(line, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    EXPECT_TRUE(eventually([&] {
      pollfd answered = {line, POLLIN, 0};
      return children() > 0 || poll(&answered, 1, 0) == 1;
    }));
    close(line);
  }
  EXPECT_TRUE(eventually([&] { return children() == 0; })) << children() << " are left";
}

// --- names of the server ----------------------------------------------------------------------------------------------

TEST_P(ServeBounds, ListeningEverywhereItIsReachedByItsAddressesAndByGivenNamesAlone) {
  serve({"--bind", "0.0.0.0", "--host", "pale.example"});
  const auto status = [&](const std::string& host) {
    const Headers headers = {{"Host", host}, {"Authorization", "Bearer " + admin_token_}};
    return http::ask(server_->port(), http::request_text("GET", headers, "")).status;
  };
  EXPECT_EQ(status("127.0.0.1"), 405);
  EXPECT_EQ(status("pale.example"), 405);
  EXPECT_EQ(status("other.example"), 403);
  EXPECT_EQ(status("10.99.99.99"), 403) << "an address, but not the one that was reached";
  EXPECT_THAT(pale({"serve", "--host", "http://x"}).err,
              AllOf(HasSubstr("not the name of a host"), HasSubstr("hint:")));
}

TEST_P(ServeBounds, AnAddressOfTheNewerKindIsWrittenInBrackets) {
  serve({"--bind", "::1", "--no-studio"});
  EXPECT_THAT(server_->log(), HasSubstr("Serving MCP at http://[::1]:" + std::to_string(server_->port()) + "/mcp\n"));
  serve();
}

// --- tokens of a project that is gone ---------------------------------------------------------------------------------

TEST_P(ServeBounds, WhoeverGetsAProjectsIdNextGetsNeitherItsCallersNorItsSessions) {
  for (const bool by_tool : {false, true}) {
    make_project("alpha");
    make_project("beta");
    const std::string session = start("alpha", make_workspace("alpha"));
    admin().must("session_run", {{"session_id", session}, {"command", "echo old-secret"}});
    admin().must("session_end", {{"session_id", session}});
    const std::string only = make_token("project:alpha").secret;
    const std::string both = make_token("project:alpha", {"--scope", "project:beta"}).secret;
    json freed;
    if (by_tool)
      freed = json::parse(admin().must("project_delete", {{"project_id", "alpha"}}).dump());
    else
      freed = printed({"project", "delete", "alpha", "--yes"});
    EXPECT_EQ(freed.at("tokens_revoked"), 1) << freed;
    EXPECT_EQ(freed.at("tokens_narrowed"), 1) << freed;
    make_project("alpha");
    EXPECT_EQ(caller(only).call("project_get", {{"project_id", "alpha"}}).status, 401);
    EXPECT_FALSE(succeeded(caller(both).call("project_get", {{"project_id", "alpha"}})));
    EXPECT_TRUE(succeeded(caller(both).call("project_get", {{"project_id", "beta"}})));
    EXPECT_EQ(caller(make_token("project:alpha").secret).must("session_list").at("sessions"), Json::array());
    const Finished said = pale({"project", "delete", "alpha", "--yes"});
    EXPECT_THAT(said.out, AllOf(HasSubstr("Deleted project alpha"), HasSubstr("revoked 1 token")));
    (void)pale({"project", "delete", "beta", "--yes"});
  }
}

}  // namespace
}  // namespace pale::test
