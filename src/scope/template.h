// scope/template.h: prd.json files to begin with. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "scope/mode.h"

namespace pale::scope {

struct TemplateStory {
  std::string_view title;
  std::string_view description;
  std::string_view criterion;
};

struct Template {
  std::string_view name;
  std::string_view about;
  std::string_view branch;  // what branchName begins with
  Mode mode;
  std::span<const std::string_view> folders;  // that projects of the kind often have, the most telling first
  std::span<const TemplateStory> stories;     // each depends on the one before it
};

std::span<const Template> templates();
const Template* find_template(std::string_view name) noexcept;

// The text of a prd.json of that kind, one member a line. Without folders it says nothing of a workspace.
std::string prd_text(const Template& kind, std::string_view project, std::span<const std::string> folders);

}  // namespace pale::scope
