#include "sandbox/seen_before.h"

#include <utility>

namespace pale::sandbox {
namespace {

// An empty slot is 0.
std::uint64_t kept(std::uint64_t number) { return number == 0 ? 1 : number; }

}  // namespace

std::size_t SeenBefore::place_of(std::uint64_t number) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = kept(number) & mask;
  while (slots_[at] != 0 && slots_[at] != kept(number)) at = (at + 1) & mask;
  return at;
}

bool SeenBefore::add(std::uint64_t number) {
  const std::size_t at = place_of(number);
  if (slots_[at] != 0) return false;
  slots_[at] = kept(number);
  if (2 * ++count_ <= slots_.size()) return true;
  const std::vector<std::uint64_t> before = std::exchange(slots_, std::vector<std::uint64_t>(2 * slots_.size()));
  for (const std::uint64_t each : before) {
    if (each != 0) slots_[place_of(each)] = each;
  }
  return true;
}

void SeenBefore::forget() {
  if (count_ == 0) return;
  slots_.assign(kAtFirst, 0);
  count_ = 0;
}

}  // namespace pale::sandbox
