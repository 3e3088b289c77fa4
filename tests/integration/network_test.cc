// An allow-list of hosts: who is reached by which program, who is not, and how that is told.
#include "projects.h"
#include "support/name_server.h"
#include "support/web.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class AllowList : public WithProjects {
 protected:
  AllowList() {
    init(work());
    write_pale_home("config.toml", web_.config());
    std::filesystem::copy_file(web_.trusted(), work().path() / "ca.pem");
    give_tree(work().path(), GetParam());
  }
  Finished inside(const std::string& line, const std::string& hosts = "plain.test,tls.test") const {
    return script(line, {"--network", "allow:" + hosts});
  }
  std::string log_of_last_session() const {
    const auto sessions = nlohmann::json::parse(pale({"session", "list", "--json"}).out).at("sessions");
    EXPECT_FALSE(sessions.empty());
    return sessions.empty() ? "" : pale({"session", "log", sessions.front().at("id")}).out;
  }

  Web web_{project_};
};

TEST_P(AllowList, ReachesAHostThroughTheProxyAndWithoutOne) {
  for (const char* line : {"curl -sSf http://plain.test/echo", "curl -sSf --noproxy '*' http://plain.test/echo",
                           "curl -sSf -x socks5h://127.0.0.1:911 http://plain.test/echo",
                           "curl -sSf -p http://plain.test/echo", "curl -sSf --cacert ca.pem https://tls.test/echo",
                           "curl -sSf --noproxy '*' --cacert ca.pem https://tls.test/echo",
                           "curl -sSf -x socks5h://127.0.0.1:911 --cacert ca.pem https://tls.test/echo"}) {
    const Finished run = inside(line);
    EXPECT_EQ(run.exit_code, 0) << line << run.err;
    EXPECT_THAT(run.out, HasSubstr("GET /echo Host=")) << line;
  }
}

TEST_P(AllowList, KeepsOthersOutAndSaysHowToAllowThem) {
  const Finished by_proxy = inside("curl -sS http://other.test/; curl -sS https://other.test:8443/; true");
  EXPECT_THAT(by_proxy.out, HasSubstr("other.test:80: it is not on the list"));
  EXPECT_THAT(by_proxy.err, AllOf(HasSubstr("[NETWORK] BLOCKED"), HasSubstr("Host: other.test:80"),
                                  HasSubstr("pale config add hosts other.test:8443 --project-root")));
  const Finished directly = inside("curl -sS --noproxy '*' http://other.test/");
  EXPECT_EQ(directly.exit_code, 6) << directly.err;
  EXPECT_THAT(directly.err, HasSubstr("Host: other.test\n"));
  const Finished by_number =
      inside("curl -sS -m 5 --noproxy '*' http://127.0.0.1:" + std::to_string(web_.plain_port()));
  EXPECT_EQ(by_number.exit_code, 7) << by_number.err;
  EXPECT_EQ(web_.log(), "");
}

TEST_P(AllowList, IsWrittenDown) {
  ASSERT_EQ(inside("curl -sSf http://plain.test/echo; curl -sS http://other.test/ >/dev/null").exit_code, 0);
  const std::string log = log_of_last_session();
  EXPECT_THAT(log, HasSubstr("network: allowed plain.test:80 (http), "));
  EXPECT_THAT(log, HasSubstr("network: blocked other.test:80 (http): it is not on the list; allow it by other.test"));
}

TEST_P(AllowList, SaysWhoWasMeantByADatagram) {
  const std::string ask =
      "import socket; s = socket.create_connection(('127.0.0.1', 911)); s.sendall(bytes([5, 1, 0])); s.recv(9); "
      "s.sendall(bytes([5, 3, 0, 3, 10]) + b'plain.test' + bytes([0, 53])); print('reply', s.recv(99)[1])";
  const Finished run = inside("python3 -c \"" + ask + "\"");
  EXPECT_THAT(run.out, HasSubstr("reply 7"));
  EXPECT_THAT(run.err, AllOf(HasSubstr("Host: plain.test:53"), HasSubstr("no datagrams")));
}

