#include "git/plain.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

namespace pale::git {
namespace {

std::string number(std::size_t value, int size) {
  std::string bytes;
  for (int at = size - 1; at >= 0; --at) bytes += static_cast<char>(value >> (8 * at));
  return bytes;
}

std::string header(unsigned version, std::size_t entries) { return "DIRC" + number(version, 4) + number(entries, 4); }

// Of version 2 or 3: its name behind the flags, and zeros up to a length that 8 divides.
std::string entry(const std::string& name, bool extended) {
  std::string bytes(60, '\1');
  bytes += number((extended ? 0x4000U : 0U) | std::min<std::size_t>(name.size(), 0xfff), 2);
  if (extended) bytes += std::string(2, '\0');
  bytes += name;
  do bytes += '\0';
  while (bytes.size() % 8 != 0);
  return bytes;
}

std::string compressed(const std::string& name) {
  return std::string(60, '\1') + number(name.size(), 2) + "\x81\x05" + name + std::string(1, '\0');
}

std::string extension(const std::string& name, const std::string& content) {
  return name + number(content.size(), 4) + content;
}

const std::string kHash(20, 'h');

TEST(PlainIndex, EntriesAndOptionalPartsAreGoneThrough) {
  const std::string entries = entry("a", false) + entry("src/link", false) + entry(std::string(5000, 'n'), false);
  EXPECT_TRUE(is_plain_index(header(2, 0) + kHash));
  EXPECT_TRUE(is_plain_index(header(2, 3) + entries + kHash));
  EXPECT_TRUE(is_plain_index(header(3, 4) + entries + entry("sdir", true) + extension("TREE", "link") + kHash));
  EXPECT_TRUE(is_plain_index(header(4, 2) + compressed("x") + compressed("") + extension("EOIE", "") + kHash));
}

TEST(PlainIndex, PartsThatMustBeUnderstoodAreNot) {
  EXPECT_FALSE(is_plain_index(header(2, 1) + entry("a", false) + extension("link", "x") + kHash));
  EXPECT_FALSE(
      is_plain_index(header(3, 1) + entry("a", false) + extension("TREE", "") + extension("sdir", "") + kHash));
  EXPECT_FALSE(is_plain_index(header(5, 0) + kHash));
  EXPECT_FALSE(is_plain_index(header(2, 2) + entry("a", false) + kHash));
  EXPECT_FALSE(is_plain_index(""));
}

TEST(PlainIndex, NoBytesLeadBeyondTheirEnd) {
  EXPECT_TRUE(rc::check([](const std::string& rest) {
    for (const unsigned version : {2U, 3U, 4U}) (void)is_plain_index(header(version, 0xffffffff) + rest + kHash);
  }));
}

TEST(PlainConfig, ExtensionsAndWhatIsSaidElsewhereAreNotPlain) {
  EXPECT_TRUE(is_plain_config("[core]\n\tbare = false\n[user]\n\textensions = x\n"));
  EXPECT_FALSE(is_plain_config("[core]\n [Extensions]\n\tobjectformat = sha256\n"));
  EXPECT_FALSE(is_plain_config("[includeIf \"gitdir:x\"]\n"));
}

}  // namespace
}  // namespace pale::git
