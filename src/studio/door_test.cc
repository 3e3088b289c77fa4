#include "studio/door.h"

#include <gmock/gmock.h>

#include "support/directory.h"

namespace pale::studio {
namespace {

class TheDoor : public test::InADirectory {
 protected:
  Door door_{base()};
  std::int64_t now_ = 1'800'000'000'000;
};

TEST_F(TheDoor, AKeyOpensItOnce) {
  const std::string key = *make_key(base(), now_);
  const auto cookie = door_.enter(key, now_);
  ASSERT_TRUE(cookie);
  EXPECT_NE(door_.find(*cookie, now_), nullptr);
  EXPECT_FALSE(door_.enter(key, now_));
  Door another(base());
  EXPECT_FALSE(another.enter(key, now_));
}

TEST_F(TheDoor, AKeyIsGoodForAFewMinutes) {
  const std::string key = *make_key(base(), now_);
  EXPECT_FALSE(door_.enter(key, now_ + kKeyMs + 1));
  EXPECT_FALSE(door_.enter(key, now_));  // It was shown too late, and is used up.
}

TEST_F(TheDoor, NothingElseIsAKey) {
  const std::string key = *make_key(base(), now_);
  for (const std::string& other :
       {std::string(), std::string("../keys"), std::string(64, '0'), key + "0", key.substr(1), std::string(64, '/')})
    EXPECT_FALSE(door_.enter(other, now_)) << other;
  EXPECT_TRUE(door_.enter(key, now_));
}

TEST_F(TheDoor, ACookieEndsWhenNobodyUsesItOrSomebodyLeaves) {
  const std::string idle = *door_.enter(*make_key(base(), now_), now_);
  EXPECT_EQ(door_.find(idle, now_ + kIdleMs + 1), nullptr);
  const std::string left = *door_.enter(*make_key(base(), now_), now_);
  door_.leave(left);
  EXPECT_EQ(door_.find(left, now_), nullptr);
  const std::string used = *door_.enter(*make_key(base(), now_), now_);
  for (std::int64_t at = now_; at < now_ + kLongestMs; at += kIdleMs / 2) EXPECT_NE(door_.find(used, at), nullptr);
  EXPECT_EQ(door_.find(used, now_ + kLongestMs + 1), nullptr);
}

TEST_F(TheDoor, NeitherKeyNorCookieLiesOnDisk) {
  const std::string key = *make_key(base(), now_);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(base_))
    EXPECT_EQ(entry.path().string().find(key), std::string::npos);
  EXPECT_TRUE(same_secret(key, key));
  EXPECT_FALSE(same_secret(key, key.substr(1) + "x"));
}

}  // namespace
}  // namespace pale::studio
