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

// Addresses that the assembler gives.
extern "C" const char kKeeperBegin[] asm("pale_keeper_begin");
extern "C" const char kKeeperEnd[] asm("pale_keeper_end");

namespace pale::service {

std::span<const char> keeper_image() { return {kKeeperBegin, kKeeperEnd}; }

}  // namespace pale::service
