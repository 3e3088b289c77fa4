#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/loop_table.h"
#include "cli/request.h"
#include "service/ref_check.h"

namespace pale::cli {
namespace {

constexpr int kFound = 1;

constexpr Option kCheckGitOptions[] = {
    {"--project-root", "DIR", "the project: a directory"},
    {"-p", "ID", "the project: one that is registered (pale project list)"},
    {"--preset", "NAME", "narrow it further by [presets.NAME] of its manifest"},
    {"--workspace", "DIR,DIR…", "the folders of the project that it is about (pale help scope)"},
    {"--workspace-mode", "MODE", "permissive, or strict"},
    {"--json", "", "print as JSON"},
};

std::string to_json(const std::vector<service::RefReport>& reports) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).key("checks").begin_array();
  for (const service::RefReport& report : reports) {
    out.begin_object().field("strict", report.strict).field("moved", report.moved).key("refs").begin_array();
    for (const service::RefFinding& found : report.refs) {
      out.begin_object().field("ref", found.ref).field("wrong", found.wrong).field("commit", found.commit);
      out.field("subject", found.subject).field("kept", found.kept).key("paths").begin_array();
      for (const std::string& path : found.paths) out.value(path);
      out.end_array().end_object();
    }
    out.end_array().key("staged").begin_array();
    for (const std::string& path : report.staged) out.value(path);
    out.end_array().key("todos").begin_array();
    for (const service::TodoFinding& found : report.todos) {
      out.begin_object().field("path", found.path).field("command", found.command).field("kept", found.kept);
      out.end_object();
    }
    out.end_array().field("unchecked", report.unchecked).field("unmended", report.unmended).end_object();
  }
  return out.end_array().end_object().text() + "\n";
}

void print_reports(const std::vector<service::RefReport>& reports) {
  if (reports.empty()) print("No run noted anything that was not checked.\n");
  for (const service::RefReport& report : reports) {
    if (report.is_clean())
      print(std::to_string(report.moved) + (report.moved == 1 ? " ref" : " refs") + " moved, within the scope.\n");
    for (const std::string& text : service::lines_of(report)) print(text + "\n");
  }
}

}  // namespace

std::span<const Option> check_git_options() { return kCheckGitOptions; }

int check_git_command(const CommandLine& line) {
  const auto arguments = parse_for("scope check-git", line, 0, 0);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const Format format = arguments->has("--json") ? Format::Json : Format::Text;
  const auto request = request_of(*arguments);
  if (!request) return fail_with(request.error(), format);
  const service::Caller caller{line.argv, line.envp};
  const auto prepared = service::prepare(*request, caller);
  if (!prepared) return fail_with(prepared.error(), format);
  const auto reports = service::check_notes(*prepared, *request, caller, service::Notes::All);
  if (!reports) return fail_with(reports.error(), format);
  if (format == Format::Json) {
    print(to_json(*reports));
  } else {
    print_reports(*reports);
  }
  if (std::ranges::all_of(*reports, &service::RefReport::is_clean)) return 0;
  return std::ranges::any_of(*reports, [](const auto& report) { return report.strict && !report.is_clean(); })
             ? kRefused
             : kFound;
}

}  // namespace pale::cli
