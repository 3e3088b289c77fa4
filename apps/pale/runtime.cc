// What the static program needs of a C++ runtime, since it links none: memory, and an end to what cannot go on.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// Most of what Pale allocates is small and comes in a burst at start-up, where each trip to the kernel counts: small blocks
// are cut from an arena in the program's own image and kept by size for reuse; the rest is musl's business.
constexpr std::size_t kSmallest = 16, kLargest = 32768, kArena = 1UL << 20U;
constexpr std::size_t kClasses = std::countr_zero(kLargest) - std::countr_zero(kSmallest) + 1;

struct Block {
  Block* next;
};

alignas(kSmallest) std::array<char, kArena> arena;
std::size_t used = 0;
std::array<Block*, kClasses> free_blocks = {};

std::size_t rounded(std::size_t size) { return std::bit_ceil(size < kSmallest ? kSmallest : size); }
std::size_t class_of(std::size_t rounded_size) {
  return static_cast<std::size_t>(std::countr_zero(rounded_size) - std::countr_zero(kSmallest));
}

bool in_arena(const void* memory) { return memory >= arena.data() && memory < arena.data() + kArena; }

}  // namespace

// Not for threads: the program has none, and a child that shares its memory runs while it sleeps.
void* operator new(std::size_t size) {
  if (size <= kLargest) {
    const std::size_t bytes = rounded(size);
    Block*& free_list = free_blocks[class_of(bytes)];
    if (free_list != nullptr) {
      Block* block = free_list;
      free_list = block->next;
      return block;
    }
    if (used + bytes <= kArena) {
      void* memory = arena.data() + used;
      used += bytes;
      return memory;
    }
  }
  void* memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  return memory;
}

// Algorithms that would rather go slowly than fail ask in this way; here nobody fails.
const std::nothrow_t std::nothrow{};
void* operator new(std::size_t size, const std::nothrow_t& /*way*/) noexcept { return operator new(size); }

// Every deallocation in the program says its size; that is what makes the lists above possible.
void operator delete(void* memory, std::size_t size) noexcept {
  if (!in_arena(memory)) return std::free(memory);
  auto* block = static_cast<Block*>(memory);
  Block*& free_list = free_blocks[class_of(rounded(size))];
  block->next = free_list;
  free_list = block;
}

void operator delete(void* memory) noexcept {
  if (!in_arena(memory)) std::free(memory);
}

namespace std {
// libstdc++'s containers report misuse through these. They would throw; here they end the program.
void __throw_length_error(const char*) { abort(); }
void __throw_logic_error(const char*) { abort(); }
void __throw_out_of_range_fmt(const char*, ...) { abort(); }
void __throw_bad_alloc() { abort(); }
void __throw_bad_array_new_length() { abort(); }
void __throw_bad_function_call() { abort(); }
}  // namespace std
