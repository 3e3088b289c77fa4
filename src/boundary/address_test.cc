#include "boundary/address.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace pale {
namespace {

std::string round_trip(std::string_view text) {
  const auto address = Address::parse(text);
  return address ? to_text(*address) : "none";
}

std::string use_of(std::string_view text) {
  const auto address = Address::parse(text);
  if (!address) return "none";
  return std::string(special_use(*address).value_or("public"));
}

TEST(AnAddress, IsReadInOneWayOnly) {
  EXPECT_EQ(round_trip("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(round_trip("0.0.0.0"), "0.0.0.0");
  for (const char* wrong :
       {"", "1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "0x7f.0.0.1", "1.2.3.4 ", "1..3.4", "a.b.c.d"})
    EXPECT_EQ(round_trip(wrong), "none") << wrong;
}

TEST(AnAddress, OfVersionSixIsWrittenAsTheStandardSays) {
  EXPECT_EQ(round_trip("2001:DB8:0:0:1:0:0:1"), "2001:db8::1:0:0:1");
  EXPECT_EQ(round_trip("::"), "::");
  EXPECT_EQ(round_trip("::1"), "::1");
  EXPECT_EQ(round_trip("1::"), "1::");
  EXPECT_EQ(round_trip("::ffff:127.0.0.1"), "::ffff:7f00:1");
  EXPECT_EQ(round_trip("1:0:2:0:3:0:4:0"), "1:0:2:0:3:0:4:0");
  for (const char* wrong : {":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "g::", "::1%lo",
                            "1:2:3:4:5:6:7::8", "::1.2.3", ":1::", "1:"})
    EXPECT_EQ(round_trip(wrong), "none") << wrong;
}

TEST(AnAddress, OfNoPublicHostSaysWhy) {
  EXPECT_EQ(use_of("127.0.0.1"), "loopback");
  EXPECT_EQ(use_of("127.255.0.1"), "loopback");
  EXPECT_EQ(use_of("0.0.0.0"), "this network");
  EXPECT_EQ(use_of("10.0.0.1"), "private");
  EXPECT_EQ(use_of("172.31.255.255"), "private");
  EXPECT_EQ(use_of("172.32.0.1"), "public");
  EXPECT_EQ(use_of("192.168.1.1"), "private");
  EXPECT_EQ(use_of("100.64.0.1"), "shared by carriers");
  EXPECT_EQ(use_of("100.128.0.1"), "public");
  EXPECT_EQ(use_of("169.254.169.254"), "link-local");
  EXPECT_EQ(use_of("168.63.129.16"), "a cloud's own");
  EXPECT_EQ(use_of("224.0.0.1"), "multicast");
  EXPECT_EQ(use_of("255.255.255.255"), "reserved");
  EXPECT_EQ(use_of("198.18.0.1"), "for benchmarks");
  EXPECT_EQ(use_of("8.8.8.8"), "public");
  EXPECT_EQ(use_of("::1"), "loopback");
  EXPECT_EQ(use_of("::"), "reserved");
  EXPECT_EQ(use_of("fe80::1"), "link-local");
  EXPECT_EQ(use_of("fd00:ec2::254"), "private");
  EXPECT_EQ(use_of("ff02::1"), "multicast");
  EXPECT_EQ(use_of("2606:4700::1111"), "public");
}

TEST(AnAddress, ThatHoldsAnotherIsWhatThatOneIs) {
  EXPECT_EQ(use_of("::ffff:127.0.0.1"), "loopback");
  EXPECT_EQ(use_of("::ffff:8.8.8.8"), "public");
  EXPECT_EQ(use_of("::127.0.0.1"), "reserved");
  EXPECT_EQ(use_of("64:ff9b::169.254.169.254"), "link-local");
  EXPECT_EQ(use_of("2002:7f00:1::"), "loopback");
  EXPECT_EQ(use_of("2001:0:1::1"), "reserved");
}

RC_GTEST_PROP(AnAddress, IsReadAsItWasWritten, (const std::array<std::uint8_t, 16>& bytes, bool six)) {
  Address address =
      six ? Address{Address::Family::V6, bytes} : Address::v4(static_cast<std::uint32_t>(bytes[0]) << 24U | bytes[1]);
  RC_ASSERT(Address::parse(to_text(address)) == address);
}

}  // namespace
}  // namespace pale