// The first two questions are lost, the next two are answered with a failure of the server: whoever gave up would know no address.
TEST_P(AllowList, AsksANameServerAgain) {
  const std::string port = std::to_string(web_.plain_port());
  for (const NameServer::Bad bad : {NameServer::Bad{.lost = 2}, NameServer::Bad{.failed = 2}}) {
    const NameServer names({127, 0, 0, 1}, bad);
    write_pale_home("config.toml", "[network]\nresolver = \"127.0.0.1:" + std::to_string(names.port()) + "\"\n");
    const Finished run =
        inside("curl -sS http://named.test:" + port + "/echo", "named.test:" + port + ",127.0.0.1:" + port);
    EXPECT_THAT(run.out, HasSubstr("Host=named.test")) << run.err;
  }
}

TEST_P(AllowList, ServesPythonAndWget) {
  const std::string python = "import urllib.request as r; print(r.urlopen('http://plain.test/echo').read().decode())";
  EXPECT_THAT(inside("python3 -c \"" + python + "\"").out, HasSubstr("GET /echo Host=plain.test"));
  const std::string bare =
      "import socket; s = socket.create_connection(('plain.test', 80)); "
      "s.sendall(b'GET /echo HTTP/1.0\\r\\nHost: plain.test\\r\\n\\r\\n'); print(s.makefile('rb').read())";
  EXPECT_THAT(inside("python3 -c \"" + bare + "\"").out, HasSubstr("GET /echo Host=plain.test"));
  EXPECT_THAT(inside("wget -qO- --ca-certificate=ca.pem https://tls.test/echo").out, HasSubstr("Host=tls.test"));
}

TEST_P(AllowList, ServesNode) {
  const std::string fetch = "fetch('https://tls.test/echo').then(r => r.text()).then(console.log)";
  EXPECT_THAT(inside("NODE_EXTRA_CA_CERTS=$PWD/ca.pem node -e \"" + fetch + "\"").out, HasSubstr("Host=tls.test"));
}

TEST_P(AllowList, ServesGit) {
  web_.serve_repository(project_);
  const Finished cloned =
      inside("git -c http.sslCAInfo=$PWD/ca.pem clone -q https://tls.test/repo.git got && git -C got log --oneline");
  EXPECT_THAT(cloned.out, HasSubstr("first")) << cloned.err;
}

TEST_P(AllowList, ServesNpmAndApt) {
  web_.files().write("www/small", R"({"name":"small","dist-tags":{"latest":"1.2.3"},"versions":{"1.2.3":{"name":"small",
    "version":"1.2.3","dist":{"tarball":"http://plain.test/small.tgz","shasum":"00"}}}})");
  EXPECT_THAT(inside("npm view small version --registry http://plain.test/ --cache $TMPDIR/npm").out,
              HasSubstr("1.2.3"));
  web_.files().write("www/Packages", "a list\n");
  const Finished apt = inside(
      "/usr/lib/apt/apt-helper -o APT::Sandbox::User=$(id -un) download-file http://plain.test/Packages "
      "$PWD/Packages; cat Packages");
  EXPECT_THAT(apt.out, HasSubstr("a list")) << apt.err;
}

TEST_P(AllowList, OfAManifestNeedsTheUsersWordOnce) {
  write_manifest("[project]\nid = \"mine\"\n[network]\nmode = \"allow\"\nallow = [\"plain.test\"]\n");
  const Finished asked = script("curl -sSf http://plain.test/echo");
  EXPECT_EQ(asked.exit_code, 3);
  EXPECT_THAT(asked.err, HasSubstr("you have not allowed plain.test"));
  ASSERT_EQ(run_hint(hint_of(asked)).exit_code, 0);
  EXPECT_THAT(script("curl -sSf http://plain.test/echo").out, HasSubstr("Host=plain.test"));
  EXPECT_THAT(read_pale_home("config.toml"), HasSubstr("hosts = [\"plain.test\"]"));
  write_manifest("[project]\nid = \"mine\"\n[network]\nmode = \"allow\"\nallow = [\"plain.test\", \"tls.test\"]\n");
  EXPECT_EQ(script("true").exit_code, 3);
}

