// Studio's API as its document has it: every answer fits its schema, and whoever says not which project, or who he is, hears so.
#include <set>

#include "mcp/schema.h"
#include "studio.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class StudioApi : public WithStudio {
 protected:
  Json document() const { return page_->get("/openapi.json").json(); }

  // With what its references stand for, as deep as answers go.
  static Json expanded(const Json& schema, const Json& document, int depth = 12) {
    if (schema.is_array()) {
      Json list = Json::array();
      for (const Json& each : schema) list.push_back(expanded(each, document, depth));
      return list;
    }
    if (!schema.is_object()) return schema;
    if (schema.contains("$ref")) {
      if (depth == 0) return Json::object();
      const std::string pointer = schema["$ref"].get<std::string>().substr(1);
      return expanded(document.at(Json::json_pointer(pointer)), document, depth - 4);
    }
    Json whole = Json::object();
    for (const auto& [name, value] : schema.items()) whole[name] = expanded(value, document, depth);
    return whole;
  }
  void expect_fits(const Json& document, const std::string& operation, const std::string& status, Json body) const {
    const std::string method = operation.substr(0, operation.find(' '));
    const Json& responses =
        document.at("paths").at(operation.substr(operation.find(' ') + 1)).at(method).at("responses");
    const Json& schema = responses.at(status).at("content").at("application/json").at("schema");
    const auto wrong = mcp::check_schema(expanded(schema, document), body);
    EXPECT_FALSE(wrong) << operation << ": " << *wrong << "\n" << body.dump(1);
  }
};

TEST_P(StudioApi, EveryAnswerFitsTheDocument) {
  work().write("src/a.txt", "1\n2\n3\n");
  work().write("prd.json", R"({"userStories":[{"id":"S-1","title":"One","priority":1,"passes":false}]})");
  const auto asked = question("aaaa2222");
  const std::string session = ran("echo out; echo two > src/a.txt; echo x > .envrc", true);
  const std::string stage = stage_of(session);
  const Json whole = document();
  const std::vector<std::pair<std::string, std::string>> reads = {
      {"/me", "/me"},
      {"/projects", "/projects"},
      {"/overview", "/overview"},
      {"/boundary", "/boundary"},
      {"/boundary/tree", "/boundary/tree?depth=3"},
      {"/boundary/explain", "/boundary/explain?path=src/a.txt"},
      {"/manifest", "/manifest"},
      {"/agents", "/agents"},
      {"/sessions", "/sessions"},
      {"/sessions/{id}", "/sessions/" + session},
      {"/sessions/{id}/events", "/sessions/" + session + "/events"},
      {"/accesses", "/accesses"},
      {"/stages", "/stages"},
      {"/stages/{id}", "/stages/" + stage},
      {"/stages/{id}/diff", "/stages/" + stage + "/diff?path=src/a.txt"},
      {"/stages/{id}/conflict", "/stages/" + stage + "/conflict?path=src/a.txt"},
      {"/workers", "/workers"},
      {"/workers/calls", "/workers/calls"},
      {"/approvals", "/approvals"},
      {"/loop", "/loop"},
  };
  std::set<std::string> checked = {"/openapi.json", "/stream", "/sessions/{id}/stream"};
  for (const auto& [path, target] : reads) {
    expect_fits(whole, "get " + path, "200", got(target));
    checked.insert(path);
  }
  for (const auto& [path, methods] : whole.at("paths").items())
    EXPECT_TRUE(!methods.contains("get") || checked.contains(path)) << path;
  const Json manifest = got("/manifest");
  expect_fits(whole, "post /boundary/what-if", "200",
              did("POST", "/boundary/what-if", {{"manifest", manifest["text"]}}));
  expect_fits(whole, "put /manifest", "200",
              did("PUT", "/manifest", {{"text", manifest["text"]}, {"digest", manifest["digest"]}}));
  expect_fits(whole, "post /accesses/propose", "200",
              did("POST", "/accesses/propose", {{"path", ".envrc"}, {"operation", "create"}}));
  expect_fits(whole, "post /stages/{id}/apply", "200", did("POST", "/stages/" + stage + "/apply"));
  expect_fits(whole, "post /stages/{id}/undo", "200", did("POST", "/stages/" + stage + "/undo"));
  expect_fits(whole, "post /stages/{id}/discard", "200", did("POST", "/stages/" + stage + "/discard"));
  const Json waiting = got("/approvals")["approvals"][0];
  expect_fits(whole, "post /approvals/{id}", "200",
              did("POST", "/approvals/aaaa2222", {{"decision", "deny"}, {"digest", waiting["digest"]}}));
  expect_fits(whole, "put /projects/default", "200", did("PUT", "/projects/default", {{"project_id", "shop"}}));
  expect_fits(whole, "get /overview", "default", page_->get("/overview").json());
}

