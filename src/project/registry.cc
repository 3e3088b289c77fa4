#include "project/registry.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/json_scan.h"
#include "base/text.h"
#include "base/time.h"
#include "project/lock.h"
#include "sys/file.h"

namespace pale::project {
namespace {

constexpr std::size_t kMostText = 64UL << 20U;
constexpr std::size_t kDeepest = 64;
constexpr std::size_t kTimeLength = 20;  // "2026-01-23T15:00:00Z"

constexpr std::string_view kKeys[] = {"root", "manifest", "last_used", "workspace_type", "name", "created"};

Error broken(Error error, const std::string& file) {
  error.kind = ErrorKind::System;
  error.operation = "the registry of projects is broken: " + file + ":";
  return std::move(error)
      .with_hint("mend that place by hand")
      .or_hint("pale project cleanup, which keeps it aside and begins a new one");
}

// Nothing, if there is no file.
Result<std::optional<std::string>> read_text(const std::string& file) {
  auto text = sys::read_file(sys::kAbsolute, file.c_str(), kMostText);
  if (text) return std::move(*text);
  if (text.error().number == ENOENT) return std::nullopt;
  return fail(std::move(text).error().with_hint("ls -l " + shell_word(file)));
}

bool is_there(const std::string& file) {
  const auto info = sys::file_info(sys::kAbsolute, file.c_str());
  return !info || info->kind != sys::FileKind::Missing;
}

Result<sys::Fd> lock_registry(const Path& pale_home) {
  return take_lock((pale_home / "projects.lock").text(), "the registry of projects");
}

// Good JSON that is no registry: at the value that the keys lead to.
std::unexpected<Error> wrong_at(std::string_view text, std::span<const std::string_view> keys, const std::string& what,
                                const std::string& file) {
  const auto found = find_json(text, keys);
  const TextSpan span = found ? found->value_or(TextSpan()) : TextSpan();
  return fail(broken({ErrorKind::System, 0, "", place_in(text, span.begin) + ": " + what, ""}, file));
}

constexpr std::string_view kNoProjects = "an object \"projects\" is expected";
constexpr std::string_view kNoDefault = "default_project must be an id, or null";

// `key`: the member that is wrong; empty, if it is the whole.
std::unexpected<Error> wrong_entry(const std::string& id, std::string_view key, const std::string& what) {
  const std::string member = key.empty() ? "" : std::string(key) + " ";
  return fail(ErrorKind::System, std::string(key), "project \"" + id + "\": " + member + what);
}

// The same, said with its place.
std::unexpected<Error> wrong_entry_at(std::string_view text, std::string_view id, const Error& error,
                                      const std::string& file) {
  const std::array<std::string_view, 3> keys = {"projects", id, error.operation};
  const auto member = find_json(text, keys);
  const std::size_t depth = member && *member ? 3 : 2;
  return wrong_at(text, std::span(keys).first(depth), error.subject, file);
}

Result<std::optional<Path>> read_path(const JsonValue& json, std::string_view key, const std::string& id) {
  const JsonValue* value = json.find(key);
  if (value == nullptr || value->is_null()) return std::nullopt;
  const auto text = value->bytes();
  const auto path = text ? Path::parse(*text) : Result<Path>(std::unexpected(Error()));
  if (!path || !path->is_absolute()) return wrong_entry(id, key, "must be an absolute path");
  return *path;
}

Result<std::int64_t> read_time(const JsonValue& json, std::string_view key, const std::string& id) {
  const JsonValue* value = json.find(key);
  if (value == nullptr || value->is_null()) return 0;
  const auto seconds = value->text() == nullptr ? std::nullopt : parse_iso(*value->text());
  if (!seconds) return wrong_entry(id, key, "must be a time");
  return *seconds;
}

Result<Entry> read_entry(const std::string& id, const JsonValue& json) {
  Entry entry;
  entry.id = id;
  if (!json.is_object()) return wrong_entry(id, "", "an object is expected");
  if (const auto good = check_id(id); !good) return wrong_entry(id, "", good.error().sentence());
  PALE_TRY(root, read_path(json, "root", id));
  if (!root) return wrong_entry(id, "", "root is missing");
  entry.root = std::move(*root);
  PALE_TRY(manifest, read_path(json, "manifest", id));
  entry.manifest = std::move(manifest);
  PALE_TRY(last_used, read_time(json, "last_used", id));
  PALE_TRY(created, read_time(json, "created", id));
  entry.last_used = last_used;
  entry.created = created;
  entry.type = entry.manifest ? WorkspaceType::Manifest : WorkspaceType::Registered;
  if (const JsonValue* type = json.find("workspace_type"); type != nullptr && type->text() != nullptr)
    entry.type = parse_workspace_type(*type->text()).value_or(entry.type);
  if (const JsonValue* name = json.find("name"); name != nullptr && name->text() != nullptr) entry.name = *name->text();
  entry.other = json;
  return entry;
}

std::string_view part_of(std::string_view text, TextSpan span) {
  return text.substr(span.begin, span.end - span.begin);
}

// The file as it is now, looked through without a tree.
class RegistryText {
 public:
  // Nothing, if there is no file.
  static Result<std::optional<RegistryText>> read(const std::string& file) {
    auto fd = sys::open_at(sys::kAbsolute, file.c_str(), O_RDONLY | O_NONBLOCK);
    if (!fd && fd.error().number == ENOENT) return std::nullopt;
    if (!fd) return fail(std::move(fd).error().with_hint("ls -l " + shell_word(file)));
    PALE_TRY(info, sys::file_info(*fd));
    PALE_TRY(mapped, sys::MappedFile::map(*fd, info.size));
    return RegistryText(file, std::move(mapped), info);
  }

