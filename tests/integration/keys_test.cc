// Keys that are used inside and stay outside.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <set>

#include "projects.h"
#include "support/web.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecret = "sk-9f27-this-stays-outside";

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// All below a process, by who started whom.
std::set<int> descendants_of(int process) {
  std::set<int> found = {process};
  for (bool more = true; more;) {
    more = false;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string stat = text_of("/proc/" + name + "/stat");
      const std::size_t close = stat.rfind(')');
      if (close == std::string::npos) continue;
      if (found.contains(std::stoi(stat.substr(close + 4))) && found.insert(std::stoi(name)).second) more = true;
    }
  }
  found.erase(process);
  return found;
}

bool holds(int process, const std::string& secret) {
  std::istringstream maps(text_of("/proc/" + std::to_string(process) + "/maps"));
  const int memory = open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (memory < 0 && errno == ENOENT) return false;  // It has ended meanwhile.
  EXPECT_GE(memory, 0) << process;
  bool found = false;
  for (std::string line; std::getline(maps, line) && !found;) {
    const std::size_t dash = line.find('-');
    const auto begin = std::stoull(line.substr(0, dash), nullptr, 16);
    const auto end = std::stoull(line.substr(dash + 1), nullptr, 16);
    if (line.find(" r") == std::string::npos || line.find("[v") != std::string::npos || end - begin > (1ULL << 30U))
      continue;
    std::string bytes(end - begin, '\0');
    const ssize_t got = pread(memory, bytes.data(), bytes.size(), static_cast<off_t>(begin));
    found = got > 0 && bytes.find(secret) != std::string::npos;
  }
  close(memory);
  return found;
}

// A program with sanitizers copies its environment to where nobody finds it, and so cannot wipe it.
bool has_sanitizers(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  std::string beginning(1 << 20, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return beginning.find("libasan.so") != std::string::npos;
}

class AKey : public WithProjects {
 protected:
  AKey() {
    init(work());
    keys_.write("key", std::string(kSecret) + "\n");
    configure("secret = { file = \"" + keys_.text() + "/key\" }");
  }
  void configure(const std::string& secret, const std::string& kind = "anthropic",
                 const std::string& host = "api.test") const {
    write_pale_home("config.toml", web_.config() + "[network.credentials.model]\nhost = \"" + host + "\"\nkind = \"" +
                                       kind + "\"\n" + secret + "\n");
  }
  Finished inside(const std::string& line, const std::string& hosts = "api.test", const Words& environment = {}) const {
    return pale_in(root(), {"run", "--network", "allow:" + hosts, "--", "/bin/sh", "-c", line}, environment);
  }

  Web web_{project_};
  TemporaryDirectory keys_{GetParam(), "keys"};
};

TEST_P(AKey, IsAddedOnTheWayOut) {
  const Finished run = inside(
      "env | grep ANTHROPIC; curl -sSf -H \"x-api-key: $ANTHROPIC_API_KEY\" -H 'Authorization: Bearer mine' "
      "$ANTHROPIC_BASE_URL/go");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("ANTHROPIC_BASE_URL=http://127.0.0.1:912"),
                             HasSubstr("ANTHROPIC_API_KEY=kept-outside-by-pale"), HasSubstr("gone")));
  EXPECT_EQ(web_.log(), "GET /go Host=api.test X-Api-Key=" + std::string(kSecret) + " Authorization=None\n");
}

TEST_P(AKey, ComesFromAVariableOrACommand) {
  configure("secret = { env = \"MY_KEY\" }\nheader = \"authorization\"\nprefix = \"Bearer \"");
  const Finished by_variable =
      inside("env; curl -sSf $ANTHROPIC_BASE_URL/go", "api.test", {"MY_KEY=" + std::string(kSecret)});
  EXPECT_THAT(by_variable.out, Not(HasSubstr(kSecret)));
  configure("secret = { command = [\"cat\", \"" + keys_.text() + "/key\"] }");
  EXPECT_EQ(inside("curl -sSf -d body $ANTHROPIC_BASE_URL/post").exit_code, 0);
  EXPECT_THAT(web_.log(), AllOf(HasSubstr("Authorization=Bearer " + std::string(kSecret)),
                                HasSubstr("POST /post Host=api.test X-Api-Key=" + std::string(kSecret))));
}

