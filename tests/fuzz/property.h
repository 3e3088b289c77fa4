// tests/fuzz/property.h: what the fuzz targets share. A property that does not hold ends the process, which is what the fuzzer
// looks for, and what fails the test that runs the corpus.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace pale::fuzz {

inline void must(bool holds, const char* property, std::string_view shown = "") {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n%.*s\n", property, static_cast<int>(shown.size()), shown.data());
  std::abort();
}

inline std::string_view as_text(const unsigned char* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace pale::fuzz

// By libFuzzer, or by corpus.cc.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);
