// sys/call.h: the one door to the kernel. Returns what the kernel returns: a value, or -errno. No libc, no errno variable,
// so it is safe in a child that shares its parent's memory, and in a program that links no C library to speak of.
#pragma once

#include <sys/syscall.h>

#include <type_traits>

namespace pale::sys {

template <typename T>
long to_word(T value) noexcept {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<long>(value);
  } else if constexpr (std::is_null_pointer_v<T>) {
    return 0;
  } else {
    return static_cast<long>(value);
  }
}

#if defined(__x86_64__)

inline long raw_call(long number, long a, long b, long c, long d, long e, long f) noexcept {
  register const long r10 asm("r10") = d;
  register const long r8 asm("r8") = e;
  register const long r9 asm("r9") = f;
  long result = number;
  asm volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
}

#elif defined(__aarch64__)

inline long raw_call(long number, long a, long b, long c, long d, long e, long f) noexcept {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}

#else
#error "Pale knows x86-64 and arm64."
#endif

template <typename... Args>
long call(long number, Args... args) noexcept {
  static_assert(sizeof...(args) <= 6);
  const long words[6] = {to_word(args)...};
  return raw_call(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

inline bool failed(long result) noexcept { return result < 0 && result > -4096; }

}  // namespace pale::sys
