// tools/approval.h: which changes a person is asked about before a tool makes them. A value; whoever asks is outside (tools/desk.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/path.h"

namespace pale::tools {

// The stricter, the later.
enum class Consent {
  Free,     // it is done at once
  Ask,      // once somebody allows it
  Blocked,  // it is not done
};

std::string_view to_text(Consent consent) noexcept;  // "free", "ask", "blocked"

// What is done to a path, or without one.
enum class Deed {
  Write,
  Bring,  // a folder is moved there: all in it is written
  Remove,
  Run,
};
std::string_view to_text(Deed deed) noexcept;  // "write", "write", "delete", "run"

// Of a folder and all below it, unless a rule for a place inside says otherwise.
struct ApprovalRule {
  Path path;
  Consent write = Consent::Free;
  Consent remove = Consent::Free;
  std::string origin;  // who said so, for people: "zone data (.pale/project.toml:4)"
  std::string zone;    // by its name, if it is one
  bool operator==(const ApprovalRule&) const = default;
};

struct Approvals {
  std::vector<ApprovalRule> rules;
  Consent run = Consent::Free;
  std::string run_origin;
  bool operator==(const Approvals&) const = default;

  // Null: no rule speaks of it, and it is free. What is deleted or moved takes all below it along, away and to where it comes: the
  // strictest rule there counts.
  const ApprovalRule* rule_for(Deed deed, const Path& path) const noexcept;
  Consent consent(Deed deed, const Path& path) const noexcept;
  // The innermost zone in which it lies; null if it is in none.
  const ApprovalRule* zone_of(const Path& path) const noexcept;
  // Whether anything can be asked about, or is blocked, of what these tools do.
  bool concern_files() const noexcept;
};

std::string to_json(const Approvals& approvals);
Result<Approvals> parse_approvals(std::string_view text);

}  // namespace pale::tools
