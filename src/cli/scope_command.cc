#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/program.h"
#include "scope/prompt.h"
#include "service/scope.h"
#include "service/scope_mount.h"
#include "service/scope_view.h"
#include "service/workspace.h"

namespace pale::cli {
namespace {

constexpr Option kWhere[] = {
    {"--project-root", "DIR", "the repository: a directory"},
    {"-p", "ID", "the repository: a project that is registered"},
};
constexpr Option kOptions[] = {
    kWhere[0],
    kWhere[1],
    {"--workspace-mode", "MODE", "permissive or strict; without it $WORKSPACE_MODE"},
    {"--json", "", "print as JSON"},
};
constexpr Option kUnmount[] = {{"--discard", "", "also copies that were changed, and the changes with them"}};

constexpr int kNo = 1;

// Those who read such lines know them by their beginning.
void log(std::string_view text) { print_beside("[WORKSPACE] " + printable(text) + "\n"); }

int refuse(const Error& error, Format format, int code) {
  if (format == Format::Json) {
    print_error(error, format);
    return code;
  }
  log("ERROR: " + error.sentence());
  if (!error.hint.empty()) print_hint(error.hint);
  for (const std::string& hint : error.other_hints) print_hint(hint);
  return code;
}

struct ScopeCall {
  Arguments arguments;
  Path repository = Path::root();
  std::vector<std::string> names;
  Format format = Format::Text;
  scope::Mode mode = scope::Mode::Permissive;
  service::Caller caller = {};

  static Result<ScopeCall> parse(std::string_view name, const CommandLine& line, std::size_t operands,
                                 std::size_t folders_at) {
    // Only a mount is for somebody who may be named here.
    const AfterDashes after = name == "scope mount" ? AfterDashes::Command : AfterDashes::Forbidden;
    PALE_TRY(arguments, parse_for(name, line, operands, operands, after));
    PALE_TRY(mode, mode_of(arguments, {line.argv, line.envp}));
    ScopeCall call{std::move(arguments)};
    call.caller = {line.argv, line.envp};
    call.mode = mode;
    call.format = call.arguments.has("--json") ? Format::Json : Format::Text;
    PALE_TRY(repository, service::find_repository({call.arguments.value("--project-root"), call.arguments.value("-p")},
                                                  {line.argv, line.envp}));
    call.repository = std::move(repository);
    PALE_TRY(names, scope::split_folders(call.arguments.operands[folders_at]));
    call.names = std::move(names);
    return call;
  }

  static Result<scope::Mode> mode_of(const Arguments& arguments, const service::Caller& caller) {
    std::string word = arguments.value("--workspace-mode");
    if (!arguments.has("--workspace-mode")) word = caller.variable("WORKSPACE_MODE");
    if (word.empty() && !arguments.has("--workspace-mode")) return scope::Mode::Permissive;
    const auto mode = scope::parse_mode(word);
    if (mode) return *mode;
    return fail(ErrorKind::Usage, "not a mode:", "'" + word + "'", "strict, or permissive");
  }