  Result<std::optional<std::string>> default_id() const {
    constexpr std::array<std::string_view, 1> kPlace = {"default_project"};
    PALE_TRY(span, find(kPlace));
    if (!span) return none<std::string>();
    PALE_TRY(json, JsonValue::parse(part_of(mapped_.text(), *span), kDeepest));
    if (json.is_null()) return none<std::string>();
    if (json.text() == nullptr) return wrong_at(mapped_.text(), kPlace, std::string(kNoDefault), file_);
    return json.text()->empty() ? std::nullopt : std::optional(*json.text());
  }

  Result<std::optional<Entry>> entry(std::string_view id) const {
    const std::array<std::string_view, 2> keys = {"projects", id};
    PALE_TRY(span, find(keys));
    if (!span) return none<Entry>();
    const std::string_view own = part_of(mapped_.text(), *span);
    auto json = JsonValue::parse(own, kDeepest);
    if (!json) return fail(broken(std::move(json).error(), file_));
    auto entry = read_entry(std::string(id), *json);
    if (!entry) return wrong_entry_at(mapped_.text(), id, entry.error(), file_);
    PALE_TRY(time, find_json(own, std::array<std::string_view, 1>{"last_used"}));
    if (time && time->end - time->begin == kTimeLength + 2)
      entry->time_place = TimePlace{span->begin + time->begin + 1, info_.inode, info_.size, info_.modified_ns};
    return std::move(*entry);
  }

 private:
  RegistryText(std::string file, sys::MappedFile mapped, const sys::FileInfo& info)
      : file_(std::move(file)), mapped_(std::move(mapped)), info_(info) {}

  // What is not there is not there; unless this is no registry at all.
  template <typename T>
  Result<std::optional<T>> none() const {
    constexpr std::array<std::string_view, 1> kPlace = {"projects"};
    PALE_TRY(span, find(kPlace));
    if (span && mapped_.text()[span->begin] == '{') return std::nullopt;
    return wrong_at(mapped_.text(), kPlace, std::string(kNoProjects), file_);
  }

  Result<std::optional<TextSpan>> find(std::span<const std::string_view> keys) const {
    auto span = find_json(mapped_.text(), keys);
    if (!span) return fail(broken(std::move(span).error(), file_));
    return *span;
  }

