#include "cli/help.h"

#include <vector>

#include "base/text.h"
#include "cli/console.h"
#include "cli/program.h"

namespace pale::cli {
namespace {

struct Page {
  std::string_view name;
  std::string_view summary;
  std::string_view usage;
  std::span<const Option> (*options)();
  std::string_view text;
};

constexpr Page kPages[] = {
    {"run", "run a command inside a boundary", "pale run --project-root DIR [OPTION…] -- COMMAND…", run_options,
     "Inside are the system (read-only), the project (writable but for protected paths), a private HOME, and nothing "
     "else.\n"
     "The command's input, output, terminal, signals and exit code pass through as they are.\n"
     "\nExamples:\n"
     "  pale run --project-root . -- make test\n"
     "  pale run --project-root . --network open --env ANTHROPIC_API_KEY -- claude\n"},
    {"shell", "a shell inside the same boundary", "pale shell --project-root DIR [OPTION…]", shell_options,
     "Starts $SHELL, or /bin/bash where that does not exist inside.\n"
     "\nExamples:\n"
     "  pale shell --project-root .\n"
     "  pale shell --project-root . --ro /opt/toolchain\n"},
    {"explain", "show a boundary, or what it says of a path", "pale explain --project-root DIR [OPTION…] [PATH]",
     explain_options,
     "Without PATH: the whole boundary as a tree, each line with where it came from.\n"
     "With PATH (absolute, or relative to the project): what may be done there, and because of which rule.\n"
     "\nExamples:\n"
     "  pale explain --project-root .\n"
     "  pale explain --project-root . .git/hooks/pre-commit\n"},
    {"doctor", "what this kernel offers, what is missing, what follows", "pale doctor [--json]", doctor_options,
     "Exit code 0: sandboxes with full isolation work here. 1: something is missing; each line says how to fix it.\n"
     "\nExamples:\n"
     "  pale doctor\n"
     "  pale doctor --json\n"},
};

constexpr std::string_view kExitCodes =
    "Exit codes\n"
    "  the command's own   what ran inside ended with it; 128+N if signal N ended it\n"
    "  1                   no, or a failure that is an answer (pale doctor: something is missing)\n"
    "  2                   wrong usage: an option, a path, a project root that is not there\n"
    "  3                   refused by a boundary, or a run ended because a protected path appeared\n"
    "  125                 Pale itself failed, or this kernel cannot keep what was asked\n"
    "  126, 127            the command cannot be executed; was not found\n";

std::string option_lines(std::span<const Option> options) {
  std::string text;
  for (const Option& option : options) {
    std::string left = "  " + std::string(option.name) + (option.value.empty() ? "" : " " + std::string(option.value));
    left.resize(std::max<std::size_t>(left.size() + 2, 30), ' ');
    text += left + std::string(option.help) + "\n";
  }
  return text;
}

std::string overview() {
  std::string text =
      "Pale: the boundary that coding agents work inside.\n\nUsage: pale COMMAND [OPTION…]\n\nWork inside a boundary\n";
  const auto line = [&text](const Page& page) {
    std::string left = "  " + std::string(page.name);
    left.resize(12, ' ');
    text += left + std::string(page.summary) + "\n";
  };
  line(kPages[0]);
  line(kPages[1]);
  text += "\nLook before you run\n";
  line(kPages[2]);
  line(kPages[3]);
  text +=
      "\nMore: pale help COMMAND, pale help exit-codes, pale --version\n"
      "\nExamples:\n"
      "  pale run --project-root . -- make test\n"
      "  pale explain --project-root . .git/config\n";
  return text;
}

}  // namespace

std::string help_text(std::string_view name) {
  if (name.empty()) return overview();
  if (name == "exit-codes") return std::string(kExitCodes);
  for (const Page& page : kPages) {
    if (page.name != name) continue;
    return "Usage: " + std::string(page.usage) + "\n\n" +
           std::string(page.text.substr(0, page.text.find("\nExamples:"))) + "\nOptions:\n" +
           option_lines(page.options()) + std::string(page.text.substr(page.text.find("\nExamples:")));
  }
  return {};
}

int show_help(std::string_view name) {
  const std::string text = help_text(name);
  if (!text.empty()) {
    print(text);
    return 0;
  }
  std::vector<std::string_view> topics = {"exit-codes"};
  for (const Page& page : kPages) topics.push_back(page.name);
  const auto close = nearest(name, topics);
  print_error({ErrorKind::Usage, 0, "there is no help on", std::string(name),
               close ? "pale help " + std::string(*close) : "pale help"},
              Format::Text);
  return 2;
}

}  // namespace pale::cli
