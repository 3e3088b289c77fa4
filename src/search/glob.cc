#include "search/glob.h"

#include <algorithm>
#include <utility>

#include "search/byte_class.h"

namespace pale::search {
namespace {

constexpr std::size_t kLongest = 4096;  // bytes of a pattern
constexpr std::size_t kMostAlternatives = 256;
constexpr std::size_t kDeepest = 8;  // braces inside braces

std::unexpected<Error> bad_glob(std::string_view text, std::size_t at, std::string why, std::string hint) {
  return fail(ErrorKind::Usage,
              "the pattern " + std::string(text) + " is wrong at column " + std::to_string(at + 1) + ":",
              std::move(why), std::move(hint));
}

// Braces, taken apart: "a{b,c}" is "ab" and "ac".
class BraceReader {
 public:
  explicit BraceReader(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> read() { return read_sequence(0); }

 private:
  using Texts = std::vector<std::string>;

  // Up to the end, or inside braces to the ',' or '}' that ends it.
  Result<Texts> read_sequence(std::size_t depth) {
    Texts texts = {""};
    while (at_ < text_.size() && (depth == 0 || (text_[at_] != ',' && text_[at_] != '}'))) {
      Texts next;
      if (text_[at_] == '{') {
        PALE_TRY(inner, read_braces(depth + 1));
        next = std::move(inner);
      } else {
        PALE_TRY(plain, read_plain());
        next.emplace_back(plain);
      }
      if (texts.size() * next.size() > kMostAlternatives)
        return bad_glob(text_, at_, "its braces stand for too many patterns", "use several patterns");
      texts = joined(texts, next);
    }
    return texts;
  }

  Result<Texts> read_braces(std::size_t depth) {
    const std::size_t begin = at_;
    if (depth > kDeepest) return bad_glob(text_, begin, "braces inside too many braces", "use several patterns");
    Texts all;
    do {
      ++at_;
      PALE_TRY(texts, read_sequence(depth));
      std::ranges::move(texts, std::back_inserter(all));
      if (at_ == text_.size()) return bad_glob(text_, begin, "this { has no }", "write \\{ for the character itself");
    } while (text_[at_] == ',');
    ++at_;
    if (all.size() > kMostAlternatives) return bad_glob(text_, begin, "too many alternatives", "use several patterns");
    return all;
  }

  // A byte, an escaped one or a class: what braces have nothing to do with.
  Result<std::string_view> read_plain() {
    const std::size_t begin = at_;
    if (text_[at_] == '[') {
      ByteSet set;
      const auto length = byte_class(text_.substr(at_), set);
      if (!length) return bad_glob(text_, begin, "this [ begins no class", "write \\[ for the character itself");
      at_ += *length;
    } else {
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    if (at_ > text_.size())
      return bad_glob(text_, begin, "nothing follows the \\", "write \\\\ for the character itself");
    return text_.substr(begin, at_ - begin);
  }

  static Texts joined(const Texts& left, const Texts& right) {
    Texts all;
    for (const std::string& begin : left) {
      for (const std::string& end : right) all.push_back(begin + end);
    }
    return all;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Glob> Glob::parse(std::string_view text) {
  if (text.empty()) return fail(ErrorKind::Usage, "the pattern is empty:", "it would match nothing", "try **/*.txt");
  if (text.size() > kLongest)
    return fail(ErrorKind::Usage, "the pattern is too long:", std::to_string(text.size()) + " bytes",
                "use several patterns");
  PALE_TRY(texts, BraceReader(text).read());
  Glob glob;
  for (std::string& each : texts) {
    if (each.starts_with("./")) each.erase(0, 1);
    const bool by_name = each.find('/') == std::string::npos;
    if (each.starts_with('/')) each.erase(0, 1);
    if (each.empty() || each.ends_with('/')) each += "**";
    auto pattern = Pattern::compile(each);
    if (!pattern) return bad_glob(text, 0, "it cannot be read", "try **/*.txt");
    glob.alternatives_.push_back({std::move(*pattern), by_name});
  }
  return glob;
}

bool Glob::matches(std::string_view path) const noexcept {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(alternatives_,
                             [&](const Alternative& each) { return each.pattern.matches(each.by_name ? name : path); });
}

}  // namespace pale::search
