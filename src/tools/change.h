// tools/change.h: what a call would change, exactly as a person is shown it before he allows it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/path.h"
#include "tools/approval.h"

namespace pale::tools {

struct Effect {
  Deed deed;
  Path path;  // where it leads, inside
  bool operator==(const Effect&) const = default;
};

struct Change {
  std::vector<Effect> effects;  // none: nothing would change
  std::string summary;          // one line: "write /home/u/app/notes.txt"
  std::string details;  // a unified diff; what is deleted; a command line. No name in it makes a line of its own.
  bool operator==(const Change&) const = default;
};

// Between two texts, as a unified diff; empty if there is none.
std::string difference(const std::string& path, std::string_view before, std::string_view after);

struct Call;
// Leave is for exactly what was shown. If that is not what would be done now, it is not done.
Status check_allowed(const Call& call, const Change& now);
Status check_allowed(const Call& call, Result<Change> (*change)(const Call& call));

}  // namespace pale::tools
