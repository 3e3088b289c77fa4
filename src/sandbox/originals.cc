#include "sandbox/originals.h"

#include <linux/openat2.h>

#include "base/text.h"
#include "sys/copy.h"
#include "sys/tree.h"

namespace pale::sandbox {
namespace {

constexpr std::uint64_t kMostBytes = 4UL << 20U;  // nobody merges more by lines
constexpr std::size_t kMostStamp = 32;
constexpr const char* kBeingKept = "original.new";
constexpr std::uint64_t kStays = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;

std::string below(const char* top, std::string_view relative) { return std::string(top) + "/" + std::string(relative); }

}  // namespace

Result<Originals> Originals::open(const Path& stage, std::int64_t began_ns) {
  PALE_TRY(fd, sys::open_at(sys::kAbsolute, stage.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  return Originals(std::move(fd), began_ns);
}

bool Originals::is_original(std::string_view relative, const sys::FileInfo& beneath) const {
  if (beneath.changed_ns <= began_ns_) return true;
  const auto stamp = sys::read_file(stage_.borrow(), below("known", relative).c_str(), kMostStamp);
  return stamp && *stamp == std::to_string(beneath.changed_ns);
}

void Originals::keep(const LayeredDirectory& beneath, const std::string& relative) const {
  const auto kept = sys::file_info(stage_.borrow(), below("originals", relative).c_str());
  if (!kept || kept->kind != sys::FileKind::Missing) return;
  const auto place = find_place(beneath, relative);
  const sys::Fd* holder = place ? place->directory.holder(place->name.c_str()) : nullptr;
  if (holder == nullptr) return;
  const auto file = sys::open_at(holder->borrow(), place->name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file) return;
  const auto info = sys::file_info(*file);
  const bool worth = info && info->kind == sys::FileKind::File && info->size <= kMostBytes;
  if (worth && is_original(relative, *info)) (void)copy(*file, relative);
}

Status Originals::copy(const sys::Fd& file, const std::string& relative) const {
  {
    PALE_TRY(fresh, sys::open_at(stage_.borrow(), kBeingKept, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600));
    PALE_CHECK(sys::copy_contents(file, fresh));
  }
  PALE_CHECK(make_way("originals", relative));
  return sys::rename_to(stage_.borrow(), kBeingKept, stage_.borrow(), below("originals", relative).c_str());
}

Status Originals::make_way(const char* top, std::string_view relative) const {
  PALE_CHECK(sys::make_directory(stage_.borrow(), top, 0700));
  for (std::size_t slash = relative.find('/'); slash != std::string_view::npos; slash = relative.find('/', slash + 1))
    PALE_CHECK(sys::make_directory(stage_.borrow(), below(top, relative.substr(0, slash)).c_str(), 0700));
  return {};
}

sys::Fd Originals::find(const std::string& relative) const {
  const long fd = sys::open_resolved(stage_.borrow(), below("originals", relative).c_str(), O_RDONLY, kStays);
  return sys::Fd(sys::failed(fd) ? -1 : fd);
}

Result<StagedFiles> StagedFiles::open(const Grant& staged, std::int64_t began_ns) {
  PALE_TRY(beneath, LayeredDirectory::open(layers_beneath(staged)));
  PALE_TRY(originals, Originals::open(staged.layers.front().parent(), began_ns));
  return StagedFiles{staged.path, std::move(beneath), std::move(originals)};
}

void StagedFiles::before_change(const Path& path) const {
  if (root.covers(path) && path != root) originals.keep(beneath, std::string(root.below(path)));
}

Status Originals::renew(const std::string& relative, const sys::FileInfo& beneath) const {
  PALE_CHECK(sys::remove_tree(stage_.borrow(), below("originals", relative).c_str()));
  PALE_CHECK(sys::remove_tree(stage_.borrow(), below("known", relative).c_str()));
  if (beneath.kind == sys::FileKind::Missing || beneath.kind == sys::FileKind::Directory) return {};
  PALE_CHECK(make_way("known", relative));
  PALE_TRY(stamp, sys::open_at(stage_.borrow(), below("known", relative).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
  return sys::write_all(stamp.borrow(), std::to_string(beneath.changed_ns));
}

}  // namespace pale::sandbox
