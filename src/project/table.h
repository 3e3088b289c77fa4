// project/table.h: reads a TOML table key by key. Whatever is wrong is said with file, line, column and what would be right;
// a key that nobody asked for is wrong.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/amount.h"
#include "base/toml.h"

namespace pale::project {

// A file that was read: for errors its whole path, for origins a short name.
struct Source {
  std::string file;
  std::string label;
  std::string text;
};

// A value, and who said so: ".pale/project.toml:12".
template <typename T>
struct Said {
  T value;
  std::string where;
};

template <typename T>
struct Choice {
  std::string_view name;
  T value;
};

class Table {
 public:
  // `name` as a heading has it, empty for the whole file. Both outlive the table.
  Table(const TomlValue& table, const Source& source, std::string name)
      : table_(table), source_(source), name_(std::move(name)) {}

  Result<std::optional<Said<std::string>>> text(std::string_view key);
  Result<std::optional<Said<bool>>> boolean(std::string_view key);
  // Not negative.
  Result<std::optional<Said<std::uint64_t>>> number(std::string_view key);
  // A number, or a text with a unit: "2G"; "10m", which is in seconds. Not zero.
  Result<std::optional<Said<std::uint64_t>>> size(std::string_view key);
  Result<std::optional<Said<std::uint64_t>>> duration(std::string_view key);
  Result<std::vector<Said<std::string>>> texts(std::string_view key);
  // A text, a date or a time, as written.
  Result<std::optional<Said<std::string>>> time(std::string_view key);

  template <typename T>
  Result<std::optional<Said<T>>> choice(std::string_view key, std::span<const Choice<T>> choices) {
    PALE_TRY(said, text(key));
    if (!said) return std::nullopt;
    const auto found = std::ranges::find(choices, said->value, &Choice<T>::name);
    if (found != choices.end()) return Said<T>{found->value, std::move(said->where)};
    std::vector<std::string_view> names;
    for (const Choice<T>& each : choices) names.push_back(each.name);
    return wrong_choice(key, said->value, names);
  }

  Result<std::optional<Table>> table(std::string_view key);
  // The tables in a table of tables: [zones.data], [zones.out]. With their names.
  Result<std::vector<std::pair<std::string, Table>>> tables(std::string_view key);

  // Everything has been asked for: what is left is unknown.
  Status finish() const;

  std::string where(std::string_view key) const;
  std::unexpected<Error> wrong(std::string_view key, const std::string& what, std::string hint) const;

 private:
  const TomlMember* find(std::string_view key);
  std::string said_name(std::string_view key) const;
  std::unexpected<Error> wrong_at(std::size_t at, const std::string& what, std::string hint) const;
  std::unexpected<Error> wrong_kind(const TomlMember& member, std::string_view wanted) const;
  std::unexpected<Error> wrong_choice(std::string_view key, const std::string& given,
                                      std::span<const std::string_view> names) const;
  Result<std::optional<Said<std::uint64_t>>> measured(std::string_view key, const Measure& measure);

  const TomlValue& table_;
  const Source& source_;
  std::string name_;
  std::vector<std::string_view> known_;
};

// Reads a file of the user's or of a project's; one that is there and cannot be read is an error.
Result<std::optional<Source>> read_source(const std::string& file, std::string label);
Result<TomlValue> parse_source(const Source& source);

}  // namespace pale::project
