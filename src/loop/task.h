// loop/task.h: what an agent is told of a story, and how the story is verified. Pure.
#pragma once

#include <optional>
#include <span>

#include "scope/prd.h"

namespace pale::loop {

// What a story of a prd.json holds beyond scope::Story.
struct Task {
  std::string description;
  std::vector<std::string> criteria;  // acceptanceCriteria
  std::vector<std::string> verify;    // a command; empty: the story has none
};

// In the file's order. `text` is one that scope::parse_prd() took; what is wrong is said with `file` and the story.
Result<std::vector<Task>> read_tasks(std::string_view text, const std::string& file);

// A shell's line as a command.
std::vector<std::string> shell_command(const std::string& line);

// Whether a story's fileScope is what somebody wrote, or what the folders of the run stand for: that one binds nobody.
enum class FileScopeIs { Own, Inferred };

// Markdown: the story, what counts as done, and the section about the workspace, if there is one.
std::string prompt_for(const scope::Prd& prd, const scope::Story& story, const Task& task, FileScopeIs file_scope,
                       std::string_view workspace);

}  // namespace pale::loop