// An adapter passes on what its agent usually has its key in: that may be the very variable which the key is read from.
TEST_P(AKey, IsNotPassedOnInTheVariableThatItComesFrom) {
  configure("secret = { env = \"MY_KEY\" }", "plain");
  write_pale_home(
      "agents/my-agent.toml",
      "name = \"my-agent\"\ntask = [\"/bin/sh\", \"-c\", \"env\", \"{task}\"]\nenvironment = [\"MY_KEY\"]\n");
  const Words key = {"MY_KEY=" + std::string(kSecret)};
  const auto agent = [&](const std::string& hosts) {
    return pale_in(root(), {"agent", "run", "--agent", "my-agent", "--network", "allow:" + hosts, "x"}, key);
  };
  EXPECT_THAT(agent("tls.test").out, HasSubstr(kSecret)) << "where the key is not used, the variable is like any other";
  const Finished run = agent("api.test");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("HTTP_PROXY="), Not(HasSubstr(kSecret))));
  const Finished said = pale_in(root(), {"run", "--network", "allow:api.test", "--env", "MY_KEY", "--", "env"}, key);
  EXPECT_EQ(said.exit_code, 3);
  EXPECT_THAT(said.err, HasSubstr("the key model stays outside, and is read from: MY_KEY"));
  const Finished other =
      pale_in(root(), {"run", "--network", "allow:api.test", "--env", "MY_KEY=else", "--", "env"}, key);
  EXPECT_THAT(other.out, HasSubstr("MY_KEY=else")) << other.err;
}

TEST_P(AKey, IsNotPassedOnToAWorkersAgent) {
  configure("secret = { env = \"ANTHROPIC_API_KEY\" }");
  write_pale_home("agents/my-agent.toml",
                  "name = \"my-agent\"\ntask = [\"/bin/sh\", \"-c\", \"env\", \"{task}\"]\nenvironment = "
                  "[\"ANTHROPIC_API_KEY\", \"ANTHROPIC_AUTH_TOKEN\"]\n");
  write_manifest(
      "[project]\nid = \"mine\"\n[approval]\nmode = \"auto\"\n[network]\nmode = \"allow\"\nallow = [\"api.test\"]\n"
      "[agent]\nname = \"my-agent\"\n");
  ASSERT_EQ(pale({"config", "add", "hosts", "api.test"}).exit_code, 0);
  work().write(".pale/workers/main.worker", "---\nname: main\n---\nDo it.\n");
  const Finished run =
      pale({"worker", "call", "main", "--project-root", root()},
           {"ANTHROPIC_API_KEY=" + std::string(kSecret), "ANTHROPIC_AUTH_TOKEN=" + std::string(kSecret)});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("ANTHROPIC_API_KEY=kept-outside-by-pale"), Not(HasSubstr(kSecret))));
  // Nor what lies in a zone.
  work().write("data/key", std::string(kSecret) + "\n");
  configure("secret = { file = \"" + root() + "/data/key\" }");
  ASSERT_EQ(pale({"config", "add", "hosts", "api.test"}).exit_code, 0);
  write_manifest(work().read(".pale/project.toml") + "[zones.data]\n");
  const Finished zone = pale({"worker", "call", "main", "--project-root", root()});
  EXPECT_EQ(zone.exit_code, 3) << zone.out;
  EXPECT_THAT(zone.err, HasSubstr("the key model could be read inside: " + root() + "/data/key"));
}

TEST_P(AKey, IsRefusedWhereItsFileCouldBeRead) {
  work().write("deep/key", std::string(kSecret) + "\n");
  configure("secret = { file = \"" + root() + "/deep/key\" }");
  const Finished refused = inside("true");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("the key model could be read inside: " + root() + "/deep/key"));
  EXPECT_EQ(inside("true", "tls.test").exit_code, 0) << "it is not used";
  const Finished hidden = pale_in(root(), {"run", "--network", "allow:api.test", "--hide", "deep", "--", "/bin/sh",
                                           "-c", "curl -sSf $ANTHROPIC_BASE_URL/go"});
  EXPECT_THAT(hidden.out, HasSubstr("gone")) << hidden.err;
}

TEST_P(AKey, IsInNothingThatLivesInsideAndInNoRecord) {
  const bool by_file = has_sanitizers(pale_program());
  if (!by_file) configure("secret = { env = \"MY_KEY\" }");
  Process process;
  process.arguments = {pale_program(),
                       "run",
                       "--project-root",
                       root(),
                       "--network",
                       "allow:api.test",
                       "--",
                       "/bin/sh",
                       "-c",
                       "curl -sSf $ANTHROPIC_BASE_URL/go; touch ready; (sleep 100) & read line; true"};
  process.account = GetParam();
  process.environment = environment_with(by_file ? Words{} : Words{"MY_KEY=" + std::string(kSecret)});
  Session session(process, Line::Pipes);
  while (!work().exists("ready") && state_of(session.pid()) != 'Z') std::this_thread::yield();
  std::size_t looked_at = 0;
  for (const int each : descendants_of(session.pid())) {
    const std::string place = "/proc/" + std::to_string(each);
    if (text_of(place + "/cmdline").find("network-proxy") != std::string::npos) continue;
    ++looked_at;
    EXPECT_FALSE(holds(each, kSecret)) << text_of(place + "/cmdline");
    EXPECT_EQ(text_of(place + "/environ").find(kSecret), std::string::npos);
  }
  EXPECT_GE(looked_at, 3U);
  session.close_input();
  EXPECT_EQ(session.finish().exit_code, 0);
  EXPECT_THAT(web_.log(), HasSubstr(kSecret));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(project_.pale_home())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(text_of(entry.path()).find(kSecret), std::string::npos) << entry.path();
  }
}

