#include "proxy/name_message.h"

#include <gtest/gtest.h>

#include "proxy/resolver.h"

namespace pale::proxy {
namespace {

Address at(std::string_view text) { return *Address::parse(text); }

// As a server answers it: the question, then an alias and its address.
std::string with_alias(const std::string& question) {
  std::string message = question;
  message[2] = static_cast<char>(0x81);
  message[7] = 2;
  const std::string alias("\xc0\x0c\0\5\0\1\0\0\0\1\0\4\1b\xc0\x0e", 16);
  const std::string address("\1b\xc0\x0e\0\1\0\1\0\0\0\1\0\4\xc0\0\2\1", 18);
  return message + alias + address;
}

TEST(AQuestion, IsReadAndAnswered) {
  const auto question = parse_question(question_for(7, "api.example.org", kTypeA));
  ASSERT_TRUE(question);
  EXPECT_EQ(question->name, "api.example.org");
  EXPECT_EQ(question->type, kTypeA);
  const std::string answer = answer_to(*question, NameCode::Fine, {at("198.18.0.1"), at("::1")});
  const auto read = parse_answer(answer, 7, "api.example.org", kTypeA);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->addresses, std::vector{at("198.18.0.1")});
}

TEST(AQuestion, OfOddBytesHasNoName) {
  std::string odd = question_for(1, "aXb.test", kTypeA);
  odd[14] = '.';  // a dot in a label is no dot between two
  ASSERT_TRUE(parse_question(odd));
  EXPECT_EQ(parse_question(odd)->name, "");
  odd[14] = '\0';
  EXPECT_EQ(parse_question(odd)->name, "");
  EXPECT_EQ(parse_question(question_for(1, "API.Test", kTypeA))->name, "api.test");
}

TEST(AQuestion, ThatIsNoneIsNotAnswered) {
  const std::string good = question_for(1, "a.test", kTypeA);
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(parse_question(good.substr(0, size)));
  std::string answer = good;
  answer[2] = static_cast<char>(0x80);
  EXPECT_FALSE(parse_question(answer));
  std::string loop = good;
  loop[12] = static_cast<char>(0xc0);
  loop[13] = 12;
  EXPECT_FALSE(parse_question(loop));
}

TEST(AnAnswer, IsFollowedThroughOtherNames) {
  const auto answer = parse_answer(with_alias(question_for(3, "a.test", kTypeA)), 3, "a.test", kTypeA);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->addresses, std::vector{at("192.0.2.1")});
}

TEST(AnAnswer, ToAnotherQuestionIsNone) {
  const std::string answer = with_alias(question_for(3, "a.test", kTypeA));
  EXPECT_FALSE(parse_answer(answer, 4, "a.test", kTypeA));
  EXPECT_FALSE(parse_answer(answer, 3, "b.test", kTypeA));
  EXPECT_FALSE(parse_answer(answer, 3, "a.test", kTypeAaaa));
  for (std::size_t size = 0; size < answer.size(); ++size)
    EXPECT_FALSE(parse_answer(answer.substr(0, size), 3, "a.test", kTypeA)) << size;
}

TEST(TheSystemsNames, AreReadFromItsFiles) {
  constexpr std::string_view kHosts =
      "127.0.0.1 localhost # here\n::1 localhost ip6\n#10.0.0.1 localhost\n10.0.0.2 Other\n";
  EXPECT_EQ(addresses_in_hosts(kHosts, "localhost"), (std::vector{at("127.0.0.1"), at("::1")}));
  EXPECT_EQ(addresses_in_hosts(kHosts, "other"), std::vector{at("10.0.0.2")});
  EXPECT_EQ(servers_in("search x\nnameserver 192.0.2.53\n; nameserver 1.1.1.1\nnameserver x\n"),
            std::vector{at("192.0.2.53")});
}

}  // namespace
}  // namespace pale::proxy
