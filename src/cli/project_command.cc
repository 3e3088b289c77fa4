#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/console.h"
#include "cli/program.h"
#include "cli/tenant.h"
#include "service/import.h"
#include "service/prepare.h"
#include "service/projects.h"
#include "sys/event.h"

namespace pale::cli {
namespace {

using project::Entry;
using project::Project;

constexpr Option kInitOptions[] = {
    {"--id", "ID", "a word for it; else made from the directory's name"},
    {"--name", "NAME", "a name for people; else the directory's"},
    {"--trust", "LEVEL", "discovery, read_only, workspace (default), shell or full"},
    {"--no-register", "", "only write the manifest"},
    {"--no-manifest", "", "only register it"},
};
constexpr Option kListOptions[] = {{"--json", "", "print as JSON"}, {"--ids", "", "print the ids, one a line"}};
constexpr Option kShowOptions[] = {
    {"--project-root", "DIR", "the project: a directory"},
    {"-p", "ID", "the project: one that is registered"},
    {"--json", "", "print as JSON"},
};
constexpr Option kDefaultOptions[] = {{"--none", "", "from now on there is none"}};
constexpr Option kCleanupOptions[] = {{"--dry-run", "", "only say what would be forgotten"}};

service::Caller caller_of(const CommandLine& line) { return {line.argv, line.envp}; }

// Those the user has named, and after them those that are managed.
struct Listed {
  std::vector<service::ListedProject> registered;
  service::ManagedProjects managed;

  bool empty() const { return registered.empty() && managed.projects.empty(); }
};

Result<Listed> list_all(const CommandLine& line) {
  PALE_TRY(registered, service::list_projects(caller_of(line)));
  PALE_TRY(pale_home, service::pale_home_of(caller_of(line)));
  PALE_TRY(managed, service::list_managed_projects(pale_home));
  return Listed{std::move(registered), std::move(managed)};
}

struct Row {
  std::string id;
  std::string root;
  std::string rest;
};

std::vector<Row> rows_of(const Listed& listed, std::int64_t now) {
  std::vector<Row> rows = {{"ID", "ROOT", "LAST USED"}};
  for (const auto& project : listed.registered) {
    rows.push_back({printable(project.entry.id), printable(project.entry.root.text()),
                    time_ago(project.entry.last_used, now) + (project.is_default ? "  (default)" : "") +
                        (project.is_there ? "" : "  (gone)")});
  }
  for (const auto& managed : listed.managed.projects) {
    rows.push_back(
        {managed.project.id, printable(managed.root.text()), time_ago(managed.last_used, now) + "  (managed)"});
  }
  return rows;
}

std::string list_lines(const std::vector<Row>& rows) {
  std::size_t id_width = 0, root_width = 0;
  for (const Row& row : rows) {
    id_width = std::max(id_width, row.id.size() + 2);
    root_width = std::max(root_width, row.root.size() + 2);
  }
  std::string text;
  for (const Row& row : rows) text += padded(row.id, id_width) + padded(row.root, root_width) + row.rest + "\n";
  return text;
}

void write_entry(JsonWriter& out, const Entry& entry) {
  out.field("id", entry.id).field("root", entry.root.text()).key("manifest");
  entry.manifest ? out.value(entry.manifest->text()) : out.null();
  out.field("workspace_type", to_text(entry.type)).field("last_used", to_iso(entry.last_used));
}

std::string list_json(const Listed& listed) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).key("projects").begin_array();
  for (const auto& project : listed.registered) {
    out.begin_object();
    write_entry(out, project.entry);
    out.field("default", project.is_default).field("exists", project.is_there).end_object();
  }
  for (const auto& managed : listed.managed.projects) {
    out.begin_object();
    write_managed(out, managed);
    out.field("exists", true).end_object();
  }
  out.end_array().end_object();
  return out.text() + "\n";
}

std::string show_json(const service::ShownProject& shown) {
  const Project& project = shown.resolved.project;
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("id", project.id()).field("name", project.name());
  out.field("root", project.root().text()).field("workspace_type", to_text(project.type())).key("created");
  project.created() != 0 ? out.value(to_iso(project.created())) : out.null();
  out.key("manifest");
  if (const auto& manifest = project.manifest()) {
    out.value(manifest->text());
  } else {
    out.null();
  }
  out.field("registered", shown.entry.has_value()).field("default", shown.is_default).key("last_used");
  shown.entry ? out.value(to_iso(shown.entry->last_used)) : out.null();
  out.field("reason", to_text(shown.resolved.reason)).end_object();
  return out.text() + "\n";
}

