// worker/keys.h: reads a YAML mapping key by key. Whatever is wrong is said with file, line, column and what would be right; a key
// that nobody asked for is wrong.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/yaml.h"
#include "project/table.h"

namespace pale::worker {

// What a place in the YAML is a place of.
struct Origin {
  std::string_view text;
  const std::string& file;

  std::unexpected<Error> wrong(std::size_t at, const std::string& what, std::string hint) const;
  std::size_t line(std::size_t at) const;
};

template <typename T>
using Choice = project::Choice<T>;

class Keys {
 public:
  // `name` is how messages call the mapping: "sandbox.zones[1]"; empty for the outermost. The references outlive it.
  Keys(const YamlValue& mapping, const Origin& origin, std::string name)
      : mapping_(mapping), origin_(origin), name_(std::move(name)) {}

  // Null if the key is not there.
  const YamlMember* find(std::string_view key);
  Result<std::optional<std::string>> text(std::string_view key);
  Result<std::optional<bool>> boolean(std::string_view key);
  // A whole number above zero.
  Result<std::optional<std::uint64_t>> amount(std::string_view key);
  Result<std::optional<std::vector<std::string>>> texts(std::string_view key);
  Result<std::optional<Keys>> mapping(std::string_view key);

  template <typename T>
  Result<std::optional<T>> choice(std::string_view key, std::span<const Choice<T>> choices) {
    PALE_TRY(said, text(key));
    if (!said) return std::nullopt;
    const auto found = std::ranges::find(choices, *said, &Choice<T>::name);
    if (found != choices.end()) return found->value;
    std::vector<std::string_view> names;
    for (const Choice<T>& each : choices) names.push_back(each.name);
    return wrong_choice(key, *said, names);
  }

  // Everything has been asked for: what is left is unknown.
  Status finish() const;

  const std::vector<YamlMember>& members() const noexcept { return mapping_.members(); }
  std::string said_name(std::string_view key) const;
  // "golem-forge.config.yaml:7": where a key stands; if it is missing, the whole mapping.
  std::string where(std::string_view key) const;
  // About a key's value; if the key is missing, about the whole mapping.
  std::unexpected<Error> wrong(std::string_view key, const std::string& what, std::string hint) const;

 private:
  std::unexpected<Error> wrong_choice(std::string_view key, const std::string& given,
                                      std::span<const std::string_view> names) const;

  const YamlValue& mapping_;
  const Origin& origin_;
  std::string name_;
  std::vector<std::string_view> known_;
};

}  // namespace pale::worker
