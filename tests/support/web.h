// support/web.h: hosts of the internet on loopback, under names that only a user's configuration knows (support/web_server.py).
#pragma once

#include <gmock/gmock.h>

#include <cstdlib>
#include <sstream>
#include <thread>

#include "support/host.h"
#include "support/session.h"

namespace pale::test {

class Web {
 public:
  explicit Web(const Project& project) : files_(project.account(), "web"), server_(process(project), Line::Pipes) {
    while (!files_.exists("ports") && state_of(server_.pid()) != 'Z') std::this_thread::yield();
    std::istringstream ports(files_.read("ports"));
    ports >> plain_ >> tls_;
    EXPECT_NE(tls_, 0) << "the hosts do not serve";
  }
  ~Web() {
    server_.close_input();
    server_.finish();
  }
  Web(const Web&) = delete;
  Web& operator=(const Web&) = delete;

  int plain_port() const { return plain_; }
  int tls_port() const { return tls_; }
  std::string trusted() const { return files_.text() + "/ca.pem"; }
  const TemporaryDirectory& files() const { return files_; }
  std::string log() const { return files_.exists("log") ? files_.read("log") : ""; }

  // config.toml: plain.test speaks HTTP, tls.test, api.test, git.test and npm.test speak TLS.
  std::string config() const {
    std::string text = "[network]\nca_file = \"" + trusted() + "\"\n\n[network.hosts]\n";
    text += "\"plain.test\" = \"127.0.0.1:" + std::to_string(plain_) + "\"\n";
    for (const char* name : {"tls.test", "api.test", "git.test", "npm.test", "wrong.test"})
      text += "\"" + std::string(name) + "\" = \"127.0.0.1:" + std::to_string(tls_) + "\"\n";
    return text;
  }

  // A repository at /repo.git, for those who do not ask for more than files; its one commit is "first".
  void serve_repository(const Project& project) const {
    const std::string make = "cd '" + files_.text() +
                             "/www' && git init -q r && cd r && git -c user.name=n -c "
                             "user.email=e commit -q --allow-empty -m first && git clone -q --bare . ../repo.git && cd "
                             "../repo.git && git update-server-info";
    EXPECT_EQ(
        run({.arguments = {"/bin/sh", "-c", make}, .account = project.account(), .environment = project.environment()})
            .exit_code,
        0);
  }

 private:
  Process process(const Project& project) const {
    const char* source = std::getenv("PALE_SOURCE");
    Process process;
    process.arguments = {"/usr/bin/python3",
                         std::string(source == nullptr ? "" : source) + "/tests/support/web_server.py", files_.text()};
    process.account = project.account();
    process.environment = project.environment();
    process.seconds = 300;
    return process;
  }

  TemporaryDirectory files_;
  Session server_;
  int plain_ = 0;
  int tls_ = 0;
};

}  // namespace pale::test
