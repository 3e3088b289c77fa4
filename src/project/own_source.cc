#include "project/own_source.h"

#include <algorithm>
#include <string_view>

#include "sys/file.h"

namespace pale::project {
namespace {

// A name in a README, or a folder called pale, is none of it.
constexpr std::string_view kSourceMarks[] = {"src/boundary/boundary.h", "src/sandbox/launch.h", "apps/pale/main.cc"};
constexpr std::string_view kBuildFile = "CMakeLists.txt";
constexpr std::string_view kBuildMark = "project(pale ";
constexpr std::size_t kMostBuildFile = 1UL << 20U;

bool is_source_tree(const Path& directory) {
  const auto is_there = [&](std::string_view mark) {
    const auto info = sys::file_info(sys::kAbsolute, (directory / mark).c_str());
    return info && info->kind == sys::FileKind::File;
  };
  if (!std::ranges::all_of(kSourceMarks, is_there)) return false;
  const auto text = sys::read_file(sys::kAbsolute, (directory / kBuildFile).c_str(), kMostBuildFile);
  return text && text->find(kBuildMark) != std::string::npos;
}

}  // namespace

bool is_own_source(const Path& directory) {
  for (Path above = directory;; above = above.parent()) {
    if (is_source_tree(above)) return true;
    if (above.is_root()) return false;
  }
}

}  // namespace pale::project
