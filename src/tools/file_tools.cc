// The tools file_info, make_directory, move and delete.
#include <fcntl.h>

#include <cerrno>

#include "base/text.h"
#include "base/time.h"
#include "sys/file.h"
#include "sys/tree.h"
#include "tools/file_changes.h"
#include "tools/put.h"
#include "tools/refusal.h"
#include "tools/toolbox.h"

namespace pale::tools {
namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr unsigned kUsualMode = 0777;  // less what the umask takes away

constexpr Parameter kPathOnly[] = {
    {"path", Kind::Path, Presence::Required, "Relative to the workspace, or absolute."},
};
constexpr Parameter kMoveParameters[] = {
    {"source", Kind::Path, Presence::Required, "What is moved or renamed."},
    {"destination", Kind::Path, Presence::Required, "Its new name. There must be nothing of that name."},
};
constexpr Parameter kDeleteParameters[] = {
    {"path", Kind::Path, Presence::Required, "Relative to the workspace, or absolute."},
    {"recursive", Kind::Flag, Presence::Optional, "A directory with all that is in it. Otherwise it must be empty."},
};
constexpr std::string_view kInfoSchema =
    R"({"type":"object","properties":{"path":{},)"
    R"("type":{"type":"string","enum":["file","directory","symlink","other"]},"size":{"type":"integer"},)"
    R"("modified":{"type":"string"},"permissions":{"type":"string","description":"In octal digits."},)"
    R"("links":{"type":"integer"},"target":{"description":"Of a symlink."}},)"
    R"("required":["path","type","size","modified","permissions","links"]})";
constexpr std::string_view kDoneSchema = R"({"type":"object","properties":{"path":{}},"required":["path"]})";
constexpr std::string_view kMovedSchema =
    R"({"type":"object","properties":{"source":{},"destination":{}},"required":["source","destination"]})";

std::string octal(unsigned mode) {
  std::string text;
  for (const unsigned shift : {9U, 6U, 3U, 0U}) text += static_cast<char>('0' + (mode >> shift & 7U));
  return text;
}

Error missing(const std::string& path) { return {ErrorKind::System, ENOENT, "", path, ""}; }

Result<Answer> file_info(const Call& call) {
  const std::string path = call.arguments.path("path");
  const auto info = sys::file_info(call.root(), path.c_str());
  if (!info) return refuse(call, Operation::Read, path, info.error());
  if (info->kind == sys::FileKind::Missing) return refuse(call, Operation::Read, path, missing(path));
  const std::string modified = to_iso(info->modified_ns / kNanoseconds);
  JsonWriter data;
  data.begin_object().field("path", path).field("type", to_text(info->kind)).field("size", info->size);
  data.field("modified", modified).field("permissions", octal(info->mode)).field("links", info->links);
  std::string text = "type: " + std::string(to_text(info->kind)) + "\nsize: " + std::to_string(info->size) +
                     "\nmodified: " + modified + "\npermissions: " + octal(info->mode) +
                     "\nlinks: " + std::to_string(info->links) + "\n";
  if (info->kind == sys::FileKind::Symlink) {
    const auto target = sys::read_link(call.root(), path.c_str());
    if (target) data.field("target", *target);
    if (target) text += "target: " + printable(*target) + "\n";
  }
  data.end_object();
  return text_answer(text, data);
}

Answer done(std::string_view verb, const std::string& path) {
  JsonWriter data;
  data.begin_object().field("path", path).end_object();
  return text_answer(std::string(verb) + " " + printable(path) + ".", data);
}

Result<Answer> make_directory(const Call& call) {
  const std::string path = call.arguments.path("path");
  PALE_TRY(now, change_by_making(call));
  PALE_CHECK(check_allowed(call, now));
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    // What is there already, or cannot be made, shows at the next name.
    (void)sys::make_directory(call.root(), path.substr(0, end).c_str(), kUsualMode);
  }
  const auto made = sys::make_directory(call.root(), path.c_str(), kUsualMode);
  if (!made) return refuse(call, Operation::Create, path, made.error());
  const auto info = sys::file_info(call.root(), path.c_str(), sys::Links::Follow);
  if (info && info->kind != sys::FileKind::Directory)
    return fail(ErrorKind::Usage, path + ":", "there is something else of this name");
  return done("Made", path);
}

