// ESCAPES 54: nothing inside a sandbox, and no web page elsewhere, can press Studio's approve. Whatever is tried, the question
// waits afterwards, and is answered by the page that came in.
#include "integration/studio.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kQuestion = "aaaa2222";

class Studio : public WithStudio {
 protected:
  Studio() : asked_(question(kQuestion)), digest_(got("/approvals")["approvals"][0]["digest"]) {}

  std::string target() const { return of_shop("/api/v1/approvals/" + std::string(kQuestion)); }
  std::string body() const { return Json{{"decision", "approve"}, {"digest", digest_}}.dump(); }
  std::string own_origin() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }
  // What the page itself would send, to be spoilt.
  Headers good() const {
    return {{"Cookie", page_->cookie()},
            {"X-Pale-CSRF", page_->csrf()},
            {"Content-Type", "application/json"},
            {"Origin", own_origin()},
            {"Sec-Fetch-Site", "same-origin"}};
  }
  static Headers with(Headers headers, const std::string& name, const std::string& value) {
    std::erase_if(headers, [&](const auto& header) { return header.first == name; });
    if (!value.empty()) headers.emplace_back(name, value);
    return headers;
  }
  HttpAnswer approve(const Headers& headers, const std::string& host = {}) const {
    return page_->ask("POST", target(), headers, body(), host);
  }

  bool waits() const { return pale({"approvals", "--json"}).out.find(kQuestion) != std::string::npos; }
  void expect_refused(const HttpAnswer& answer, int status) const {
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_TRUE(waits());
  }
  // Only now it is answered, and by nobody else before.
  ~Studio() override {
    EXPECT_TRUE(waits());
    EXPECT_EQ(approve(good()).status, 200);
    EXPECT_THAT(asked_->finish().out, HasSubstr("approved by"));
  }

  // A whole request from inside, by the shell's own means; what came back, if anything did.
  std::string inside(const std::string& request, const Words& flags) const {
    work().write("request", request);
    const Finished done = script(
        "exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(server_->port()) + " && cat request >&3 && timeout 5 cat <&3",
        flags);
    return done.out + done.err;
  }
  Finished script(const std::string& line, const Words& flags) const {
    return pale_in(work().text(), Words{"run"} + flags + Words{"--", "/bin/bash", "-c", line});
  }
  std::string request_with(const Headers& headers) const {
    std::string text = "POST " + target() + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server_->port()) + "\r\n";
    for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
    return text + "Content-Length: " + std::to_string(body().size()) + "\r\nConnection: close\r\n\r\n" + body();
  }

  std::unique_ptr<Session> asked_;
  std::string digest_;
};

TEST_P(Studio, E54_FromInsideWithoutANetworkNothingIsReached) {
  const std::string answer = inside(request_with(good()), {});
  EXPECT_THAT(answer, AllOf(HasSubstr("refused"), Not(HasSubstr("HTTP/1.1"))));
  EXPECT_TRUE(waits());
}

TEST_P(Studio, E54_FromInsideWithTheHostsNetworkNobodyKnowsWhatIsNeeded) {
  const Words open = {"--network", "open"};
  EXPECT_THAT(inside(request_with({{"Content-Type", "application/json"}}), open), HasSubstr("HTTP/1.1 401"));
  const Headers guessed = with(good(), "Cookie", "pale_studio=" + std::string(64, 'a'));
  EXPECT_THAT(inside(request_with(guessed), open), HasSubstr("HTTP/1.1 401"));
  EXPECT_THAT(
      inside("GET /enter?key=" + std::string(64, '0') + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
             open),
      HasSubstr("HTTP/1.1 403"));
  EXPECT_TRUE(waits());
}

