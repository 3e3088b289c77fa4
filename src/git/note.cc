#include "git/note.h"

#include <algorithm>

namespace pale::git {
namespace {

constexpr std::size_t kDeepest = 16;

std::unexpected<Error> no_note() { return fail(ErrorKind::Usage, "this is no note of a repository", ""); }

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

void write_texts(JsonWriter& out, const std::vector<std::string>& texts) {
  out.begin_array();
  for (const std::string& text : texts) out.value(text);
  out.end_array();
}

Result<std::vector<std::string>> texts_of(const JsonValue& json) {
  std::vector<std::string> texts;
  for (const JsonValue& item : json.items()) {
    auto text = item.bytes();
    if (!text) return no_note();
    texts.push_back(std::move(*text));
  }
  return texts;
}

// Each with its length; their bytes follow the line.
Status parse_indexes(const JsonValue& json, std::string_view bytes, std::vector<Held>& indexes) {
  for (const JsonValue& item : json.items()) {
    if (item.items().size() != 2) return no_note();
    auto name = item.items()[0].bytes();
    const auto length = item.items()[1].whole_number();
    if (!name || !length || *length > bytes.size()) return no_note();
    indexes.push_back({std::move(*name), std::string(bytes.substr(0, *length))});
    bytes.remove_prefix(*length);
  }
  return bytes.empty() ? Status() : no_note();
}

Status parse_todos(const JsonValue& json, std::vector<Todo>& todos) {
  for (const JsonValue& item : json.items()) {
    if (item.items().empty() || !item.items()[0].bytes()) return no_note();
    todos.push_back({*item.items()[0].bytes(), {}});
    if (item.items().size() > 1) todos.back().text = item.items()[1].bytes();
  }
  return {};
}

}  // namespace

Result<Snapshot> take(const Path& git_directory) {
  PALE_TRY(refs, read_refs(git_directory));
  PALE_TRY(indexes, read_indexes(git_directory));
  PALE_TRY(todos, read_todos(git_directory));
  return Snapshot{std::move(refs), std::move(indexes), std::move(todos)};
}

std::string to_text(const Snapshot& snapshot) {
  JsonWriter out;
  out.begin_object().key("refs");
  write_refs(out, snapshot.refs);
  out.key("todos").begin_array();
  for (const Todo& todo : snapshot.todos) {
    out.begin_array().value(todo.name);
    if (todo.text) out.value(*todo.text);
    out.end_array();
  }
  out.end_array().key("indexes").begin_array();
  for (const Held& index : snapshot.indexes) out.begin_array().value(index.name).value(index.bytes.size()).end_array();
  std::string text = out.end_array().end_object().text() + "\n";
  std::size_t size = text.size();
  for (const Held& index : snapshot.indexes) size += index.bytes.size();
  text.reserve(size);
  for (const Held& index : snapshot.indexes) text += index.bytes;
  return text;
}

Result<Snapshot> parse_snapshot(std::string_view text) {
  const std::string_view line = first_line(text);
  if (line.size() == text.size()) return no_note();
  PALE_TRY(json, JsonValue::parse(line, kDeepest));
  const JsonValue* refs = json.find("refs");
  const JsonValue* todos = json.find("todos");
  const JsonValue* indexes = json.find("indexes");
  if (refs == nullptr || todos == nullptr || indexes == nullptr) return no_note();
  Snapshot snapshot;
  PALE_TRY(known, refs_of(*refs));
  snapshot.refs = std::move(known);
  PALE_CHECK(parse_todos(*todos, snapshot.todos));
  PALE_CHECK(parse_indexes(*indexes, text.substr(line.size() + 1), snapshot.indexes));
  return snapshot;
}

std::string to_text(const Terms& terms) {
  JsonWriter out;
  out.begin_object().field("git", terms.git_directory.text());
  out.field("mode", terms.mode == Mode::Permissive ? "permissive" : "strict").key("folders").begin_array();
  for (const Path& folder : terms.folders) out.value(folder.text());
  out.end_array();
  if (terms.file_scope) {
    out.key("fileScope");
    write_texts(out, *terms.file_scope);
  }
  return out.end_object().text() + "\n";
}

Result<Terms> parse_terms(std::string_view note) {
  PALE_TRY(json, JsonValue::parse(first_line(note), kDeepest));
  const JsonValue* git = json.find("git");
  const JsonValue* mode = json.find("mode");
  const JsonValue* folders = json.find("folders");
  const JsonValue* files = json.find("fileScope");
  if (git == nullptr || !git->bytes() || mode == nullptr || folders == nullptr) return no_note();
  PALE_TRY(directory, Path::parse(*git->bytes()));
  const bool permissive = mode->text() != nullptr && *mode->text() == "permissive";
  Terms terms{std::move(directory), permissive ? Mode::Permissive : Mode::Strict, {}, {}};
  PALE_TRY(names, texts_of(*folders));
  for (std::string& name : names) {
    PALE_TRY(path, Path::parse(std::move(name)));
    terms.folders.push_back(std::move(path));
  }
  if (files != nullptr) {
    PALE_TRY(patterns, texts_of(*files));
    terms.file_scope = std::move(patterns);
  }
  return terms;
}

Result<Note> parse_note(std::string_view text) {
  PALE_TRY(terms, parse_terms(text));
  PALE_TRY(before, parse_snapshot(snapshot_of(text)));
  return Note{std::move(terms), std::move(before)};
}

std::string_view snapshot_of(std::string_view note) noexcept {
  return note.substr(std::min(first_line(note).size() + 1, note.size()));
}

}  // namespace pale::git