// To another filesystem. First it is taken out of its place: what cannot be is not copied either. A stage refuses that for
// directories, by EXDEV, and only after it has looked whether it may be done.
Status carry(int root, const std::string& source, const std::string& destination) {
  PALE_TRY(aside, name_beside(source));
  const Status away = sys::rename_to_free(root, source.c_str(), root, aside.c_str());
  if (!away && away.error().number != EXDEV) return away;
  const std::string& from = away ? aside : source;
  Status copied = sys::copy_tree(root, from.c_str(), root, destination.c_str(), sys::Copy::Whole);
  if (copied) return sys::remove_tree(root, from.c_str());
  if (copied.error().subject == aside) copied.error().subject = source;
  (void)sys::remove_tree(root, destination.c_str());
  if (away) (void)sys::rename_to_free(root, aside.c_str(), root, source.c_str());
  return copied;
}

// By what both are, however they are written: from where it is to come to, upwards to the root.
bool leads_into_itself(int root, const std::string& source, const std::string& destination) {
  const std::size_t slash = destination.find_last_of('/');
  const std::string directory = slash == std::string::npos ? "." : destination.substr(0, slash + 1);
  const auto moved = sys::open_at(root, source.c_str(), O_PATH | O_NOFOLLOW);
  auto at = sys::open_at(root, directory.c_str(), O_PATH | O_DIRECTORY);
  const auto wanted = moved ? sys::file_info(*moved) : fail(moved.error());
  while (at && wanted) {
    const auto here = sys::file_info(*at);
    if (!here || here->same_file(*wanted)) return here.has_value();
    auto above = sys::open_at(at->borrow(), "..", O_PATH | O_DIRECTORY);
    const auto there = above ? sys::file_info(*above) : fail(above.error());
    if (!there || (there->same_file(*here) && there->mount == here->mount)) return false;
    at = std::move(above);
  }
  return false;
}

// Never onto something: where the filesystem cannot promise that, it is looked at first.
Status rename_or_copy(int root, const std::string& source, const std::string& destination) {
  const Status renamed = sys::rename_to_free(root, source.c_str(), root, destination.c_str());
  const bool another_way = !renamed && (renamed.error().number == EXDEV || renamed.error().number == EINVAL);
  if (!another_way) return renamed;
  PALE_TRY(taken, sys::file_info(root, destination.c_str()));
  if (taken.kind != sys::FileKind::Missing) return fail_errno(EEXIST, "move", destination);
  // That it would do for ever.
  if (leads_into_itself(root, source, destination))
    return fail(ErrorKind::Usage, source + ":", "it cannot be moved into itself");
  return carry(root, source, destination);
}

// Which of the two names it was, the kernel does not say. A rule does, and so does a source that is there.
Error why_not_moved(const Call& call, const std::string& source, const std::string& destination, const Error& error) {
  if (error.number == 0) return error;
  Error about_source = refusal(call.place, Operation::Rename, source, error);
  if (about_source.kind == ErrorKind::Refused) return about_source;
  Error about_destination = refusal(call.place, Operation::Create, destination, error);
  if (about_destination.kind == ErrorKind::Refused) return about_destination;
  const auto info = sys::file_info(call.root(), source.c_str());
  const bool there = info && info->kind != sys::FileKind::Missing;
  if (error.number != ENOENT || !there) return about_source;
  about_destination.hint = "make_directory makes the directory that it is to be in.";
  return about_destination;
}

