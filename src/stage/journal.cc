#include "stage/journal.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/json.h"
#include "base/json_value.h"
#include "base/text.h"
#include "sys/file.h"

namespace pale::stage {
namespace {

constexpr std::size_t kMostJournal = 256UL << 20U;
constexpr std::size_t kMostDepth = 6;
constexpr std::array<std::string_view, 4> kActions = {"put", "take", "swap", "mode"};
constexpr std::array<std::string_view, 4> kPhases = {"ready", "taken back", "performed", "recorded"};

void write_operation(JsonWriter& out, const Operation& operation) {
  out.begin_object().field("action", kActions[static_cast<std::size_t>(operation.action)]);
  out.field("path", operation.path).field("oldInode", operation.old_inode).field("newInode", operation.new_inode);
  out.field("oldModified", operation.old_modified_ns).field("oldMode", operation.old_mode);
  out.field("newMode", operation.new_mode).field("newest", operation.newest_ns).end_object();
}

// Reads members and remembers whether all were there: the file is Pale's own, and what is wrong with it is damage.
class Reader {
 public:
  explicit Reader(const JsonValue& json) : json_(json) {}

  std::uint64_t number(std::string_view key) {
    const JsonValue* member = json_.find(key);
    const auto value = member == nullptr ? std::nullopt : member->whole_number();
    good_ = good_ && value;
    return value.value_or(0);
  }
  template <typename T>
  void number(std::string_view key, T& into) {
    into = static_cast<T>(number(key));
  }
  std::string text(std::string_view key) {
    const JsonValue* member = json_.find(key);
    auto value = member == nullptr ? std::nullopt : member->bytes();
    good_ = good_ && value;
    return value.value_or("");
  }
  template <std::size_t N>
  std::size_t choice(std::string_view key, const std::array<std::string_view, N>& names) {
    const auto* const found = std::ranges::find(names, text(key));
    good_ = good_ && found != names.end();
    return found == names.end() ? 0 : static_cast<std::size_t>(found - names.begin());
  }
  Path path(std::string_view key) {
    auto value = Path::parse(text(key));
    good_ = good_ && value && value->is_absolute();
    return value ? std::move(*value) : Path::root();
  }
  std::span<const JsonValue> items(std::string_view key) {
    const JsonValue* member = json_.find(key);
    good_ = good_ && member != nullptr && member->is_array();
    return member == nullptr ? std::span<const JsonValue>() : member->items();
  }
  bool good() const noexcept { return good_; }

 private:
  const JsonValue& json_;
  bool good_ = true;
};

bool read_operation(const JsonValue& json, Operation& operation) {
  Reader reader(json);
  operation.action = static_cast<Action>(reader.choice("action", kActions));
  operation.path = reader.text("path");
  reader.number("oldInode", operation.old_inode);
  reader.number("newInode", operation.new_inode);
  reader.number("oldModified", operation.old_modified_ns);
  reader.number("oldMode", operation.old_mode);
  reader.number("newMode", operation.new_mode);
  reader.number("newest", operation.newest_ns);
  return reader.good();
}

std::unexpected<Error> damaged() { return fail(ErrorKind::System, "a record of an apply is damaged", ""); }

}  // namespace

std::string to_json(const Journal& journal) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("number", journal.number);
  out.field("phase", kPhases[static_cast<std::size_t>(journal.phase)]).field("stage", journal.stage);
  out.field("undoes", journal.undoes).field("undoneBy", journal.undone_by).field("seconds", journal.seconds);
  out.field("into", journal.into).field("workshop", journal.workshop.text());
  out.key("operations").begin_array();
  for (const Operation& operation : journal.operations) write_operation(out, operation);
  out.end_array().key("paths").begin_array();
  for (const std::string& path : journal.paths) out.value(path);
  out.end_array().end_object();
  return out.text() + "\n";
}

Result<Journal> journal_from_json(const std::string& text) {
  const auto json = JsonValue::parse(text, kMostDepth);
  if (!json) return damaged();
  Reader reader(*json);
  Journal journal;
  journal.workshop = reader.path("workshop");
  journal.into = reader.text("into");
  reader.number("number", journal.number);
  journal.phase = static_cast<Phase>(reader.choice("phase", kPhases));
  journal.stage = reader.text("stage");
  reader.number("undoes", journal.undoes);
  reader.number("undoneBy", journal.undone_by);
  reader.number("seconds", journal.seconds);
  for (const JsonValue& item : reader.items("operations")) {
    if (!read_operation(item, journal.operations.emplace_back())) return damaged();
  }
  for (const JsonValue& item : reader.items("paths")) journal.paths.push_back(item.bytes().value_or(""));
  if (!reader.good()) return damaged();
  return journal;
}

Path directory_of(const Path& history, std::uint64_t number) { return history / std::to_string(number); }
Path slots_of(const Path& history, std::uint64_t number) { return directory_of(history, number) / "slots"; }

Status write_journal(const Path& history, const Journal& journal) {
  return sys::replace_file((directory_of(history, journal.number) / "journal.json").text(), to_json(journal), 0600,
                           sys::Durability::OfDisk);
}

Result<std::optional<Journal>> read_journal(const Path& history, std::uint64_t number) {
  const Path file = directory_of(history, number) / "journal.json";
  PALE_TRY(info, sys::file_info(sys::kAbsolute, file.c_str()));
  if (info.kind == sys::FileKind::Missing) return std::nullopt;
  PALE_TRY(text, sys::read_file(sys::kAbsolute, file.c_str(), kMostJournal));
  auto journal = journal_from_json(text);
  if (!journal) {
    journal.error().subject = file.text();
    return fail(std::move(journal).error());
  }
  return std::move(*journal);
}

Result<std::vector<std::uint64_t>> list_journals(const Path& history) {
  std::vector<std::uint64_t> numbers;
  PALE_TRY(info, sys::file_info(sys::kAbsolute, history.c_str()));
  if (info.kind == sys::FileKind::Missing) return numbers;
  PALE_TRY(fd, sys::open_at(sys::kAbsolute, history.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  PALE_TRY(entries, sys::list_directory(fd));
  for (const sys::Entry& entry : entries) {
    if (const auto number = parse_number(entry.name)) numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace pale::stage