TEST_P(AKey, LetsEventsThroughAsTheyCome) {
  const Finished run = inside(
      "curl -sN $ANTHROPIC_BASE_URL/events | while read -r line; do echo \"$line\"; "
      "case $line in *first) curl -s $ANTHROPIC_BASE_URL/go > /dev/null;; esac; done");
  EXPECT_THAT(run.out, AllOf(HasSubstr("data: first"), HasSubstr("data: second"), Not(HasSubstr("late")))) << run.err;
}

TEST_P(AKey, IsShownToNobodyButItsHost) {
  configure("secret = { file = \"" + keys_.text() + "/key\" }", "anthropic", "wrong.test");
  const Finished wrong = inside("curl -sS $ANTHROPIC_BASE_URL/go", "wrong.test");
  EXPECT_THAT(wrong.out, HasSubstr("certificate is not good"));
  configure("secret = { file = \"" + keys_.text() + "/key\" }");
  EXPECT_THAT(inside("env", "tls.test").out, Not(HasSubstr("ANTHROPIC")));
  EXPECT_THAT(inside("curl -sS -X TRACE $ANTHROPIC_BASE_URL/").out, HasSubstr("pale: this door takes requests"));
  EXPECT_EQ(web_.log(), "");
}

TEST_P(AKey, ThatCannotBeReadIsSaidSo) {
  configure("secret = { file = \"/nowhere\" }");
  EXPECT_THAT(inside("curl -sS $ANTHROPIC_BASE_URL/go").out, HasSubstr("its key cannot be read"));
  std::string config = web_.config();
  config.replace(config.find("/ca.pem"), 7, "/no.pem");
  write_pale_home("config.toml",
                  config + "[network.credentials.x]\nhost = \"api.test\"\nsecret = { file = \"/nowhere\" }\n");
  EXPECT_THAT(inside("true").err, HasSubstr("[network] ca_file cannot be read: " + web_.files().text() + "/no.pem"));
  write_pale_home("config.toml", "[network.credentials.x]\nhost = \"api.test\"\n");
  EXPECT_THAT(script("true").err, HasSubstr("secret is missing"));
}

// It accepts connections, and says nothing: until TLS stands, the shorter of the two times counts.
TEST_P(AKey, IsNotHeldUpByASilentHost) {
  const int silent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place = {};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof place;
  ASSERT_EQ(bind(silent, reinterpret_cast<sockaddr*>(&place), size), 0);
  ASSERT_EQ(listen(silent, 8), 0);
  getsockname(silent, reinterpret_cast<sockaddr*>(&place), &size);
  write_pale_home("config.toml",
                  "[network]\nconnect_timeout = \"1s\"\n[network.hosts]\n\"api.test\" = \"127.0.0.1:" +
                      std::to_string(ntohs(place.sin_port)) +
                      "\"\n[network.credentials.model]\nhost = \"api.test\"\nkind = \"anthropic\"\nsecret "
                      "= { file = \"" +
                      keys_.text() + "/key\" }\n");
  const Finished run = inside("curl -sS -m 60 $ANTHROPIC_BASE_URL/go");
  close(silent);
  constexpr int kEmptyReply = 52;
  EXPECT_EQ(run.exit_code, kEmptyReply) << run.out << run.err;
  const auto sessions = nlohmann::json::parse(pale({"session", "list", "--json"}).out).at("sessions");
  const std::string log = pale({"session", "log", sessions.front().at("id")}).out;
  EXPECT_THAT(log, HasSubstr("nothing was agreed on in time"));
  EXPECT_THAT(log, Not(HasSubstr("TLS with the host failed"))) << "told of once";
}

TEST_P(AKey, ServesGitAndNpm) {
  web_.serve_repository(project_);
  configure("secret = { file = \"" + keys_.text() + "/key\" }", "git", "git.test");
  const Finished cloned = inside("git clone -q https://git.test/repo.git got && git -C got log --oneline", "git.test");
  EXPECT_THAT(cloned.out, HasSubstr("first")) << cloned.err;
  EXPECT_THAT(web_.log(), HasSubstr("Authorization=Basic "));
  web_.files().write("www/small", R"({"name":"small","dist-tags":{"latest":"1.2.3"},"versions":{"1.2.3":{"name":"small",
    "version":"1.2.3","dist":{"tarball":"https://npm.test/small.tgz","shasum":"00"}}}})");
  configure("secret = { file = \"" + keys_.text() + "/key\" }", "npm", "npm.test");
  EXPECT_THAT(inside("npm view small version --cache $TMPDIR/npm", "npm.test").out, HasSubstr("1.2.3"));
  EXPECT_THAT(web_.log(), HasSubstr("Authorization=Bearer " + std::string(kSecret)));
}

INSTANTIATE_TEST_SUITE_P(, AKey, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
