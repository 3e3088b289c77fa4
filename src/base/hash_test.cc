#include "base/hash.h"

#include <gtest/gtest.h>

namespace pale {
namespace {

TEST(Hash, IsFnv1aOfTheValuesAdded) {
  EXPECT_EQ(Hash().value(), 0xcbf29ce484222325U);
  EXPECT_EQ(Hash().add('a').value(), 0xaf63dc4c8601ec8cU);
}

TEST(Hash, TellsTextsApartThatAreSplitElsewhere) {
  EXPECT_NE(Hash().add("ab").add("c").value(), Hash().add("a").add("bc").value());
  EXPECT_NE(Hash().add("").add("a").value(), Hash().add("a").value());
  EXPECT_EQ(Hash().add("ab").value(), Hash().add("ab").value());
}

}  // namespace
}  // namespace pale
