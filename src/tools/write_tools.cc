// The tools write_file and edit_file.
#include <algorithm>

#include "base/text.h"
#include "base/time.h"
#include "tools/put.h"
#include "tools/read.h"
#include "tools/refusal.h"
#include "tools/toolbox.h"

namespace pale::tools {
namespace {

constexpr std::size_t kMostEdited = 16UL << 20U;  // bytes of a file
constexpr std::int64_t kNanoseconds = 1'000'000'000;

constexpr Parameter kWriteParameters[] = {
    {"path", Kind::Path, Presence::Required, "The file: relative to the workspace, or absolute."},
    {"content", Kind::Text, Presence::Required, "What is to be in it, and nothing else."},
};
constexpr Parameter kEditParameters[] = {
    {"path", Kind::Path, Presence::Required, "The file: relative to the workspace, or absolute."},
    {"edits", Kind::Edits, Presence::Required, "One after another; all of them are made, or none."},
    {"dryRun", Kind::Flag, Presence::Optional, "Only show the difference; change nothing."},
};
constexpr std::string_view kWriteSchema =
    R"({"type":"object","properties":{"path":{},"bytes":{"type":"integer"},)"
    R"("created":{"type":"boolean","description":"Whether there was no such file before."},)"
    R"("atomic":{"type":"boolean","description":"Whether nobody could have seen half of it."}},)"
    R"("required":["path","bytes","created","atomic"]})";
constexpr std::string_view kEditSchema =
    R"({"type":"object","properties":{"path":{},)"
    R"("diff":{"type":"string","description":"A unified diff of the file."},)"
    R"("written":{"type":"boolean","description":"Not with dryRun, and not if nothing changed."}},)"
    R"("required":["path","diff","written"]})";

std::string precise_time(std::int64_t ns) {
  return to_iso(ns / kNanoseconds) + " and " + std::to_string(ns % kNanoseconds) + " ns";
}

// What was there, if that is no text which a difference shows; so much of it that something else there is told from it.
struct Before {
  std::string text;
  std::string instead;
};

Before what_is_there(const Call& call, const std::string& path, const sys::FileInfo& info) {
  if (info.kind == sys::FileKind::Missing) return {};
  const auto file = open_file(call, path);
  const std::string size = std::to_string(file ? file->info.size : info.size);
  if (!file)
    return {{}, "in place of " + size + " bytes that cannot be read, last changed " + precise_time(info.modified_ns)};
  Piece piece = read_piece(*file, {}, kMostEdited);
  if (!piece.more && piece.is_text()) return {std::move(piece.bytes), {}};
  const std::string kind = piece.more ? " bytes, which are too much to be shown" : " bytes that are no text";
  return {{}, "in place of " + size + kind + " (SHA-256 " + hash_of(*file) + ")"};
}

// For people: the whole of what was there and will be there, as far as it is text.
Result<Change> change_by_writing(const Call& call) {
  const std::string path = call.arguments.path("path");
  const std::string& content = *call.arguments.find("content")->text();
  const Path place = where_it_leads(call.place, path);
  const auto old = sys::file_info(call.root(), path.c_str(), sys::Links::Follow);
  if (!old) return refuse(call, Operation::Write, path, old.error());
  PALE_CHECK(check_kind(path, old->kind));
  const bool created = old->kind == sys::FileKind::Missing;
  Change change{{{Deed::Write, place}}, (created ? "create " : "write ") + printable(place.text()), {}};
  const Before before = what_is_there(call, path, *old);
  if (!before.instead.empty()) change.details = before.instead + ":\n";
  change.details += difference(path, before.text, content);
  if (change.details.empty()) change.details = created ? "an empty file\n" : "with the contents that it has\n";
  return change;
}

Result<Answer> write_file(const Call& call) {
  const std::string path = call.arguments.path("path");
  const std::string& content = *call.arguments.find("content")->text();
  PALE_CHECK(check_allowed(call, change_by_writing));
  PALE_TRY(put, put_file(call, path, content));
  JsonWriter data;
  data.begin_object().field("path", path).field("bytes", content.size());
  data.field("created", put.created).field("atomic", put.atomic).end_object();
  return text_answer((put.created ? "Created " : "Wrote ") + path + ", " + std::to_string(content.size()) + " bytes.",
                     data);
}

// Each newline that has none before it gets one.
std::string with_carriage_returns(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n' && !result.ends_with('\r')) result += '\r';
    result += c;
  }
  return result;
}

struct Replacement {
  std::string before;
  std::string after;
};

// In a file whose lines end with "\r\n", a text with plain newlines means those. One that stands there as it is, is meant as it is;
// but what a single line becomes has the ends that all others have.
Replacement replacement_for(const std::string& text, const JsonValue& edit) {
  Replacement wanted{*edit.find("oldText")->text(), *edit.find("newText")->text()};
  if (!text.contains("\r\n") || wanted.before.contains('\r')) return wanted;
  const bool one_line = !wanted.before.contains('\n') && with_carriage_returns(text) == text;
  if (!one_line && text.contains(wanted.before)) return wanted;
  return {with_carriage_returns(wanted.before), with_carriage_returns(wanted.after)};
}

Status apply(std::string& text, const JsonValue& edit, std::size_t number, const std::string& path) {
  const Replacement wanted = replacement_for(text, edit);
  const std::string place = path + ": edit " + std::to_string(number) + ":";
  if (wanted.before.empty()) return fail(ErrorKind::Usage, place, "oldText is empty", "write_file makes a new file");
  const std::size_t at = text.find(wanted.before);
  if (at == std::string::npos) {
    return fail(ErrorKind::NotFound, place, "oldText does not stand in the file",
                "read_file shows what does; every space counts");
  }
  if (text.find(wanted.before, at + 1) != std::string::npos) {
    return fail(ErrorKind::Usage, place, "oldText stands in the file more than once",
                "take more of what stands around it into oldText");
  }
  text.replace(at, wanted.before.size(), wanted.after);
  return {};
}

Result<std::string> whole_text(const Call& call, const std::string& path) {
  PALE_TRY(file, open_file(call, path));
  Piece piece = read_piece(file, {}, kMostEdited);
  if (piece.more) return fail(ErrorKind::Usage, path + ":", "it is larger than 16 MiB", "edit it with run_command");
  if (!piece.is_text()) return fail(ErrorKind::Usage, path + ":", "it is no text");
  return std::move(piece.bytes);
}

struct Edited {
  std::string before;
  std::string after;
  std::string diff;
  bool writes;
};

Result<Edited> edited(const Call& call, const std::string& path) {
  PALE_TRY(before, whole_text(call, path));
  std::string after = before;
  std::size_t number = 0;
  for (const JsonValue& edit : call.arguments.find("edits")->items()) PALE_CHECK(apply(after, edit, ++number, path));
  std::string diff = difference(path, before, after);
  const bool writes = !call.arguments.flag("dryRun") && after != before;
  return Edited{std::move(before), std::move(after), std::move(diff), writes};
}

Change change_by(const Call& call, const std::string& path, const Edited& edit) {
  if (!edit.writes) return {};
  const Path place = where_it_leads(call.place, path);
  return {{{Deed::Write, place}}, "write " + printable(place.text()), edit.diff};
}

Result<Change> change_by_editing(const Call& call) {
  const std::string path = call.arguments.path("path");
  PALE_TRY(edit, edited(call, path));
  return change_by(call, path, edit);
}

Result<Answer> edit_file(const Call& call) {
  const std::string path = call.arguments.path("path");
  PALE_TRY(edit, edited(call, path));
  // What is compared here is what is written: the file is not read again.
  PALE_CHECK(check_allowed(call, change_by(call, path, edit)));
  if (edit.writes) PALE_CHECK(put_file(call, path, edit.after));
  JsonWriter data;
  data.begin_object().field("path", path).field("diff", edit.diff).field("written", edit.writes).end_object();
  return text_answer(edit.diff.empty() ? "Nothing changes." : edit.diff, data);
}

}  // namespace

constinit const Tool kWriteFile = {
    "write_file",
    "Write a file",
    "Makes a file, or replaces all that is in it. Its directory must be there. Nobody ever sees half of it.",
    kWriteParameters,
    kWriteSchema,
    {.read_only = false, .destructive = true, .idempotent = true},
    Power::Write,
    write_file,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    change_by_writing};

constinit const Tool kEditFile = {"edit_file",
                                  "Edit a file",
                                  "Replaces texts that stand in a file exactly once each, and answers with the "
                                  "difference. With dryRun it only shows that.",
                                  kEditParameters,
                                  kEditSchema,
                                  {.read_only = false, .destructive = true, .idempotent = false},
                                  Power::Write,
                                  edit_file,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  change_by_editing};

}  // namespace pale::tools
