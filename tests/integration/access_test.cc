// Who may do what over HTTP: every tool is tried with every wrong token, and the disk is looked at afterwards.
//
// "Time" is not measured here: on a busy machine that would prove nothing. What keeps a tenant from timing another's project is the
// order of things, which these tests hold by what is answered: a name is compared with the token's own scopes before anything
// looks at the disk (keeper::check_project), and a session is looked for in the caller's own projects alone
// (Keeper::find_session). So what is asked of a foreign project takes the way, and the bytes, of one that does not exist.
#include <map>
#include <set>

#include "serving.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

const std::string kNoId = "01234567-89ab-4cde-8f01-23456789abcd";

// What the tools are asked about.
struct Target {
  std::string project;
  std::string workspace;
  std::string session;
};

// All that a tool needs to do its worst; nothing for one that is not known here, which fails the test.
std::optional<Json> arguments_for(const std::string& tool, const Target& target) {
  const Json project = {{"project_id", target.project}};
  Json workspace = project, session = {{"session_id", target.session}};
  workspace["workspace_id"] = target.workspace;
  Json stage = workspace;
  stage["stage"] = "work";
  const auto with = [](Json body, const Json& more) {
    body.update(more);
    return body;
  };
  const std::map<std::string, Json> known = {
      {"project_create", {{"name", "Stolen"}, {"id", "stolen"}}},
      {"project_get", project},
      {"project_list", Json::object()},
      {"project_update", with(project, {{"description", "changed"}})},
      {"project_delete", with(project, {{"force", true}})},
      {"workspace_create", with(project, {{"external_id", "intruder"}})},
      {"workspace_list", project},
      {"workspace_get", workspace},
      {"workspace_delete", with(workspace, {{"force", true}})},
      {"session_start", workspace},
      {"session_run", with(session, {{"command", "echo x > /workspace/stolen"}})},
      {"session_input", with(session, {{"text", "x"}})},
      {"session_get", session},
      {"session_list", workspace},
      {"session_log", session},
      {"session_end", session},
      {"stage_diff", stage},
      {"stage_apply", stage},
      {"stage_discard", stage},
  };
  const auto found = known.find(tool);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

bool names_a_target(const Json& arguments) {
  return arguments.contains("project_id") || arguments.contains("session_id");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

class AccessToTools : public WithServer {
 protected:
  // Two tenants, each with a workspace, a live session, and changes in a stage that nobody has applied.
  AccessToTools() : server_(start_server()), admin_(server_->port(), make_token("admin").secret) {
    alpha_ = make_tenant("alpha");
    beta_ = make_tenant("beta");
    const Json listed = admin_.post("tools/list", Json::object()).json();
    for (const Json& tool : listed.at("result").at("tools"))
      tools_.emplace(tool.at("name"), tool.at("annotations").at("readOnlyHint"));
    before_ = picture();
  }
  ~AccessToTools() override {
    for (const Target& target : {alpha_, beta_}) (void)admin_.call("session_end", {{"session_id", target.session}});
  }

  Target make_tenant(const std::string& name) {
    admin_.must("project_create", {{"name", name}, {"id", name}, {"workspace_isolation", true}});
    Target target{name, admin_.must("workspace_create", {{"project_id", name}}).value("id", ""), ""};
    const Json place = {{"project_id", name}, {"workspace_id", target.workspace}};
    Json staged = place;
    staged["stage"] = "work";
    const std::string worker = admin_.must("session_start", staged).value("id", "");
    admin_.must("session_run", {{"session_id", worker}, {"command", "echo " + name + "-secret > staged.txt"}});
    admin_.must("session_end", {{"session_id", worker}});
    target.session = admin_.must("session_start", place).value("id", "");
    admin_.must("session_run", {{"session_id", target.session}, {"command", "echo " + name + "-secret > file.txt"}});
    return target;
  }

  // Everything of tenants that is on disk, and which sessions live.
  std::string picture() const {
    std::set<std::string> lines;
    for (const char* part : {"projects", "stages", "live"}) {
      for (const auto& entry : fs::recursive_directory_iterator(in_pale_home(part))) {
        const auto content = entry.is_regular_file() ? std::hash<std::string>()(contents_of(entry.path())) : 0;
        lines.insert(entry.path().string() + " " + std::to_string(content));
      }
    }
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    for (const Target& target : {alpha_, beta_}) all += processes_with(target.session).empty() ? "dead\n" : "lives\n";
    return all;
  }
  void expect_untouched(const std::string& by) {
    const std::string now = picture();
    EXPECT_EQ(now, before_) << by;
    before_ = now;
  }

  Caller caller(const std::string& token, Caller::Era era = Caller::Era::Newer) const {
    Caller caller(server_->port(), token, era);
    if (era == Caller::Era::Older) caller.initialize();
    return caller;
  }
  // An answer about a target, with the target's names taken out.
  static std::string without_names(const HttpAnswer& answer, const Target& target) {
    std::string text = answer.head + answer.body;
    for (const std::string* name : {&target.session, &target.workspace, &target.project})
      text = replaced(text, *name, std::string(name->size(), '?'));
    return text;
  }
  void expect_same(Caller& who, const std::string& tool, const Target& foreign, const Target& missing) {
    const HttpAnswer asked = who.call(tool, *arguments_for(tool, foreign));
    EXPECT_FALSE(succeeded(asked)) << tool << "\n" << asked.body;
    EXPECT_EQ(without_names(asked, foreign), without_names(who.call(tool, *arguments_for(tool, missing)), missing))
        << tool;
  }

  std::unique_ptr<ServerProcess> server_;
  Caller admin_;
  Target alpha_, beta_;
  std::map<std::string, bool> tools_;  // and whether they only look
  std::string before_;
};
INSTANTIATE_TEST_SUITE_P(As, AccessToTools, testing::ValuesIn(accounts()),
                         [](const auto& which) { return account_name(which.param); });

TEST_P(AccessToTools, EveryToolIsKnownToTheseTests) {
  EXPECT_GE(tools_.size(), 19U);
  for (const auto& [tool, looks] : tools_) {
    EXPECT_TRUE(arguments_for(tool, alpha_)) << "say in arguments_for() how to misuse " << tool;
    EXPECT_EQ(looks,
              tool.ends_with("_get") || tool.ends_with("_list") || tool.ends_with("_log") || tool == "stage_diff")
        << tool;
  }
}

TEST_P(AccessToTools, NothingIsAnsweredWithoutAGoodToken) {
  const Token revoked = make_token("admin");
  EXPECT_EQ(pale({"token", "revoke", revoked.id, "--yes"}).exit_code, 0);
  const Token brief = make_token("admin", {"--expires", "1s"});
  ASSERT_TRUE(eventually([&] { return caller(brief.secret).call("project_list").status == 401; }));
  std::string one_off = make_token("admin").secret;
  one_off.back() = one_off.back() == 'A' ? 'B' : 'A';
  const std::map<std::string, std::string> tokens = {{"none", ""},
                                                     {"garbage", "pale_garbage"},
                                                     {"long", "pale_" + std::string(5000, 'x')},
                                                     {"revoked", revoked.secret},
                                                     {"expired", brief.secret},
                                                     {"one letter off", one_off}};
  for (const auto& [name, token] : tokens) {
    std::set<std::string> answers;
    for (const auto era : {Caller::Era::Older, Caller::Era::Newer}) {
      Caller who = caller(token, era);
      for (const auto& [tool, looks] : tools_) {
        const HttpAnswer answer = who.call(tool, *arguments_for(tool, beta_));
        EXPECT_EQ(answer.status, 401) << name << " " << tool;
        answers.insert(answer.head + answer.body);
      }
      answers.insert(who.post("tools/list", Json::object()).body.empty() ? "" : *answers.begin());
    }
    EXPECT_EQ(answers.size(), 1U) << name << ": whatever is asked for, the answer is the same";
    EXPECT_THAT(*answers.begin(), HasSubstr("WWW-Authenticate: Bearer"));
  }
  expect_untouched("those without a token");
}

TEST_P(AccessToTools, WhoMayOnlyLookChangesNothing) {
  for (const char* scope : {"admin:ro", "project:alpha:ro"}) {
    for (const auto era : {Caller::Era::Older, Caller::Era::Newer}) {
      Caller who = caller(make_token(scope).secret, era);
      for (const auto& [tool, looks] : tools_) {
        const HttpAnswer answer = who.call(tool, *arguments_for(tool, alpha_));
        EXPECT_EQ(succeeded(answer), looks) << scope << " " << tool << "\n" << answer.body;
      }
      expect_untouched(scope);
    }
  }
  EXPECT_FALSE(fs::exists(in_pale_home("projects/stolen")));
}

TEST_P(AccessToTools, AProjectsTokenMakesAndDeletesNoProject) {
  for (const char* scope : {"project:alpha", "project:alpha:ro", "project:stolen", "admin:ro"}) {
    Caller who = caller(make_token(scope).secret);
    for (const Target& target : {alpha_, beta_}) {
      for (const char* tool : {"project_create", "project_delete"})
        EXPECT_FALSE(succeeded(who.call(tool, *arguments_for(tool, target)))) << scope << " " << tool;
    }
    expect_untouched(scope);
  }
}

TEST_P(AccessToTools, AnothersProjectIsOneThatDoesNotExist) {
  const Target missing{"zeta", kNoId, kNoId};
  for (const char* scope : {"project:alpha", "project:alpha:ro"}) {
    for (const auto era : {Caller::Era::Older, Caller::Era::Newer}) {
      Caller who = caller(make_token(scope).secret, era);
      for (const auto& [tool, looks] : tools_) {
        if (names_a_target(*arguments_for(tool, beta_))) expect_same(who, tool, beta_, missing);
      }
      expect_untouched(scope);
    }
  }
}

TEST_P(AccessToTools, AnothersWorkspaceCannotBeReachedThroughOnesOwnProject) {
  const Target through{"alpha", beta_.workspace, beta_.session}, missing{"alpha", kNoId, kNoId};
  for (const char* scope : {"project:alpha", "project:alpha:ro"}) {
    Caller who = caller(make_token(scope).secret);
    for (const auto& [tool, looks] : tools_) {
      if (arguments_for(tool, through)->contains("workspace_id") && tool != "session_list")
        expect_same(who, tool, through, missing);
    }
    EXPECT_EQ(who.must("session_list", *arguments_for("session_list", through)).at("sessions"), Json::array());
    expect_untouched(scope);
  }
}

TEST_P(AccessToTools, AnothersSessionIsOneThatDoesNotExist) {
  Caller who = caller(make_token("project:alpha").secret);
  for (const char* tool : {"session_get", "session_run", "session_input", "session_log", "session_end"}) {
    const HttpAnswer answer = who.call(tool, *arguments_for(tool, beta_));
    EXPECT_THAT(answer.body, HasSubstr("there is no session " + beta_.session)) << tool;
    EXPECT_THAT(answer.body, Not(HasSubstr("beta"))) << tool;
  }
  for (const std::string& wrong :
       {"../../beta/sessions/" + beta_.session, beta_.session + "/..", std::string(".."), beta_.session.substr(0, 8)}) {
    for (const auto& [tool, looks] : tools_) {
      const Json arguments = *arguments_for(tool, {"alpha", wrong, wrong});
      const bool by_id = arguments.contains("session_id") || arguments.contains("workspace_id");
      if (!by_id || tool == "session_list") continue;
      EXPECT_FALSE(succeeded(who.call(tool, arguments))) << tool << " " << wrong;
    }
  }
  expect_untouched("project:alpha");
}

TEST_P(AccessToTools, ListsShowNothingOfOthers) {
  for (const char* scope : {"project:alpha", "project:alpha:ro"}) {
    Caller who = caller(make_token(scope).secret);
    const std::string projects = who.call("project_list").body, sessions = who.call("session_list").body;
    EXPECT_THAT(projects, HasSubstr("alpha"));
    EXPECT_THAT(sessions, HasSubstr(alpha_.session));
    for (const std::string* name : {&beta_.project, &beta_.workspace, &beta_.session}) {
      EXPECT_THAT(projects, Not(HasSubstr(*name)));
      EXPECT_THAT(sessions, Not(HasSubstr(*name)));
      EXPECT_THAT(who.call("workspace_list", {{"project_id", "alpha"}}).body, Not(HasSubstr(*name)));
    }
    // Not by what is damaged there, either.
    const std::string settings = read_pale_home("projects/beta/metadata.json");
    write_pale_home("projects/beta/metadata.json", "{");
    EXPECT_EQ(who.call("project_list").body, projects);
    EXPECT_THAT(who.call("project_get", {{"project_id", "beta"}}).body, HasSubstr("there is no project beta"));
    write_pale_home("projects/beta/metadata.json", settings);
    write_pale_home("projects/beta/sessions/" + kNoId + "/session.json", "{");
    EXPECT_EQ(who.call("session_list").body, sessions);
    EXPECT_THAT(admin_.call("session_list").body, HasSubstr(beta_.session)) << "nor does it hide anything";
    fs::remove_all(in_pale_home("projects/beta/sessions/" + kNoId));
  }
}

TEST_P(AccessToTools, AreShownToThoseWhoMayCallThem) {
  const auto shown = [&](const std::string& scope) {
    std::set<std::string> names;
    const Json listed = caller(make_token(scope).secret).post("tools/list", Json::object()).json();
    for (const Json& tool : listed.at("result").at("tools")) names.insert(tool.at("name"));
    return names;
  };
  std::set<std::string> all, looking, working;
  for (const auto& [tool, looks] : tools_) {
    all.insert(tool);
    if (looks) looking.insert(tool);
    if (tool != "project_create" && tool != "project_delete") working.insert(tool);
  }
  EXPECT_EQ(shown("admin"), all);
  EXPECT_EQ(shown("admin:ro"), looking);
  EXPECT_EQ(shown("project:alpha"), working);
  EXPECT_EQ(shown("project:alpha:ro"), looking);
}

// So that the tests above fail for the reason they name, and not because nothing works.
TEST_P(AccessToTools, WorkWithTheRightToken) {
  Caller who = caller(make_token("project:alpha").secret);
  for (const auto& [tool, looks] : tools_) {
    if (looks) who.must(tool, *arguments_for(tool, alpha_));
  }
  who.must("session_run", *arguments_for("session_run", alpha_));
  EXPECT_EQ(contents_of(in_pale_home("projects/alpha/workspaces/" + alpha_.workspace + "/stolen")), "x\n");
  who.must("stage_apply", *arguments_for("stage_apply", alpha_));
  EXPECT_EQ(contents_of(in_pale_home("projects/alpha/workspaces/" + alpha_.workspace + "/staged.txt")),
            "alpha-secret\n");
  who.must("session_end", *arguments_for("session_end", alpha_));
}

TEST_P(AccessToTools, EndsAtOnceWhenATokenIsRevoked) {
  const Token token = make_token("project:alpha");
  Caller older = caller(token.secret, Caller::Era::Older), newer = caller(token.secret);
  older.must("project_get", {{"project_id", "alpha"}});
  newer.must("project_get", {{"project_id", "alpha"}});
  EXPECT_EQ(pale({"token", "revoke", token.id, "--yes"}).exit_code, 0);
  EXPECT_EQ(older.call("project_get", {{"project_id", "alpha"}}).status, 401);
  EXPECT_EQ(newer.call("project_get", {{"project_id", "alpha"}}).status, 401);
}

TEST_P(AccessToTools, AConversationBelongsToTheTokenThatBeganIt) {
  Caller first = caller(make_token("admin").secret, Caller::Era::Older);
  Caller thief(server_->port(), make_token("project:alpha").secret, Caller::Era::Older);
  thief.take_session(first.session());
  EXPECT_EQ(thief.call("project_list").status, 404);
  EXPECT_EQ(thief.call("project_delete", {{"project_id", "beta"}, {"force", true}}).status, 404);
  first.must("project_list");
  expect_untouched("the thief");
}

TEST_P(AccessToTools, SecretsAreNowhereButWithTheirOwners) {
  const Token token = make_token("project:alpha", {"--name", "ci"});
  Caller who = caller(token.secret);
  who.must("project_list");
  (void)who.call("project_get", {{"project_id", token.secret}});
  const std::string secret = token.secret.substr(5);
  EXPECT_THAT(server_->log(), Not(HasSubstr(secret)));
  EXPECT_THAT(pale({"token", "list", "--json"}).out, Not(HasSubstr(secret)));
  EXPECT_EQ(server_->end(SIGTERM), 0);  // so that nothing is in its memory alone
  for (const auto& entry : fs::recursive_directory_iterator(project_.pale_home())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(contents_of(entry.path()).find(secret), std::string::npos) << entry.path();
  }
  server_ = start_server();
  admin_ = caller(make_token("admin").secret);
}

// --- what is refused before a token is looked at ----------------------------------------------------------------------

class AccessByHttp : public WithServer {
 protected:
  AccessByHttp() : server_(start_server()), token_(make_token("admin").secret), caller_(server_->port(), token_) {}

  HttpAnswer with(const std::string& name, const std::string& value, const std::string& body = kPing) const {
    Headers headers;
    for (const auto& header : caller_.usual_headers()) {
      if (header.first != name) headers.push_back(header);
    }
    headers.emplace_back(name, value);
    return http::ask(server_->port(), http::request_text("POST", headers, body));
  }
  HttpAnswer with_body(const std::string& body) const { return with("X-Nothing", "1", body); }

  static constexpr const char* kPing =
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},)"
      R"("clientInfo":{"name":"t","version":"1"}}})";
  std::unique_ptr<ServerProcess> server_;
  std::string token_;
  Caller caller_;
};
INSTANTIATE_TEST_SUITE_P(As, AccessByHttp, testing::ValuesIn(accounts()),
                         [](const auto& which) { return account_name(which.param); });