std::string show_lines(const service::ShownProject& shown, std::int64_t now) {
  const Project& project = shown.resolved.project;
  std::string text;
  const auto line = [&](const char* key, std::string_view value) { text += padded(key, 12) + printable(value) + "\n"; };
  line("id", project.id());
  line("name", project.name());
  line("root", project.root().text());
  line("type", to_text(project.type()));
  if (project.created() != 0) line("created", to_iso(project.created()));
  if (const auto& manifest = project.manifest()) line("manifest", manifest->text());
  if (shown.entry) {
    line("registered", shown.entry->id == project.id() ? "yes" : "as " + shown.entry->id);
    line("last used", time_ago(shown.entry->last_used, now));
  } else {
    line("registered", "no");
  }
  if (shown.is_default) line("default", "yes");
  return text;
}

// A managed project, if the word means one.
Result<std::optional<service::ManagedProject>> find_managed(const project::Named& named, const CommandLine& line) {
  if (!named.root.empty() || named.id.empty()) return std::nullopt;
  PALE_TRY(pale_home, service::pale_home_of(caller_of(line)));
  return service::find_managed_project(pale_home, named.id);
}

int show(const CommandLine& line, std::string_view name, std::size_t most, auto to_lines) {
  const auto arguments = parse_for(name, line, 0, most);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const Format format = arguments->has("--json") ? Format::Json : Format::Text;
  project::Named named{arguments->value("--project-root"), arguments->value("-p")};
  if (!arguments->operands.empty()) named = {"", arguments->operands.front()};
  const auto managed = find_managed(named, line);
  if (!managed) return fail_with(managed.error(), format);
  if (const std::optional<service::ManagedProject>& found = *managed) {
    print(format == Format::Json ? managed_json(*found) : managed_lines(*found, sys::wall_clock_seconds()));
    return 0;
  }
  const auto shown = service::show_project(named, caller_of(line));
  if (!shown) return fail_with(shown.error(), format);
  print(format == Format::Json ? show_json(*shown) : to_lines(*shown));
  return 0;
}

// For commands that change something and have little to say.
int report(const Status& done, const std::string& sentence) {
  if (!done) return fail_with(done.error(), Format::Text);
  print(sentence + "\n");
  return 0;
}

}  // namespace

std::span<const Option> init_options() { return kInitOptions; }
std::span<const Option> project_list_options() { return kListOptions; }
std::span<const Option> project_show_options() { return kShowOptions; }
std::span<const Option> project_default_options() { return kDefaultOptions; }
std::span<const Option> cleanup_options() { return kCleanupOptions; }

int project_init_command(const CommandLine& line) {
  const auto arguments = parse_for("project init", line, 0, 1);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  service::InitRequest request;
  if (!arguments->operands.empty()) request.path = arguments->operands.front();
  request.id = arguments->value("--id");
  request.name = arguments->value("--name");
  request.enter_registry = !arguments->has("--no-register");
  request.write_manifest = !arguments->has("--no-manifest");
  if (arguments->has("--id") && request.id.empty()) return fail_with(project::check_id("").error(), Format::Text);
  if (arguments->has("--trust")) {
    request.trust = project::parse_trust(arguments->value("--trust"));
    if (!request.trust)
      return fail_with({ErrorKind::Usage, 0, "not a value for --trust:", arguments->value("--trust"),
                        "--trust discovery, read_only, workspace, shell or full"},
                       Format::Text);
  }
  const auto outcome = service::init_project(request, caller_of(line));
  if (!outcome) return fail_with(outcome.error(), Format::Text);
  const Project& project = outcome->project;
  print("Project " + project.id() + " in " + printable(project.root().text()) + "\n");
  if (outcome->wrote_manifest) print("  wrote " + printable(project.manifest_place().text()) + "\n");
  if (outcome->registered) print("  registered; from anywhere: pale run -p " + project.id() + " -- COMMAND\n");
  if (outcome->granted_trust) print("  noted in your configuration that you trust it so far: pale config list\n");
  return 0;
}