TEST_P(StudioApi, WithoutAProjectNothingButTheGateOpens) {
  const Json whole = document();
  for (const auto& [path, methods] : whole.at("paths").items()) {
    for (const auto& [method, operation] : methods.items()) {
      bool needed = false;
      for (const Json& parameter : operation.at("parameters")) needed = needed || parameter["name"] == "project_id";
      if (!needed) continue;
      std::string name = method;
      for (char& c : name) c = static_cast<char>(std::toupper(c));
      std::string place = path;
      if (const std::size_t id = place.find("{id}"); id != std::string::npos) place.replace(id, 4, "x");
      const HttpAnswer answer = name == "GET" ? page_->get(place) : page_->send(name, place);
      EXPECT_EQ(answer.status, 400) << name << " " << place << answer.body;
      EXPECT_EQ(answer.json()["error"]["code"], "project_required") << name << " " << place;
    }
  }
  const HttpAnswer unknown = page_->get("/overview?project_id=nobody");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.json()["error"]["code"], "not_found");
}

TEST_P(StudioApi, TheGateMakesChoosesAndForgetsProjects) {
  const TemporaryDirectory other(GetParam(), "other");
  const Json made = page_->send("POST", "/projects", {{"root", other.text()}, {"id", "other"}}).json();
  EXPECT_EQ(made["id"], "other") << made.dump();
  EXPECT_TRUE(other.exists(".pale/project.toml"));
  EXPECT_EQ(page_->send("PUT", "/projects/default", {{"project_id", "other"}}).json()["default"], "other");
  other.write(".pale/project.toml", "[agent]\ntrust = 7\n");
  bool broken = false;
  const Json all = page_->get("/projects").json();
  for (const Json& each : all["projects"])
    broken = broken || (each["id"] == "other" && each["problems"][0]["code"] == "broken_manifest");
  EXPECT_TRUE(broken);
  EXPECT_EQ(page_->send("DELETE", "/projects/other").status, 200);
  EXPECT_TRUE(other.exists(".pale/project.toml"));
  EXPECT_EQ(page_->send("POST", "/projects", {{"root", "/"}}).status, 403);
  EXPECT_EQ(page_->send("POST", "/projects", {{"root", "relative"}}).status, 400);
}

// Programs tell what is wrong with a new project by the words that Sunwell has for it.
TEST_P(StudioApi, WhatIsWrongWithANewProjectHasItsCode) {
  const TemporaryDirectory other(GetParam(), "other");
  const auto code = [&](const Json& wanted) {
    const HttpAnswer answer = page_->send("POST", "/projects", wanted);
    return std::to_string(answer.status) + " " + answer.json()["error"].value("code", "");
  };
  EXPECT_EQ(code({{"root", other.text()}, {"id", "no word"}}), "400 invalid_name");
  EXPECT_EQ(code({{"root", other.text()}, {"id", "shop"}}), "409 already_exists");
  EXPECT_EQ(code({{"root", root()}}), "409 already_exists");
  EXPECT_EQ(code({{"root", other.text() + "/not/there"}}), "404 not_found");
  EXPECT_EQ(code({{"root", "/usr"}}), "403 refused");
  other.write("CMakeLists.txt", "project(pale CXX)\n");
  for (const char* mark : {"src/boundary/boundary.h", "src/sandbox/launch.h", "apps/pale/main.cc"})
    other.write(mark, "");
  EXPECT_EQ(code({{"root", other.text()}}), "403 own_repository");
  if (GetParam() == Account::Ordinary) {
    const TemporaryDirectory foreign(Account::Root, "foreign");
    EXPECT_EQ(code({{"root", foreign.text()}}), "403 not_writable");
  }
  const std::string good = read_pale_home("projects.json");
  write_pale_home("projects.json", "{");
  EXPECT_EQ(code({{"root", other.text()}}), "500 registry_error");
  EXPECT_EQ(page_->get("/projects").json()["error"]["code"], "registry_error");
  write_pale_home("projects.json", good);
}