TEST_P(AllowList, IsShownBeforeItIsUsed) {
  const Finished shown = pale_in(root(), {"run", "--dry-run", "--network", "allow:*.Example.org:8443", "--", "true"});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("allow: these hosts, through a proxy"), HasSubstr("*.example.org:8443"),
                               HasSubstr("listen proxy 127.0.0.1 911")));
  const Finished explained = pale_in(root(), {"explain", "--json", "--network", "allow:a.test"});
  EXPECT_EQ(nlohmann::json::parse(explained.out).at("boundary").at("hosts").at(0).at("host"), "a.test");
  EXPECT_EQ(pale_in(root(), {"run", "--network", "allow:bücher.test", "--", "true"}).exit_code, 2);
}

TEST_P(AllowList, IsLearntFromARun) {
  const Finished learnt =
      pale_in(root(), {"learn", "--network", "observe", "--", "curl", "-sSf", "http://plain.test/echo"});
  EXPECT_THAT(learnt.out, HasSubstr("[network]\nmode = \"allow\"\nallow = [\"plain.test\"]")) << learnt.err;
  EXPECT_THAT(learnt.err, HasSubstr("pale config add hosts plain.test --project-root"));
}

TEST_P(AllowList, IsHeldInALimit) {
  write_manifest("[project]\nid = \"mine\"\n[network]\nconnections = 2\nhost_traffic = \"100K\"\n");
  const Finished many = inside("for i in 1 2 3; do curl -sS http://plain.test/echo; done");
  EXPECT_THAT(many.out, HasSubstr("the limit of 2 connections is reached ([network] connections)"));
  const Finished big = inside("curl -sS http://plain.test/big | wc -c");
  EXPECT_LT(std::stol(big.out), 400'000);
  EXPECT_THAT(log_of_last_session(), HasSubstr("the limit of 102400 bytes with one host is reached"));
}

TEST_P(AllowList, CountsRequestsAndAllBytes) {
  write_manifest("[project]\nid = \"mine\"\n[network]\nrequests = 2\ntraffic = \"100K\"\n");
  const Finished many = inside("curl -sS http://plain.test/echo http://plain.test/echo http://plain.test/echo");
  EXPECT_THAT(many.out, HasSubstr("the limit of 2 requests is reached ([network] requests)"));
  const Finished big = inside("curl -sS http://plain.test/big | wc -c");
  EXPECT_LT(std::stol(big.out), 400'000);
  EXPECT_THAT(log_of_last_session(), HasSubstr("the limit of 102400 bytes is reached"));
}

// Whoever connects and says nothing is hung up on: the end of the connection is what is waited for, no time.
TEST_P(AllowList, HasNoPatienceWithSilence) {
  std::string config = web_.config();
  config.insert(config.find("[network]\n") + std::string("[network]\n").size(),
                "connect_timeout = \"1s\"\nidle_timeout = \"1s\"\n");
  write_pale_home("config.toml", config);
  const std::string silent =
      "import socket; s = socket.create_connection(('plain.test', 80)); print('over', len(s.makefile('rb').read()))";
  EXPECT_THAT(inside("python3 -c \"" + silent + "\"").out, HasSubstr("over"));
}

TEST_P(AllowList, GoesOnInsideOnlyAsItIs) {
  const std::string nested = " run --project-root $PWD --network ";
  const std::string pale = "PALE_HOME=$HOME/p " + pale_program();
  const Finished wider =
      script(pale + nested + "allow:other.test -- true", {"--network", "allow:plain.test", "--ro", pale_program()});
  EXPECT_EQ(wider.exit_code, 3) << wider.err;
  const Finished none = script(pale + nested + "none -- curl -sS -m 5 http://plain.test/echo",
                               {"--network", "allow:plain.test", "--ro", pale_program()});
  EXPECT_NE(none.exit_code, 0);
  EXPECT_THAT(none.out, Not(HasSubstr("Host="))) << none.err;
}

TEST_P(AllowList, IsRefusedWhereNothingCouldKeepIt) {
  const Finished refused = inside("true", "plain.test");
  EXPECT_EQ(refused.exit_code, 0) << refused.err;
  const Finished landlock =
      script("true", {"--backend", "landlock", "--network", "allow:plain.test", "--trust", "read_only"});
  EXPECT_NE(landlock.exit_code, 0);
  EXPECT_THAT(landlock.err, HasSubstr("cannot let through only some hosts"));
}

INSTANTIATE_TEST_SUITE_P(, AllowList, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
