// sandbox/layers.h: what a stack of overlay layers shows, read without mounting it. Layers are somebody's own making: no
// symlink in them is ever followed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "boundary/boundary.h"
#include "sys/fd.h"
#include "sys/file.h"

namespace pale::sandbox {

// One directory as it is seen: its layers that count, the topmost first. Closed descriptors: it is not in that layer.
class LayeredDirectory {
 public:
  // The layers' own directories, topmost first; those that are not there are left out.
  static Result<LayeredDirectory> open(const std::vector<Path>& layers);

  // What is seen under a name here: nothing behind a whiteout.
  Result<sys::FileInfo> look(const char* name) const;
  // The layer's directory that `look` found the name in; to open, read or list it there. Null: nowhere.
  const sys::Fd* holder(const char* name) const;
  // A directory in this one. Without layers if there is none.
  Result<LayeredDirectory> enter(const char* name) const;
  // Every name that is seen here, in order.
  Result<std::vector<sys::Entry>> list() const;
  bool is_missing() const noexcept { return layers_.empty(); }

 private:
  std::vector<sys::Fd> layers_;
};

// Those of a staged grant, with what they lie over.
std::vector<Path> layers_of(const Grant& staged);
// The same without the layer that takes the changes.
std::vector<Path> layers_beneath(const Grant& staged);

// The directory that holds the last name of a path such as "src/main.cc", and that name.
struct LayeredPlace {
  LayeredDirectory directory;
  std::string name;
};
Result<LayeredPlace> find_place(const LayeredDirectory& top, std::string_view relative);

// The attribute that makes an overlay's directory hide what the layers beneath hold there.
inline constexpr const char* kOpaqueAttribute = "user.overlay.opaque";
Result<bool> is_opaque(const sys::Fd& directory);

}  // namespace pale::sandbox