TEST_P(AccessByHttp, ForeignPagesAndNamesAreRefused) {
  EXPECT_EQ(with("X-Nothing", "1").status, 200);
  const std::string port = std::to_string(server_->port());
  for (const std::string origin :
       {"https://evil.example", "null", "http://127.0.0.1:1", "http://127.0.0.1.evil.example", "file://", ""})
    EXPECT_EQ(with("Origin", origin).status, 403) << origin;
  EXPECT_EQ(with("Origin", "http://127.0.0.1:" + port).status, 200);
  for (const std::string host : {"evil.example", "127.0.0.1.evil.example", "evil.example:80", "127.0.0.1@evil", ""})
    EXPECT_NE(with("Host", host).status / 100, 2) << host;
  EXPECT_EQ(with("Host", "evil.example:" + port).status, 403);
  EXPECT_EQ(with("Host", "localhost:" + port).status, 200);
}

TEST_P(AccessByHttp, OnlyThisMachineIsListenedTo) {
  const Finished sockets = run({.arguments = {"/bin/sh", "-c", "cat /proc/net/tcp /proc/net/tcp6"}});
  char port[8];
  std::snprintf(port, sizeof port, ":%04X ", static_cast<unsigned>(server_->port()));
  std::istringstream lines(sockets.out);
  for (std::string line; std::getline(lines, line);) {
    const bool listens = line.find(" 0A ") != std::string::npos && line.find(port) != std::string::npos;
    EXPECT_TRUE(!listens || line.find("0100007F" + std::string(port)) != std::string::npos) << line;
  }
}

