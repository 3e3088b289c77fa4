#include "stage/object.h"

#include <algorithm>

#include "stage/view.h"
#include "sys/attributes.h"
#include "sys/copy.h"

namespace pale::stage {
namespace {

using sys::FileKind;

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
constexpr int kFile = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
// What is applied was reviewed, and no deeper than this; what was there before may be anybody's.
constexpr std::size_t kDeepest = 512;
constexpr int kNewFile = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;

// Own: as the project knows them. All: as they are, with those that make a layer's directory opaque.
enum class Attributes { Own, All };

Status copy_attributes(const sys::Fd& from, const sys::Fd& to, Attributes which) {
  if (which == Attributes::Own) {
    PALE_TRY(attributes, own_attributes(from));
    for (const OwnAttribute& attribute : attributes)
      PALE_CHECK(sys::write_attribute(to, {attribute.name, attribute.value}));
    return {};
  }
  PALE_TRY(attributes, sys::read_attributes(from));
  for (const sys::Attribute& attribute : attributes) {
    if (attribute.name.starts_with("user.") || attribute.name.starts_with("system.posix_acl"))
      PALE_CHECK(sys::write_attribute(to, attribute));
  }
  return {};
}

Status copy_look(const sys::Fd& from, const sys::Fd& to, const sys::FileInfo& info, Attributes which) {
  PALE_CHECK(copy_attributes(from, to, which));
  PALE_CHECK(sys::set_mode(to, info.mode));
  return sys::set_modified(to, info.modified_ns);
}

Status copy_file(const Place& from, const Place& to, Attributes which) {
  PALE_TRY(source, sys::open_at(from.directory.borrow(), from.name.c_str(), kFile));
  PALE_TRY(info, sys::file_info(source));
  PALE_TRY(target, sys::open_at(to.directory.borrow(), to.name.c_str(), kNewFile, 0600));
  PALE_CHECK(sys::copy_contents(source, target));
  return copy_look(source, target, info, which);
}

Status copy_directory(const Place& from, const Place& to) {
  PALE_TRY(source, sys::open_at(from.directory.borrow(), from.name.c_str(), kDirectory));
  PALE_TRY(info, sys::file_info(source));
  PALE_CHECK(sys::make_directory(to.directory.borrow(), to.name.c_str(), 0700));
  PALE_TRY(target, sys::open_at(to.directory.borrow(), to.name.c_str(), kDirectory));
  return copy_look(source, target, info, Attributes::Own);
}

Status copy_single(const Place& from, const Place& to, Attributes which) {
  PALE_TRY(info, sys::file_info(from.directory.borrow(), from.name.c_str()));
  switch (info.kind) {
    case FileKind::File: return copy_file(from, to, which);
    case FileKind::Directory: return copy_directory(from, to);
    case FileKind::Symlink: {
      PALE_TRY(target, sys::read_link(from.directory.borrow(), from.name.c_str()));
      return sys::make_symlink(target.c_str(), to.directory.borrow(), to.name.c_str());
    }
    case FileKind::Other: {
      PALE_CHECK(sys::make_node(to.directory.borrow(), to.name.c_str(), info.format, info.mode));
      return sys::set_mode(to.directory.borrow(), to.name.c_str(), info.mode);  // whatever the umask took
    }
    case FileKind::Missing: break;
  }
  return fail(ErrorKind::NotFound, "this is gone meanwhile:", from.name);
}

Status check_depth(const Place& place, std::size_t depth) {
  if (depth <= kDeepest) return {};
  return fail(ErrorKind::Refused,
              "more than " + std::to_string(kDeepest) + " directories lie in one another, above:", place.name,
              "remove them first");
}

Status copy_whole(const Place& from, const Place& to, std::size_t depth) {
  PALE_CHECK(check_depth(from, depth));
  PALE_TRY(info, sys::file_info(from.directory.borrow(), from.name.c_str()));
  if (info.kind != FileKind::Directory) return copy_single(from, to, Attributes::All);
  PALE_TRY(source, sys::open_at(from.directory.borrow(), from.name.c_str(), kDirectory));
  PALE_CHECK(sys::make_directory(to.directory.borrow(), to.name.c_str(), 0700));
  PALE_TRY(target, sys::open_at(to.directory.borrow(), to.name.c_str(), kDirectory));
  PALE_TRY(entries, sys::list_directory(source));
  for (const sys::Entry& entry : entries) PALE_CHECK(copy_whole({source, entry.name}, {target, entry.name}, depth + 1));
  return copy_look(source, target, info, Attributes::All);
}

Result<std::int64_t> newest_below(const Place& place, std::size_t depth) {
  PALE_CHECK(check_depth(place, depth));
  PALE_TRY(info, sys::file_info(place.directory.borrow(), place.name.c_str()));
  std::int64_t newest = info.changed_ns;
  if (info.kind != FileKind::Directory) return newest;
  PALE_TRY(directory, sys::open_at(place.directory.borrow(), place.name.c_str(), kDirectory));
  PALE_TRY(entries, sys::list_directory(directory));
  for (const sys::Entry& entry : entries) {
    PALE_TRY(inner, newest_below({directory, entry.name}, depth + 1));
    newest = std::max(newest, inner);
  }
  return newest;
}

}  // namespace

Status copy_entry(const Place& from, const Place& to) { return copy_single(from, to, Attributes::Own); }

Status copy_object(const Place& from, const Place& to) { return copy_whole(from, to, 0); }

Status write_object(const Place& like, const Place& to, const std::string& text) {
  PALE_TRY(source, sys::open_at(like.directory.borrow(), like.name.c_str(), kFile));
  PALE_TRY(info, sys::file_info(source));
  PALE_TRY(target, sys::open_at(to.directory.borrow(), to.name.c_str(), kNewFile, 0600));
  PALE_CHECK(sys::write_all(target.borrow(), text));
  return copy_look(source, target, info, Attributes::Own);
}

Result<std::int64_t> newest_change(const Place& place) { return newest_below(place, 0); }

}  // namespace pale::stage
