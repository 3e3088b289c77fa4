#include "tools/file_changes.h"

#include <algorithm>

#include "base/text.h"
#include "sys/file.h"
#include "tools/contents.h"
#include "tools/refusal.h"

namespace pale::tools {
namespace {

constexpr std::string_view kMissing = "nothing yet";

std::string kind_of(const Call& call, const std::string& path) {
  const auto info = sys::file_info(call.root(), path.c_str());
  if (!info || info->kind == sys::FileKind::Missing) return std::string(kMissing);
  std::string text(to_text(info->kind));
  if (info->kind == sys::FileKind::File) text += ", " + std::to_string(info->size) + " bytes";
  return text;
}

bool is_asked_about(const Call& call, const Change& change) {
  return std::ranges::any_of(change.effects, [&](const Effect& effect) {
    return call.place.approvals.consent(effect.deed, effect.path) == Consent::Ask;
  });
}

// Whoever is asked sees every name, and allows these bytes and no others. Where nobody is, nothing is read.
Result<Change> with_contents(const Call& call, const std::string& path, Change change) {
  if (!is_asked_about(call, change)) return change;
  PALE_TRY(contents, contents_of(call.root(), path));
  if (!contents.list.empty()) change.details += "with all that is in it:\n" + contents.list;
  change.details += "SHA-256 of names, permissions and contents: " + contents.hash + "\n";
  return change;
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
  const std::string path = call.arguments.path("path");
  PALE_TRY(places, places_to_make(call, path));
  if (places.empty()) return Change{};
  Change change{{}, "make the directory " + printable(places.back().text()), {}};
  for (const Path& place : places) {
    change.effects.push_back({Deed::Write, place});
    if (places.size() > 1) change.details += "make " + printable(place.text()) + "\n";
  }
  return change;
}

Result<Change> change_by_moving(const Call& call) {
  const std::string source = call.arguments.path("source");
  const std::string destination = call.arguments.path("destination");
  const Path from = where_it_stands(call.place, source);
  const Path to = where_it_stands(call.place, destination);
  const std::string kind = kind_of(call, source);
  if (kind == kMissing || kind_of(call, destination) != kMissing) return Change{};
  const Deed arrives = kind == to_text(sys::FileKind::Directory) ? Deed::Bring : Deed::Write;
  const std::string shown_from = printable(from.text());
  const std::string shown_to = printable(to.text());
  return with_contents(call, source,
                       {{{Deed::Remove, from}, {arrives, to}},
                        "move " + shown_from + " to " + shown_to,
                        "from " + shown_from + " (" + kind + ")\nto " + shown_to + "\n"});
}

Status check_named(const std::string& path) {
  const std::string_view name = std::string_view(path).substr(path.find_last_of('/') + 1);
  if (name != "." && name != "..") return {};
  return fail(ErrorKind::Usage, path + ":", "what is deleted must be named", "say it by its own name");
}

Result<Change> change_by_deleting(const Call& call) {
  const std::string path = call.arguments.path("path");
  PALE_CHECK(check_named(path));
  const Path place = where_it_stands(call.place, path);
  const std::string kind = kind_of(call, path);
  if (kind == kMissing) return Change{};
  const std::string shown = printable(place.text());
  Change change{{{Deed::Remove, place}}, "delete " + shown, shown + " (" + kind + ")\n"};
  // Of a directory that must be empty there is nothing to see.
  const bool whole = kind != to_text(sys::FileKind::Directory) || call.arguments.flag("recursive");
  return whole ? with_contents(call, path, std::move(change)) : change;
}

}  // namespace pale::tools
