#include "history/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pale::history {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Scopes = std::vector<std::string>;

Access access_of(const Scopes& scopes) {
  auto access = Access::from_scopes(scopes);
  EXPECT_TRUE(access.has_value()) << testing::PrintToString(scopes);
  return access ? *access : Access();
}

// What one scope says, spelt out once more in another way: letters for read, write in "shop", read, write in "blog", then
// read all, manage.
struct Case {
  const char* scope;
  const char* allows;
};
constexpr Case kCases[] = {
    {"admin", "rwRWAM"},           {"admin:ro", "r-R-A-"},       {"project:shop", "rw----"},
    {"project:shop:ro", "r-----"}, {"project:blog", "--RW--"},   {"project:blog:ro", "--R---"},
    {"project:sho", "------"},     {"project:shop-2", "------"},
};

std::string said_by(const Access& access) {
  const auto letter = [](bool yes, char c) { return yes ? c : '-'; };
  return {letter(access.may_read("shop"), 'r'), letter(access.may_write("shop"), 'w'),
          letter(access.may_read("blog"), 'R'), letter(access.may_write("blog"), 'W'),
          letter(access.may_read_all(), 'A'),   letter(access.may_manage(), 'M')};
}

TEST(AccessOfATokens, OneScopeIsExactlyWhatItSays) {
  for (const Case& each : kCases) EXPECT_EQ(said_by(access_of({each.scope})), each.allows) << each.scope;
}

TEST(AccessOfATokens, SeveralScopesAddUpInAnyOrder) {
  for (const Case& one : kCases) {
    for (const Case& other : kCases) {
      std::string both = one.allows;
      for (std::size_t at = 0; at < both.size(); ++at) {
        if (both[at] == '-') both[at] = other.allows[at];
      }
      EXPECT_EQ(said_by(access_of({one.scope, other.scope})), both) << one.scope << " " << other.scope;
    }
  }
}

TEST(AccessOfATokens, NoScopeIsNoAccess) {
  EXPECT_EQ(said_by(Access()), "------");
  EXPECT_EQ(said_by(access_of({})), "------");
}

TEST(AccessOfATokens, AProjectIsMeantByItsWholeName) {
  const Access access = access_of({"project:shop"});
  for (const char* other :
       {"", "s", "sho", "shop-", "shop2", "SHOP", "shop:ro", "shop/", "../shop", "project:shop", "*"}) {
    EXPECT_FALSE(access.may_read(other)) << other;
    EXPECT_FALSE(access.may_write(other)) << other;
  }
}

TEST(AccessOfATokens, NamesItsProjectsOnceAndInOrder) {
  EXPECT_THAT(access_of({"project:shop:ro", "project:blog", "project:shop", "admin:ro"}).projects(),
              ElementsAre("blog", "shop"));
  EXPECT_THAT(access_of({"admin"}).projects(), IsEmpty());
}

TEST(Scope, IsOneOfFourKindsOrRefusedWithAllOfThem) {
  for (const char* good :
       {"admin", "admin:ro", "project:a", "project:a:ro", "project:3f0c8a52-9d1b-4c7e-8a55-0d6f2b1c9e47"})
    EXPECT_TRUE(check_scope(good).has_value()) << good;
  for (const std::string bad : {"", "Admin", "admin ", "admin:rw", "admin:ro:ro", "project", "project:", "project::ro",
                                "project:*", "project:a:rw", "project:a:ro:ro", "project:A", "project:-a",
                                "project:a/b", "project:..", "projects:a", "project:a b", "*", "root"}) {
    const Status checked = check_scope(bad);
    ASSERT_FALSE(checked.has_value()) << bad;
    EXPECT_EQ(checked.error().kind, ErrorKind::Usage);
    EXPECT_THAT(checked.error().hint, HasSubstr("admin, admin:ro, project:ID or project:ID:ro"));
  }
  EXPECT_TRUE(check_scope("project:" + std::string(63, 'a')).has_value());
  EXPECT_FALSE(check_scope("project:" + std::string(64, 'a')).has_value());
}

TEST(Scope, OneThatIsWrongSpoilsAll) { EXPECT_FALSE(Access::from_scopes(Scopes{"admin", "admn"}).has_value()); }

TEST(Scope, OfAProjectNamesIt) {
  EXPECT_EQ(project_of_scope("project:shop"), "shop");
  EXPECT_EQ(project_of_scope("project:shop:ro"), "shop");
  EXPECT_EQ(project_of_scope("admin:ro"), "");
}

}  // namespace
}  // namespace pale::history
