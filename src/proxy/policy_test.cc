#include "proxy/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxy/secrets.h"
#include "proxy/socks.h"

namespace pale::proxy {
namespace {

using ::testing::HasSubstr;

network::Settings settings_of(std::initializer_list<std::string_view> rules) {
  network::Settings settings;
  for (const auto text : rules) settings.rules.push_back(*parse_host_rule(text, "list"));
  return settings;
}
Address at(std::string_view text) { return *Address::parse(text); }

TEST(APolicy, LetsThroughWhatIsOnTheList) {
  const network::Settings settings = settings_of({"a.test", "*.b.test:8443", "10.0.0.1:5432"});
  Policy policy(settings);
  EXPECT_TRUE(policy.on_host("a.test", 443).allowed);
  EXPECT_TRUE(policy.on_host("x.b.test", 8443).allowed);
  EXPECT_TRUE(policy.on_host("10.0.0.1", 5432).allowed);
  EXPECT_EQ(policy.on_host("c.test", 8080).rule, "c.test:8080");
  EXPECT_EQ(policy.on_host("c.test", 443).rule, "c.test");
  EXPECT_THAT(policy.on_host("a.test", 22).reason, HasSubstr("another port"));
  EXPECT_TRUE(policy.on_name("x.b.test").allowed);
  EXPECT_FALSE(policy.on_name("b.test").allowed);
}

TEST(APolicy, LeadsNobodyToAnAddressThatIsNotPublic) {
  const network::Settings settings = settings_of({"a.test", "10.0.0.1:443"});
  const Policy policy(settings);
  EXPECT_TRUE(policy.on_address("a.test", 443, at("93.184.216.34")).allowed);
  EXPECT_TRUE(policy.on_address("a.test", 443, at("10.0.0.1")).allowed);
  for (const char* address : {"127.0.0.1", "169.254.169.254", "10.0.0.2", "::1", "::ffff:10.0.0.2", "fe80::1"}) {
    EXPECT_FALSE(policy.on_address("a.test", 443, at(address)).allowed) << address;
    EXPECT_THAT(policy.on_address("a.test", 443, at(address)).reason, HasSubstr("leads to"));
  }
}

TEST(APolicy, KnowsNamesByWhatStandsInForThem) {
  const network::Settings settings = settings_of({"a.test", "*.b.test", "192.0.2.1"});
  Policy policy(settings);
  EXPECT_EQ(policy.meant_by(at("198.18.0.1")), "a.test");
  const auto later = policy.stand_in_for("x.b.test");
  ASSERT_TRUE(later);
  EXPECT_EQ(policy.stand_in_for("x.b.test"), later);
  EXPECT_EQ(policy.meant_by(*later), "x.b.test");
  EXPECT_EQ(policy.meant_by(at("192.0.2.1")), "192.0.2.1");
  EXPECT_EQ(policy.meant_by(at("127.0.0.1")), std::nullopt);
}

TEST(ATally, EndsWhatIsTooMuch) {
  Limits limits;
  limits.connections = 1;
  limits.traffic = 10;
  limits.host_traffic = 5;
  Tally tally(limits);
  EXPECT_FALSE(tally.add_connection());
  EXPECT_TRUE(tally.add_connection());
  EXPECT_FALSE(tally.add_bytes(tally.bytes_of("a"), 5));
  EXPECT_TRUE(tally.add_bytes(tally.bytes_of("a"), 1));
  EXPECT_FALSE(tally.add_bytes(tally.bytes_of("b"), 4));
  EXPECT_TRUE(tally.add_bytes(tally.bytes_of("c"), 1));
  EXPECT_FALSE(tally.add_request());
}

TEST(Socks, IsReadInPieces) {
  const std::string greeting("\5\2\0\2", 4);
  EXPECT_EQ(read_socks_greeting(greeting.substr(0, 3)).state, SocksState::More);
  EXPECT_TRUE(read_socks_greeting(greeting).without_name);
  EXPECT_EQ(read_socks_greeting("\4\1").state, SocksState::Wrong);
  const std::string request("\5\1\0\3\6a.test\1\xbb", 13);
  for (std::size_t size = 0; size < request.size(); ++size)
    EXPECT_EQ(read_socks_request(request.substr(0, size)).state, SocksState::More) << size;
  EXPECT_EQ(read_socks_request(request).host, "a.test");
  EXPECT_EQ(read_socks_request(request).port, 443);
  EXPECT_EQ(read_socks_request(std::string("\5\1\0\1\x7f\0\0\1\0\x50", 10)).host, "127.0.0.1");
  EXPECT_FALSE(read_socks_request(std::string("\5\3\0\1\x7f\0\0\1\0\x50", 10)).connect);
  EXPECT_EQ(read_socks_request(std::string("\5\1\0\7\1", 5)).state, SocksState::Wrong);
}

TEST(AKey, IsOneLineInAHeader) {
  network::Key key;
  key.prefix = "Bearer ";
  EXPECT_EQ(header_value(key, "abc\n"), "Bearer abc");
  EXPECT_FALSE(header_value(key, "abc\r\nX: y"));
  EXPECT_FALSE(header_value(key, "\n"));
  key.user = "token";
  EXPECT_EQ(header_value(key, "abc"), "Basic dG9rZW46YWJj");
}

}  // namespace
}  // namespace pale::proxy
