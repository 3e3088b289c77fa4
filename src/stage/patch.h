// stage/patch.h: one file's change as text that `git apply` and GNU `patch -p1` understand.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pale::stage {

enum class VersionKind { Missing, File, Symlink };

struct Version {
  VersionKind kind = VersionKind::Missing;
  unsigned mode = 0;      // permission bits; a patch knows only whether the owner may execute
  std::string_view text;  // of a file, or a link's target
};

// With git's extended header: creation, deletion, permission, renaming. Empty if nothing changed. What became of another
// kind is a deletion and a creation. Contents that a patch cannot carry are one line that both programs skip,
// "Binary files a/x and b/x differ": a header would make `git apply` refuse the patches of all other files as well.
std::string patch_of(std::string_view path, const Version& before, const Version& after,
                     std::string_view renamed_from = {});

// A NUL byte near the beginning, which is how git tells as well.
bool is_binary(std::string_view text);

struct LineCount {
  std::size_t added = 0;
  std::size_t removed = 0;

  bool operator==(const LineCount&) const = default;
};

// The lines with + and - that patch_of() writes; none for binary files.
LineCount count_lines(const Version& before, const Version& after);

}  // namespace pale::stage