  std::string file_;
  sys::MappedFile mapped_;
  sys::FileInfo info_;
};

void write_entry(JsonWriter& out, const Entry& entry) {
  out.key(entry.id).begin_object().field("root", entry.root.text()).key("manifest");
  entry.manifest ? out.value(entry.manifest->text()) : out.null();
  out.field("last_used", to_iso(entry.last_used)).field("workspace_type", to_text(entry.type));
  if (!entry.name.empty()) out.field("name", entry.name);
  if (entry.created != 0) out.field("created", to_iso(entry.created));
  for (const auto& [key, value] : entry.other.members()) {
    if (std::ranges::find(kKeys, key) == std::end(kKeys)) write_json(out.key(key), value);
  }
  out.end_object();
}

}  // namespace

std::string registry_file(const Path& pale_home) { return (pale_home / "projects.json").text(); }

std::unexpected<Error> no_such_project(std::string_view id) {
  return fail(ErrorKind::NotFound, "there is no registered project", "'" + std::string(id) + "'", "pale project list");
}

Result<Registry> Registry::read(std::string_view text, const std::string& file) {
  auto json = JsonValue::parse(text, kDeepest);
  if (!json) return fail(broken(std::move(json).error(), file));
  Registry registry;
  const JsonValue* projects = json->find("projects");
  if (projects == nullptr || !projects->is_object())
    return wrong_at(text, std::array<std::string_view, 1>{"projects"}, std::string(kNoProjects), file);
  for (const auto& [id, value] : projects->members()) {
    auto entry = read_entry(id, value);
    if (!entry) return wrong_entry_at(text, id, entry.error(), file);
    registry.entries_.push_back(std::move(*entry));
  }
  const JsonValue* chosen = json->find("default_project");
  if (chosen != nullptr && chosen->text() == nullptr && !chosen->is_null())
    return wrong_at(text, std::array<std::string_view, 1>{"default_project"}, std::string(kNoDefault), file);
  if (chosen != nullptr && chosen->text() != nullptr) registry.default_id_ = *chosen->text();
  registry.other_ = std::move(*json);
  return registry;
}

std::string Registry::text() const {
  JsonWriter out;
  out.begin_object().key("projects").begin_object();
  for (const Entry& entry : entries_) write_entry(out, entry);
  out.end_object();
  for (const auto& [key, value] : other_.members()) {
    if (key != "projects" && key != "default_project") write_json(out.key(key), value);
  }
  out.key("default_project");
  default_id_.empty() ? out.null() : out.value(default_id_);
  out.end_object();
  return indented(out.text()) + "\n";
}

Result<Registry> Registry::load(const Path& pale_home) {
  PALE_TRY(text, read_text(registry_file(pale_home)));
  if (!text) return Registry();
  return read(*text, registry_file(pale_home));
}

Result<std::optional<Entry>> Registry::find_in_file(const Path& pale_home, std::string_view id) {
  PALE_TRY(text, RegistryText::read(registry_file(pale_home)));
  if (!text) return std::nullopt;
  if (!id.empty()) return text->entry(id);
  PALE_TRY(chosen, text->default_id());
  if (!chosen) return std::nullopt;
  PALE_TRY(entry, text->entry(*chosen));
  if (!entry) return no_such_project(*chosen);
  return std::move(*entry);
}

Status Registry::touch(const Path& pale_home, std::string_view id, const Path& root, std::int64_t now,
                       const std::optional<TimePlace>& place) {
  const std::string file = registry_file(pale_home);
  if (!sys::may_write(file.c_str())) return {};  // There is none yet, or it is not this user's.
  PALE_TRY(lock, lock_registry(pale_home));
  PALE_TRY(info, sys::file_info(sys::kAbsolute, file.c_str()));
  // A few bytes, written at once, where nothing has changed since they were found; nothing else of the file is touched.
  const auto write_at = [&](const TimePlace& at) -> Status {
    PALE_TRY(open, sys::open_at(sys::kAbsolute, file.c_str(), O_RDWR));
    return sys::write_at(open, at.offset, to_iso(now));
  };
  if (place && place->inode == info.inode && place->size == info.size && place->modified_ns == info.modified_ns)
    return write_at(*place);
  PALE_TRY(entry, find_in_file(pale_home, id));
  if (!entry || entry->root != root || entry->last_used == now) return {};
  if (entry->time_place) return write_at(*entry->time_place);
  PALE_TRY(registry, load(pale_home));
  PALE_TRY(own, registry.need(id));
  own->last_used = now;
  return sys::replace_file(file, registry.text(), 0600, sys::Durability::OfDisk);
}

Result<std::string> Registry::set_aside(const Path& pale_home, std::int64_t now) {
  PALE_TRY(lock, lock_registry(pale_home));
  const std::string file = registry_file(pale_home);
  std::string stamp = to_iso(now);
  std::erase_if(stamp, [](char byte) { return byte == ':' || byte == '-'; });
  std::string kept = file + ".broken-" + stamp;
  for (int number = 2; is_there(kept); ++number) kept = file + ".broken-" + stamp + "-" + std::to_string(number);
  PALE_CHECK(sys::rename_to(sys::kAbsolute, file.c_str(), sys::kAbsolute, kept.c_str()));
  return kept;
}

const Entry* Registry::find(std::string_view id) const {
  const auto found = std::ranges::find(entries_, id, &Entry::id);
  return found == entries_.end() ? nullptr : &*found;
}

const Entry* Registry::find_root(const Path& root) const {
  const auto found = std::ranges::find(entries_, root, &Entry::root);
  return found == entries_.end() ? nullptr : &*found;
}

Result<Entry*> Registry::need(std::string_view id) {
  const auto found = std::ranges::find(entries_, id, &Entry::id);
  if (found == entries_.end()) return no_such_project(id);
  return &*found;
}

Status Registry::add(Entry entry) {
  PALE_CHECK(check_id(entry.id));
  if (const Entry* taken = find(entry.id); taken != nullptr)
    return fail(Error{ErrorKind::Usage, 0, "the id '" + entry.id + "' is taken by", taken->root.text(),
                      "choose another with --id"}
                    .or_hint("pale project remove " + entry.id));
  if (const Entry* taken = find_root(entry.root); taken != nullptr)
    return fail(ErrorKind::Usage, "this directory is registered already, as '" + taken->id + "':", entry.root.text(),
                "pale project show " + taken->id);
  entries_.push_back(std::move(entry));
  return {};
}

Status Registry::remove(std::string_view id) {
  PALE_TRY(entry, need(id));
  if (default_id_ == id) default_id_.clear();
  entries_.erase(entries_.begin() + (entry - entries_.data()));
  return {};
}

Status Registry::rename(std::string_view id, const std::string& new_id) {
  PALE_CHECK(check_id(new_id));
  PALE_TRY(entry, need(id));
  if (const Entry* taken = find(new_id); taken != nullptr && taken != entry)
    return fail(ErrorKind::Usage, "the id '" + new_id + "' is taken by", taken->root.text(), "choose another");
  if (default_id_ == id) default_id_ = new_id;
  entry->id = new_id;
  return {};
}

Status Registry::move(std::string_view id, const Path& root) {
  PALE_TRY(entry, need(id));
  if (const Entry* taken = find_root(root); taken != nullptr && taken != entry)
    return fail(ErrorKind::Usage, "this directory belongs to the project '" + taken->id + "':", root.text(),
                "pale project show " + taken->id);
  entry->root = root;
  if (entry->manifest) entry->manifest = root / kManifestPlace;
  return {};
}

Status Registry::set_default(std::string_view id) {
  if (!id.empty()) PALE_CHECK(need(id));
  default_id_ = id;
  return {};
}

Result<RegistryEdit> RegistryEdit::begin(const Path& pale_home) {
  PALE_CHECK(sys::make_directories(pale_home.text(), 0700));
  PALE_TRY(lock, lock_registry(pale_home));
  PALE_TRY(registry, Registry::load(pale_home));
  return RegistryEdit(std::move(registry), std::move(lock), registry_file(pale_home));
}

Status RegistryEdit::save() { return sys::replace_file(file_, registry.text(), 0600, sys::Durability::OfDisk); }

}  // namespace pale::project
