#include "mcp/seal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mcp/base64.h"

namespace pale::mcp {
namespace {

RC_GTEST_PROP(Base64, ComesBack, (const std::string& bytes)) { RC_ASSERT(from_base64(to_base64(bytes)) == bytes); }

RC_GTEST_PROP(Base64, HasOneTextForEachSequence, (const std::string& text)) {
  if (const auto bytes = from_base64(text)) RC_ASSERT(to_base64(*bytes) == text);
}

TEST(Base64, IsStrict) {
  EXPECT_EQ(from_base64("SGVsbG8="), "Hello");
  EXPECT_EQ(from_base64("SGVsbG8"), std::nullopt);
  EXPECT_EQ(from_base64("SGVs!!!bG8="), std::nullopt);
  EXPECT_EQ(from_base64("SGVsbG9="), std::nullopt);  // bits that no byte takes
  EXPECT_EQ(from_base64("===="), std::nullopt);
}

TEST(Seal, OpensForItsPurposeAlone) {
  const Seal seal;
  const std::string sealed = seal.close("state", "alice");
  EXPECT_EQ(seal.open(sealed, "alice"), "state");
  EXPECT_EQ(seal.open(sealed, "bob"), std::nullopt);
  EXPECT_EQ(seal.open(sealed + "-TAMPERED", "alice"), std::nullopt);
  EXPECT_EQ(Seal().open(sealed, "alice"), std::nullopt);  // another process
  EXPECT_EQ(seal.open(seal.close("cd", "ab"), "abc"), std::nullopt);
}

RC_GTEST_PROP(Seal, IsBrokenByAnyChange, (const std::string& text)) {
  const Seal seal;
  std::string bytes = *from_base64(seal.close(text, "p"));
  const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << *rc::gen::inRange(0, 8)));
  RC_ASSERT(!seal.open(to_base64(bytes), "p"));
}

TEST(RandomName, IsLongAndNew) {
  EXPECT_EQ(random_name().size(), 32U);
  EXPECT_NE(random_name(), random_name());
}

}  // namespace
}  // namespace pale::mcp
