// sandbox/originals.h: the project's version of a file, kept before a command first changes it in a stage. Without it a later
// change in the project itself could not be told from the stage's, nor merged with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sandbox/layers.h"

namespace pale::sandbox {

// What a stage remembers of the files beneath it, in its own directory: `originals`, as they were before their first change,
// and `known`, when those changed last that an apply of this stage itself has changed.
class Originals {
 public:
  // `began_ns`: what was changed in the project later than this is not the original.
  static Result<Originals> open(const Path& stage, std::int64_t began_ns);

  std::int64_t began_ns() const noexcept { return began_ns_; }
  // Whether what lies beneath the stage at a path is still what it was when the stage began.
  bool is_original(std::string_view relative, const sys::FileInfo& beneath) const;
  // Best effort: what cannot be kept cannot be merged later, and that is all.
  void keep(const LayeredDirectory& beneath, const std::string& relative) const;
  // The original, or an empty descriptor if none was kept.
  sys::Fd find(const std::string& relative) const;
  // After an apply: what lies beneath the stage now is the original.
  Status renew(const std::string& relative, const sys::FileInfo& beneath) const;

 private:
  Originals(sys::Fd stage, std::int64_t began_ns) : stage_(std::move(stage)), began_ns_(began_ns) {}
  Status copy(const sys::Fd& file, const std::string& relative) const;
  // Makes the directories on the way to a name below `top`.
  Status make_way(const char* top, std::string_view relative) const;

  sys::Fd stage_;
  std::int64_t began_ns_;
};

// The files that a run sees through its stage, for whoever hears of a change before it is made.
struct StagedFiles {
  Path root;  // inside
  LayeredDirectory beneath;
  Originals originals;

  static Result<StagedFiles> open(const Grant& staged, std::int64_t began_ns);
  void before_change(const Path& path) const;
};

}  // namespace pale::sandbox
