#include "service/prepare.h"

#include "project/root.h"
#include "sandbox/survey.h"
#include "service/compose.h"
#include "service/declared.h"
#include "service/tenancy.h"
#include "service/worker_tools.h"
#include "service/workspace.h"
#include "sys/file.h"

namespace pale::service {
namespace {

Result<Path> resolved_home(const std::string& text, const char* what) {
  auto path = Path::parse(text);
  if (path && path->is_absolute()) return project::real_path(*path);
  return fail(ErrorKind::Usage, std::string(what) + " must be an absolute path:", text,
              std::string("export ") + what + "=/a/directory");
}

plan::Backend backend_of(const Request& request, const std::optional<Boundary>& outer) {
  switch (request.backend) {
    case BackendChoice::Namespaces: return plan::Backend::Namespaces;
    case BackendChoice::Landlock: return plan::Backend::Landlock;
    case BackendChoice::Automatic: break;
  }
  return outer ? plan::Backend::Landlock : plan::Backend::Namespaces;
}

}  // namespace

const char* Caller::find(std::string_view name) const {
  for (char** entry = envp; entry != nullptr && *entry != nullptr; ++entry) {
    const char* text = *entry;
    std::size_t at = 0;
    while (at < name.size() && text[at] == name[at]) ++at;
    if (at == name.size() && text[at] == '=') return text + at + 1;
  }
  return nullptr;
}

std::string Caller::variable(std::string_view name) const {
  const char* value = find(name);
  return value == nullptr ? std::string() : value;
}

Result<Path> user_home_of(const Caller& caller) {
  const std::string home = caller.variable("HOME");
  if (home.empty()) return fail(ErrorKind::Usage, "HOME is not set", "", "export HOME=/your/home");
  return resolved_home(home, "HOME");
}

Result<Path> pale_home_of(const Caller& caller) {
  const std::string given = caller.variable("PALE_HOME");
  if (!given.empty()) return resolved_home(given, "PALE_HOME");
  PALE_TRY(home, user_home_of(caller));
  return home / ".pale";
}

Result<project::Surroundings> surroundings_of(const Caller& caller) {
  PALE_TRY(user_home, user_home_of(caller));
  PALE_TRY(pale_home, pale_home_of(caller));
  PALE_TRY(program, sys::read_link(sys::kAbsolute, "/proc/self/exe"));
  PALE_TRY(path, Path::parse(program));
  const auto config_home = Path::parse(caller.variable("XDG_CONFIG_HOME"));
  const bool counts = config_home && config_home->is_absolute();
  return project::Surroundings{std::move(user_home), std::move(pale_home), path.parent(),
                               counts ? std::optional(*config_home) : std::nullopt};
}

namespace {

// Where the folders really lie: what is seen is seen there. One that is missing covers nothing.
std::optional<sandbox::WatchedScope> watched_scope(const Request& request, const project::Settings& settings) {
  using Mode = sandbox::WatchedScope::Mode;
  const bool folders = !settings.folders.empty() && request.attention != Attention::ToLearn;
  if (request.attention == Attention::Never) return std::nullopt;
  if (!folders && request.attention == Attention::IfScoped) return std::nullopt;
  sandbox::WatchedScope scope;
  if (!folders) return scope;
  const bool strict = settings.scope && settings.scope->value == project::Scope::Strict;
  scope.mode = strict ? Mode::Strict : Mode::Permissive;
  for (const auto& folder : settings.folders) {
    const auto real = project::real_path(folder.value);
    scope.folders.push_back(real ? *real : folder.value);
  }
  return scope;
}

Result<Prepared> prepare_for(const Request& request, const Caller& caller, const project::Surroundings& around,
                             project::Resolved resolved, const std::optional<Tenancy>& tenancy) {
  PALE_TRY(config, project::read_config(around.pale_home));
  PALE_TRY(terms, agree_terms(request, resolved, config));
  if (!request.tools.worker.empty())
    return prepare_worker_tools(request, caller, around, std::move(resolved), std::move(terms));
  PALE_TRY(outer, sandbox::look_around());
  ToolTerms tools;
  if (request.runs == Runs::Tools) {
    PALE_TRY(made, tool_terms(request, resolved, around, terms));
    tools = std::move(made);
    // A stage takes the changes of the tools, not those of a worker; and a worker needs namespaces of its own.
    if (outer || request.stage || terms.settings.staged) tools.workers.reset();
  }
  // What a tenant's workspace holds is all the tenant's: no file there is the project's word.
  if (!tenancy) PALE_CHECK(guard_zones(resolved, terms));
  const std::vector<plan::Link> links = sandbox::system_links();
  PALE_TRY(staging, choose_stage(request, terms, store_of(around.pale_home, resolved.project.root())));
  const Layout layout{backend_of(request, outer),
                      {around.user_home, around.config_home},
                      around.pale_home,
                      outer.has_value(),
                      tenancy ? tenancy->workspace : resolved.project.root(),
                      tenancy ? std::optional(tenancy->start) : std::nullopt,
                      staging ? staging->stage.layers : std::vector<Path>(),
                      links,
                      terms.network.value == project::NetworkMode::Allow};
  PALE_TRY(composed, compose_boundary(request, caller, resolved.project.root(), terms, layout));
  if (request.runs == Runs::Tools) leave_private_places(tools, composed.boundary);
  plan::Facts facts = sandbox::survey(composed.boundary, outer, links);
  auto watched = watched_scope(request, terms.settings);
  const auto reporting = watched ? plan::Reporting::Accesses : plan::Reporting::Nothing;
  PALE_TRY(plan, plan::make_plan(composed.boundary, facts, layout.backend, request.weakening, reporting));
  Path start = tenancy ? tenancy->start : project::start_directory(resolved.project.root());
  return Prepared{std::move(resolved),
                  std::move(terms),
                  std::move(composed.boundary),
                  std::move(plan),
                  std::move(facts),
                  around.pale_home.text(),
                  std::move(composed.etc_in_use),
                  std::move(start),
                  std::move(staging),
                  std::move(tools),
                  std::move(watched)};
}

}  // namespace

Result<Prepared> prepare(const Request& request, const Caller& caller) {
  PALE_TRY(around, surroundings_of(caller));
  if (request.tenant) {
    PALE_TRY(tenancy, find_tenancy(around.pale_home, *request.tenant));
    PALE_TRY(resolved, resolve_tenancy(tenancy));
    Request with_protections = request;
    for (const PathRequest& path : tenancy.protections) with_protections.paths.push_back(path);
    return prepare_for(with_protections, caller, around, std::move(resolved), std::move(tenancy));
  }
  Request with_folders = request;
  // In a project that is made for one run there are no folders that anybody could have meant.
  PALE_TRY(workspace, with_variables(request.workspace, request.temporary ? Caller() : caller));
  with_folders.workspace = std::move(workspace);
  PALE_TRY(resolved, request.temporary ? project::open_project(request.project.root, around, project::Reason::Temporary)
                                       : project::resolve(request.project, around));
  return prepare_for(with_folders, caller, around, std::move(resolved), std::nullopt);
}

Result<Prepared> prepare_imagined(const Request& request, const Caller& caller, project::Resolved resolved) {
  PALE_TRY(around, surroundings_of(caller));
  return prepare_for(request, caller, around, std::move(resolved), std::nullopt);
}

}  // namespace pale::service