Result<Answer> move(const Call& call) {
  const std::string source = call.arguments.path("source");
  const std::string destination = call.arguments.path("destination");
  PALE_CHECK(check_allowed(call, change_by_moving));
  const Status moved = rename_or_copy(call.root(), source, destination);
  if (!moved && moved.error().number == EEXIST)
    return fail(ErrorKind::Usage, destination + ":", "there is something of this name", "delete it first");
  if (!moved) return fail(why_not_moved(call, source, destination, moved.error()));
  JsonWriter data;
  data.begin_object().field("source", source).field("destination", destination).end_object();
  return text_answer("Moved " + printable(source) + " to " + printable(destination) + ".", data);
}

// Of a directory that holds something protected the kernel would let all else go, so that is looked at first. If it stops on the
// way all the same, whoever called must know that it has begun.
Result<Answer> delete_tree(const Call& call, const std::string& path) {
  PALE_CHECK(check_boundary(call.place, Operation::Remove, where_it_stands(call.place, path)));
  std::uint64_t gone = 0;
  const Status removed = sys::remove_tree(call.root(), path.c_str(), gone);
  if (removed) return done("Deleted", path);
  Error error = refusal(call.place, Operation::Remove, path, removed.error());
  const std::string begun =
      gone == 0 ? "Nothing of it is deleted."
                : "Deleted already: " + std::to_string(gone) + " of what was in it; tree shows what is left.";
  error.hint = begun + (error.hint.empty() ? "" : " " + error.hint);
  return fail(std::move(error));
}

Result<Answer> delete_path(const Call& call) {
  const std::string path = call.arguments.path("path");
  PALE_CHECK(check_named(path));
  const auto info = sys::file_info(call.root(), path.c_str());
  if (!info) return refuse(call, Operation::Remove, path, info.error());
  if (info->kind == sys::FileKind::Missing) return refuse(call, Operation::Remove, path, missing(path));
  PALE_CHECK(check_allowed(call, change_by_deleting));
  const bool directory = info->kind == sys::FileKind::Directory;
  if (directory && call.arguments.flag("recursive")) return delete_tree(call, path);
  const Status removed =
      directory ? sys::remove_directory(call.root(), path.c_str()) : sys::remove_file(call.root(), path.c_str());
  if (removed) return done("Deleted", path);
  if (removed.error().number == ENOTEMPTY)
    return fail(ErrorKind::Usage, path + ":", "it is not empty", "\"recursive\": true deletes all that is in it");
  return refuse(call, Operation::Remove, path, removed.error());
}

}  // namespace

constinit const Tool kFileInfo = {
    "file_info", "Look at a file", "Kind, size, time of the last change and permissions. A link is not followed.",
    kPathOnly,   kInfoSchema,      kOnlyLooks,
    Power::List, file_info};

constinit const Tool kMakeDirectory = {"make_directory",
                                       "Make a directory",
                                       "With those above it that are missing. One that is there already is fine.",
                                       kPathOnly,
                                       kDoneSchema,
                                       {.read_only = false, .destructive = false, .idempotent = true},
                                       Power::Write,
                                       make_directory,
                                       nullptr,
                                       nullptr,
                                       nullptr,
                                       nullptr,
                                       change_by_making};

constinit const Tool kMove = {"move",
                              "Move or rename",
                              "Gives a file or a directory another name. Never replaces something.",
                              kMoveParameters,
                              kMovedSchema,
                              {.read_only = false, .destructive = false, .idempotent = false},
                              Power::Write,
                              move,
                              nullptr,
                              nullptr,
                              nullptr,
                              nullptr,
                              change_by_moving};

constinit const Tool kDelete = {"delete",
                                "Delete",
                                "Deletes a file, a link (not what it leads to) or an empty directory; with recursive, "
                                "a directory with all that is in it.",
                                kDeleteParameters,
                                kDoneSchema,
                                {.read_only = false, .destructive = true, .idempotent = false},
                                Power::Write,
                                delete_path,
                                nullptr,
                                nullptr,
                                nullptr,
                                nullptr,
                                change_by_deleting};

}  // namespace pale::tools
