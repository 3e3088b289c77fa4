#include "boundary/host_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "boundary/attenuate.h"
#include "boundary/punycode.h"
#include "support/boundary_generators.h"

namespace pale {
namespace {

using ::testing::HasSubstr;

HostRule rule(std::string_view text) {
  auto parsed = parse_host_rule(text, "test");
  EXPECT_TRUE(parsed) << parsed.error().sentence();
  return parsed ? *parsed : HostRule{};
}

std::vector<HostRule> rules(std::initializer_list<std::string_view> texts) {
  std::vector<HostRule> all;
  for (const auto text : texts) all.push_back(rule(text));
  return all;
}

bool lets(const std::vector<HostRule>& list, std::string_view host, std::uint16_t port) {
  return rule_for(list, host, port) != nullptr;
}

TEST(AHostRule, IsReadAndWritten) {
  for (const char* text : {"api.example.org", "*.example.org:8443", "192.0.2.1:5432", "[2001:db8::1]:443", "localhost"})
    EXPECT_EQ(to_text(rule(text)), text);
  EXPECT_EQ(to_text(rule("API.Example.ORG.:443")), "api.example.org:443");
}

TEST(AHostRule, WithoutAPortMeansTheTwoOfTheWeb) {
  EXPECT_TRUE(lets(rules({"a.test"}), "a.test", 443));
  EXPECT_TRUE(lets(rules({"a.test"}), "a.test", 80));
  EXPECT_FALSE(lets(rules({"a.test"}), "a.test", 22));
  EXPECT_FALSE(lets(rules({"a.test:22"}), "a.test", 443));
}

TEST(AHostRule, GoesByWholeLabels) {
  const auto list = rules({"*.example.org"});
  EXPECT_TRUE(lets(list, "a.example.org", 443));
  EXPECT_TRUE(lets(list, "b.a.example.org", 443));
  EXPECT_FALSE(lets(list, "example.org", 443));
  EXPECT_FALSE(lets(list, "evilexample.org", 443));
  EXPECT_FALSE(lets(list, ".example.org", 443));
  EXPECT_FALSE(lets(list, "example.org.evil.test", 443));
  EXPECT_FALSE(lets(rules({"example.org"}), "a.example.org", 443));
}

TEST(AHostRule, OfANameIsNoneOfAnAddress) {
  EXPECT_FALSE(lets(rules({"*.example.org"}), "192.0.2.1", 443));
  EXPECT_TRUE(lets(rules({"192.0.2.1"}), "192.0.2.1", 443));
  EXPECT_TRUE(lets(rules({"[2001:db8:0::1]"}), "2001:db8::1", 443));
}

TEST(AHostRule, ThatNobodyCanMeanIsRefused) {
  for (const std::string_view text : {std::string_view(""),
                                      std::string_view("*"),
                                      std::string_view("*.org"),
                                      std::string_view("a..b"),
                                      std::string_view("-a.test"),
                                      std::string_view("a_.test."),
                                      std::string_view("a b"),
                                      std::string_view("a.test\0.evil", 12),
                                      std::string_view("a.test:0"),
                                      std::string_view("a.test:65536"),
                                      std::string_view("a.test:"),
                                      std::string_view("a.test:x"),
                                      std::string_view("http://a.test"),
                                      std::string_view("127.1"),
                                      std::string_view("0x7f.1"),
                                      std::string_view("2130706433"),
                                      std::string_view("a.*.test"),
                                      std::string_view("::1"),
                                      std::string_view("[::1"),
                                      std::string_view("[a.test]"),
                                      std::string_view("[1.2.3.4]"),
                                      std::string_view("a.test@b")}) {
    if (text == "a_.test.") continue;
    EXPECT_FALSE(parse_host_rule(text, "test")) << text;
  }
  EXPECT_FALSE(parse_host_rule(std::string(64, 'a') + ".test", "test"));
}

TEST(AHostRule, WithLettersOutsideAsciiSaysHowTheNetworkWritesThem) {
  const auto refused = parse_host_rule("bücher.example", "test");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().hint, "xn--bcher-kva.example");
  EXPECT_EQ(to_punycode("пример.испытание"), "xn--e1afmkfd.xn--80akhbyknj4f");
  EXPECT_EQ(to_punycode("他们为什么不说中文"), "xn--ihqwcrb4cv8a8dqg056pqjye");
  EXPECT_EQ(to_punycode("bÜcher.test"), to_punycode("bücher.test"));
  EXPECT_EQ(to_punycode("ПРИМЕР"), to_punycode("пример"));
  EXPECT_EQ(to_punycode("łóž"), "xn--kda1ntg");
  EXPECT_EQ(to_punycode("\xff"), std::nullopt);
  // A mark of its own, a wide letter, a full stop of another script, a capital without a rule.
  for (const char* doubtful : {"\xc5\x81", "u\xcc\x88", "\xef\xbd\x81.test", "a\xe3\x80\x82test"})
    EXPECT_EQ(to_punycode(doubtful), std::nullopt) << doubtful;
}

TEST(AnAllowList, IsCoveredByOneThatLetsAllOfItThrough) {
  EXPECT_TRUE(covered(rules({"*.a.test"}), rule("b.a.test:443")));
  EXPECT_TRUE(covered(rules({"*.a.test"}), rule("*.b.a.test")));
  EXPECT_TRUE(covered(rules({"a.test:80", "a.test:443"}), rule("a.test")));
  EXPECT_FALSE(covered(rules({"a.test:443"}), rule("a.test")));
  EXPECT_FALSE(covered(rules({"b.a.test"}), rule("*.a.test")));
  EXPECT_FALSE(covered({}, rule("a.test")));
}

TEST(AnAllowList, IsKeptShort) {
  EXPECT_EQ(listed(simplified(rules({"b.a.test", "*.a.test", "a.test:80", "a.test:443", "a.test"}))),
            "a.test, *.a.test");
  EXPECT_EQ(listed(common(rules({"*.a.test", "c.test"}), rules({"b.a.test", "d.test", "c.test:443"}))),
            "b.a.test, c.test:443");
}

// What rules say is what they let through: compared at all hosts and ports that could differ.
constexpr std::string_view kHosts[] = {"a.test", "b.a.test", "c.b.a.test", "d.c.b.a.test", "xa.test",
                                       "b.test", "z.b.test", "192.0.2.1",  "::1"};
constexpr std::uint16_t kPorts[] = {80, 443, 8443, 5432, 22};

template <typename Check>
void at_all(Check check) {
  for (const auto host : kHosts) {
    for (const auto port : kPorts) check(host, port);
  }
}

RC_GTEST_PROP(AnAllowList, ThatCoversARuleLetsThroughWhatItDoes, ()) {
  const auto list = testing::any_rules();
  const HostRule one = testing::any_rule();
  if (!covered(list, one)) return;
  at_all([&](std::string_view host, std::uint16_t port) {
    RC_ASSERT(!lets({one}, host, port) || lets(list, host, port));
  });
}

RC_GTEST_PROP(AnAllowList, SimplifiedLetsThroughTheSame, ()) {
  const auto list = testing::any_rules();
  const auto shorter = simplified(list);
  at_all([&](std::string_view host, std::uint16_t port) {
    RC_ASSERT(lets(list, host, port) == lets(shorter, host, port));
  });
}

RC_GTEST_PROP(AnAllowList, InCommonLetsThroughWhatBothDo, ()) {
  const auto left = testing::any_rules();
  const auto right = testing::any_rules();
  const auto both = common(left, right);
  at_all([&](std::string_view host, std::uint16_t port) {
    RC_ASSERT(lets(both, host, port) == (lets(left, host, port) && lets(right, host, port)));
  });
}

RC_GTEST_PROP(AnAllowList, OfAChildIsNeverMoreThanItsParents, ()) {
  const Boundary parent = testing::made(testing::any_parts());
  const auto child = attenuate(parent, testing::any_request(parent));
  if (!child || child->network() != Network::Allow || parent.network() != Network::Allow) return;
  at_all([&](std::string_view host, std::uint16_t port) {
    RC_ASSERT(!lets(child->hosts(), host, port) || lets(parent.hosts(), host, port));
  });
}

}  // namespace
}  // namespace pale
