// The tools read_file and read_multiple_files.
#include "tools/mime.h"
#include "tools/read.h"
#include "tools/toolbox.h"

namespace pale::tools {
namespace {

constexpr Parameter kParameters[] = {
    {"path", Kind::Path, Presence::Required, "The file: relative to the workspace, or absolute."},
    {"head", Kind::Number, Presence::Optional, "Only the first so many lines."},
    {"tail", Kind::Number, Presence::Optional, "Only the last so many lines."},
    {"startLine", Kind::Number, Presence::Optional, "From this line on; the first is 1."},
    {"endLine", Kind::Number, Presence::Optional, "Up to this line, and with it."},
    {"offset", Kind::Number, Presence::Optional, "From this byte on: nextOffset of an answer that was cut."},
};
constexpr Parameter kManyParameters[] = {
    {"paths", Kind::Texts, Presence::Required, "The files: relative to the workspace, or absolute."},
};

constexpr std::string_view kSchema =
    R"({"type":"object","properties":{)"
    R"("content":{"type":"string","description":"The text, or bytes as base64."},)"
    R"("encoding":{"type":"string","enum":["utf-8","base64"]},)"
    R"("mimeType":{"type":"string"},)"
    R"("size":{"type":"integer","description":"Of the whole file, in bytes."},)"
    R"("offset":{"type":"integer","description":"Where in the file the content begins."},)"
    R"("truncated":{"type":"boolean","description":"Whether there is more of what was asked for."},)"
    R"("nextOffset":{"type":"integer","description":"Where to read on, if it is truncated."}},)"
    R"("required":["content","encoding","mimeType","size","offset","truncated"]})";
constexpr std::string_view kManySchema =
    R"({"type":"object","properties":{"files":{"type":"array","items":{"type":"object","properties":{)"
    R"("path":{},"content":{"type":"string"},"truncated":{"type":"boolean"},)"
    R"("error":{"type":"string","description":"Why it could not be read."}},"required":["path"]}}},"required":["files"]})";

Result<Range> range_of(const Arguments& arguments) {
  Range range{.offset = arguments.number("offset").value_or(0)};
  range.first_line = arguments.number("startLine");
  range.last_line = arguments.number("endLine");
  range.tail = arguments.number("tail");
  const bool lines = range.first_line || range.last_line;
  const int ways =
      (lines ? 1 : 0) + (range.tail ? 1 : 0) + (arguments.has("head") ? 1 : 0) + (arguments.has("offset") ? 1 : 0);
  if (ways > 1) return fail(ErrorKind::Usage, "head, tail, startLine with endLine, and offset", "exclude each other");
  if (const auto head = arguments.number("head")) range.last_line = head;
  return range;
}

bool is_whole(const Piece& piece) { return piece.offset == 0 && !piece.more; }

void write_media(JsonWriter& out, std::string_view kind, std::string_view type, std::string_view base64) {
  out.begin_object().field("type", kind).field("data", base64).field("mimeType", type).end_object();
}

void write_blob(JsonWriter& out, const std::string& path, std::string_view type, std::string_view base64) {
  out.begin_object().field("type", "resource").key("resource").begin_object();
  out.field("uri", "file://" + as_text(path)).field("mimeType", type).field("blob", base64).end_object().end_object();
}

std::string binary_block(const std::string& path, const Piece& piece, std::string_view type, std::string_view base64) {
  JsonWriter out;
  if (is_whole(piece) && type.starts_with("image/")) {
    write_media(out, "image", type, base64);
  } else if (is_whole(piece) && type.starts_with("audio/")) {
    write_media(out, "audio", type, base64);
  } else {
    write_blob(out, path, type, base64);
  }
  return out.text();
}

std::string continuation(const Piece& piece) {
  return "[There is more. Read on with offset " + std::to_string(piece.end()) + ".]";
}

Answer answer_of(const std::string& path, const OpenFile& file, const Piece& piece) {
  const bool text = piece.is_text();
  const std::string base64 = text ? std::string() : to_base64(piece.bytes);
  const std::string_view type = text ? "text/plain" : mime_type_of(path);
  JsonWriter data;
  data.begin_object().field("content", text ? std::string_view(piece.bytes) : std::string_view(base64));
  data.field("encoding", text ? "utf-8" : "base64").field("mimeType", type).field("size", file.info.size);
  data.field("offset", piece.offset).field("truncated", piece.more);
  if (piece.more) data.field("nextOffset", piece.end());
  data.end_object();
  std::string content = text ? text_block(piece.bytes) : binary_block(path, piece, type, base64);
  if (piece.more) content += "," + text_block(continuation(piece));
  return {std::move(content), data.text()};
}

bool is_media(const std::string& path, const OpenFile& file) {
  const std::string_view type = mime_type_of(path);
  return file.info.size <= kMostMedia && (type.starts_with("image/") || type.starts_with("audio/"));
}

Result<Answer> read_file(const Call& call) {
  const std::string path = call.arguments.path("path");
  PALE_TRY(range, range_of(call.arguments));
  PALE_TRY(file, open_file(call, path));
  return answer_of(path, file, read_piece(file, range, is_media(path, file) ? kMostMedia : kMostText));
}

// The text of one of several, or why there is none.
struct Part {
  std::string text;
  bool failed = false;
  bool cut = false;
};

Part read_part(const Call& call, const std::string& path, std::size_t most) {
  const auto file = open_file(call, path);
  if (!file) return {file.error().sentence() + " " + file.error().hint, true};
  const Piece piece = read_piece(*file, {}, most);
  if (!piece.is_text()) return {path + ": it is no text; read_file gives its bytes", true};
  return {piece.bytes, false, piece.more};
}

Result<Answer> read_multiple_files(const Call& call) {
  std::string text;
  JsonWriter data;
  data.begin_object().key("files").begin_array();
  std::size_t room = kMostText;
  for (const std::string& path : call.arguments.paths("paths")) {
    const Part part = read_part(call, path, room);
    if (!part.failed) room -= std::min(room, part.text.size());
    data.begin_object().field("path", path);
    if (part.failed) data.field("error", as_text(part.text));
    if (!part.failed) data.field("content", part.text).field("truncated", part.cut);
    data.end_object();
    text += (text.empty() ? "" : "\n---\n") + path + ":\n" + part.text;
    if (part.cut) text += "\n[There is more: read_file with offset " + std::to_string(part.text.size()) + ".]";
  }
  data.end_array().end_object();
  return text_answer(text, data);
}

}  // namespace

constinit const Tool kReadFile = {"read_file",
                                  "Read a file",
                                  "The contents of a file: text as it is, images and sound as such, other bytes as "
                                  "base64. A long file comes in parts; each "
                                  "says with which offset to read on.",
                                  kParameters,
                                  kSchema,
                                  kOnlyLooks,
                                  Power::Read,
                                  read_file};

constinit const Tool kReadMultipleFiles = {
    "read_multiple_files",
    "Read several files",
    "The texts of several files at once. One that cannot be read does not keep the others from being read.",
    kManyParameters,
    kManySchema,
    kOnlyLooks,
    Power::Read,
    read_multiple_files};

}  // namespace pale::tools
