#include "grep/shape.h"

#include <algorithm>

namespace pale::grep {
namespace {

constexpr std::size_t kMostLiterals = 12;
constexpr std::size_t kShortest = 2;  // A single byte is in too many lines to be worth looking for.
constexpr std::size_t kDeepest = 50;
constexpr std::string_view kKnownEscapes = "wWdDsSbBtnrfvhHVe";

using Texts = std::vector<std::string>;

// The shortest of them decides how seldom one stands somewhere by chance.
std::size_t worth(const Texts& texts) {
  if (texts.empty() || texts.size() > kMostLiterals) return 0;
  std::size_t shortest = texts.front().size();
  for (const std::string& text : texts) shortest = std::min(shortest, text.size());
  return shortest < kShortest ? 0 : shortest * 2 + (texts.size() == 1 ? 1 : 0);
}

class ShapeReader {
 public:
  explicit ShapeReader(std::string_view pattern) : pattern_(pattern) {}

  Shape read() {
    Node node = read_alternatives(0);
    Shape shape;
    if (!understood_ || at_ != pattern_.size()) return shape;
    shape.plain = !possessive_;
    if (!shape.plain || worth(node.texts) == 0) return shape;
    shape.literals = std::move(node.texts);
    shape.only_literals = node.whole;
    return shape;
  }

 private:
  struct Node {
    Texts texts;
    bool whole = false;  // it is nothing but one of the texts
  };
  enum class Times { Once, Some, Perhaps };  // of a thing: exactly one, one or more, perhaps none

  bool at_end() const { return at_ == pattern_.size(); }
  char here() const { return pattern_[at_]; }

  Node read_alternatives(std::size_t depth) {
    Node all = read_sequence(depth);
    while (understood_ && !at_end() && here() == '|') {
      ++at_;
      Node next = read_sequence(depth);
      all.whole = all.whole && next.whole;
      if (all.texts.empty() || next.texts.empty() || all.texts.size() > kMostLiterals) {
        all.texts.clear();
      } else {
        std::ranges::move(next.texts, std::back_inserter(all.texts));
      }
    }
    return all;
  }

  // The best of what must stand in it: a run of bytes, or what must stand in a group.
  Node read_sequence(std::size_t depth) {
    Node node{{}, true};
    std::string run;
    const auto offer = [&](Texts texts) {
      if (node.texts.empty() || worth(texts) > worth(node.texts)) node.texts = std::move(texts);
    };
    const auto end_run = [&] {
      if (!run.empty()) offer({std::move(run)});
      run.clear();
    };
    while (understood_ && !at_end() && here() != '|' && here() != ')') {
      std::string byte;
      Texts inner;
      if (here() == '(') {
        inner = read_group(depth + 1);
      } else {
        byte = read_thing();
      }
      const Times times = read_times();
      node.whole = node.whole && times == Times::Once && !byte.empty();
      if (times != Times::Perhaps) run += byte;
      if (byte.empty() || times != Times::Once) end_run();
      if (!inner.empty() && times != Times::Perhaps) offer(std::move(inner));
    }
    end_run();
    return node;
  }

  Texts read_group(std::size_t depth) {
    ++at_;
    const std::string_view rest = pattern_.substr(at_);
    if (rest.starts_with("?:")) {
      at_ += 2;
    } else if (rest.starts_with('?') || rest.starts_with('*')) {
      understood_ = false;
    }
    if (depth > kDeepest) understood_ = false;
    if (!understood_) return {};
    Texts texts = read_alternatives(depth).texts;
    if (at_end() || here() != ')') understood_ = false;
    if (understood_) ++at_;
    return texts;
  }

  // The byte that it stands for; nothing, if it may be one of several or none.
  std::string read_thing() {
    const char byte = here();
    if (byte == '[') return read_class();
    ++at_;
    if (byte == '\\') return read_escape();
    if (byte == '.' || byte == '^' || byte == '$') return "";
    return {byte};
  }

  std::string read_escape() {
    if (at_end()) {
      understood_ = false;
      return "";
    }
    const char byte = pattern_[at_++];
    const bool letter = ('a' <= byte && byte <= 'z') || ('A' <= byte && byte <= 'Z') || ('0' <= byte && byte <= '9');
    if (!letter) return {byte};
    if (!kKnownEscapes.contains(byte)) understood_ = false;
    return "";
  }

  std::string read_class() {
    ++at_;
    if (!at_end() && here() == '^') ++at_;
    if (!at_end() && here() == ']') ++at_;
    while (!at_end() && here() != ']') {
      const std::string_view rest = pattern_.substr(at_);
      const std::size_t name_end = rest.starts_with("[:") ? rest.find(":]") : std::string_view::npos;
      at_ += name_end != std::string_view::npos ? name_end + 2 : here() == '\\' ? 2 : 1;
      at_ = std::min(at_, pattern_.size());
      if (rest.starts_with("\\Q") || rest.starts_with("\\E")) understood_ = false;
    }
    if (at_end()) understood_ = false;
    if (understood_) ++at_;
    return "";
  }

  Times read_times() {
    if (at_end()) return Times::Once;
    Times times = Times::Once;
    if (here() == '*' || here() == '?') {
      times = Times::Perhaps;
      ++at_;
    } else if (here() == '+') {
      times = Times::Some;
      ++at_;
    } else if (const std::size_t length = counted()) {
      // {0}, {00,3}: whatever does not begin with a 0 is at least one.
      times = pattern_[at_ + 1] == '0' ? Times::Perhaps : Times::Some;
      at_ += length;
    } else {
      return times;
    }
    if (!at_end() && here() == '+') possessive_ = true;
    if (!at_end() && (here() == '+' || here() == '?')) ++at_;
    return times;
  }

  // The length of "{2}", "{2,}" or "{2,3}"; of anything else 0, for then the brace stands for itself.
  std::size_t counted() const {
    const std::string_view rest = pattern_.substr(at_);
    const std::size_t end = rest.find('}');
    if (!rest.starts_with('{') || end == std::string_view::npos || end < 2) return 0;
    const std::string_view inside = rest.substr(1, end - 1);
    const std::size_t comma = std::min(inside.find(','), inside.size());
    const auto digits = [](std::string_view text) {
      return text.find_first_not_of("0123456789") == std::string_view::npos;
    };
    const bool is_one =
        comma > 0 && digits(inside.substr(0, comma)) && (comma == inside.size() || digits(inside.substr(comma + 1)));
    return is_one ? end + 1 : 0;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  bool understood_ = true;
  bool possessive_ = false;
};

}  // namespace

Shape shape_of(std::string_view pattern) { return ShapeReader(pattern).read(); }

}  // namespace pale::grep
