// The keeper's program, as bytes of this one.
#include "service/keeper.h"

#include <span>

asm(R"(
  .pushsection .rodata.keeper, "a", @progbits
  .balign 4096
pale_keeper_begin:
  .incbin ")" PALE_KEEPER_IMAGE R"("
pale_keeper_end:
  .popsection
)");

extern "C" const char pale_keeper_begin[];  // NOLINT(modernize-avoid-c-arrays): an address the assembler gives
extern "C" const char pale_keeper_end[];    // NOLINT(modernize-avoid-c-arrays)

namespace pale::service {

std::span<const char> keeper_image() { return {pale_keeper_begin, pale_keeper_end}; }

}  // namespace pale::service
