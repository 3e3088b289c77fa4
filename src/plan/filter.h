// plan/filter.h: syscall sets compiled to a seccomp program. Pure; tested by evaluating it, without a kernel.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plan/syscalls.h"

namespace pale::plan {

using FilterProgram = std::vector<sock_filter>;

// Installing costs about a microsecond an instruction, and every system call walks it: a balanced tree over the numbers.
FilterProgram compile_filter(std::span<const SyscallSet> sets);

// What the kernel would answer: a SECCOMP_RET_* value with its data. For tests and for explaining.
std::uint32_t evaluate(std::span<const sock_filter> program, const seccomp_data& data);

// For the receipt: 64 bits of FNV-1a over the instructions.
std::uint64_t fingerprint(std::span<const sock_filter> program) noexcept;

}  // namespace pale::plan
