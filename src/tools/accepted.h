// tools/accepted.h: which files tools take in a folder, by how their names end. An agreement on what a worker is for, and no guard:
// the kernel knows no suffixes, and whoever opens files himself has the whole folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/path.h"

namespace pale::tools {

struct AcceptRule {
  Path path;                          // a folder inside, and all below it
  std::vector<std::string> suffixes;  // none: no file is taken there
  std::string origin;                 // who said so: "worker old (.pale/workers/old.worker)"
  bool operator==(const AcceptRule&) const = default;

  bool accepts(std::string_view name) const noexcept;
};

struct Accepted {
  std::vector<AcceptRule> rules;  // of folders of which none lies in another
  bool operator==(const Accepted&) const = default;

  const AcceptRule* rule_for(const Path& path) const noexcept;
  bool accepts(const Path& path) const noexcept;
};

std::string to_json(const Accepted& accepted);
Result<Accepted> parse_accepted(std::string_view text);

struct Call;
struct Tool;
// Of the files that a tool is about to read or change.
Status check_accepted(const Call& call, const Tool& tool);

struct Workplace;
// Of a tool that looks through a folder: what it is to look at there. An error where no file is, or where several rules count.
Result<std::vector<std::string>> suffixes_below(const Workplace& place, const Path& folder);

}  // namespace pale::tools
