#include "proxy/http_head.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "proxy/exchange.h"

namespace pale::proxy {
namespace {

RequestHead request(std::string_view fields, std::string_view line = "GET /a HTTP/1.1") {
  return read_request_head(std::string(line) + "\r\n" + std::string(fields) + "\r\nrest");
}
bool is_wrong(std::string_view fields, std::string_view line = "POST /a HTTP/1.1") {
  return request(fields, line).state == HeadState::Wrong;
}

TEST(ARequest, IsRead) {
  const RequestHead head = request("Host: a.test\r\nX-Two:  b \r\n");
  ASSERT_EQ(head.state, HeadState::Whole) << head.why;
  EXPECT_EQ(head.method, "GET");
  EXPECT_EQ(head.target, "/a");
  EXPECT_EQ(*head.find("x-two"), "b");
  EXPECT_EQ(head.framing, Framing::None);
}

TEST(ARequest, ThatTwoProgramsReadDifferentlyIsRefused) {
  const std::string host = "Host: a.test\r\n";
  EXPECT_TRUE(is_wrong(host + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_TRUE(is_wrong(host + "Content-Length: 1\r\nContent-Length: 2\r\n"));
  EXPECT_TRUE(is_wrong(host + "Content-Length: 1\r\nContent-Length: 1\r\n"));
  EXPECT_TRUE(is_wrong(host + "Content-Length: +1\r\n"));
  EXPECT_TRUE(is_wrong(host + "Content-Length: 0x10\r\n"));
  EXPECT_TRUE(is_wrong(host + "Content-Length: 99999999999999999999\r\n"));
  EXPECT_TRUE(is_wrong(host + "Transfer-Encoding: xchunked\r\n"));
  EXPECT_TRUE(is_wrong(host + "Transfer-Encoding: chunked, chunked\r\n"));
  EXPECT_TRUE(is_wrong(host + "Transfer-Encoding : chunked\r\n"));
  EXPECT_TRUE(is_wrong(host + "Transfer-Encoding: chunked\r\n", "POST /a HTTP/1.0"));
  EXPECT_TRUE(is_wrong(host + "X: a\r\n b\r\n"));
  EXPECT_TRUE(is_wrong(host + "X: a\n"));
  EXPECT_TRUE(is_wrong(host + std::string("X: a\0b\r\n", 8)));
  EXPECT_TRUE(is_wrong(host + "X: a\rb\r\n"));
  EXPECT_TRUE(is_wrong(host + ": a\r\n"));
  EXPECT_TRUE(is_wrong(host + "Host: b.test\r\n"));
  EXPECT_TRUE(is_wrong("X: a\r\n"));
  EXPECT_TRUE(is_wrong(host, "POST /a HTTP/2.0"));
  EXPECT_TRUE(is_wrong(host, "POST  /a HTTP/1.1"));
  EXPECT_TRUE(is_wrong(host, "POST /a b HTTP/1.1"));
  EXPECT_TRUE(is_wrong(host, "PRI * HTTP/2.0"));
}

TEST(ARequest, IsNotWholeBeforeItsEmptyLine) {
  const std::string text = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_EQ(read_request_head(text.substr(0, size)).state, HeadState::More) << size;
  EXPECT_EQ(read_request_head(std::string(kMostHead + 1, 'a')).state, HeadState::Wrong);
}

TEST(AResponse, EndsWhereItSays) {
  const auto framing = [](std::string_view text, std::string_view method = "GET") {
    return read_response_head(text, method).framing;
  };
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"), Framing::Length);
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), Framing::Chunked);
  EXPECT_EQ(framing("HTTP/1.1 200\r\n\r\n"), Framing::UntilClose);
  EXPECT_EQ(framing("HTTP/1.1 204 No\r\n\r\n"), Framing::None);
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", "HEAD"), Framing::None);
  EXPECT_EQ(read_response_head("HTTP/1.1 2000 OK\r\n\r\n", "GET").state, HeadState::Wrong);
}

TEST(ABeginning, IsARequestInHoweverManyPieces) {
  const std::string text = "\r\nGET /a HTTP/1.1\r\n";
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_EQ(beginning_of(text.substr(0, size)), Beginning::Unclear) << size;
  for (const char* request :
       {"GET /a HTTP/1.1\r\n", "\r\n\r\nget\t/a HTTP/1.1\n", "M-SEARCH * HTTP/1.1\r\n", "PRI * HTTP/2.0\r\n"})
    EXPECT_EQ(beginning_of(request), Beginning::Http) << request;
  EXPECT_EQ(beginning_of("GET " + std::string(kMostHead, 'a')), Beginning::Http);
}

TEST(ABeginning, OfSomethingElseIsKnownAtOnce) {
  for (const std::string_view other :
       {std::string_view("\0\0\0\x08", 4), std::string_view("AMQP\0\0", 6), std::string_view("get key\r\n"),
        std::string_view("SSH-2.0-x\r\n"), std::string_view("*1\r\n$4\r\nPING\r\n")})
    EXPECT_EQ(beginning_of(other), Beginning::Other) << other;
}

TEST(AnAuthority, IsAHostAndAPort) {
  EXPECT_EQ(parse_authority("A.test.", 80)->host, "a.test");
  EXPECT_EQ(parse_authority("a.test:8080", 80)->port, 8080);
  EXPECT_EQ(parse_authority("[::1]:443", 0)->host, "::1");
  for (const char* wrong : {"", "a.test:", "a.test:0", "a.test:x", "u@a.test", "::1", "a.test:99999", "a b"})
    EXPECT_FALSE(parse_authority(wrong, 80)) << wrong;
  EXPECT_FALSE(parse_authority("a.test", 0));
  EXPECT_FALSE(parse_authority(std::string_view("a.test\0.evil:443", 16), 0));
}

TEST(ATarget, OfAProxyNamesTheHost) {
  EXPECT_EQ(parse_absolute("http://A.test:81/x?y")->path, "/x?y");
  EXPECT_EQ(parse_absolute("http://a.test?y")->path, "/?y");
  EXPECT_FALSE(parse_absolute("https://a.test/"));
  EXPECT_FALSE(parse_absolute("http://u:p@a.test/"));
  EXPECT_FALSE(parse_absolute("/x"));
}

std::string scanned(std::string_view text, bool& wrong) {
  ChunkScanner scanner;
  const std::size_t used = scanner.scan(text);
  wrong = scanner.wrong();
  return scanner.done() ? std::string(text.substr(used)) : "not done";
}

TEST(Chunks, EndAtTheirEmptyOne) {
  bool wrong = false;
  EXPECT_EQ(scanned("3\r\nabc\r\n0\r\n\r\nnext", wrong), "next");
  EXPECT_EQ(scanned("A;x=y\r\n0123456789\r\n0\r\nT: v\r\n\r\nnext", wrong), "next");
  for (const char* bad :
       {"\r\n", "3\nabc", "3 \r\nabc", "x\r\n", "3\r\nabcd", "ffffffffffffffffff\r\n", "0\r\n\n", "-1\r\n"}) {
    scanned(bad, wrong);
    EXPECT_TRUE(wrong) << bad;
  }
}

RC_GTEST_PROP(Chunks, AreScannedInAnyPieces, ()) {
  const std::string text = "3\r\nabc\r\n1f;e\r\n0123456789012345678901234567890\r\n0\r\nT: v\r\n\r\n";
  ChunkScanner scanner;
  for (std::size_t at = 0; at < text.size();) {
    const auto piece = *rc::gen::inRange<std::size_t>(1, 9);
    RC_ASSERT(scanner.scan(text.substr(at, piece)) == text.substr(at, piece).size());
    at += piece;
  }
  RC_ASSERT(scanner.done());
}

TEST(WhatGoesOut, HasNothingThatIsForOneHop) {
  const RequestHead head = request(
      "Host: a.test\r\nProxy-Authorization: x\r\nConnection: X-Own, close\r\nX-Own: 1\r\nAuthorization: "
      "placeholder\r\nAccept: y\r\n");
  constexpr std::string_view kDropped[] = {"authorization"};
  EXPECT_EQ(request_text(head, "/p", {{"Host", "b.test"}, {"x-api-key", "k"}}, kDropped),
            "GET /p HTTP/1.1\r\nAccept: y\r\nHost: b.test\r\nx-api-key: k\r\n\r\n");
}

// A body without its length would be the next request.
TEST(WhatGoesOut, KeepsItsEndAndItsHostWhateverConnectionNames) {
  const RequestHead counted =
      request("Host: a.test\r\nConnection: Content-Length, host\r\nContent-Length: 3\r\n", "POST /a HTTP/1.1");
  EXPECT_EQ(request_text(counted, "/a", {}, {}), "POST /a HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\n");
  const RequestHead chunked =
      request("Host: a.test\r\nConnection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n", "POST /a HTTP/1.1");
  EXPECT_EQ(request_text(chunked, "/a", {}, {}),
            "POST /a HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n");
  const ResponseHead answer =
      read_response_head("HTTP/1.1 200 OK\r\nConnection: content-length\r\nContent-Length: 3\r\n\r\n", "GET");
  EXPECT_EQ(response_text(answer, false), "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n");
}

TEST(WhatGoesOut, IsTheLastOneIfItHasABodyThatAServerMayNotRead) {
  const std::string fields = "Host: a.test\r\nContent-Length: 3\r\n";
  EXPECT_EQ(request_text(request(fields), "/a", {}, {}), "GET /a HTTP/1.1\r\n" + fields + "Connection: close\r\n\r\n");
  EXPECT_EQ(request_text(request(fields, "PUT /a HTTP/1.1"), "/a", {}, {}), "PUT /a HTTP/1.1\r\n" + fields + "\r\n");
}

TEST(WhatGoesOut, GoesOnAsAWebSocketAndAsNothingElse) {
  const auto upgraded = [](std::string_view protocol) {
    const RequestHead head =
        request("Host: a.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: " + std::string(protocol) + "\r\n");
    return request_text(head, "/a", {}, {});
  };
  const std::string plain = "GET /a HTTP/1.1\r\nHost: a.test\r\n";
  EXPECT_EQ(upgraded("WebSocket"), plain + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  for (const char* other : {"h2c", "TLS/1.0", "websocket, h2c"}) EXPECT_EQ(upgraded(other), plain + "\r\n") << other;
}

}  // namespace
}  // namespace pale::proxy
