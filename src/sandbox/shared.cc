#include "sandbox/shared.h"

#include <algorithm>
#include <cstring>

namespace pale::sandbox {
namespace {

template <std::size_t N>
void put_text(std::array<char, N>& slot, const std::string& text) noexcept {
  const std::size_t length = std::min(text.size(), N - 1);
  std::memcpy(slot.data(), text.data(), length);
  slot[length] = '\0';
}

}  // namespace

void SharedError::put(const Error& error) noexcept {
  kind = error.kind;
  number = error.number;
  put_text(operation, error.operation);
  put_text(subject, error.subject);
  put_text(hint, error.hint);
}

Result<Shared*> make_shared() {
  void* memory = sys::share_memory(sizeof(Shared));
  if (memory == nullptr) return fail(ErrorKind::System, "no memory for a sandbox", "");
  return static_cast<Shared*>(memory);
}

Error SharedError::get() const { return {kind, number, operation.data(), subject.data(), hint.data()}; }

}  // namespace pale::sandbox
