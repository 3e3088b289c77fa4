// What the tests of Studio share: a project that is registered, a server, and a page that has come in.
#pragma once

#include "serving.h"
#include "support/session.h"
#include "support/studio_page.h"

namespace pale::test {

class WithStudio : public WithServer {
 protected:
  WithStudio() {
    const Finished made = pale({"project", "init", root(), "--id", "shop"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    serve();
  }
  // Anew, and the page comes in by the new link.
  void serve() {
    const std::string former = std::exchange(link_, "");
    server_ = start_server();
    EXPECT_TRUE(eventually([&] {
      link_ = link_in(server_->log());
      return !link_.empty() && link_ != former;
    })) << server_->log();
    page_ = std::make_unique<StudioPage>(server_->port(), link_);
  }

  static std::string of_shop(const std::string& path) {
    return path + (path.find('?') == std::string::npos ? "?" : "&") + "project_id=shop";
  }
  Json got(const std::string& path) const {
    const HttpAnswer answer = page_->get(of_shop(path));
    EXPECT_EQ(answer.status, 200) << path << "\n" << answer.body;
    return answer.json();
  }
  Json did(const std::string& method, const std::string& path, const Json& body = Json::object()) const {
    const HttpAnswer answer = page_->send(method, of_shop(path), body);
    EXPECT_EQ(answer.status, 200) << path << "\n" << answer.body;
    return answer.json();
  }
  HttpAnswer tried(const std::string& method, const std::string& path, const Json& body = Json::object()) const {
    return page_->send(method, of_shop(path), body);
  }
  // A command as a session; over, once this returns.
  std::string ran(const std::string& line, bool staged) const {
    const std::string id = did("POST", "/sessions", {{"command", {"/bin/sh", "-c", line}}, {"stage", staged}})["id"];
    EXPECT_TRUE(eventually([&] { return got("/sessions/" + id)["state"] == "ended"; }));
    return id;
  }
  std::string stage_of(const std::string& session) const { return got("/sessions/" + session).value("stage_id", ""); }
  // Asks a person about this project, as a tool would; waits already, once this returns.
  std::unique_ptr<Session> question(const std::string& id) const {
    Process process = pale_process();
    process.arguments = {PALE_ASKER, project_.pale_home().string(), id, "600000", "queue", "+one\n", root()};
    auto session = std::make_unique<Session>(process, Line::Pipes);
    session->expect("waiting\n");
    return session;
  }

  std::string link_;
  std::unique_ptr<ServerProcess> server_;
  std::unique_ptr<StudioPage> page_;
};

}  // namespace pale::test