TEST_P(AccessByHttp, APortThatIsTakenIsSaidToBe) {
  const Finished second = pale({"serve", "--port", std::to_string(server_->port())});
  EXPECT_EQ(second.exit_code, 125);
  EXPECT_THAT(second.err, AllOf(HasSubstr("Address already in use"), HasSubstr("hint: --port 0")));
}

TEST_P(AccessByHttp, WhatIsTooLargeOrTooDeepIsRefusedAndTheNextIsServed) {
  EXPECT_EQ(with_body("{\"a\":\"" + std::string(5 << 20, 'x') + "\"}").status, 413);
  const HttpAnswer deep = with_body(std::string(100, '[') + std::string(100, ']'));
  EXPECT_EQ(deep.status, 400);
  EXPECT_THAT(deep.body, HasSubstr("nested deeper"));
  const HttpAnswer deeper = with_body(std::string(1 << 20, '{'));
  EXPECT_EQ(deeper.status, 400);
  std::string many = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{";
  for (int each = 0; each < 2000; ++each) many += (each == 0 ? "\"" : ",\"") + std::to_string(each) + "\":1";
  EXPECT_EQ(with_body(many + "}}").status, 400);
  const HttpAnswer heads = with("X-Long", std::string(20'000, 'x'));
  EXPECT_TRUE(heads.status == 0 || heads.status >= 400) << heads.status;
  EXPECT_EQ(with("X-Nothing", "1").status, 200);
}

TEST_P(AccessByHttp, WhoAsksTooOftenIsToldToWait) {
  const auto strict = start_server({"--rate", "5"});
  Caller caller(strict->port(), token_);
  std::string one = "GET /mcp HTTP/1.1\r\n";
  for (const auto& [name, value] : caller.usual_headers()) one += name + ": " + value + "\r\n";
  std::string many;
  for (int each = 0; each < 100; ++each) many += one + "\r\n";
  const auto said = http::exchange(strict->port(), many + "GET /mcp HTTP/1.1\r\nConnection: close\r\n\r\n");
  ASSERT_TRUE(said);
  EXPECT_THAT(said->find("HTTP/1.1 429"), Not(std::string::npos));
  EXPECT_THAT(said->find("Retry-After: "), Not(std::string::npos));
  EXPECT_TRUE(eventually([&] { return caller.post("tools/list", Json::object()).status == 200; }))
      << "and then may ask again";
}

TEST_P(AccessByHttp, WhatIsNoRequestAtAllHarmsNobody) {
  for (const std::string& text :
       {std::string("\r\n\r\n"), std::string("GET"), std::string(100'000, 'A'),
        std::string("POST /mcp HTTP/1.1\r\n\r\n"), std::string("POST /mcp HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"),
        std::string("\x16\x03\x01\x02\x00\x01\x00", 7)}) {
    const int line = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(line, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    (void)send(line, text.data(), text.size(), MSG_NOSIGNAL);
    EXPECT_EQ(with("X-Nothing", "1").status, 200);
    close(line);
  }
  EXPECT_EQ(server_->end(SIGTERM), 0);
}

}  // namespace
}  // namespace pale::test
