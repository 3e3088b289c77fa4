#include "tools/lines.h"

#include <gmock/gmock.h>

#include <vector>

namespace pale::tools {
namespace {

using testing::ElementsAre;

std::vector<std::string> fed(const std::vector<std::string>& pieces, std::size_t most = 8) {
  std::vector<std::string> seen;
  Lines lines(most);
  for (const std::string& piece : pieces) {
    lines.feed(piece, [&](std::string_view line) { seen.emplace_back(line); }, [&] { seen.emplace_back("TOO LONG"); });
  }
  return seen;
}

TEST(Lines, AreCutWhereverTheStreamWas) {
  EXPECT_THAT(fed({"one\ntwo\n"}), ElementsAre("one", "two"));
  EXPECT_THAT(fed({"o", "n", "e\nt", "wo\n\n"}), ElementsAre("one", "two", ""));
  EXPECT_THAT(fed({"no end"}), ElementsAre());
}

TEST(Lines, OneThatIsTooLongIsReportedOnceAndTheNextIsTaken) {
  EXPECT_THAT(fed({"12345678\n123456789\nnext\n"}), ElementsAre("12345678", "TOO LONG", "next"));
  EXPECT_THAT(fed({"1234567890", "1234567890", "12", "3\nnext\n"}), ElementsAre("TOO LONG", "next"));
}

}  // namespace
}  // namespace pale::tools
