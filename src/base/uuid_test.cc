#include "base/uuid.h"

#include <gtest/gtest.h>

#include <array>

namespace pale {
namespace {

TEST(Uuid, OfVersionFourHasItsBitsAndAllTheOthers) {
  std::array<std::byte, 16> bytes;
  bytes.fill(std::byte{0xff});
  EXPECT_EQ(uuid_from(bytes), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  bytes.fill(std::byte{0});
  EXPECT_EQ(uuid_from(bytes), "00000000-0000-4000-8000-000000000000");
  for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<std::byte>(at * 17);
  EXPECT_EQ(uuid_from(bytes), "00112233-4455-4677-8899-aabbccddeeff");
}

TEST(Uuid, HasOneSpelling) {
  EXPECT_TRUE(is_uuid("00112233-4455-4677-8899-aabbccddeeff"));
  EXPECT_TRUE(is_uuid("00000000-0000-0000-0000-000000000000"));
  for (const char* other : {"", "..", "00112233-4455-4677-8899-aabbccddeef", "00112233-4455-4677-8899-aabbccddeefff",
                            "00112233-4455-4677-8899-AABBCCDDEEFF", "0011223344554677-8899-aabb-ccdd-eeff",
                            "{0112233-4455-4677-8899-aabbccddeef}", "00112233-4455-4677-8899-aabbccddeegf",
                            "0011223/-4455-4677-8899-aabbccddeeff", "001122334455467788990aabbccddeeff000"}) {
    EXPECT_FALSE(is_uuid(other)) << other;
  }
  EXPECT_FALSE(is_uuid(std::string_view("0011223\0-4455-4677-8899-aabbccddeeff", 36)));
}

}  // namespace
}  // namespace pale
