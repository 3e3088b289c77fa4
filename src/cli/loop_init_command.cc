#include "base/text.h"
#include "cli/console.h"
#include "cli/program.h"
#include "service/prd_init.h"

namespace pale::cli {
namespace {

constexpr Option kOptions[] = {
    {"--template", "NAME", "feature, bugfix, refactor, tests or docs"},
    {"--workspace", "DIR,DIR…", "the folders that it is about; without it those of the template that are there"},
    {"--project-root", "DIR", "the repository: a directory"},
    {"-p", "ID", "the repository: a project that is registered"},
};

Result<service::PrdInit> parse(const CommandLine& line) {
  PALE_TRY(arguments, parse_for("loop init", line, 0, 1));
  service::PrdInit wanted{{arguments.value("--project-root"), arguments.value("-p")}, "feature", {}, {}};
  if (arguments.has("--template")) wanted.kind = arguments.value("--template");
  if (arguments.has("--workspace")) {
    PALE_TRY(folders, scope::split_folders(arguments.value("--workspace")));
    wanted.folders = std::move(folders);
  }
  if (!arguments.operands.empty()) wanted.file = arguments.operands.front();
  return wanted;
}

}  // namespace

std::span<const Option> loop_init_options() { return kOptions; }

int loop_init_command(const CommandLine& line) {
  const auto wanted = parse(line);
  if (!wanted) return fail_with(wanted.error(), Format::Text);
  const auto made = service::init_prd(*wanted, {line.argv, line.envp});
  if (!made) return fail_with(made.error(), Format::Text);
  std::string text = "Wrote " + printable(made->file.text()) + "\n";
  std::string listed;
  for (const std::string& folder : made->folders) listed += (listed.empty() ? "" : ", ") + printable(folder);
  text += listed.empty() ? "  it names no folders: all of the repository is meant\n" : "  folders: " + listed + "\n";
  print(text + "  now say in it what is to be done\n");
  return 0;
}

}  // namespace pale::cli
