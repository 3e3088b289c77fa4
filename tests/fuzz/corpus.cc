// Runs a target over the files of directories: what the fuzzer once found interesting, without the fuzzer.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/property.h"

namespace {

std::size_t run_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::fprintf(stderr, "%s\n", path.c_str());  // the last one is the guilty one
  LLVMFuzzerTestOneInput(reinterpret_cast<const unsigned char*>(text.data()), text.size());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t files = 0;
  for (int each = 1; each < argc; ++each) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[each])) files += run_file(entry.path());
  }
  std::printf("%zu inputs\n", files);
  return files > 0 ? 0 : 1;  // an empty corpus proves nothing
}
