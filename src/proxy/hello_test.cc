#include "proxy/hello.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace pale::proxy {
namespace {

using State = Hello::State;

std::string number(std::size_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t at = size; at > 0; --at) bytes += static_cast<char>(value >> (8 * (at - 1)) & 0xffU);
  return bytes;
}
std::string counted(const std::string& content, std::size_t size) { return number(content.size(), size) + content; }
std::string extension(std::size_t kind, const std::string& content) { return number(kind, 2) + counted(content, 2); }
std::string server_name(const std::string& name) {
  return extension(0, counted(std::string(1, '\0') + counted(name, 2), 2));
}
std::string message(const std::string& extensions) {
  const std::string body = "\3\3" + std::string(32, 'r') + counted("", 1) + counted(std::string("\x13\1", 2), 2) +
                           counted(std::string(1, '\0'), 1) + counted(extensions, 2);
  return "\1" + counted(body, 3);
}
// In records of so many bytes.
std::string records(const std::string& text, std::size_t piece) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); at += piece) bytes += "\x16\3\1" + counted(text.substr(at, piece), 2);
  return bytes;
}
std::string hello_for(const std::string& name) {
  return message(extension(10, "xx") + server_name(name) + extension(43, "\2\3\4"));
}

TEST(AHello, NamesTheServer) {
  const Hello hello = read_hello(records(hello_for("api.example.org"), 10'000));
  EXPECT_EQ(hello.state, State::Whole);
  EXPECT_EQ(hello.server_name, "api.example.org");
  EXPECT_FALSE(hello.encrypted);
}

TEST(AHello, MayNameNone) {
  EXPECT_EQ(read_hello(records(message(extension(10, "x")), 10'000)).state, State::Whole);
  EXPECT_EQ(read_hello(records(message(extension(10, "x")), 10'000)).server_name, "");
}

TEST(AHello, ThatHidesAnotherNameSaysSo) {
  EXPECT_TRUE(read_hello(records(message(server_name("a.test") + extension(0xfe0d, "e")), 10'000)).encrypted);
}

TEST(AHello, ThatIsAmbiguousIsWrong) {
  const auto state = [](const std::string& extensions) {
    return read_hello(records(message(extensions), 10'000)).state;
  };
  EXPECT_EQ(state(server_name("a.test") + server_name("b.test")), State::Wrong);
  const std::string two = std::string(1, '\0') + counted("a.test", 2) + std::string(1, '\0') + counted("b.test", 2);
  EXPECT_EQ(state(extension(0, counted(two, 2))), State::Wrong);
  EXPECT_EQ(state(server_name("")), State::Wrong);
  EXPECT_EQ(state(extension(0, "")), State::Wrong);
  EXPECT_EQ(read_hello(records("\2" + counted("x", 3), 100)).state, State::Wrong);
  EXPECT_EQ(read_hello("\x16\3\1\xff\xff").state, State::Wrong);
}

TEST(AHello, IsToldFromOtherProtocols) {
  EXPECT_EQ(read_hello("GET / HTTP/1.1\r\n").state, State::NotTls);
  EXPECT_EQ(read_hello("SSH-2.0").state, State::NotTls);
  EXPECT_EQ(read_hello("").state, State::More);
}

RC_GTEST_PROP(AHello, IsReadInAnyPieces, ()) {
  const auto piece = *rc::gen::inRange<std::size_t>(1, 400);
  const std::string bytes = records(hello_for("api.example.org"), piece);
  const auto cut = *rc::gen::inRange<std::size_t>(0, bytes.size());
  RC_ASSERT(read_hello(bytes.substr(0, cut)).state == State::More);
  RC_ASSERT(read_hello(bytes + "more").server_name == "api.example.org");
}

}  // namespace
}  // namespace pale::proxy
