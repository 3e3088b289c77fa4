#include "stage/assemble.h"

#include <algorithm>

#include "sys/attributes.h"

namespace pale::stage {
namespace {

using sandbox::LayeredDirectory;
using sys::FileInfo;
using sys::FileKind;

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

bool is_other_mode(const Change& change) {
  return change.kind == ChangeKind::ModeChanged && change.after.kind == EntryKind::Directory;
}
bool goes(const Change& change) { return change.after.kind == EntryKind::Missing; }

class Assembler {
 public:
  Assembler(const View& view, Transaction& transaction, const LayeredDirectory* lower, Progress* progress)
      : view_(view), transaction_(transaction), lower_(lower), progress_(progress) {}

  Status assemble(const std::vector<Item>& items) {
    for (std::size_t at = 0; at < items.size();) {
      PALE_TRY(top, top_of(items[at].change.path));
      std::size_t end = at + 1;
      while (end < items.size() && covers(top, items[end].change.path)) ++end;
      const std::span<const Item> below(items.data() + at, end - at);
      PALE_TRY(taken, add(top, below));
      at += taken;
      if (progress_ != nullptr) progress_->tell("copying", at, items.size());
    }
    return remove_old_names(items);
  }

 private:
  // Of what was renamed, unless it went with its directory.
  Status remove_old_names(const std::vector<Item>& items) {
    for (const Item& item : items) {
      if (item.change.kind != ChangeKind::Renamed) continue;
      const std::string& from = item.change.from;
      const bool taken = std::ranges::any_of(items, [&](const Item& other) {
        return takes_directory_away(other.change) && covers(other.change.path, from);
      });
      if (!taken) PALE_CHECK(remove(from));
    }
    return {};
  }

  Result<FileInfo> in_target(const std::string& path) const {
    const sys::Fd fd = open_below(transaction_.target(), std::string(parent_of(path).empty() ? "." : parent_of(path)),
                                  O_PATH | O_DIRECTORY);
    if (!fd.is_open()) return FileInfo{};
    return sys::file_info(fd.borrow(), path.substr(path.rfind('/') + 1).c_str());
  }

  bool is_below(const std::string& path) const {
    if (lower_ == nullptr) return false;
    const auto place = sandbox::find_place(*lower_, path);
    return place && place->directory.holder(place->name.c_str()) != nullptr;
  }

  // In a layer the directories on the way may be missing: then the first of them is what is put there.
  Result<std::string> top_of(const std::string& path) const {
    if (lower_ == nullptr) return path;
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      PALE_TRY(info, in_target(path.substr(0, slash)));
      if (info.kind != FileKind::Directory) return path.substr(0, slash);
    }
    return path;
  }

  // The number of items that this took care of.
  Result<std::size_t> add(const std::string& top, std::span<const Item> items) {
    const Change& first = items.front().change;
    PALE_TRY(there, in_target(top));
    const bool merged = lower_ != nullptr && is_other_mode(first) && there.kind == FileKind::Missing;
    if (top != first.path || merged) {
      PALE_CHECK(build_way(top, items));
      return items.size();
    }
    if (goes(first)) {
      PALE_CHECK(remove(top));
      return items.size();
    }
    if (first.after.kind != EntryKind::Directory) {
      PALE_CHECK(build(items.front(), transaction_.slot()));
      PALE_CHECK(transaction_.add(top));
      return items.size();  // The rest is what a directory in its place held.
    }
    if (there.kind == FileKind::Directory) {
      if (there.mode != first.after.mode) PALE_CHECK(transaction_.add_mode(top, first.after.mode));
      return 1;
    }
    PALE_CHECK(build_tree(items));
    PALE_CHECK(transaction_.add(top));
    return items.size();
  }

  Status remove(const std::string& path) {
    if (is_below(path))
      PALE_CHECK(sys::make_node(transaction_.slot().directory.borrow(), transaction_.slot().name.c_str(), 0, 0));
    return transaction_.add(path);
  }

