// stage/view.h: a stage as three trees: what it holds, what lies beneath it, and what lay there before. Every file is reached
// by descriptors, and no symlink is followed.
#pragma once

#include <string>

#include "sandbox/originals.h"
#include "stage/change.h"
#include "stage/store.h"

namespace pale::stage {

class View {
 public:
  static Result<View> open(const Stage& stage, const Path& root);

  const sys::Fd& upper() const noexcept { return upper_; }
  const sandbox::LayeredDirectory& beneath() const noexcept { return beneath_; }
  const sandbox::Originals& originals() const noexcept { return originals_; }

  // A file's contents, or where a link leads. Empty if there is neither.
  Result<std::string> text_in_stage(const std::string& path) const;
  Result<std::string> text_beneath(const std::string& path) const;
  // Nothing if no original was kept.
  Result<std::optional<std::string>> original_text(const std::string& path) const;

 private:
  View(sys::Fd upper, sandbox::LayeredDirectory beneath, sandbox::Originals originals)
      : upper_(std::move(upper)), beneath_(std::move(beneath)), originals_(std::move(originals)) {}
  sys::Fd upper_;
  sandbox::LayeredDirectory beneath_;
  sandbox::Originals originals_;
};

inline constexpr std::size_t kMostText = 256UL << 20U;

// Below a directory, by a path without any link. Closed if there is nothing.
sys::Fd open_below(const sys::Fd& top, const std::string& path, int flags);
EntryState state_of(const sys::FileInfo& info);
// The attributes that are the file's own, under the names the project knows them by: an overlay's are left out, and what a
// program tried to forge as such was renamed by the kernel.
struct OwnAttribute {
  std::string name;
  std::string value;
  bool operator==(const OwnAttribute&) const = default;
};
Result<std::vector<OwnAttribute>> own_attributes(const sys::Fd& fd);

}  // namespace pale::stage