TEST_P(Studio, E54_NeitherLinkNorCookieNorTokenCanBeReadInside) {
  const Finished fresh = pale({"studio", "--no-browser"});
  const std::string link = link_in(fresh.out);
  const std::string key = link.substr(link.find("key=") + 4);
  ASSERT_EQ(key.size(), 64U);
  const std::string home = project_.pale_home().string();
  // What a process sees of others, what lies on disk, and what it was given.
  const Finished seen =
      script("cat /proc/*/cmdline /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; env; ls -R '" + home + "' 2>&1; cat '" +
                 home + "'/studio/keys/* '" + home + "'/studio/address '" + home + "'/history.db 2>&1",
             {"--network", "open", "--timeout", "60s"});
  EXPECT_THAT(seen.out + seen.err, AllOf(Not(HasSubstr(key)), Not(HasSubstr("http://127.0.0.1:"))));
  EXPECT_THAT(seen.out + seen.err, Not(HasSubstr(page_->cookie().substr(12))));
  // On the host it stands in no command line either.
  EXPECT_TRUE(processes_with(key).empty());
  EXPECT_EQ(StudioPage(server_->port(), link).get("/me").status, 200);
}

TEST_P(Studio, E54_APageOfAnotherSiteCannotUseTheCookie) {
  for (const std::string origin :
       {"https://evil.example", "http://127.0.0.1:1", "http://localhost.evil.example", "null"})
    expect_refused(approve(with(good(), "Origin", origin)), 403);
  for (const std::string site : {"cross-site", "same-site", "none"})
    expect_refused(approve(with(good(), "Sec-Fetch-Site", site)), 403);
  // Nor look at anything.
  const HttpAnswer looked =
      page_->ask("GET", of_shop("/api/v1/approvals"), {{"Cookie", page_->cookie()}, {"Sec-Fetch-Site", "cross-site"}});
  EXPECT_EQ(looked.status, 403);
  EXPECT_THAT(looked.body, Not(HasSubstr(digest_)));
  // A form cannot say what it is.
  expect_refused(approve(with(good(), "Content-Type", "text/plain")), 415);
}

TEST_P(Studio, E54_AChangeNeedsThePagesOwnToken) {
  expect_refused(approve(with(good(), "X-Pale-CSRF", "")), 403);
  expect_refused(approve(with(good(), "X-Pale-CSRF", std::string(64, '0'))), 403);
  const Finished fresh = pale({"studio", "--no-browser"});
  const StudioPage other(server_->port(), link_in(fresh.out));
  expect_refused(approve(with(good(), "X-Pale-CSRF", other.csrf())), 403);
}

TEST_P(Studio, E54_ANameThatWasMadeToLeadHereIsNotOurs) {
  for (const std::string& host : {std::string("evil.example"), "evil.example:" + std::to_string(server_->port()),
                                  std::string("127.0.0.1.evil.example")}) {
    expect_refused(approve(good(), host), 403);
    expect_refused(approve(with(good(), "Origin", "http://" + host), host), 403);
    EXPECT_EQ(page_->ask("GET", "/enter?key=" + std::string(64, '0'), {}, {}, host).status, 403);
  }
}

TEST_P(Studio, E54_ForgedExpiredAndReplayedSecretsOpenNothing) {
  expect_refused(approve(with(good(), "Cookie", "pale_studio=" + std::string(64, 'f'))), 401);
  expect_refused(approve(with(good(), "Cookie", "pale_studio=")), 401);
  expect_refused(approve(with(good(), "Cookie", "")), 401);
  Headers token = {{"Content-Type", "application/json"}, {"Authorization", "Bearer pale_forged"}};
  expect_refused(approve(token), 401);
  const Token expired = make_token("admin", {"--expires", "1s"});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  expect_refused(approve(with(token, "Authorization", "Bearer " + expired.secret)), 401);
  const Token revoked = make_token("admin");
  EXPECT_EQ(pale({"token", "revoke", revoked.id, "--yes"}).exit_code, 0);
  expect_refused(approve(with(token, "Authorization", "Bearer " + revoked.secret)), 401);
  expect_refused(approve(with(token, "Authorization", "Bearer " + make_token("admin:ro").secret)), 403);
  // The link that this page came in by.
  EXPECT_EQ(page_->ask("GET", link_.substr(link_.find("/enter"))).status, 403);
  // A page that has left.
  const Finished fresh = pale({"studio", "--no-browser"});
  const StudioPage left(server_->port(), link_in(fresh.out));
  EXPECT_EQ(left.send("POST", "/logout").status, 200);
  expect_refused(approve(with(with(good(), "Cookie", left.cookie()), "X-Pale-CSRF", left.csrf())), 401);
}

INSTANTIATE_TEST_SUITE_P(, Studio, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
