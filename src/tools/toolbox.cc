#include "tools/toolbox.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "tools/checks.h"

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

// The least that has it: pale help trust.
std::string_view trust_for(Power power) {
  switch (power) {
    case Power::List: return "discovery";
    case Power::Read: return "read_only";
    case Power::Write: return "workspace";
    case Power::Run: return "shell";
  }
  return {};
}

std::string_view own_name(std::string_view name) {
  for (const auto& [other, own] : kOtherNames) {
    if (name == other) return own;
  }
  return name;
}

bool is_here(const Tool& tool, const Workplace& place) {
  return (!kChecked || tool.needs <= place.power) && (tool.errand == nullptr || !place.workers.empty());
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
  if (name == kListDirectoryWithSizes.name) return &kListDirectoryWithSizes;
  const auto* found = std::ranges::find(kTools, own_name(name), &Tool::name);
  return found == std::end(kTools) || !is_here(**found, place) ? nullptr : *found;
}

std::string why_missing(std::string_view name, const Workplace& place) {
  const std::string sentence = "there is no tool \"" + std::string(name) + "\" here";
  const auto* found = std::ranges::find(kTools, own_name(name), &Tool::name);
  if (found != std::end(kTools) && (*found)->needs > place.power) {
    const std::string trust(trust_for((*found)->needs));
    return sentence + ": it takes trust " + trust + " (pale mcp --trust " + trust + ")";
  }
  if (found != std::end(kTools)) return sentence + ": the project has no workers that can be called";
  std::vector<std::string_view> names;
  for (const Tool* tool : tools_for(place)) names.push_back(tool->name);
  const auto close = nearest(name, names);
  return close ? sentence + "; did you mean " + std::string(*close) + "?" : sentence;
}

}  // namespace pale::tools
