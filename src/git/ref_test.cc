#include "git/ref.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <algorithm>

namespace pale::git {
namespace {

using testing::SizeIs;

const std::string kId = "0123456789abcdef0123456789abcdef01234567";

TEST(Ref, AFileNamesAnObjectOrAnotherRefOrIsOdd) {
  EXPECT_EQ(parse_loose("HEAD", kId + "\n"), (Ref{"HEAD", RefKind::Direct, kId}));
  EXPECT_EQ(parse_loose("HEAD", kId), (Ref{"HEAD", RefKind::Direct, kId}));
  EXPECT_EQ(parse_loose("HEAD", "ref: refs/heads/main\n"), (Ref{"HEAD", RefKind::Symbolic, "refs/heads/main"}));
  for (const std::string odd : {"", "\n", "ref: ", "ref: ../../x", "0123", "g123456789abcdef0123456789abcdef01234567"})
    EXPECT_EQ(parse_loose("HEAD", odd).kind, RefKind::Odd) << odd;
  EXPECT_EQ(parse_loose("HEAD", kId + "0").kind, RefKind::Odd);
}

TEST(Ref, NamesThatGitDoesNotTake) {
  for (const char* good : {"refs/heads/main", "refs/tags/v1.0", "refs/heads/\xc3\xa4"}) EXPECT_TRUE(is_good_name(good));
  for (const char* bad : {"", "refs//x", "refs/.x", "refs/x.lock", "refs/a..b", "refs/a b", "refs/a\nb", "refs/a@{b",
                          "refs/a\\b", "refs/x/", "refs/a*"})
    EXPECT_FALSE(is_good_name(bad)) << bad;
}

TEST(Ref, PackedOnesAreReadAndABadLineIsOdd) {
  const auto refs =
      parse_packed("# pack-refs with: peeled\n" + kId + " refs/tags/a\n^" + kId + "\n" + kId + " ../../x\n");
  ASSERT_THAT(refs, SizeIs(2));
  EXPECT_EQ(refs[0], (Ref{"refs/tags/a", RefKind::Direct, kId}));
  EXPECT_EQ(refs[1].kind, RefKind::Odd);
}

TEST(Ref, ACircleOfNamesLeadsNowhere) {
  EXPECT_EQ(resolve({{"a", RefKind::Symbolic, "b"}, {"b", RefKind::Symbolic, "a"}}, "a"), "");
  EXPECT_EQ(resolve({{"a", RefKind::Symbolic, "b"}, {"b", RefKind::Direct, kId}}, "a"), kId);
}

// Any bytes may stand in a name on disk.
TEST(Ref, ComeBackAsTheyWereWritten) {
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<std::string, std::string>>& pairs) {
    std::vector<Ref> refs;
    for (const auto& [name, target] : pairs) refs.push_back({name, static_cast<RefKind>(name.size() % 3), target});
    std::ranges::sort(refs);
    JsonWriter out;
    write_refs(out, refs);
    const auto json = JsonValue::parse(out.text(), 8);
    RC_ASSERT(json);
    const auto read = refs_of(*json);
    RC_ASSERT(read);
    RC_ASSERT(*read == refs);
  }));
}

}  // namespace
}  // namespace pale::git
