#include <algorithm>
#include <cerrno>

#include "base/time.h"
#include "project/own_source.h"
#include "project/resolver.h"
#include "service/import.h"
#include "service/prepare.h"
#include "service/projects.h"
#include "service/tenants.h"
#include "studio/assets.h"
#include "studio/works.h"
#include "tenant/project.h"

namespace pale::studio {
namespace {

// Those that Sunwell's users know, for what can go wrong with a new project.
constexpr const char* kNotWritable = "not_writable";
constexpr const char* kAlreadyExists = "already_exists";
constexpr const char* kInvalidName = "invalid_name";
constexpr const char* kOwnRepository = "own_repository";
constexpr const char* kRegistryError = "registry_error";

Fault with_code(int status, const char* code, const Error& error) {
  return {status, code, error.sentence(), error.hint};
}

std::expected<std::vector<service::ListedProject>, Fault> registered(const service::Caller& caller) {
  auto listed = service::list_projects(caller);
  if (!listed) return std::unexpected(with_code(500, kRegistryError, listed.error()));
  return std::move(*listed);
}

bool is_unwritable(const Error& error) {
  return error.number == EACCES || error.number == EPERM || error.number == EROFS;
}

// Whether its id or its directory is some project's already.
bool is_taken(const service::InitRequest& request, const Path& root, const service::Caller& caller) {
  const auto listed = service::list_projects(caller);
  const auto same = [&](const service::ListedProject& each) {
    return each.entry.root == root || (!request.id.empty() && each.entry.id == request.id);
  };
  const auto around = service::surroundings_of(caller);
  const auto manifest = project::read_manifest(root);
  return (listed && std::ranges::any_of(*listed, same)) || (manifest && *manifest) ||
         (around && !request.id.empty() && tenant::is_there(around->pale_home, request.id));
}

Fault why_not_made(const Error& error, const service::InitRequest& request, const service::Caller& caller) {
  if (is_unwritable(error)) return with_code(403, kNotWritable, error);
  if (!request.id.empty() && !project::check_id(request.id)) return with_code(400, kInvalidName, error);
  const auto root = Path::parse(request.path);
  if (!root) return error;
  if (error.kind == ErrorKind::Refused && project::is_own_source(*root)) return with_code(403, kOwnRepository, error);
  if (error.kind == ErrorKind::Usage && is_taken(request, *root, caller)) return with_code(409, kAlreadyExists, error);
  return error;
}

Json problem(const char* code, const Error& error) {
  return {{"code", code}, {"message", sane(error.sentence())}, {"hint", sane(error.hint)}};
}

// What keeps anybody from working in it, and what to do.
Json problems_of(const service::ListedProject& listed, const project::Surroundings& around) {
  const std::string root = listed.entry.root.text();
  if (!listed.is_there)
    return Json::array({problem(
        "missing_root", {ErrorKind::NotFound, 0, "its directory is gone:", root,
                         "pale project move " + listed.entry.id + " DIR, or pale project remove " + listed.entry.id})});
  if (const Status guarded = project::check_root(listed.entry.root, around); !guarded)
    return Json::array({problem("guard", guarded.error())});
  const auto opened = project::open_project(root, around, project::Reason::IdFlag);
  if (!opened) return Json::array({problem("broken_manifest", opened.error())});
  return Json::array();
}

std::string name_for(const service::ListedProject& listed, const project::Surroundings& around) {
  if (!listed.entry.name.empty()) return listed.entry.name;
  const auto opened = project::open_project(listed.entry.root.text(), around, project::Reason::IdFlag);
  return opened ? opened->project.name() : listed.entry.id;
}

Json to_json(const service::ListedProject& listed, const project::Surroundings& around) {
  const std::int64_t used = listed.entry.last_used;
  return {{"id", listed.entry.id},
          {"name", sane(name_for(listed, around))},
          {"root", sane(listed.entry.root.text())},
          {"kind", std::string(to_text(listed.entry.type))},
          {"last_used", used == 0 ? Json(nullptr) : Json(to_iso(used))},
          {"is_default", listed.is_default},
          {"problems", problems_of(listed, around)}};
}

Json to_json(const service::ManagedProject& managed) {
  return {{"id", managed.project.id},
          {"name", sane(managed.project.settings.name)},
          {"root", sane(managed.root.text())},
          {"kind", "managed"},
          {"last_used", managed.last_used == 0 ? Json(nullptr) : Json(to_iso(managed.last_used))},
          {"is_default", false},
          {"problems", Json::array()}};
}

Answer one_project(const std::string& id, const service::Caller& caller) {
  PALE_TRY(around, service::surroundings_of(caller));
  PALE_TRY(listed, service::list_projects(caller));
  for (const service::ListedProject& each : listed) {
    if (each.entry.id == id) return to_json(each, around);
  }
  return refuse(Fault(404, "not_found", "there is no project " + id, "GET /projects"));
}

}  // namespace

Answer say_document(const Asked& /*asked*/) { return Json::parse(openapi_text()); }

Answer list_projects(const Asked& /*asked*/, const service::Caller& caller) {
  PALE_TRY(around, service::surroundings_of(caller));
  PALE_TRY(listed, registered(caller));
  PALE_TRY(managed, service::list_managed_projects(around.pale_home));
  PALE_TRY(chosen, service::default_project(caller));
  std::ranges::stable_sort(listed, std::greater(), [](const auto& each) { return each.entry.last_used; });
  Json projects = Json::array();
  for (const service::ListedProject& each : listed) projects.push_back(to_json(each, around));
  for (const service::ManagedProject& each : managed.projects) projects.push_back(to_json(each));
  return Json{{"default", chosen.empty() ? Json(nullptr) : Json(chosen)}, {"projects", std::move(projects)}};
}

Answer make_project(const Asked& asked, const service::Caller& caller) {
  service::InitRequest request{asked.said("root"), asked.said("id"), asked.said("name"), {}};
  if (!request.path.starts_with('/'))
    return refuse(Fault(400, "usage", "the directory must be a whole path, that begins with /", "/home/you/project"));
  if (asked.body.contains("trust")) {
    const std::string wanted = asked.said("trust");
    const auto* const found = std::ranges::find(project::kTrusts, wanted, &project::Choice<project::Trust>::name);
    if (found == project::kTrusts.end())
      return refuse(Fault(400, "usage", "not a level of trust: " + wanted, "pale help trust"));
    request.trust = found->value;
  }
  if (auto known = registered(caller); !known) return refuse(std::move(known).error());
  const auto made = service::init_project(request, caller);
  if (!made) return refuse(why_not_made(made.error(), request, caller));
  return one_project(made->project.id(), caller);
}

Answer import_project(const Asked& asked, const service::Caller& caller) {
  const std::string path = asked.said("path");
  if (!path.starts_with('/'))
    return refuse(
        Fault(400, "usage", "the file must be a whole path, that begins with /", "/home/you/.sunwell/project.toml"));
  PALE_TRY(before, registered(caller));
  const auto outcome = service::import_file(path, caller);
  if (!outcome && is_unwritable(outcome.error())) return refuse(with_code(403, kNotWritable, outcome.error()));
  if (!outcome) return refuse(outcome.error());
  PALE_TRY(after, service::list_projects(caller));
  for (const service::ListedProject& each : after) {
    const bool known = std::ranges::any_of(before, [&](const auto& one) { return one.entry.id == each.entry.id; });
    if (!known) return one_project(each.entry.id, caller);
  }
  std::string why;
  for (const std::string& line : outcome->left) why += (why.empty() ? "" : "; ") + line;
  return refuse(
      Fault(409, kAlreadyExists, "nothing new was registered" + (why.empty() ? "" : ": " + why), "GET /projects"));
}

Answer choose_default(const Asked& asked, const service::Caller& caller) {
  PALE_CHECK(service::set_default_project(asked.said("project_id"), caller));
  return list_projects(asked, caller);
}

Answer forget_project(const Asked& asked, const service::Caller& caller) {
  PALE_CHECK(service::remove_project(asked.id, caller));
  return Json{{"done", true}};
}

}  // namespace pale::studio
