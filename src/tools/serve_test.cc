#include "tools/serve.h"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>

#include "support/json_lines.h"
#include "support/workbench.h"
#include "tools/message.h"

namespace pale::tools {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// The tools in a process of their own, and a client that talks to them over pipes.
class Served : public Workbench {
 protected:
  Served() {
    int input[2] = {}, output[2] = {};
    if (pipe(input) != 0 || pipe(output) != 0) throw std::runtime_error("pipe");
    server_ = fork();
    if (server_ == 0) {
      close(input[1]);
      close(output[0]);
      const Status done = serve(place_, "1", {input[0], output[1]});
      _exit(done ? 0 : 7);
    }
    close(input[0]);
    close(output[1]);
    to_ = input[1];
    from_ = output[0];
    send({{"jsonrpc", "2.0"}, {"id", 0}, {"method", "initialize"}, {"params", {{"protocolVersion", "2025-11-25"}}}});
    (void)next();
  }
  ~Served() override {
    hang_up();
    close(from_);
    if (server_ > 0) waitpid(server_, nullptr, 0);
  }

  void write_bytes(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t done = ::write(to_, bytes.data(), bytes.size());
      if (done <= 0) throw std::runtime_error("write");
      bytes.remove_prefix(static_cast<std::size_t>(done));
    }
  }
  void send(const Json& message) const { write_bytes(message.dump() + "\n"); }
  void begin(int id, const Json& arguments, const Json& meta = Json::object()) const {
    const Json params = {{"name", "run_command"}, {"arguments", arguments}, {"_meta", meta}};
    send({{"jsonrpc", "2.0"}, {"id", id}, {"method", "tools/call"}, {"params", params}});
  }
  Json next() { return lines_.next(from_, 20'000).value_or(Json::object({{"silent", true}})); }
  Json run(const Json& arguments) {
    begin(1, arguments);
    return next()["result"];
  }
  void hang_up() {
    if (to_ >= 0) close(to_);
    to_ = -1;
  }
  int exit_code() {
    int status = 0;
    waitpid(server_, &status, 0);
    server_ = -1;
    return WEXITSTATUS(status);
  }
  // Whether nobody writes to a file any more, who did several times a second.
  bool is_quiet(const std::string& file) const {
    for (int tries = 0; tries < 20; ++tries) {
      const std::string before = read(file);
      usleep(1'000'000);
      if (read(file) == before) return true;
    }
    return false;
  }

  pid_t server_ = -1;
  int to_ = -1;
  int from_ = -1;
  test::JsonLines lines_;
};

TEST_F(Served, ACommandRunsAndSaysHowItEnded) {
  const Json shell = run({{"command", "echo out; echo err >&2; pwd; exit 3"}});
  EXPECT_EQ(shell["structuredContent"]["exitCode"], 3);
  EXPECT_EQ(shell["structuredContent"]["output"], "out\nerr\n" + base().text() + "\n");
  const Json words = run({{"command", {"printf", "%s|", "a b", "c"}}});
  EXPECT_EQ(words["structuredContent"]["output"], "a b|c|");
  EXPECT_EQ(run({{"command", "kill -9 $$"}})["structuredContent"]["exitCode"], 137);
  write("d/x", "");
  EXPECT_THAT(run({{"command", "pwd"}, {"directory", "d"}})["structuredContent"]["output"], HasSubstr("/d\n"));
}

TEST_F(Served, WhatCannotBeStartedIsAnError) {
  const Json missing = run({{"command", {"no-such-program"}}});
  EXPECT_EQ(missing["isError"], true);
  EXPECT_THAT(missing["content"][0]["text"], HasSubstr("No such file"));
  EXPECT_EQ(run({{"command", "true"}, {"directory", "nowhere"}})["isError"], true);
  EXPECT_EQ(run({{"command", "true"}, {"timeoutSeconds", 0}})["isError"], true);
  EXPECT_EQ(run({{"command", "true"}, {"maxOutput", 100'000'000}})["isError"], true);
}

TEST_F(Served, InputAndOutputOfTheServerAreNotTheCommands) {
  EXPECT_EQ(run({{"command", "cat; ls /proc/self/fd | wc -l"}})["structuredContent"]["output"], "4\n");
}

TEST_F(Served, ATimeLimitEndsTheCommandAndAllItStarted) {
  const Json late = run({{"command", "(setsid sh -c 'while :; do date +%N >> beat; sleep 0.05; done' &) ; sleep 100"},
                         {"timeoutSeconds", 1}});
  EXPECT_EQ(late["structuredContent"]["timedOut"], true);
  EXPECT_NE(read("beat"), "");
  EXPECT_TRUE(is_quiet("beat"));
}

TEST_F(Served, CancellingEndsWhatIgnoresIt) {
  begin(5,
        {{"command",
          "trap '' TERM; (setsid sh -c 'trap \"\" TERM; while :; do date +%N >> beat; sleep 0.05; done' &)\n"
          "echo started; while :; do sleep 0.1; done"}},
        {{"progressToken", "p"}});
  EXPECT_EQ(next()["params"]["message"], "started\n");
  send({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", 5}}}});
  send({{"jsonrpc", "2.0"}, {"id", 6}, {"method", "ping"}});
  EXPECT_EQ(next()["id"], 6);  // and never 5
  EXPECT_TRUE(is_quiet("beat"));
  send({{"jsonrpc", "2.0"}, {"id", 7}, {"method", "ping"}});
  EXPECT_EQ(next()["id"], 7);
}

TEST_F(Served, ProgressIsToldToWhoAsks) {
  begin(1, {{"command", "echo one; sleep 0.3; echo two; sleep 0.3"}}, {{"progressToken", 9}});
  const Json first = next();
  EXPECT_EQ(first["method"], "notifications/progress");
  EXPECT_EQ(first["params"]["progressToken"], 9);
  EXPECT_EQ(first["params"]["message"], "one\n");
  const Json second = next();
  EXPECT_EQ(second["params"]["message"], "two\n");
  EXPECT_GT(second["params"]["progress"], first["params"]["progress"]);
  EXPECT_EQ(next()["result"]["structuredContent"]["output"], "one\ntwo\n");
}

TEST_F(Served, OthersAreAnsweredWhileACommandRuns) {
  begin(1, {{"command", "sleep 0.5; echo slow"}});
  begin(2, {{"command", "echo fast"}});
  send({{"jsonrpc", "2.0"}, {"id", 3}, {"method", "ping"}});
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) order.push_back(next()["id"]);
  EXPECT_EQ(order.back(), 1);
}

TEST_F(Served, MuchOutputIsCutAndTheRestCanBeRead) {
  const Json result = run({{"command", "seq 1 200000"}});
  const Json data = result["structuredContent"];
  EXPECT_EQ(data["truncated"], true);
  EXPECT_EQ(data["outputBytes"], 1'288'895);
  EXPECT_THAT(data["output"].get<std::string>(), testing::EndsWith("200000\n"));
  std::ifstream file(data["outputFile"].get<std::string>());
  std::string line;
  int lines = 0;
  while (std::getline(file, line)) ++lines;
  EXPECT_EQ(lines, 200'000);
  std::filesystem::remove(data["outputFile"].get<std::string>());
}

TEST_F(Served, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(run({{"command", "printf 'a\\377b'"}})["structuredContent"]["output"],
            "a\xef\xbf\xbd"
            "b");
}

TEST_F(Served, ALineThatIsTooLongIsGivenUpAndTheNextIsServed) {
  const std::string piece(1 << 20, 'x');
  for (std::size_t sent = 0; sent <= kMostBytes; sent += piece.size()) write_bytes(piece);
  write_bytes("\n");
  EXPECT_EQ(next()["error"]["code"], kInvalidRequest);
  send({{"jsonrpc", "2.0"}, {"id", 6}, {"method", "ping"}});
  EXPECT_EQ(next()["id"], 6);
}

TEST_F(Served, AClientThatReadsLateLosesNothing) {
  write("big", std::string(100'000, 'x'));
  for (int id = 1; id <= 40; ++id) {
    const Json params = {{"name", "read_file"}, {"arguments", {{"path", "big"}}}};
    send({{"jsonrpc", "2.0"}, {"id", id}, {"method", "tools/call"}, {"params", params}});
  }
  std::set<int> answered;
  for (int i = 0; i < 40; ++i) answered.insert(next()["id"].get<int>());
  EXPECT_THAT(answered, SizeIs(40));
}

TEST_F(Served, WhatStillRunsAtTheEndOfTheInputIsAnsweredFirst) {
  begin(1, {{"command", "sleep 0.5; echo done"}});
  hang_up();
  EXPECT_EQ(next()["result"]["structuredContent"]["output"], "done\n");
  EXPECT_EQ(exit_code(), 0);
}

TEST_F(Served, ItEndsAtOnceIfNobodyReadsEither) {
  begin(1, {{"command", "sleep 100"}});
  hang_up();
  close(from_);
  from_ = -1;
  EXPECT_EQ(exit_code(), 7);
}

}  // namespace
}  // namespace pale::tools
