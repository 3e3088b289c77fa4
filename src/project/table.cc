#include "project/table.h"

#include <fcntl.h>

#include <cerrno>

#include "sys/file.h"

namespace pale::project {
namespace {

constexpr std::size_t kMostText = 1UL << 20U;
constexpr std::size_t kDeepest = 16;

std::string line_number(std::string_view text, std::size_t at) {
  return std::to_string(1 + std::ranges::count(text.substr(0, at), '\n'));
}

// A pipe would read as an empty file, or never end.
Result<std::string> read_plain_file(const std::string& file) {
  PALE_TRY(fd, sys::open_at(sys::kAbsolute, file.c_str(), O_RDONLY | O_NONBLOCK));
  PALE_TRY(info, sys::file_info(fd));
  if (info.kind != sys::FileKind::File) return fail(ErrorKind::Usage, "this must be a file:", file);
  return sys::read_all(fd, kMostText);
}

}  // namespace

const TomlMember* Table::find(std::string_view key) {
  known_.push_back(key);
  const auto found = std::ranges::find(table_.members(), key, &TomlMember::key);
  return found == table_.members().end() ? nullptr : &*found;
}

std::string Table::said_name(std::string_view key) const {
  return name_.empty() ? std::string(key) : name_ + "." + std::string(key);
}

std::string Table::where(std::string_view key) const {
  const auto found = std::ranges::find(table_.members(), key, &TomlMember::key);
  const std::size_t at = found == table_.members().end() ? table_.span().begin : found->key_span.begin;
  return source_.label + ":" + line_number(source_.text, at);
}

std::unexpected<Error> Table::wrong_at(std::size_t at, const std::string& what, std::string hint) const {
  return fail(ErrorKind::Usage, source_.file + ": " + place_in(source_.text, at) + ": " + what, "", std::move(hint));
}

std::unexpected<Error> Table::wrong(std::string_view key, const std::string& what, std::string hint) const {
  const auto found = std::ranges::find(table_.members(), key, &TomlMember::key);
  const std::size_t at = found == table_.members().end() ? table_.span().begin : found->value.span().begin;
  return wrong_at(at, said_name(key) + " " + what, std::move(hint));
}

std::unexpected<Error> Table::wrong_kind(const TomlMember& member, std::string_view wanted) const {
  return wrong_at(member.value.span().begin, said_name(member.key) + " must be " + std::string(wanted),
                  "pale help manifest");
}

std::unexpected<Error> Table::wrong_choice(std::string_view key, const std::string& given,
                                           std::span<const std::string_view> names) const {
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  const auto close = nearest(given, names);
  return wrong(
      key, "must be one of " + all + ", not \"" + given + "\"",
      close ? "did you mean " + std::string(key) + " = \"" + std::string(*close) + "\"?" : "pale help manifest");
}

Result<std::optional<Said<std::string>>> Table::text(std::string_view key) {
  const TomlMember* member = find(key);
  if (member == nullptr) return std::nullopt;
  if (member->value.text() == nullptr) return wrong_kind(*member, "a text in quotation marks");
  return Said<std::string>{*member->value.text(), where(key)};
}

Result<std::optional<Said<std::string>>> Table::time(std::string_view key) {
  const TomlMember* member = find(key);
  if (member == nullptr) return std::nullopt;
  if (member->value.kind() == TomlValue::Kind::Time) return Said<std::string>{member->value.written(), where(key)};
  if (member->value.text() == nullptr) return wrong_kind(*member, "a time, such as 2026-01-23T14:30:00Z");
  return Said<std::string>{*member->value.text(), where(key)};
}

Result<std::optional<Said<bool>>> Table::boolean(std::string_view key) {
  const TomlMember* member = find(key);
  if (member == nullptr) return std::nullopt;
  const auto truth = member->value.boolean();
  if (!truth) return wrong_kind(*member, "true or false");
  return Said<bool>{*truth, where(key)};
}

Result<std::optional<Said<std::uint64_t>>> Table::number(std::string_view key) {
  const TomlMember* member = find(key);
  if (member == nullptr) return std::nullopt;
  const auto number = member->value.whole_number();
  if (!number || *number < 0) return wrong_kind(*member, "a whole number that is not negative");
  return Said<std::uint64_t>{static_cast<std::uint64_t>(*number), where(key)};
}

Result<std::optional<Said<std::uint64_t>>> Table::measured(std::string_view key, const Measure& measure) {
  const TomlMember* member = find(key);
  if (member == nullptr) return std::nullopt;
  std::optional<std::uint64_t> amount;
  if (member->value.text() != nullptr) amount = measure.read(*member->value.text());
  if (const auto number = member->value.whole_number(); number && *number > 0)
    amount = static_cast<std::uint64_t>(*number);
  if (!amount || *amount == 0)
    return wrong_kind(*member, "a number above zero, or one with a unit: \"" + std::string(measure.example) + "\"");
  if (*amount > measure.most) return wrong_kind(*member, std::string(measure.most_text) + " at most");
  return Said<std::uint64_t>{*amount, where(key)};
}

Result<std::optional<Said<std::uint64_t>>> Table::size(std::string_view key) { return measured(key, measure::kBytes); }

Result<std::optional<Said<std::uint64_t>>> Table::duration(std::string_view key) {
  return measured(key, measure::kSeconds);
}

Result<std::vector<Said<std::string>>> Table::texts(std::string_view key) {
  std::vector<Said<std::string>> texts;
  const TomlMember* member = find(key);
  if (member == nullptr) return texts;
  if (member->value.kind() != TomlValue::Kind::Array) return wrong_kind(*member, R"(a list of texts: ["a", "b"])");
  for (const TomlValue& item : member->value.items()) {
    if (item.text() == nullptr) return wrong_kind(*member, R"(a list of texts: ["a", "b"])");
    texts.push_back({*item.text(), source_.label + ":" + line_number(source_.text, item.span().begin)});
  }
  return texts;
}

Result<std::optional<Table>> Table::table(std::string_view key) {
  const TomlMember* member = find(key);
  if (member == nullptr) return std::nullopt;
  if (member->value.kind() != TomlValue::Kind::Table) return wrong_kind(*member, "a table: [" + said_name(key) + "]");
  return Table(member->value, source_, said_name(key));
}

Result<std::vector<std::pair<std::string, Table>>> Table::tables(std::string_view key) {
  std::vector<std::pair<std::string, Table>> tables;
  PALE_TRY(outer, table(key));
  if (!outer) return tables;
  for (const TomlMember& member : outer->table_.members()) {
    PALE_TRY(inner, outer->table(member.key));
    if (inner) tables.emplace_back(member.key, std::move(*inner));
  }
  return tables;
}

Status Table::finish() const {
  for (const TomlMember& member : table_.members()) {
    if (std::ranges::find(known_, member.key) != known_.end()) continue;
    const auto close = nearest(member.key, known_);
    return wrong_at(member.key_span.begin, "unknown key " + said_name(member.key),
                    close ? "did you mean " + std::string(*close) + "?" : "pale help manifest");
  }
  return {};
}

Result<std::optional<Source>> read_source(const std::string& file, std::string label) {
  auto text = read_plain_file(file);
  if (text) return Source{file, std::move(label), std::move(*text)};
  Error error = std::move(text).error();
  if (error.number == ENOENT || error.number == ENOTDIR) {
    // A link that leads nowhere is there all the same.
    const auto info = sys::file_info(sys::kAbsolute, file.c_str());
    if (info && info->kind == sys::FileKind::Missing) return std::nullopt;
  }
  error.kind = ErrorKind::Usage;
  error.subject = file;
  return fail(std::move(error).with_hint("ls -ld " + shell_word(file)));
}

Result<TomlValue> parse_source(const Source& source) {
  auto root = TomlValue::parse(source.text, kDeepest);
  if (root) return root;
  Error error = std::move(root).error();
  error.kind = ErrorKind::Usage;
  error.operation = source.file + ":";
  return fail(std::move(error).with_hint("mend that line; pale help manifest shows what can stand there"));
}

}  // namespace pale::project
