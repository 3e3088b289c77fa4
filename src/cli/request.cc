#include "cli/request.h"

#include <algorithm>

#include "base/amount.h"
#include "scope/folders.h"

namespace pale::cli {
namespace {

std::unexpected<Error> bad_value(std::string_view option, const std::string& value, std::string hint) {
  return fail(ErrorKind::Usage, "not a value for " + std::string(option) + ":", value, std::move(hint));
}

Status apply_workspace(service::Request& request, const std::string& value) {
  PALE_TRY(folders, scope::split_folders(value));
  if (!request.workspace.folders) request.workspace.folders = {{}, "--workspace"};
  for (std::string& folder : folders) request.workspace.folders->value.push_back(std::move(folder));
  return {};
}

Status apply_workspace_mode(service::Request& request, const std::string& value) {
  const auto mode = scope::parse_mode(value);
  if (!mode) return bad_value("--workspace-mode", value, "--workspace-mode strict, or --workspace-mode permissive");
  const auto scope = *mode == scope::Mode::Strict ? project::Scope::Strict : project::Scope::Permissive;
  request.workspace.mode = {scope, "--workspace-mode"};
  return {};
}

Status apply_scope(service::Request& request, std::string_view name, const std::string& value) {
  if (name == "--workspace") PALE_CHECK(apply_workspace(request, value));
  if (name == "--workspace-mode") PALE_CHECK(apply_workspace_mode(request, value));
  if (name == "--file-scope") {
    if (!request.file_scope) request.file_scope = {{}, "--file-scope"};
    request.file_scope->value.push_back(value);
  }
  return {};
}

Status apply_limit(service::Request& request, std::string_view name, const std::string& value) {
  if (name == "--memory") {
    PALE_TRY(bytes, parse_amount(measure::kBytes, name, value));
    request.limits.memory = bytes;
  }
  if (name == "--pids") {
    PALE_TRY(count, parse_amount(measure::kTasks, name, value));
    request.limits.pids = count;
  }
  if (name == "--timeout") {
    PALE_TRY(seconds, parse_amount(measure::kSeconds, name, value));
    request.limits.seconds = seconds;
  }
  return {};
}

// "none", "open", "allow", "allow:HOST,…"; for pale learn also "observe".
Status apply_network(service::Request& request, const std::string& value) {
  constexpr std::string_view kAllow = "allow:";
  request.observe = value == "observe";
  if (value == "none")
    request.network = Network::None;
  else if (value == "open")
    request.network = Network::Open;
  else if (value == "allow" || value == "observe" || value.starts_with(kAllow))
    request.network = Network::Allow;
  else
    return bad_value("--network", value, "--network none, --network allow:HOST,HOST:PORT, or --network open");
  std::string_view rest =
      value.starts_with(kAllow) ? std::string_view(value).substr(kAllow.size()) : std::string_view();
  while (!rest.empty() || value == kAllow) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    PALE_TRY(rule, parse_host_rule(rest.substr(0, comma), "--network"));
    request.hosts.push_back(std::move(rule));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return {};
}

Status apply(service::Request& request, std::string_view name, const std::string& value) {
  using service::PathRule;
  if (name == "--project-root") request.project.root = value;
  if (name == "-p") request.project.id = value;
  if (name == "--preset") request.preset = value;
  if (name == "--stage") request.stage = {value, request.stage ? request.stage->on : ""};
  if (name == "--on") request.stage = {request.stage ? request.stage->name : "", value};
  if (name == "--temporary" && !request.temporary) request.temporary = service::Afterwards::Remove;
  if (name == "--keep") request.temporary = service::Afterwards::Keep;
  if (name == "--rw") request.paths.push_back({PathRule::ReadWrite, value, "--rw"});
  if (name == "--ro") request.paths.push_back({PathRule::ReadOnly, value, "--ro"});
  if (name == "--protect") request.paths.push_back({PathRule::Protect, value, "--protect"});
  if (name == "--hide") request.paths.push_back({PathRule::Hide, value, "--hide"});
  if (name == "--env") request.environment.push_back({value, "--env"});
  if (name == "--unsafe-weak-protection") request.weakening = plan::Weakening::Accepted;
  if (name == "--network") {
    PALE_CHECK(apply_network(request, value));
  }
  if (name == "--receipt") request.receipt_path = value;
  if (name == "--watch") request.attention = service::Attention::Always;
  if (name == "--no-watch") request.attention = service::Attention::Never;
  if (name == "--trust") {
    request.trust = project::parse_trust(value);
    if (!request.trust) return bad_value(name, value, "--trust discovery, read_only, workspace, shell or full");
  }
  if (name == "--backend") {
    if (value == "auto")
      request.backend = service::BackendChoice::Automatic;
    else if (value == "namespaces")
      request.backend = service::BackendChoice::Namespaces;
    else if (value == "landlock")
      request.backend = service::BackendChoice::Landlock;
    else
      return bad_value(name, value, "--backend auto, namespaces or landlock");
  }
  return {};
}

}  // namespace

Result<service::Request> request_of(const Arguments& arguments) {
  service::Request request;
  request.attention = service::Attention::IfScoped;
  constexpr std::string_view kNeverEmpty[] = {"--project-root", "-p",     "--preset",     "--rw",     "--ro",
                                              "--protect",      "--hide", "--file-scope", "--receipt"};
  for (const auto& [name, value] : arguments.options) {
    if (value.empty() && std::ranges::find(kNeverEmpty, name) != std::end(kNeverEmpty))
      return bad_value(name, "''", std::string(name) + " with something behind it");
    PALE_CHECK(apply(request, name, value));
    PALE_CHECK(apply_scope(request, name, value));
    PALE_CHECK(apply_limit(request, name, value));
  }
  if (arguments.has("--keep") && !arguments.has("--temporary"))
    return fail(ErrorKind::Usage, "--keep is about the project that", "--temporary makes", "--temporary --keep");
  if (arguments.has("--watch") && arguments.has("--no-watch"))
    return fail(ErrorKind::Usage, "--watch and --no-watch", "say the opposite", "leave out one of them");
  if (arguments.has("--on") && !arguments.has("--stage"))
    return fail(ErrorKind::Usage, "--on says what", "--stage stands on", "--stage --on " + arguments.value("--on"));
  if (request.temporary && request.stage)
    return fail(ErrorKind::Usage, "--temporary makes a project that is gone afterwards,", "and its stage with it",
                "leave out one of them");
  if (request.temporary && arguments.has("--dry-run"))
    return fail(ErrorKind::Usage, "--dry-run shows a project that is there,", "and --temporary makes one",
                "leave out one of them");
  if (request.temporary && (!request.project.root.empty() || !request.project.id.empty()))
    return fail(ErrorKind::Usage, "--temporary makes a project of its own;", "another one is named too",
                "leave out one of them");
  return request;
}

}  // namespace pale::cli
