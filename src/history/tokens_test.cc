#include "history/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "support/directory.h"

namespace pale::history {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class TokensOfAHome : public test::InADirectory {
 protected:
  Tokens open() const {
    auto tokens = Tokens::open(base());
    EXPECT_TRUE(tokens.has_value()) << tokens.error().sentence();
    return std::move(*tokens);
  }
  static NewToken make(Tokens& tokens, TokenRequest request) {
    auto token = tokens.create(request);
    EXPECT_TRUE(token.has_value()) << token.error().sentence();
    return token.value_or(NewToken{});
  }
  static bool is_good(Tokens& tokens, std::string_view secret) {
    const auto known = tokens.check(secret);
    EXPECT_TRUE(known.has_value());
    return known && known->has_value();
  }
  // All that the database and what lies beside it consist of.
  std::string bytes_on_disk() const { return read("history.db") + read("history.db-wal"); }
};

TEST_F(TokensOfAHome, ATokenIsItsPrefixAnd256RandomBits) {
  Tokens tokens = open();
  std::set<std::string> seen;
  for (int i = 0; i < 50; ++i) {
    const NewToken token = make(tokens, {"", {"admin"}, {}});
    EXPECT_THAT(token.secret, MatchesRegex("pale_[A-Za-z0-9_-]{43}"));
    EXPECT_TRUE(seen.insert(token.secret).second);
  }
}

TEST_F(TokensOfAHome, ATokenIsKnownWithWhatItMayDo) {
  Tokens tokens = open();
  make(tokens, {"other", {"admin"}, {}});
  const NewToken token = make(tokens, {"ci", {"project:shop", "project:blog:ro"}, {}});
  make(tokens, {"third", {"admin:ro"}, {}});
  const auto known = tokens.check(token.secret);
  ASSERT_TRUE(known.has_value() && known->has_value());
  EXPECT_EQ((*known)->info.name, "ci");
  EXPECT_TRUE((*known)->access.may_write("shop"));
  EXPECT_FALSE((*known)->access.may_write("blog"));
  EXPECT_FALSE((*known)->access.may_manage());
}

TEST_F(TokensOfAHome, WhatIsNoTokenIsNotKnown) {
  Tokens tokens = open();
  const std::string secret = make(tokens, {"", {"admin"}, {}}).secret;
  EXPECT_TRUE(is_good(tokens, secret));
  for (std::size_t at = 0; at < secret.size(); ++at) {
    std::string other = secret;
    other[at] = other[at] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(is_good(tokens, other)) << at;
  }
  for (const std::string& other : {std::string(), secret.substr(0, 47), secret + "A", " " + secret,
                                   secret + std::string(1, '\0'), std::string(1 << 20, 'A')})
    EXPECT_FALSE(is_good(tokens, other));
}

TEST_F(TokensOfAHome, ARevokedTokenIsNoneAtOnceForEveryoneWhoHasTheHistoryOpen) {
  Tokens tokens = open();
  Tokens server = open();
  const NewToken token = make(tokens, {"", {"admin"}, {}});
  const NewToken kept = make(tokens, {"", {"admin"}, {}});
  EXPECT_TRUE(is_good(server, token.secret));
  EXPECT_TRUE(tokens.revoke(token.info.id).has_value());
  EXPECT_FALSE(is_good(server, token.secret));
  EXPECT_TRUE(is_good(server, kept.secret));
  for (const std::string& none :
       {token.info.id, std::string(), std::string("-1"), std::string("1 OR 1"), std::string("x")}) {
    const Status again = tokens.revoke(none);
    ASSERT_FALSE(again.has_value());
    EXPECT_EQ(again.error().kind, ErrorKind::NotFound);
  }
  EXPECT_TRUE(is_good(server, kept.secret));
}

TEST_F(TokensOfAHome, AProjectThatIsGoneIsTakenFromAllOfThem) {
  Tokens tokens = open();
  const NewToken only = make(tokens, {"", {"project:shop", "project:shop:ro"}, {}});
  const NewToken both = make(tokens, {"", {"project:shop", "project:blog:ro"}, {}});
  const NewToken other = make(tokens, {"", {"project:shop-2"}, {}});
  const NewToken admin = make(tokens, {"", {"admin"}, {}});
  const auto freed = tokens.free_project("shop");
  ASSERT_TRUE(freed.has_value()) << freed.error().sentence();
  EXPECT_EQ(freed->revoked, 1U);
  EXPECT_EQ(freed->narrowed, 1U);
  EXPECT_FALSE(is_good(tokens, only.secret));
  EXPECT_TRUE(is_good(tokens, other.secret));
  EXPECT_TRUE(is_good(tokens, admin.secret));
  const auto known = tokens.check(both.secret);
  ASSERT_TRUE(known.has_value() && known->has_value());
  EXPECT_FALSE((*known)->access.may_read("shop"));
  EXPECT_TRUE((*known)->access.may_read("blog"));
  EXPECT_FALSE((*known)->access.may_write("blog"));
  const auto again = tokens.free_project("shop");
  EXPECT_TRUE(again.has_value() && again->revoked + again->narrowed == 0);
}

TEST_F(TokensOfAHome, AnIdIsNeverGivenAgain) {
  Tokens tokens = open();
  const NewToken first = make(tokens, {"", {"admin"}, {}});
  EXPECT_TRUE(tokens.revoke(first.info.id).has_value());
  EXPECT_NE(make(tokens, {"", {"admin"}, {}}).info.id, first.info.id);
}

TEST_F(TokensOfAHome, AnExpiredTokenIsNone) {
  Tokens tokens = open();
  EXPECT_FALSE(is_good(tokens, make(tokens, {"", {"admin"}, now_ms() - 1}).secret));
  EXPECT_TRUE(is_good(tokens, make(tokens, {"", {"admin"}, now_ms() + 60'000}).secret));
}

TEST_F(TokensOfAHome, OnlyTheHashIsOnDisk) {
  Tokens tokens = open();
  const NewToken token = make(tokens, {"the-name-of-it", {"admin"}, {}});
  EXPECT_THAT(bytes_on_disk(), HasSubstr("the-name-of-it"));
  EXPECT_THAT(bytes_on_disk(), Not(HasSubstr(token.secret.substr(5))));
  EXPECT_THAT(bytes_on_disk(), Not(HasSubstr(token.secret.substr(5, 20))));
}

TEST_F(TokensOfAHome, AListSaysWhenATokenWasUsed) {
  Tokens tokens = open();
  const std::int64_t before = now_ms();
  const NewToken token = make(tokens, {"ci", {"admin:ro"}, before + 3'600'000});
  auto listed = tokens.list();
  ASSERT_TRUE(listed.has_value() && listed->size() == 1);
  EXPECT_EQ(listed->front().id, token.info.id);
  EXPECT_THAT(listed->front().scopes, ElementsAre("admin:ro"));
  EXPECT_GE(listed->front().created_ms, before);
  EXPECT_EQ(listed->front().expires_ms, before + 3'600'000);
  EXPECT_EQ(listed->front().last_used_ms, std::nullopt);
  EXPECT_TRUE(is_good(tokens, token.secret));
  listed = tokens.list();
  ASSERT_TRUE(listed.has_value());
  EXPECT_GE(listed->front().last_used_ms.value_or(0), before);
}

TEST_F(TokensOfAHome, ATokenNeedsGoodScopes) {
  Tokens tokens = open();
  EXPECT_FALSE(tokens.create({"", {}, {}}).has_value());
  EXPECT_FALSE(tokens.create({"", {"admin", "everything"}, {}}).has_value());
  EXPECT_FALSE(tokens.create({std::string(201, 'x'), {"admin"}, {}}).has_value());
  EXPECT_THAT(tokens.list().value_or(std::vector<TokenInfo>(1)), testing::IsEmpty());
}

}  // namespace
}  // namespace pale::history
