#include "studio/request.h"

#include <gmock/gmock.h>

namespace pale::studio {
namespace {

TEST(StudioRequest, AQueryIsDecodedOnce) {
  EXPECT_EQ(parse_query("a=b&c=d%20e+f&a=z&flag")->dump(), R"({"a":"b","c":"d e f","flag":""})");
  EXPECT_EQ(parse_query("")->dump(), "{}");
  EXPECT_EQ((*parse_query("path=%252e")).at("path"), "%2e");
  for (const char* broken : {"a=%", "a=%4", "a=%zz", "a=%ff", "a=%00"}) EXPECT_FALSE(parse_query(broken)) << broken;
}

TEST(StudioRequest, TheCookieIsTheOneOfThatName) {
  mcp::HttpRequest request;
  EXPECT_EQ(cookie_of(request), "");
  request.headers = {{"cookie", "x_pale_studio=1; pale_studio_x=2; pale_studio=3"}};
  EXPECT_EQ(cookie_of(request), "3");
}

TEST(StudioRequest, OnlyTheOwnPageMayUseItsCookie) {
  mcp::HttpRequest request;
  request.method = "GET";
  EXPECT_TRUE(comes_from_own_page(request));  // no browser
  for (const auto& [site, good] :
       {std::pair("same-origin", true), {"none", true}, {"same-site", false}, {"cross-site", false}}) {
    request.headers = {{"sec-fetch-site", site}};
    EXPECT_EQ(comes_from_own_page(request), good) << site;
  }
  request.method = "POST";
  request.headers = {{"sec-fetch-site", "none"}};
  EXPECT_FALSE(comes_from_own_page(request));
}

TEST(StudioRequest, BytesThatAreNoTextBecomeOne) {
  EXPECT_TRUE(is_utf8("Grüße"));
  EXPECT_FALSE(is_utf8("\xff"));
  EXPECT_EQ(sane("a\xff"), "a\xEF\xBF\xBD");
}

}  // namespace
}  // namespace pale::studio
