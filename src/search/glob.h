// search/glob.h: the patterns by which people name files: `*`, `?`, `[a-z]`, `**` and `{this,that}`. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "search/pattern.h"

namespace pale::search {

// Without a '/' it is about names, wherever they lie; otherwise about whole paths below the root, component by component.
// "src/" means all that lies in there.
class Glob {
 public:
  // Refuses braces and classes without their end, and says where they begin.
  static Result<Glob> parse(std::string_view text);
  // `path` is below the root.
  bool matches(std::string_view path) const noexcept;

 private:
  struct Alternative {
    Pattern pattern;
    bool by_name;
  };
  std::vector<Alternative> alternatives_;
};

}  // namespace pale::search
