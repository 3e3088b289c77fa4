#include <array>

#include "base/amount.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/program.h"
#include "cli/tenant.h"

namespace pale::cli {
namespace {

constexpr Option kIsolated = {"--isolated", "", "a session sees its own workspace, and nothing else of the project"};
constexpr Option kProtectedPath = {"--protected-path", "PATH",
                                   "read-only in isolated workspaces; may be given several times"};
constexpr Option kDescription = {"--description", "TEXT", "what it is for"};
constexpr Option kSessions = {"--sessions", "N", "most sessions at a time"};
constexpr Option kMemory = {"--memory", "SIZE", "most memory of all its sessions, such as 8G"};
constexpr Option kPids = {"--pids", "N", "most processes and threads of all its sessions"};
constexpr Option kDisk = {"--disk", "SIZE", "most room that all its workspaces may take, such as 10G"};
constexpr Option kTime = {"--time", "TIME", "longest life of each session, such as 2h"};
constexpr Option kDepth = {"--max-recursion-depth", "N", "how far sessions may start others"};
constexpr Option kYes = {"--yes", "", "do not ask"};
constexpr Option kJson = {"--json", "", "print as JSON"};

constexpr Option kCreate[] = {{"--id", "ID", "a word for it; else made from NAME"},
                              kDescription,
                              kIsolated,
                              kProtectedPath,
                              kSessions,
                              kMemory,
                              kPids,
                              kDisk,
                              kTime,
                              kDepth,
                              kJson};
constexpr Option kUpdate[] = {{"--name", "NAME", "another name"},
                              kDescription,
                              kIsolated,
                              {"--no-isolated", "", "sessions see the whole project"},
                              kProtectedPath,
                              {"--no-protected-paths", "", "none"},
                              kSessions,
                              kMemory,
                              kPids,
                              kDisk,
                              kTime,
                              kDepth,
                              kJson};
constexpr Option kDelete[] = {{"--force", "", "end its sessions first"}, kYes, kJson};

struct LimitOption {
  std::string_view option;
  std::optional<std::uint64_t> tenant::Limits::* limit;
  Measure measure;
};
constexpr LimitOption kLimitOptions[] = {{"--sessions", &tenant::Limits::sessions, measure::kTasks},
                                         {"--memory", &tenant::Limits::memory, measure::kBytes},
                                         {"--pids", &tenant::Limits::pids, measure::kTasks},
                                         {"--disk", &tenant::Limits::disk, measure::kBytes},
                                         {"--time", &tenant::Limits::seconds, measure::kSeconds}};
constexpr std::string_view kNoLimit = "none";

Status read_limits(const Arguments& arguments, tenant::SettingsChange& change) {
  for (const auto& [option, limit, measure] : kLimitOptions) {
    if (!arguments.has(option)) continue;
    const std::string value = arguments.value(option);
    std::optional<std::uint64_t> most;
    if (value != kNoLimit) {
      PALE_TRY(number, parse_amount(measure, option, value));
      most = number;
    }
    change.limits.push_back({limit, most});
  }
  return {};
}

Status check_not_both(const Arguments& arguments, std::string_view one, std::string_view other) {
  if (!arguments.has(one) || !arguments.has(other)) return {};
  return fail(ErrorKind::Usage, std::string(one) + " and " + std::string(other), "contradict each other",
              "leave out one of them");
}

Result<tenant::SettingsChange> change_of(const Arguments& arguments) {
  PALE_CHECK(check_not_both(arguments, "--isolated", "--no-isolated"));
  PALE_CHECK(check_not_both(arguments, "--protected-path", "--no-protected-paths"));
  tenant::SettingsChange change;
  if (arguments.has("--name")) change.name = arguments.value("--name");
  if (arguments.has("--description")) change.description = arguments.value("--description");
  if (arguments.has("--isolated")) change.workspace_isolation = true;
  if (arguments.has("--no-isolated")) change.workspace_isolation = false;
  if (arguments.has("--no-protected-paths")) change.protected_paths.emplace();
  for (const auto& [name, value] : arguments.options) {
    if (name != "--protected-path") continue;
    if (!change.protected_paths) change.protected_paths.emplace();
    change.protected_paths->push_back(value);
  }
  PALE_CHECK(read_limits(arguments, change));
  if (arguments.has("--max-recursion-depth")) {
    const std::string value = arguments.value("--max-recursion-depth");
    const auto number = parse_number(value);
    if (value != kNoLimit && !number)
      return fail(ErrorKind::Usage, "not a value for --max-recursion-depth:", "'" + value + "'",
                  "--max-recursion-depth 3, or none");
    change.max_recursion_depth = value == kNoLimit ? std::nullopt : number;
  }
  return change;
}

// Said where it makes no difference, or less than it seems.
void print_warnings(const tenant::Settings& settings, const std::string& id) {
  if (settings.protected_paths.empty() || settings.workspace_isolation) return;
  print_note("protected paths count in isolated workspaces alone, and " + id + " has none");
  print_hint("pale project update " + id + " --isolated");
}

int print_project(const TenantCall& call, const service::ManagedProject& managed, std::string_view verb) {
  const std::string& id = managed.project.id;
  if (call.format == Format::Json) {
    print(managed_json(managed));
  } else {
    const bool isolated = managed.project.settings.workspace_isolation;
    print(std::string(verb) + " project " + id + " in " + printable(managed.root.text()) + "\n  its sessions see " +
          (isolated ? "their own workspace alone" : "the whole project") + "; pale workspace create -p " + id +
          " makes a workspace\n");
  }
  print_warnings(managed.project.settings, id);
  return 0;
}

}  // namespace

std::span<const Option> project_create_options() { return kCreate; }
std::span<const Option> project_update_options() { return kUpdate; }
std::span<const Option> project_delete_options() { return kDelete; }

int project_create_command(const CommandLine& line) {
  const auto call = TenantCall::parse("project create", line, 1, 1);
  if (!call) return fail_with(call.error(), Format::Text);
  auto settings = change_of(call->arguments);
  if (!settings) return fail_with(settings.error(), call->format);
  settings->name = call->arguments.operands.front();
  const std::string id = call->arguments.value("--id");
  if (call->arguments.has("--id") && id.empty())
    return fail_with({ErrorKind::Usage, 0, "nothing stands behind", "--id", "leave it out, or --id chat"},
                     call->format);
  const auto made = service::create_managed_project(call->pale_home, id, *settings);
  if (!made) return fail_with(made.error(), call->format);
  return print_project(*call, *made, "Made");
}

int project_update_command(const CommandLine& line) {
  const auto call = TenantCall::parse("project update", line, 1, 1);
  if (!call) return fail_with(call.error(), Format::Text);
  const std::string& id = call->arguments.operands.front();
  const auto change = change_of(call->arguments);
  if (!change) return fail_with(change.error(), call->format);
  const bool nothing = call->arguments.options.size() == (call->format == Format::Json ? 1 : 0);
  if (nothing)
    return fail_with({ErrorKind::Usage, 0, "nothing is said to change in project", id, "pale help project update"},
                     call->format);
  const auto changed = service::update_managed_project(call->pale_home, id, *change);
  if (!changed) return fail_with(changed.error(), call->format);
  return print_project(*call, *changed, "Changed");
}

}  // namespace pale::cli