  Status build(const Item& item, const Place& place) const {
    const std::string& path = item.change.path;
    const std::string parent(parent_of(path));
    const sys::Fd directory = open_below(view_.upper(), parent.empty() ? "." : parent, kDirectory);
    if (!directory.is_open()) return fail(ErrorKind::NotFound, "this is gone from the stage:", path);
    const Place from{directory, path.substr(path.rfind('/') + 1)};
    return item.text ? write_object(from, place, *item.text) : copy_entry(from, place);
  }

  // A directory that is new, with the items in it.
  Status build_tree(std::span<const Item> items) const {
    const std::string& top = items.front().change.path;
    const Place slot = transaction_.slot();
    PALE_CHECK(build(items.front(), slot));
    PALE_TRY(root, sys::open_at(slot.directory.borrow(), slot.name.c_str(), kDirectory));
    if (is_below(top)) PALE_CHECK(sys::write_attribute(root, {sandbox::kOpaqueAttribute, "y"}));
    for (const Item& item : items.subspan(1)) {
      if (!goes(item.change)) PALE_CHECK(build_in(root, top, item));
    }
    return {};
  }

  Status build_in(const sys::Fd& root, const std::string& top, const Item& item) const {
    const std::string relative = item.change.path.substr(top.size() + 1);
    const std::string parent(parent_of(relative));
    const sys::Fd directory = open_below(root, parent.empty() ? "." : parent, kDirectory);
    if (!directory.is_open()) return fail(ErrorKind::NotFound, "its directory is not part of this:", item.change.path);
    const Place place{directory, relative.substr(relative.rfind('/') + 1)};
    if (goes(item.change))
      return is_below(item.change.path) ? sys::make_node(directory.borrow(), place.name.c_str(), 0, 0) : Status{};
    PALE_CHECK(build(item, place));
    if (item.change.after.kind != EntryKind::Directory || !is_below(item.change.path)) return {};
    PALE_TRY(itself, sys::open_at(directory.borrow(), place.name.c_str(), kDirectory));
    const bool merged = is_other_mode(item.change);
    return merged ? Status{} : sys::write_attribute(itself, {sandbox::kOpaqueAttribute, "y"});
  }

  // A directory that the layer lacks, as it is beneath it, with the items in it.
  Status build_way(const std::string& top, std::span<const Item> items) {
    const Place slot = transaction_.slot();
    PALE_CHECK(copy_from_beneath(top, slot));
    PALE_TRY(root, sys::open_at(slot.directory.borrow(), slot.name.c_str(), kDirectory));
    std::string done;  // with all that lies below it: a directory that goes, or becomes something else
    for (const Item& item : items) {
      const std::string& path = item.change.path;
      if (!done.empty() && covers(done, path)) continue;
      if (takes_directory_away(item.change)) done = path;
      if (path == top) {
        PALE_CHECK(sys::set_mode(root, item.change.after.mode));
      } else {
        PALE_CHECK(make_way(root, top, path));
        PALE_CHECK(build_in(root, top, item));
      }
    }
    return transaction_.add(top);
  }

  // The directories between.
  Status make_way(const sys::Fd& root, const std::string& top, const std::string& path) const {
    for (std::size_t slash = path.find('/', top.size() + 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      const std::string way = path.substr(top.size() + 1, slash - top.size() - 1);
      if (open_below(root, way, O_PATH).is_open()) continue;
      const std::string parent(parent_of(way));
      const sys::Fd above = open_below(root, parent.empty() ? "." : parent, kDirectory);
      PALE_CHECK(copy_from_beneath(path.substr(0, slash), {above, way.substr(way.rfind('/') + 1)}));
    }
    return {};
  }

  Status copy_from_beneath(const std::string& path, const Place& to) const {
    PALE_TRY(place, sandbox::find_place(*lower_, path));
    const sys::Fd* holder = place.directory.holder(place.name.c_str());
    if (holder == nullptr) return fail(ErrorKind::NotFound, "the directory of this path is gone:", path);
    return copy_entry({*holder, place.name}, to);
  }

  const View& view_;
  Transaction& transaction_;
  const LayeredDirectory* lower_;
  Progress* progress_;
};

}  // namespace

Status assemble(const View& view, const std::vector<Item>& items, Transaction& transaction,
                const LayeredDirectory* lower, Progress* progress) {
  return Assembler(view, transaction, lower, progress).assemble(items);
}

}  // namespace pale::stage