int project_list_command(const CommandLine& line) {
  const auto arguments = parse_for("project list", line, 0, 0);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const Format format = arguments->has("--json") ? Format::Json : Format::Text;
  const auto listed = list_all(line);
  if (!listed) return fail_with(listed.error(), format);
  print_damaged(listed->managed.damaged);
  if (format == Format::Json) {
    print(list_json(*listed));
  } else if (arguments->has("--ids")) {
    for (const auto& project : listed->registered) print(project.entry.id + "\n");
    for (const auto& managed : listed->managed.projects) print(managed.project.id + "\n");
  } else if (listed->empty()) {
    print_note("no projects yet; pale init makes one");
  } else {
    print(list_lines(rows_of(*listed, sys::wall_clock_seconds())));
  }
  return 0;
}

int project_show_command(const CommandLine& line) {
  return show(line, "project show", 1,
              [](const service::ShownProject& shown) { return show_lines(shown, sys::wall_clock_seconds()); });
}

int project_current_command(const CommandLine& line) {
  return show(line, "project current", 0, [](const service::ShownProject& shown) {
    return printable(shown.resolved.project.id()) + "  " + printable(shown.resolved.project.root().text()) +
           "\nbecause of " + std::string(to_text(shown.resolved.reason)) + "\n";
  });
}

int project_default_command(const CommandLine& line) {
  const auto arguments = parse_for("project default", line, 0, 1);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  if (arguments->has("--none"))
    return report(service::set_default_project("", caller_of(line)), "There is no default project now");
  if (!arguments->operands.empty()) {
    const std::string& id = arguments->operands.front();
    return report(service::set_default_project(id, caller_of(line)), "The default project is " + id + " now");
  }
  const auto id = service::default_project(caller_of(line));
  if (!id) return fail_with(id.error(), Format::Text);
  if (id->empty()) {
    print_note("there is no default project; pale project default ID sets one");
    return 1;
  }
  print(*id + "\n");
  return 0;
}

int project_remove_command(const CommandLine& line) {
  const auto arguments = parse_for("project remove", line, 1, 1);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const std::string& id = arguments->operands.front();
  return report(service::remove_project(id, caller_of(line)), "Forgot " + id + "; its files are as they were");
}

int project_rename_command(const CommandLine& line) {
  const auto arguments = parse_for("project rename", line, 2, 2);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const std::string& id = arguments->operands[0];
  const std::string& new_id = arguments->operands[1];
  return report(service::rename_project(id, new_id, caller_of(line)), id + " is called " + new_id + " now");
}

int project_move_command(const CommandLine& line) {
  const auto arguments = parse_for("project move", line, 2, 2);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const std::string& id = arguments->operands[0];
  const auto root = service::move_project(id, arguments->operands[1], caller_of(line));
  if (!root) return fail_with(root.error(), Format::Text);
  print(id + " is in " + printable(root->text()) + " now\n");
  return 0;
}

int project_cleanup_command(const CommandLine& line) {
  const auto arguments = parse_for("project cleanup", line, 0, 0);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const bool dry = arguments->has("--dry-run");
  const auto outcome =
      service::cleanup_projects(dry ? service::Changes::Show : service::Changes::Make, caller_of(line));
  if (!outcome) return fail_with(outcome.error(), Format::Text);
  if (!outcome->kept_aside.empty())
    print("The registry could not be read; it is kept as " + printable(outcome->kept_aside) + "\n");
  for (const Entry& entry : outcome->removed)
    print((dry ? "Would forget " : "Forgot ") + entry.id + ": " + printable(entry.root.text()) + " is gone\n");
  if (outcome->removed.empty() && outcome->kept_aside.empty())
    print("Nothing to forget: every project is where it was\n");
  return 0;
}

int project_import_command(const CommandLine& line) {
  const auto arguments = parse_for("project import", line, 1, 1);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const auto outcome = service::import_file(arguments->operands.front(), caller_of(line));
  if (!outcome) return fail_with(outcome.error(), Format::Text);
  for (const std::string& taken : outcome->taken) print("took  " + printable(taken) + "\n");
  for (const std::string& left : outcome->left) print("left  " + printable(left) + "\n");
  return outcome->taken.empty() ? 1 : 0;
}

}  // namespace pale::cli
