#include "search/pattern.h"

#include <gtest/gtest.h>

#include <cctype>
#include <span>
#include <string>

#include "search/byte_class.h"

namespace pale::search {
namespace {

bool matches(std::string_view pattern, std::string_view path) {
  const auto compiled = Pattern::compile(pattern);
  return compiled && compiled->matches(path);
}

TEST(Pattern, AByteStandsForItself) {
  EXPECT_TRUE(matches("a/b.c", "a/b.c"));
  EXPECT_FALSE(matches("a/b.c", "a/bxc"));
  EXPECT_FALSE(matches("a", "ab"));
  EXPECT_FALSE(matches("ab", "a"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_TRUE(matches("\\*", "*"));
  EXPECT_FALSE(matches("\\*", "x"));
}

TEST(Pattern, AStarStaysInItsComponent) {
  EXPECT_TRUE(matches("*.c", "x.c"));
  EXPECT_TRUE(matches("*.c", ".c"));
  EXPECT_FALSE(matches("*.c", "d/x.c"));
  EXPECT_TRUE(matches("*/x", "d/x"));
  EXPECT_FALSE(matches("*/x", "d/e/x"));
  EXPECT_TRUE(matches("a*b*c", "aXbXbc"));
  EXPECT_FALSE(matches("a*b*c", "aXb/c"));
  EXPECT_FALSE(matches("?", "/"));
  EXPECT_TRUE(matches("a**b", "aXYb"));
  EXPECT_FALSE(matches("a**b", "aX/Yb")) << "not whole directories";
}

TEST(Pattern, TwoStarsAreDirectories) {
  EXPECT_TRUE(matches("**/x", "x"));
  EXPECT_TRUE(matches("**/x", "a/b/x"));
  EXPECT_FALSE(matches("**/x", "ax"));
  EXPECT_TRUE(matches("a/**/b", "a/b"));
  EXPECT_TRUE(matches("a/**/b", "a/x/y/b"));
  EXPECT_FALSE(matches("a/**/b", "ab"));
  EXPECT_TRUE(matches("a/**", "a/x/y"));
  EXPECT_FALSE(matches("a/**", "a"));
  EXPECT_TRUE(matches("**", "a/b"));
  EXPECT_TRUE(matches("**/a/**/b/*.c", "x/a/y/a/z/b/q/b/f.c"));
  EXPECT_FALSE(matches("**/a/**/b/*.c", "x/a/y/a/z/b/q/f.c"));
}

TEST(Pattern, AClassIsOneOfItsBytes) {
  EXPECT_TRUE(matches("[a-c]", "b"));
  EXPECT_FALSE(matches("[a-c]", "d"));
  EXPECT_TRUE(matches("[!a-c]", "d"));
  EXPECT_TRUE(matches("[^a-c]", "d"));
  EXPECT_FALSE(matches("[!a]", "/"));
  EXPECT_TRUE(matches("[]]", "]"));
  EXPECT_TRUE(matches("[]-]", "-"));
  EXPECT_TRUE(matches("[a-]", "-"));
  EXPECT_TRUE(matches("[\\]]", "]"));
  EXPECT_TRUE(matches("[[:digit:]_]", "7"));
  EXPECT_TRUE(matches("[[:digit:]_]", "_"));
  EXPECT_TRUE(matches("[[:x]", ":")) << "no name without its end";
  for (const char* broken : {"[", "[a", "[]", "[!]", "[a-", "[\\", "[[:nothing:]]", "a\\"})
    EXPECT_FALSE(Pattern::compile(broken)) << broken;
}

TEST(Pattern, EveryNamedClassIsThatOfTheCLibrary) {
  const std::pair<const char*, int (*)(int)> classes[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank},
                                                          {"cntrl", iscntrl}, {"digit", isdigit}, {"graph", isgraph},
                                                          {"lower", islower}, {"print", isprint}, {"punct", ispunct},
                                                          {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};
  for (const auto& [name, is] : classes) {
    ByteSet set;
    const std::string text = "[[:" + std::string(name) + ":]]";
    ASSERT_EQ(byte_class(text, set), text.size());
    for (int byte = 1; byte < 256; ++byte)
      EXPECT_EQ(set.has(static_cast<unsigned char>(byte)), is(byte) != 0) << name << " " << byte;
  }
}

// What a naive reading says of all short texts, where a text is taken apart in every possible way.
bool naive(std::string_view pattern, std::string_view path) {
  if (pattern.empty()) return path.empty();
  if (pattern.starts_with("**/")) {
    if (naive(pattern.substr(3), path)) return true;
    const std::size_t slash = path.find('/');
    return slash != std::string_view::npos && naive(pattern, path.substr(slash + 1));
  }
  if (pattern == "**") return true;
  if (pattern.front() == '*') {
    if (naive(pattern.substr(1), path)) return true;
    return !path.empty() && path.front() != '/' && naive(pattern, path.substr(1));
  }
  if (path.empty() || (pattern.front() == '?' ? path.front() == '/' : pattern.front() != path.front())) return false;
  return naive(pattern.substr(1), path.substr(1));
}

// All of up to so many pieces, with what stands between them.
std::vector<std::string> sequences(std::span<const std::string_view> pieces, std::string_view between,
                                   std::size_t most) {
  std::vector<std::string> all(pieces.begin(), pieces.end());
  for (std::size_t from = 0, length = 1; length < most; ++length) {
    for (const std::size_t to = all.size(); from < to; ++from) {
      for (const std::string_view piece : pieces) all.push_back(all[from] + std::string(between) + std::string(piece));
    }
  }
  return all;
}

TEST(Pattern, AllShortOnesAreReadAsANaiveReaderReadsThem) {
  constexpr std::string_view kComponents[] = {"a", "b", "*", "?", "a*", "*b", "*a*", "**"};
  constexpr std::string_view kBytes[] = {"a", "b", "/"};
  const auto paths = sequences(kBytes, "", 6);
  for (const std::string& pattern : sequences(kComponents, "/", 3)) {
    for (const std::string& path : paths)
      ASSERT_EQ(matches(pattern, path), naive(pattern, path)) << pattern << " " << path;
  }
}

TEST(Pattern, ManyStarsTakeNoTime) {
  std::string pattern;
  for (int each = 0; each < 200; ++each) pattern += "*a";
  EXPECT_FALSE(matches(pattern + "b", std::string(4000, 'a')));
  std::string deep;
  for (int each = 0; each < 200; ++each) deep += "**/a*/";
  std::string path;
  for (int each = 0; each < 1000; ++each) path += "aaa/";
  EXPECT_FALSE(matches(deep + "b", path));
}

}  // namespace
}  // namespace pale::search
