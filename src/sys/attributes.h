// sys/attributes.h: extended attributes of open files and directories.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "sys/fd.h"

namespace pale::sys {

struct Attribute {
  std::string name;
  std::string value;
  bool operator==(const Attribute&) const = default;
};

// In the order of their names. A filesystem without attributes has none.
Result<std::vector<Attribute>> read_attributes(const Fd& fd);
// Empty if it is not set.
Result<std::string> read_attribute(const Fd& fd, const char* name);
Status write_attribute(const Fd& fd, const Attribute& attribute);
Status remove_attribute(const Fd& fd, const char* name);

}  // namespace pale::sys
