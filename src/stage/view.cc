#include "stage/view.h"

#include <linux/openat2.h>

#include "sys/attributes.h"

namespace pale::stage {
namespace {

constexpr std::string_view kOverlayPrefix = "user.overlay.";
constexpr std::string_view kEscapedPrefix = "user.overlay.overlay.";

// A directory's descriptor and the last name of a path below it.
Result<std::string> text_at(const sys::Fd& directory, const char* name) {
  PALE_TRY(info, sys::file_info(directory.borrow(), name));
  if (info.kind == sys::FileKind::Symlink) return sys::read_link(directory.borrow(), name);
  if (info.kind != sys::FileKind::File) return std::string();
  PALE_TRY(file, sys::open_at(directory.borrow(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  return sys::read_all(file, kMostText);
}

}  // namespace

sys::Fd open_below(const sys::Fd& top, const std::string& path, int flags) {
  // A named pipe would be waited for; a mere place (O_PATH) is not opened.
  const int more = (flags & O_PATH) == 0 ? O_NOFOLLOW | O_NONBLOCK : O_NOFOLLOW;
  const long fd = sys::open_resolved(top.borrow(), path.c_str(), flags | more, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
  return sys::Fd(sys::failed(fd) ? -1 : fd);
}

EntryState state_of(const sys::FileInfo& info) {
  switch (info.kind) {
    case sys::FileKind::Missing: return {};
    case sys::FileKind::File: return {EntryKind::File, info.mode, info.size};
    case sys::FileKind::Directory: return {EntryKind::Directory, info.mode, 0};
    case sys::FileKind::Symlink: return {EntryKind::Symlink, 0777, info.size};
    case sys::FileKind::Other: break;
  }
  return {EntryKind::Special, info.mode, 0};
}

Result<std::vector<OwnAttribute>> own_attributes(const sys::Fd& fd) {
  PALE_TRY(attributes, sys::read_attributes(fd));
  std::vector<OwnAttribute> own;
  for (sys::Attribute& attribute : attributes) {
    std::string_view name = attribute.name;
    if (name.starts_with(kEscapedPrefix)) {
      own.push_back({std::string(kOverlayPrefix).append(name.substr(kEscapedPrefix.size())), attribute.value});
    } else if (!name.starts_with(kOverlayPrefix) &&
               (name.starts_with("user.") || name.starts_with("system.posix_acl"))) {
      own.push_back({std::move(attribute.name), std::move(attribute.value)});
    }
  }
  return own;
}

Result<View> View::open(const Stage& stage, const Path& root) {
  std::vector<Path> beneath(stage.layers.begin() + 1, stage.layers.end());
  beneath.push_back(root);
  PALE_TRY(upper, sys::open_at(sys::kAbsolute, stage.upper().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  PALE_TRY(layers, sandbox::LayeredDirectory::open(beneath));
  PALE_TRY(originals, sandbox::Originals::open(stage.directory, stage.began_ns));
  return View(std::move(upper), std::move(layers), std::move(originals));
}

Result<std::string> View::text_in_stage(const std::string& path) const {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return text_at(upper_, path.c_str());
  const sys::Fd directory = open_below(upper_, path.substr(0, slash), O_PATH | O_DIRECTORY);
  return directory.is_open() ? text_at(directory, path.c_str() + slash + 1) : Result<std::string>(std::string());
}

Result<std::string> View::text_beneath(const std::string& path) const {
  PALE_TRY(place, sandbox::find_place(beneath_, path));
  const sys::Fd* holder = place.directory.holder(place.name.c_str());
  return holder == nullptr ? Result<std::string>(std::string()) : text_at(*holder, place.name.c_str());
}

Result<std::optional<std::string>> View::original_text(const std::string& path) const {
  const sys::Fd file = originals_.find(path);
  if (!file.is_open()) return std::nullopt;
  PALE_TRY(text, sys::read_all(file, kMostText));
  return text;
}

}  // namespace pale::stage
