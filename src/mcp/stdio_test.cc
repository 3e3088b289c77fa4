#include "mcp/stdio.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include "mcp/fixtures.h"

namespace pale::mcp {
namespace {

using ::testing::HasSubstr;

class Stdio : public ::testing::Test {
 protected:
  Stdio() {
    add_fixtures(server_);
    EXPECT_EQ(::pipe(in_), 0);
    EXPECT_EQ(::pipe(out_), 0);
    options_.input = in_[0];
    options_.output = out_[1];
    options_.principal = {"alice", {}};
  }
  ~Stdio() override {
    end_input();
    if (thread_.joinable()) thread_.join();
    for (const int fd : {in_[0], out_[0], out_[1]}) ::close(fd);
  }
  void start() {
    thread_ = std::thread([this] { served_ = serve_stdio(loop_, server_, options_); });
  }
  void say(const std::string& text) {
    EXPECT_EQ(::write(in_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void end_input() {
    if (in_[1] >= 0) ::close(in_[1]);
    in_[1] = -1;
  }
  Json hear() {
    while (text_.find('\n') == std::string::npos) {
      pollfd waiting{out_[0], POLLIN, 0};
      char buffer[4096];
      if (::poll(&waiting, 1, 5000) <= 0) return "nothing was said";
      const ssize_t size = ::read(out_[0], buffer, sizeof buffer);
      if (size <= 0) return "the end";
      text_.append(buffer, static_cast<std::size_t>(size));
    }
    const std::size_t end = text_.find('\n');
    const Json message = Json::parse(text_.substr(0, end));
    text_.erase(0, end + 1);
    return message;
  }
  void initialize() {
    say(print_request(0, "initialize", {{"protocolVersion", "2025-11-25"}, {"capabilities", Json::object()}}) + "\n");
    EXPECT_EQ(hear()["id"], 0);
  }
  static std::string call(int id, const char* tool, const Json& arguments = Json::object()) {
    return print_request(id, "tools/call", {{"name", tool}, {"arguments", arguments}}) + "\n";
  }

  Server server_{fixture_about()};
  StdioOptions options_;
  Loop loop_{1};
  std::thread thread_;
  Status served_;
  int in_[2] = {-1, -1};
  int out_[2] = {-1, -1};
  std::string text_;
};

TEST_F(Stdio, AnswersManyAtATimeInTheOrderInWhichTheyEnd) {
  start();
  initialize();
  say(call(1, "pale_sleep", {{"milliseconds", 300}}) + call(2, "pale_sleep", {{"milliseconds", 100}}) +
      call(3, "test_simple_text"));
  EXPECT_EQ(hear()["id"], 3);
  EXPECT_EQ(hear()["id"], 2);
  EXPECT_EQ(hear()["id"], 1);
}

TEST_F(Stdio, SpeaksBothErasAtOnce) {
  start();
  Json params;
  params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                     {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
  say(print_request("d", "server/discover", params) + "\n");
  EXPECT_EQ(hear()["result"]["supportedVersions"], Json::array({"2026-07-28"}));
  initialize();
  say(print_request("d", "tools/list", params) + "\n");
  EXPECT_EQ(hear()["result"]["resultType"], "complete");
}

TEST_F(Stdio, GoesOnBehindWhatItCannotRead) {
  options_.bounds.bytes = 1000;
  start();
  say("\n{\n[]\n" + std::string(5000, 'x') + "\n" + std::string(500, '[') + "\n");
  EXPECT_EQ(hear()["error"]["code"], kParseError);
  EXPECT_EQ(hear()["error"]["code"], kInvalidRequest);
  EXPECT_THAT(hear()["error"]["message"].get<std::string>(), HasSubstr("larger"));
  EXPECT_THAT(hear()["error"]["message"].get<std::string>(), HasSubstr("deeper"));
  initialize();
}

TEST_F(Stdio, EndsWithItsInputWhenAllIsAnswered) {
  start();
  initialize();
  say(call(1, "pale_sleep", {{"milliseconds", 300}}) + call(2, "test_simple_text"));
  end_input();
  EXPECT_EQ(hear()["id"], 2);
  EXPECT_EQ(hear()["id"], 1);
  thread_.join();
  EXPECT_TRUE(served_);
  EXPECT_TRUE(text_.empty());
}

TEST_F(Stdio, CancelsWhatRunsWhenNobodyIsLeft) {
  start();
  initialize();
  say(call(1, "pale_sleep", {{"milliseconds", 60000}}) + call(2, "test_simple_text"));
  EXPECT_EQ(hear()["id"], 2);
  end_input();
  ::close(std::exchange(out_[0], -1));
  thread_.join();
  EXPECT_TRUE(served_);
}

TEST_F(Stdio, LeavesOutProgressThatIsNotReadAndNeverTheAnswer) {
  server_.add(Tool{.name = "flood",
                   .description = "Says more than anybody reads.",
                   .handler = [](Call& call) -> boost::asio::awaitable<ToolResult> {
                     for (int i = 1; i < 1000; ++i) call.progress(i, {}, std::string(100'000, 'x'));
                     co_return ToolResult::text(std::string(400'000, 'y'));
                   }});
  options_.unsent = 1'200'000;
  start();
  initialize();
  Json params{{"name", "flood"}, {"arguments", Json::object()}, {"_meta", {{"progressToken", "p"}}}};
  say(print_request(1, "tools/call", params) + "\n");
  int told = 0;
  Json heard = hear();
  for (; heard.is_object() && heard.contains("method"); heard = hear()) ++told;
  EXPECT_GT(told, 0);
  EXPECT_LT(told, 20);
  ASSERT_TRUE(heard.is_object()) << heard;
  EXPECT_EQ(heard["result"]["content"][0]["text"].get<std::string>().size(), 400'000U);
  say(call(2, "test_simple_text"));
  EXPECT_EQ(hear()["id"], 2);
}

TEST_F(Stdio, EndsWhenItsClientReadsNoMore) {
  options_.unsent = 100'000;
  start();
  initialize();
  for (int i = 1; i < 100; ++i) say(print_request(i, "tools/list", Json::object()) + "\n");
  thread_.join();
  EXPECT_TRUE(served_);
}

}  // namespace
}  // namespace pale::mcp
