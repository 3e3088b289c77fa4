// A .gitignore, which comes with a repository and is anybody's: any bytes are rules, and the last one that matches decides.
#include "fuzz/property.h"
#include "search/ignore.h"

namespace pale::search {
namespace {

using fuzz::must;

constexpr std::string_view kPaths[] = {
    "a", "a/b", "a/b/c.o", ".x", "a b", "#", "!", "\\", "[", "x/\xff/y", "aaaaaaaaaaaaaaaaaaaaaa/aaaaaaa"};

void check(std::string_view text) {
  const IgnoreRules rules = IgnoreRules::parse(text);
  const std::string whole(text);
  const IgnoreRules twice = IgnoreRules::parse(whole + "\n" + whole);
  const IgnoreRules all = IgnoreRules::parse(whole + "\n*");
  // Only at the beginning it is no part of the rules.
  const bool marked = text.starts_with("\xef\xbb\xbf");
  const IgnoreRules none = IgnoreRules::parse(whole + "\r\n!*\n");
  for (const std::string_view path : kPaths) {
    for (const EntryKind kind : {EntryKind::File, EntryKind::Directory}) {
      const Verdict verdict = rules.judge(path, kind);
      must(marked || twice.judge(path, kind) == verdict, "saying it again changes nothing", text);
      must(all.judge(path, kind) == Verdict::Ignore, "the last rule decides", text);
      must(none.judge(path, kind) == Verdict::Keep, "the last rule takes back", text);
    }
    const bool file = rules.judge(path, EntryKind::File) == Verdict::Silent;
    must(file || rules.judge(path, EntryKind::Directory) != Verdict::Silent,
         "what is said of files is said of directories", text);
  }
}

}  // namespace
}  // namespace pale::search

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  pale::search::check(pale::fuzz::as_text(data, size));
  return 0;
}
