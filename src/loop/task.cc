#include "loop/task.h"

#include "base/json_value.h"

namespace pale::loop {
namespace {

constexpr std::size_t kDeepest = 64;

// A text, or nothing at all.
Status read_text(const JsonValue& story, std::string_view key, std::string& into) {
  const JsonValue* value = story.find(key);
  if (value == nullptr || value->is_null()) return {};
  if (value->text() == nullptr)
    return fail(ErrorKind::Usage, std::string(key) + " must be a text", "", "\"" + std::string(key) + "\": \"…\"");
  into = *value->text();
  return {};
}

Status read_texts(const JsonValue& story, std::string_view key, std::vector<std::string>& into) {
  const JsonValue* value = story.find(key);
  if (value == nullptr || value->is_null()) return {};
  const auto wrong = [&] {
    return fail(ErrorKind::Usage, std::string(key) + " must be a list of texts", "",
                "\"" + std::string(key) + "\": [\"…\"]");
  };
  if (!value->is_array()) return wrong();
  for (const JsonValue& item : value->items()) {
    if (item.text() == nullptr) return wrong();
    into.push_back(*item.text());
  }
  return {};
}

// As a shell's line, or word by word.
Status read_verify(const JsonValue& story, std::vector<std::string>& into) {
  const JsonValue* value = story.find("verify");
  if (value != nullptr && value->is_array()) return read_texts(story, "verify", into);
  std::string line;
  PALE_CHECK(read_text(story, "verify", line));
  if (!line.empty()) into = shell_command(line);
  return {};
}

Result<Task> read_task(const JsonValue& story) {
  Task task;
  PALE_CHECK(read_text(story, "description", task.description));
  PALE_CHECK(read_texts(story, "acceptanceCriteria", task.criteria));
  PALE_CHECK(read_verify(story, task.verify));
  for (const std::string& word : task.verify) {
    if (word.find('\0') != std::string::npos || task.verify.front().empty())
      return fail(ErrorKind::Usage, "verify is no command", "", R"("verify": "make test")");
  }
  return task;
}

}  // namespace

std::vector<std::string> shell_command(const std::string& line) { return {"/bin/sh", "-c", line}; }

Result<std::vector<Task>> read_tasks(std::string_view text, const std::string& file) {
  PALE_TRY(json, JsonValue::parse(text, kDeepest));
  std::vector<Task> tasks;
  const JsonValue* stories = json.find("userStories");
  if (stories == nullptr) return tasks;
  for (const JsonValue& story : stories->items()) {
    auto task = read_task(story);
    if (!task) {
      Error error = std::move(task).error();
      const JsonValue* id = story.find("id");
      error.operation =
          file + ": story " + (id != nullptr && id->text() != nullptr ? *id->text() : "") + ": " + error.operation;
      return fail(std::move(error));
    }
    tasks.push_back(std::move(*task));
  }
  return tasks;
}

std::string prompt_for(const scope::Prd& prd, const scope::Story& story, const Task& task, FileScopeIs file_scope,
                       std::string_view workspace) {
  std::string text = "# " + story.id + ": " + story.title + "\n\nProject: " + prd.project + "\n";
  if (!prd.description.empty()) text += "\n" + prd.description + "\n";
  if (!task.description.empty()) text += "\n## Story\n\n" + task.description + "\n";
  if (!task.criteria.empty()) {
    text += "\n## Acceptance criteria\n\n";
    for (const std::string& criterion : task.criteria) text += "- " + criterion + "\n";
  }
  if (!story.notes.empty()) text += "\n## Notes\n\n" + story.notes + "\n";
  if (story.file_scope && !story.file_scope->empty()) {
    text += file_scope == FileScopeIs::Own
                ? "\n## File scope\n\nChange files that match one of these, and no others:\n\n"
                : "\n## File scope\n\nFocus your changes on files that match one of these:\n\n";
    for (const std::string& pattern : *story.file_scope) text += "- `" + pattern + "`\n";
  }
  if (!workspace.empty()) text += "\n" + std::string(workspace);
  return text +
         "\nWork on this story alone. When it is done, end; if it cannot be done, end with an exit code that is not "
         "0.\n";
}

}  // namespace pale::loop
