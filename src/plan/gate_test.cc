#include "plan/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pale::plan {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Boundary boundary_of(std::initializer_list<std::string_view> hosts, std::vector<Credential> credentials = {}) {
  BoundaryParts parts;
  const Path work = Path::literal("/w");
  parts.workspace = parts.home = work;
  parts.grants = {{work, Access::Write, work, "test"}};
  parts.network = Network::Allow;
  for (const auto host : hosts) parts.hosts.push_back(*parse_host_rule(host, "test"));
  parts.credentials = std::move(credentials);
  return *Boundary::make(std::move(parts));
}

TEST(AGate, HasASocketForEachWayOut) {
  EXPECT_EQ(to_text(*plan_gate(boundary_of({"a.test"}, {{"model", "a.test", 443, 912}}))),
            "local 198.18.0.0/15\n"
            "listen proxy 127.0.0.1 911\n"
            "listen names-udp 127.0.0.1 53\n"
            "listen names-tcp 127.0.0.1 53\n"
            "listen door 127.0.0.1 912\n"
            "listen port 0.0.0.0 80\n"
            "listen port 0.0.0.0 443\n");
}

TEST(AGate, LeavesHighPortsToServersInside) {
  const std::string text = to_text(*plan_gate(boundary_of({"a.test:8443", "b.test:8443"})));
  EXPECT_THAT(text, HasSubstr("listen port 198.18.0.1 8443\nlisten port 198.18.0.2 8443\n"));
  EXPECT_THAT(text, Not(HasSubstr("0.0.0.0 8443")));
  EXPECT_THAT(to_text(*plan_gate(boundary_of({"*.a.test:8443"}))), HasSubstr("listen port 0.0.0.0 8443"));
}

TEST(AGate, ShowsAddressesAsThemselves) {
  const std::string text = to_text(*plan_gate(boundary_of({"192.0.2.1:5432", "[2001:db8::1]:443"})));
  EXPECT_THAT(text, HasSubstr("local 192.0.2.1/32\n"));
  EXPECT_THAT(text, HasSubstr("local 2001:db8::1/128\n"));
  EXPECT_THAT(text, HasSubstr("listen port 192.0.2.1 5432\n"));
}

TEST(AGate, OfTooManySocketsIsRefused) {
  BoundaryParts parts = boundary_of({"a.test"}).parts();
  for (int number = 0; number < 300; ++number)
    parts.hosts.push_back(*parse_host_rule("h" + std::to_string(number) + ".test:8443", "test"));
  EXPECT_FALSE(plan_gate(*Boundary::make(std::move(parts))));
}

}  // namespace
}  // namespace pale::plan
