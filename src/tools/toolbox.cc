#include "tools/toolbox.h"

#include <algorithm>
#include <utility>

namespace pale::tools {
namespace {

constexpr const Tool* kTools[] = {
    &kReadFile, &kReadMultipleFiles, &kWriteFile, &kEditFile, &kListDirectory, &kTree,       &kSearch,  &kFindFiles,
    &kFileInfo, &kMakeDirectory,     &kMove,      &kDelete,   &kRunCommand,    &kCallWorker, &kBoundary};

// What agents call that learned from another server.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"read_text_file", "read_file"}, {"read_media_file", "read_file"},         {"create_directory", "make_directory"},
    {"directory_tree", "tree"},      {"search_files", "find_files"},           {"move_file", "move"},
    {"get_file_info", "file_info"},  {"list_allowed_directories", "boundary"},
};

bool is_here(const Tool& tool, const Workplace& place) {
  return tool.needs <= place.power && (tool.errand == nullptr || !place.workers.empty());
}

}  // namespace

std::vector<const Tool*> tools_for(const Workplace& place) {
  std::vector<const Tool*> tools;
  for (const Tool* tool : kTools) {
    if (is_here(*tool, place)) tools.push_back(tool);
  }
  return tools;
}

const Tool* find_tool(std::string_view name, const Workplace& place) {
  for (const auto& [other, own] : kOtherNames) {
    if (name == other) name = own;
  }
  const auto* found =
      std::ranges::find_if(kTools, [&](const Tool* tool) { return tool->name == name && is_here(*tool, place); });
  return found == std::end(kTools) ? nullptr : *found;
}

}  // namespace pale::tools
