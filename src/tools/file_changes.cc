#include "tools/file_changes.h"

#include <fcntl.h>

#include <algorithm>

#include "base/text.h"
#include "sys/file.h"
#include "tools/refusal.h"

namespace pale::tools {
namespace {

constexpr std::size_t kMostListed = 1000;
constexpr std::size_t kDeepest = 64;

// Everything in a directory, each with its size: whoever allows it to be deleted sees what goes.
class Listing {
 public:
  std::string of(int root, const std::string& path) {
    list(root, path, "", 0);
    if (more_) text_ += "and more\n";
    return std::move(text_);
  }

 private:
  void list(int above, const std::string& name, const std::string& shown, std::size_t depth) {
    const auto directory = sys::open_at(above, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    auto entries = directory ? sys::list_directory(*directory) : fail(directory.error());
    if (!entries || depth > kDeepest) {
      text_ += shown + " (cannot be listed)\n";
      return;
    }
    std::ranges::sort(*entries, {}, &sys::Entry::name);
    for (const sys::Entry& entry : *entries) {
      more_ |= count_ == kMostListed;
      if (more_) return;
      ++count_;
      add(*directory, entry, shown + printable(entry.name), depth);
    }
  }

  void add(const sys::Fd& directory, const sys::Entry& entry, const std::string& shown, std::size_t depth) {
    const auto info = sys::file_info(directory.borrow(), entry.name.c_str());
    const bool is_directory = info && info->kind == sys::FileKind::Directory;
    text_ += "  " + shown + (is_directory ? "/" : "");
    if (info && info->kind == sys::FileKind::File) text_ += ", " + std::to_string(info->size) + " bytes";
    text_ += "\n";
    if (is_directory) list(directory.borrow(), entry.name, shown + "/", depth + 1);
  }

  std::string text_;
  std::size_t count_ = 0;
  bool more_ = false;
};

constexpr std::string_view kMissing = "nothing yet";

std::string kind_of(const Call& call, const std::string& path) {
  const auto info = sys::file_info(call.root(), path.c_str());
  if (!info || info->kind == sys::FileKind::Missing) return std::string(kMissing);
  std::string text(to_text(info->kind));
  if (info->kind == sys::FileKind::File) text += ", " + std::to_string(info->size) + " bytes";
  return text;
}

bool is_missing(const Call& call, const std::string& path) {
  const auto info = sys::file_info(call.root(), path.c_str(), sys::Links::Follow);
  return info && info->kind == sys::FileKind::Missing;
}

// From the first that is missing, each in the one before. Where ".." would lead out of one that is not there yet, only making it
// would tell.
Result<std::vector<Path>> places_to_make(const Call& call, const std::string& path) {
  std::vector<Path> places;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || name == ".") continue;
    if (!places.empty() && name == "..")
      return fail(with_code(kInvalidPath, {ErrorKind::Usage, 0, path + ":",
                                           "\"..\" stands behind " + places.back().text() + ", which is not there",
                                           "say where it is to be made without that"}));
    if (!places.empty()) {
      places.push_back(places.back() / name);
    } else if (const std::string above = path.substr(0, end); is_missing(call, above)) {
      places.push_back(where_it_leads(call.place, above));
    }
  }
  return places;
}

}  // namespace

Result<Change> change_by_making(const Call& call) {
  const std::string path = call.arguments.text("path");
  PALE_TRY(places, places_to_make(call, path));
  if (places.empty()) return Change{};
  Change change{{}, "make the directory " + places.back().text(), {}};
  for (const Path& place : places) {
    change.effects.push_back({Deed::Write, place});
    if (places.size() > 1) change.details += "make " + place.text() + "\n";
  }
  return change;
}

Result<Change> change_by_moving(const Call& call) {
  const std::string source = call.arguments.text("source");
  const std::string destination = call.arguments.text("destination");
  const Path from = where_it_stands(call.place, source);
  const Path to = where_it_stands(call.place, destination);
  const std::string kind = kind_of(call, source);
  if (kind == kMissing || kind_of(call, destination) != kMissing) return Change{};
  const Deed arrives = kind == to_text(sys::FileKind::Directory) ? Deed::Bring : Deed::Write;
  return Change{{{Deed::Remove, from}, {arrives, to}},
                "move " + from.text() + " to " + to.text(),
                "from " + from.text() + " (" + kind + ")\nto " + to.text() + "\n"};
}

Result<Change> change_by_deleting(const Call& call) {
  const std::string path = call.arguments.text("path");
  const Path place = where_it_stands(call.place, path);
  const std::string kind = kind_of(call, path);
  if (kind == kMissing) return Change{};
  Change change{{{Deed::Remove, place}}, "delete " + place.text(), place.text() + " (" + kind + ")\n"};
  if (kind == to_text(sys::FileKind::Directory) && call.arguments.flag("recursive"))
    change.details += "with all that is in it:\n" + Listing().of(call.root(), path);
  return change;
}

}  // namespace pale::tools
