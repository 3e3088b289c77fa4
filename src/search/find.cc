#include "search/find.h"

#include <algorithm>

namespace pale::search {
namespace {

class Finding {
 public:
  Finding(const Glob& glob, const FindOptions& options, std::size_t above)
      : glob_(glob), options_(options), above_(above) {}

  void look_into(const sys::Fd& parent, const std::string& name, const Place& place) {
    auto listing = place.depth <= kDeepestPlace ? list(parent, name, place, options_.walk) : too_deep();
    if (!listing) {
      ++found_.unread;
      return;
    }
    std::ranges::sort(listing->files);
    std::ranges::sort(listing->directories);
    auto directory = listing->directories.begin();
    for (const std::string& file : listing->files) {
      while (directory != listing->directories.end() && *directory < file) go_on(*listing, place, *directory++);
      look_at(joined(place.path, file));
    }
    while (directory != listing->directories.end()) go_on(*listing, place, *directory++);
  }

  void look_at(std::string path) {
    if (found_.more || is_left_out(path)) return;
    if (++seen_ > options_.most_seen) found_.more = true;
    if (found_.more || !glob_.matches(path.substr(above_))) return;
    if (found_.paths.size() == options_.most) {
      found_.more = true;
    } else {
      found_.paths.push_back(std::move(path));
    }
  }

  Found take() && { return std::move(found_); }

 private:
  bool is_left_out(std::string_view path) const {
    return std::ranges::any_of(options_.without, [&](const Glob& glob) { return glob.matches(path.substr(above_)); });
  }

  static Result<Listing> too_deep() { return fail(ErrorKind::Unsupported, "too deep", ""); }

  void go_on(const Listing& listing, const Place& place, const std::string& name) {
    if (found_.more || ++seen_ > options_.most_seen) {
      found_.more = true;
      return;
    }
    std::string path = joined(place.path, name);
    if (is_left_out(path)) return;
    look_into(listing.directory, name, {std::move(path), listing.rules, place.depth + 1});
  }

  const Glob& glob_;
  const FindOptions& options_;
  std::size_t above_;  // of each path: what leads to where it begins
  Found found_;
  std::uint64_t seen_ = 0;
};

}  // namespace

Result<Found> find_files(const sys::Fd& root, const Glob& glob, const FindOptions& options) {
  PALE_TRY(start, start_at(root, options.below, options.walk));
  // Of a file, its name is what is left.
  const std::size_t above =
      start.kind == EntryKind::File ? start.place.path.rfind('/') + 1 : joined(start.place.path, "").size();
  Finding finding(glob, options, above);
  if (start.kind == EntryKind::File) {
    finding.look_at(start.place.path);
  } else {
    finding.look_into(start.parent, start.name, start.place);
  }
  return std::move(finding).take();
}

}  // namespace pale::search
