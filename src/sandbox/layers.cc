#include "sandbox/layers.h"

#include <algorithm>
#include <tuple>

#include "sys/attributes.h"

namespace pale::sandbox {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

}  // namespace

Result<bool> is_opaque(const sys::Fd& directory) {
  PALE_TRY(value, sys::read_attribute(directory, kOpaqueAttribute));
  return value == "y";
}

Result<LayeredDirectory> LayeredDirectory::open(const std::vector<Path>& layers) {
  LayeredDirectory top;
  for (const Path& layer : layers) {
    PALE_TRY(info, sys::file_info(sys::kAbsolute, layer.c_str()));
    if (info.kind != sys::FileKind::Directory) continue;
    PALE_TRY(fd, sys::open_at(sys::kAbsolute, layer.c_str(), kDirectory));
    top.layers_.push_back(std::move(fd));
  }
  return top;
}

const sys::Fd* LayeredDirectory::holder(const char* name) const {
  for (const sys::Fd& layer : layers_) {
    const auto info = sys::file_info(layer.borrow(), name);
    if (info && info->whiteout) return nullptr;
    if (info && info->kind != sys::FileKind::Missing) return &layer;
  }
  return nullptr;
}

Result<sys::FileInfo> LayeredDirectory::look(const char* name) const {
  const sys::Fd* layer = holder(name);
  if (layer == nullptr) return sys::FileInfo{};
  return sys::file_info(layer->borrow(), name);
}

Result<LayeredDirectory> LayeredDirectory::enter(const char* name) const {
  LayeredDirectory below;
  for (const sys::Fd& layer : layers_) {
    PALE_TRY(info, sys::file_info(layer.borrow(), name));
    if (info.kind == sys::FileKind::Missing) continue;
    if (info.kind != sys::FileKind::Directory) break;  // It hides whatever lies beneath.
    PALE_TRY(fd, sys::open_at(layer.borrow(), name, kDirectory));
    PALE_TRY(opaque, is_opaque(fd));
    // The lowest layer is the project itself: what it says of overlays is not about this one.
    const bool lowest = &layer == &layers_.back();
    below.layers_.push_back(std::move(fd));
    if (opaque && !lowest) break;
  }
  return below;
}

Result<std::vector<sys::Entry>> LayeredDirectory::list() const {
  struct Seen {
    sys::Entry entry;
    std::size_t layer;
    bool whiteout;
  };
  std::vector<Seen> all;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    PALE_TRY(fd, sys::open_at(layers_[layer].borrow(), ".", kDirectory));
    PALE_TRY(entries, sys::list_directory(fd));
    for (sys::Entry& entry : entries) {
      const bool odd = entry.kind == sys::FileKind::Other;
      PALE_TRY(info, odd ? sys::file_info(fd.borrow(), entry.name.c_str()) : Result<sys::FileInfo>(sys::FileInfo{}));
      all.push_back({std::move(entry), layer, info.whiteout});
    }
  }
  std::ranges::sort(all, {}, [](const Seen& seen) { return std::tie(seen.entry.name, seen.layer); });
  std::vector<sys::Entry> shown;
  for (std::size_t at = 0; at < all.size(); ++at) {
    const bool covered = at > 0 && all[at - 1].entry.name == all[at].entry.name;
    if (!covered && !all[at].whiteout) shown.push_back(all[at].entry);
  }
  return shown;
}

std::vector<Path> layers_of(const Grant& staged) {
  std::vector<Path> layers = staged.layers;
  layers.push_back(staged.source);
  return layers;
}

std::vector<Path> layers_beneath(const Grant& staged) {
  std::vector<Path> layers = layers_of(staged);
  layers.erase(layers.begin());
  return layers;
}

Result<LayeredPlace> find_place(const LayeredDirectory& top, std::string_view relative) {
  PALE_TRY(directory, top.enter("."));
  for (std::size_t slash = relative.find('/'); slash != std::string_view::npos; slash = relative.find('/')) {
    PALE_TRY(below, directory.enter(std::string(relative.substr(0, slash)).c_str()));
    directory = std::move(below);
    relative.remove_prefix(slash + 1);
  }
  return LayeredPlace{std::move(directory), std::string(relative)};
}

}  // namespace pale::sandbox