  Result<scope::Folders> folders() const { return service::find_folders(repository, names); }
};

// What is wrong with the folders themselves is an answer; what is wrong with the words is not.
int answer_for(const Error& error) { return error.kind == ErrorKind::NotFound ? kNo : exit_code_for(error); }

std::string folders_json(const scope::Folders& folders, scope::Mode mode) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("repository", folders.root.text());
  out.field("mode", scope::to_text(mode)).key("folders").begin_array();
  for (const scope::Folder& folder : folders.all)
    out.begin_object().field("name", folder.name).field("path", folder.path.text()).end_object();
  out.end_array().end_object();
  return out.text() + "\n";
}

int validate(const ScopeCall& call) {
  std::string listed;
  for (const std::string& name : call.names) listed += (listed.empty() ? "" : ",") + name;
  log("Initialized workspace manager");
  log("  Folders: " + listed);
  log("  Mode: " + std::string(scope::to_text(call.mode)));
  log("  Repo Root: " + call.repository.text());
  scope::Folders folders{call.repository, {}};
  for (const std::string& name : call.names) {
    auto folder = service::find_folder(call.repository, name);
    if (!folder) return refuse(folder.error(), call.format, answer_for(folder.error()));
    log("Validated workspace folder: " + folder->name);
    folders.all.push_back(std::move(*folder));
  }
  log("All workspace folders validated");
  if (call.format == Format::Json) print(folders_json(folders, call.mode));
  return 0;
}

int check_file(const ScopeCall& call) {
  const std::string& file = call.arguments.operands.front();
  const auto folders = call.folders();
  if (!folders) return refuse(folders.error(), call.format, answer_for(folders.error()));
  const auto place = service::find_place(call.repository, file);
  if (!place) return fail_with(place.error(), call.format);
  const scope::Folder* folder = folders->around(*place);
  if (call.format == Format::Json) {
    JsonWriter out;
    out.begin_object().field("schemaVersion", 1).field("file", place->text()).field("inside", folder != nullptr);
    out.key("folder");
    folder == nullptr ? out.null() : out.value(folder->name);
    print(out.end_object().text() + "\n");
  } else if (folder != nullptr) {
    log("File is in workspace folder " + folder->name + ": " + file);
  } else {
    log("File is outside workspace: " + file);
    log("  File: " + place->text());
    log("  Workspace folders: " + folders->listed());
  }
  return folder != nullptr ? 0 : kNo;
}

int infer(const ScopeCall& call) {
  const auto folders = call.folders();
  if (!folders) return refuse(folders.error(), call.format, answer_for(folders.error()));
  const auto contents = service::look_into(*folders);
  if (!contents) return fail_with(contents.error(), call.format);
  print(indented(scope::json_of(scope::infer_patterns(*contents))) + "\n");
  return 0;
}

int update(const ScopeCall& call) {
  const auto folders = call.folders();
  if (!folders) return refuse(folders.error(), call.format, answer_for(folders.error()));
  auto file = service::PrdFile::open(call.arguments.operands[1]);
  if (!file) return fail_with(file.error(), call.format);
  log("Auto-inferring fileScope from workspace...");
  const auto changed = service::infer_file_scopes(*file, *folders);
  if (!changed) return fail_with(changed.error(), call.format);
  for (const std::string& id : *changed) log("Setting fileScope for story " + id);
  log("Updated fileScope for " + std::to_string(changed->size()) + " stories");
  return 0;
}

int mount(const ScopeCall& call) {
  const auto folders = call.folders();
  if (!folders) return refuse(folders.error(), call.format, answer_for(folders.error()));
  const std::string& directory = call.arguments.operands[1];
  if (!call.arguments.command.empty()) {
    const auto code = service::run_in_view(*folders, directory, call.arguments.command, call.caller);
    return code ? *code : fail_with(code.error(), call.format);
  }
  const auto mounted = service::mount_folders(*folders, directory);
  if (!mounted) return fail_with(mounted.error(), call.format);
  for (const std::string& name : *mounted) log("Mounted workspace folder: " + name + " in " + directory);
  return 0;
}

int unmount(const Arguments& arguments, const std::vector<std::string>& names) {
  const auto with_changes = arguments.has("--discard") ? service::WithChanges::Discard : service::WithChanges::Refuse;
  const std::string& directory = arguments.operands[1];
  const auto outcome = service::unmount_folders(names, directory, with_changes);
  if (!outcome) return fail_with(outcome.error(), Format::Text);
  for (const std::string& name : outcome->removed) log("Unmounted workspace folder: " + name + " from " + directory);
  if (with_changes == service::WithChanges::Discard || outcome->changed.empty()) return 0;
  log("Changed since it was mounted, so all of it stays:");
  for (const std::string& path : outcome->changed) log("  " + path);
  print_hint("pale scope unmount " + shell_word(arguments.operands[0]) + " " + shell_word(directory) + " --discard");
  return kPending;
}

int with_call(std::string_view name, const CommandLine& line, std::size_t operands, std::size_t folders_at,
              int (*answer)(const ScopeCall&)) {
  const auto call = ScopeCall::parse(name, line, operands, folders_at);
  return call ? answer(*call) : fail_with(call.error(), Format::Text);
}

}  // namespace

std::span<const Option> scope_options() { return kOptions; }
std::span<const Option> scope_where_options() { return kWhere; }
std::span<const Option> scope_unmount_options() { return kUnmount; }

int scope_validate_command(const CommandLine& line) { return with_call("scope validate", line, 1, 0, validate); }
int scope_check_file_command(const CommandLine& line) { return with_call("scope check-file", line, 2, 1, check_file); }
int scope_infer_command(const CommandLine& line) { return with_call("scope infer-scope", line, 1, 0, infer); }
int scope_update_command(const CommandLine& line) { return with_call("scope update-prd", line, 2, 0, update); }
int scope_mount_command(const CommandLine& line) { return with_call("scope mount", line, 2, 0, mount); }

// Without the repository: it may be gone by then.
int scope_unmount_command(const CommandLine& line) {
  const auto arguments = parse_for("scope unmount", line, 2, 2);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const auto names = scope::split_folders(arguments->operands.front());
  return names ? unmount(*arguments, *names) : fail_with(names.error(), Format::Text);
}

int scope_prompt_command(const CommandLine& line) {
  const auto arguments = parse_for("scope prompt-section", line, 1, 2);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const service::Caller caller{line.argv, line.envp};
  const bool said = arguments->operands.size() == 2;
  const std::string word = said ? arguments->operands[1] : caller.variable("WORKSPACE_MODE");
  const auto mode = word.empty() ? scope::Mode::Permissive : scope::parse_mode(word);
  if (!mode)
    return fail_with({ErrorKind::Usage, 0, "not a mode:", "'" + word + "'", "strict, or permissive"}, Format::Text);
  auto names = scope::split_folders(arguments->operands.front());
  if (!names) return fail_with(names.error(), Format::Text);
  const auto repository =
      service::find_repository({arguments->value("--project-root"), arguments->value("-p")}, caller);
  for (std::string& name : *names) {
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    if (!repository) continue;
    if (auto below = scope::name_below(*repository, name)) name = std::move(*below);
  }
  print(scope::prompt_section(*names, *mode));
  return 0;
}

}  // namespace pale::cli