TEST_P(StudioApi, ATokenCountsByItsScopes) {
  const StudioPage& page = *page_;
  const auto as = [&](const std::string& secret, const std::string& method, const std::string& path,
                      const std::string& body) {
    return page.ask(method, "/api/v1" + path,
                    {{"Authorization", "Bearer " + secret}, {"Content-Type", "application/json"}}, body);
  };
  const std::string looks = make_token("admin:ro").secret;
  EXPECT_EQ(as(looks, "GET", "/sessions?project_id=shop", "").status, 200);
  EXPECT_EQ(as(looks, "POST", "/sessions?project_id=shop", R"({"command":["true"]})").status, 403);
  const std::string all = make_token("admin").secret;
  EXPECT_EQ(as(all, "POST", "/sessions?project_id=shop", R"({"command":["true"]})").status, 200);
  // A token for the managed project of that name opens no local one.
  const std::string scoped = make_token("project:shop").secret;
  EXPECT_EQ(as(scoped, "GET", "/sessions?project_id=shop", "").status, 404);
  EXPECT_EQ(as("pale_wrong", "GET", "/me", "").status, 401);
  EXPECT_EQ(page.ask("GET", "/api/v1/me").status, 401);
}

TEST_P(StudioApi, AManifestIsTriedThenReplacedWholeOrNotAtAll) {
  work().write("docs/x.txt", "x");
  const Json before = got("/manifest");
  std::string text = before["text"];
  text.replace(text.find("protected = []"), 14, "protected = [\"docs\"]");
  const Json imagined = did("POST", "/boundary/what-if", {{"manifest", text}});
  EXPECT_THAT(imagined["changed"].dump(), HasSubstr(R"({"path":"docs","before":"writable","after":"protected"})"));
  EXPECT_EQ(work().read(".pale/project.toml"), before["text"].get<std::string>());
  const Json broken = did("POST", "/boundary/what-if", {{"manifest", text + "\n[agent\n"}});
  EXPECT_GT(broken["problems"][0]["line"].get<int>(), 0) << broken.dump();
  EXPECT_EQ(tried("PUT", "/manifest", {{"text", "[nonsense]\n"}, {"digest", before["digest"]}}).status, 422);
  EXPECT_EQ(tried("PUT", "/manifest", {{"text", text}, {"digest", "another"}}).status, 409);
  EXPECT_EQ(work().read(".pale/project.toml"), before["text"].get<std::string>());
  did("PUT", "/manifest", {{"text", text}, {"digest", before["digest"]}});
  EXPECT_EQ(work().read(".pale/project.toml"), text);
  const Json explained = got("/boundary/explain?path=docs/x.txt");
  EXPECT_EQ(explained["operations"][1]["allowed"], false) << explained.dump();
  EXPECT_EQ(explained["operations"][1]["origin"]["file"], ".pale/project.toml");
  // And what refuses it now can be taken back in one step.
  const Json proposal = did("POST", "/accesses/propose", {{"path", "docs/x.txt"}, {"operation", "write"}});
  EXPECT_EQ(proposal["possible"], true) << proposal.dump();
  EXPECT_THAT(proposal["diff"].get<std::string>(), HasSubstr("-protected = [\"docs\"]"));
  EXPECT_EQ(work().read(".pale/project.toml"), text);
  EXPECT_EQ(did("POST", "/accesses/propose", {{"path", "/etc/shadow"}, {"operation", "read"}})["possible"], false);
}

TEST_P(StudioApi, ThePageSaysWhatABrowserMayDo) {
  const HttpAnswer page = page_->ask("GET", "/");
  EXPECT_THAT(page.header("content-security-policy"), HasSubstr("default-src 'none'"));
  EXPECT_EQ(page.header("x-content-type-options"), "nosniff");
  EXPECT_EQ(page.header("referrer-policy"), "no-referrer");
  EXPECT_EQ(page.header("cache-control"), "no-store");
  EXPECT_EQ(page_->ask("GET", "/assets/none.js").status, 404);
  EXPECT_THAT(page_->ask("GET", "/assets/../../../../etc/passwd").body, Not(HasSubstr("root:")));
  EXPECT_EQ(page_->ask("GET", "/enter?key=" + std::string(64, '0')).status, 403);
  EXPECT_EQ(page_->ask("POST", "/").status, 405);
  const std::string fresh = link_in(pale({"studio", "--no-browser"}).out);
  EXPECT_THAT(page_->ask("GET", fresh.substr(fresh.find("/enter"))).header("set-cookie"),
              testing::EndsWith("; Path=/; HttpOnly; SameSite=Strict"));
  // Whoever leaves needs another link, which pale studio makes while the server runs.
  EXPECT_EQ(page_->send("POST", "/logout").status, 200);
  EXPECT_EQ(page_->get("/me").status, 401);
  const Finished again = pale({"studio", "--no-browser"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(StudioPage(server_->port(), link_in(again.out)).get("/me").status, 200) << again.out;
}

INSTANTIATE_TEST_SUITE_P(, StudioApi, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
