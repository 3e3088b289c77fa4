#include "grep/finder.h"

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace pale::grep {
namespace {

constexpr char kCase = 0x20;

bool is_letter(char byte) { return ('a' <= byte && byte <= 'z') || ('A' <= byte && byte <= 'Z'); }

// How usual a byte is in programs and prose: the ones at the front most of all. What is not here is rare.
std::size_t rarity(char byte) {
  constexpr std::string_view kUsual = " etaonirslcdupmfhg_()b.,;=v\"-:yw/kx*0{}1'<>&[]jzq2+ETSCARNIOPLD";
  return std::min(kUsual.find(byte), kUsual.size());
}

#if defined(__SSE2__)
constexpr std::size_t kWidth = 16;

// One byte of the literal, in all places of a block at once.
struct Lane {
  __m128i wanted;
  __m128i fold;
  Lane(char byte, char mask) : wanted(_mm_set1_epi8(byte)), fold(_mm_set1_epi8(mask)) {}
  __m128i hits(const char* block) const noexcept {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block));
    return _mm_cmpeq_epi8(_mm_or_si128(bytes, fold), wanted);
  }
};
#endif

}  // namespace

Finder::Finder(std::string_view literal, search::Letters letters) : literal_(literal), fold_(literal.size(), '\0') {
  for (std::size_t at = 0; at < literal_.size(); ++at) {
    if (letters == search::Letters::Exact || !is_letter(literal_[at])) continue;
    literal_[at] = static_cast<char>(literal_[at] | kCase);
    fold_[at] = kCase;
  }
  for (std::size_t at = 1; at < literal_.size(); ++at) {
    if (rarity(literal_[at]) > rarity(literal_[rare_])) {
      second_ = rare_;
      rare_ = at;
    } else if (second_ == rare_ || rarity(literal_[at]) > rarity(literal_[second_])) {
      second_ = at;
    }
  }
}

bool Finder::stands_at(const char* place) const noexcept {
  for (std::size_t at = 0; at < literal_.size(); ++at) {
    if ((place[at] | fold_[at]) != literal_[at]) return false;
  }
  return true;
}

std::size_t Finder::find_slowly(std::string_view text, std::size_t from) const noexcept {
  for (; from + literal_.size() <= text.size(); ++from) {
    if (fold_[rare_] == 0) {
      const void* hit = std::memchr(text.data() + from + rare_, literal_[rare_], text.size() - from - rare_);
      if (hit == nullptr) return kNowhere;
      from = static_cast<std::size_t>(static_cast<const char*>(hit) - text.data()) - rare_;
      if (from + literal_.size() > text.size()) return kNowhere;
    }
    if (stands_at(text.data() + from)) return from;
  }
  return kNowhere;
}

std::size_t Finder::find(std::string_view text, std::size_t from) const noexcept {
#if defined(__SSE2__)
  const Lane first(literal_[rare_], fold_[rare_]);
  const Lane second(literal_[second_], fold_[second_]);
  // The literal begins in the block, and so may end behind it.
  for (; from + kWidth + literal_.size() <= text.size(); from += kWidth) {
    const char* block = text.data() + from;
    const __m128i both = _mm_and_si128(first.hits(block + rare_), second.hits(block + second_));
    for (auto hits = static_cast<unsigned>(_mm_movemask_epi8(both)); hits != 0; hits &= hits - 1) {
      const auto at = static_cast<std::size_t>(__builtin_ctz(hits));
      if (stands_at(block + at)) return from + at;
    }
  }
#endif
  return find_slowly(text, from);
}

}  // namespace pale::grep
