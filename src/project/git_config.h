// project/git_config.h: a git configuration as git reads it. Touches no disk.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pale::project {

// "[include]" and "[includeIf "…"]", "[core]" and "[core "…"]": what stands in quotes is left out.
struct GitSetting {
  std::string section;  // without capitals, as the key
  std::string key;
  std::string value;
};

// Goes through a text once. What git would stop at is passed over.
class GitConfigText {
 public:
  explicit GitConfigText(std::string_view text);
  // The next key that has a value, or nothing at the end.
  std::optional<GitSetting> next();

 private:
  char take();
  void skip_line();
  void enter_section();
  std::string take_value();

  std::string_view rest_;
  std::string section_;
};

// Values of one key, "core.hookspath", in their order; section and key without capitals.
std::vector<std::string> config_values(std::string_view text, std::string_view section, std::string_view key);

}  // namespace pale::project
