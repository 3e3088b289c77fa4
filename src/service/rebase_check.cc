#include "service/rebase_check.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <algorithm>

#include "sys/event.h"
#include "sys/file.h"
#include "sys/tree.h"

namespace pale::service {
namespace {

const git::Todo* find_todo(const std::vector<git::Todo>& todos, std::string_view name) {
  const auto at = std::ranges::find(todos, name, &git::Todo::name);
  return at == todos.end() ? nullptr : &*at;
}

std::string_view text_of(const git::Todo* todo) {
  return todo != nullptr && todo->text ? std::string_view(*todo->text) : std::string_view();
}

Result<sys::Fd> open_directory(const Path& root, const std::string& below) {
  PALE_TRY(top, sys::open_at(sys::kAbsolute, root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  const long raw = sys::open_resolved(top.borrow(), below.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
                                      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
  if (raw < 0) return fail_errno(static_cast<int>(-raw), "open", below);
  return sys::Fd(raw);
}

Result<std::string> move_to(const std::string& quarantine, const Path& root, const Path& path) {
  PALE_TRY(parent, open_directory(root, path.parent().text()));
  PALE_CHECK(sys::make_directories(quarantine, 0700));
  const std::string name(path.name());
  std::string kept = quarantine + "/" + std::to_string(sys::wall_clock_ns()) + "-" + name;
  PALE_CHECK(sys::move_tree(parent.borrow(), name.c_str(), sys::kAbsolute, kept.c_str()));
  return kept;
}

Status write_again(const Path& root, const Path& path, std::string_view text) {
  PALE_TRY(parent, open_directory(root, path.parent().text()));
  const std::string name(path.name());
  PALE_TRY(file, sys::open_at(parent.borrow(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644));
  return sys::write_all(file.borrow(), text);
}

}  // namespace

std::vector<TodoFinding> new_commands(const std::vector<git::Todo>& before, const std::vector<git::Todo>& now) {
  std::vector<TodoFinding> found;
  for (const git::Todo& todo : now) {
    const git::Todo* was = find_todo(before, todo.name);
    if (!todo.text && (was == nullptr || was->text)) found.push_back({".git/" + todo.name, {}, {}});
    const auto known = git::exec_lines(text_of(was));
    for (const std::string_view line : git::exec_lines(text_of(&todo))) {
      if (std::ranges::find(known, line) != known.end()) continue;
      found.push_back({".git/" + todo.name, std::string(line), {}});
      break;
    }
  }
  return found;
}

Status move_aside(const Path& root, const std::vector<git::Todo>& before, const std::string& quarantine,
                  std::vector<TodoFinding>& found) {
  for (TodoFinding& each : found) {
    PALE_TRY(path, Path::parse(each.path));
    const git::Todo* was = find_todo(before, std::string_view(each.path).substr(sizeof ".git/" - 1));
    const bool restores = was != nullptr && was->text;
    PALE_TRY(kept, move_to(quarantine, root, restores ? path : path.parent()));
    each.kept = std::move(kept);
    if (restores) PALE_CHECK(write_again(root, path, *was->text));
  }
  return {};
}

}  // namespace pale::service
