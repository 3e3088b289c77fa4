// A pattern and, behind a newline, a path: a pattern is read or refused with its place, and the path's own text, escaped, matches it.
#include "fuzz/property.h"
#include "search/glob.h"

namespace pale::search {
namespace {

using fuzz::must;

std::string escaped(std::string_view path) {
  std::string text;
  for (const char byte : path) text += byte == '/' ? std::string("/") : std::string{'\\', byte};
  return text;
}

void check(std::string_view pattern, std::string_view path) {
  const auto glob = Glob::parse(pattern);
  if (!glob) {
    const std::string sentence = glob.error().sentence();
    must(sentence.starts_with("the pattern "), "a refusal says what of", sentence);
    must(!glob.error().hint.empty(), "and what to do", sentence);
    return;
  }
  const bool matches = glob->matches(path);
  if (pattern.find('/') == std::string_view::npos)
    must(glob->matches("d/" + std::string(path)) == matches, "a name is the same anywhere", pattern);
  const auto either = Glob::parse("{" + std::string(pattern) + ",\\x}");
  // Its own braces or a comma may end the first of the two.
  if (either && pattern.find_first_of("{},\\") == std::string_view::npos)
    must(!matches || either->matches(path), "one of two is enough", pattern);
}

void check_escaped(std::string_view path) {
  if (path.empty() || path.size() > 1000 || path.front() == '/' || path.back() == '/' || path.starts_with("./")) return;
  const auto own = Glob::parse(escaped(path));
  must(own && own->matches(path), "a path matches itself", path);
}

}  // namespace
}  // namespace pale::search

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text = pale::fuzz::as_text(data, size);
  const std::size_t line = text.find('\n');
  const std::string_view path = line == std::string_view::npos ? "a/b.c" : text.substr(line + 1);
  pale::search::check(text.substr(0, line), path);
  pale::search::check_escaped(path);
  return 0;
}
