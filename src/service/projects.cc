#include "service/projects.h"

#include <algorithm>
#include <tuple>

#include "base/json.h"
#include "base/text.h"
#include "base/toml_edit.h"
#include "project/config_edit.h"
#include "project/here.h"
#include "project/root.h"
#include "service/compose.h"
#include "service/prepare.h"
#include "sys/event.h"
#include "sys/file.h"
#include "tenant/project.h"

namespace pale::service {
namespace {

using project::Entry;
using project::Manifest;
using project::Project;
using project::Registry;
using project::RegistryEdit;

bool is_directory(const Path& path) {
  const auto info = sys::file_info(sys::kAbsolute, path.c_str(), sys::Links::Follow);
  return info && info->kind == sys::FileKind::Directory;
}

// One word means one project, whoever's it is.
Status check_not_managed(const Path& pale_home, const std::string& id) {
  if (!tenant::is_there(pale_home, id)) return {};
  return fail(ErrorKind::Usage, "a managed project has this id:", id, "pale project show " + id);
}

// An id that nobody has: "app", else "app-2", "app-3", …
std::string free_id(const Registry& registry, const Path& pale_home, const Path& root) {
  const std::string wanted = project::id_from(root.name());
  std::string id = wanted;
  for (int number = 2; registry.find(id) != nullptr || tenant::is_there(pale_home, id); ++number)
    id = wanted + "-" + std::to_string(number);
  return id;
}

class Initiation {
 public:
  Initiation(const InitRequest& request, project::Surroundings around)
      : request_(request), around_(std::move(around)) {}

  Result<InitOutcome> carry_out() {
    auto outcome = take_steps();
    if (!outcome) take_back();
    return outcome;
  }

 private:
  Result<InitOutcome> take_steps() {
    PALE_TRY(root, make_root());
    PALE_TRY(existing, project::read_manifest(root));
    if (!request_.enter_registry) {
      if (existing) return already(root, existing->id);
      PALE_TRY(project, new_project(root, request_.id.empty() ? project::id_from(root.name()) : request_.id));
      PALE_TRY(granted, write_files(project));
      return InitOutcome{std::move(project), true, false, granted};
    }
    PALE_TRY(edit, RegistryEdit::begin(around_.pale_home));
    if (const Entry* known = edit.registry.find_root(root); known != nullptr) return already(root, known->id);
    PALE_TRY(project, existing ? adopt(*existing, root)
                               : new_project(root, request_.id.empty() ? free_id(edit.registry, around_.pale_home, root)
                                                                       : request_.id));
    PALE_CHECK(check_not_managed(around_.pale_home, project.id()));
    PALE_CHECK(edit.registry.add(entry_of(project)));
    const bool writes = !existing && request_.write_manifest;
    bool granted = false;
    if (writes) {
      PALE_TRY(more, write_files(project));
      granted = more;
    }
    PALE_CHECK(edit.save());
    if (!writes && request_.trust) {
      PALE_CHECK(note_trust(project));
      granted = true;
    }
    return InitOutcome{std::move(project), writes, true, granted};
  }

  // As with git init, a directory that is not there yet is made.
  Result<Path> make_root() {
    PALE_TRY(full, project::from_here(request_.path.empty() ? "." : request_.path));
    PALE_TRY(info, sys::file_info(sys::kAbsolute, full.c_str(), sys::Links::Follow));
    if (info.kind == sys::FileKind::Missing) PALE_CHECK(make_directory(full));
    PALE_TRY(root, project::resolve_root(full, around_));
    return root.path;
  }

  // Only where a project may be.
  Status make_directory(const std::string& full) {
    const std::size_t slash =
        full.find_last_not_of('/') == std::string::npos ? 0 : full.rfind('/', full.find_last_not_of('/'));
    auto parent = sys::open_at(sys::kAbsolute, (full.substr(0, slash) + "/").c_str(), O_PATH | O_DIRECTORY);
    if (!parent) {
      Error error = std::move(parent).error();
      error.kind = ErrorKind::NotFound;
      return fail(std::move(error).with_hint("mkdir -p " + shell_word(full)));
    }
    PALE_TRY(place, sys::path_of(*parent));
    PALE_TRY(path, Path::parse(place + "/" + full.substr(slash + 1)));
    PALE_CHECK(project::check_root(path, around_));
    auto made = sys::make_directory(sys::kAbsolute, path.c_str(), 0755);
    if (!made) return fail(std::move(made).error().with_hint("choose a directory that you may write"));
    made_root_ = path.text();
    return {};
  }

  static std::unexpected<Error> already(const Path& root, const std::string& id) {
    return fail(ErrorKind::Usage, "this is a project already, '" + id + "':", root.text(),
                "pale project show --project-root " + shell_word(root.text()));
  }

  Result<Project> new_project(const Path& root, std::string id) const {
    const std::string name = request_.name.empty() ? std::string(root.name()) : request_.name;
    if (!is_utf8(name) && !request_.name.empty())
      return fail(ErrorKind::Usage, "a name must be UTF-8:", name, "--name with a plain text");
    const bool manifest = request_.write_manifest;
    return Project::make({std::move(id), is_utf8(name) ? name : "", root,
                          manifest ? project::WorkspaceType::Manifest : project::WorkspaceType::Registered,
                          sys::wall_clock_seconds(),
                          manifest ? std::optional(root / project::kManifestPlace) : std::nullopt});
  }

  // A manifest that came with the repository: it is registered as it is, if need be by another word, as with a second clone.
  Result<Project> adopt(const Manifest& manifest, const Path& root) const {
    if (!request_.name.empty() || request_.trust)
      return fail(ErrorKind::Usage, "there is a manifest already, which says name and trust:", manifest.file.text(),
                  "pale init without --name and --trust, which registers it as it is");
    return Project::make({request_.id.empty() ? manifest.id : request_.id, manifest.name, root,
                          project::WorkspaceType::Manifest, manifest.created, manifest.file});
  }

  static Entry entry_of(const Project& project) {
    Entry entry;
    entry.id = project.id();
    entry.root = project.root();
    entry.manifest = project.manifest();
    entry.type = project.type();
    entry.last_used = sys::wall_clock_seconds();
    if (!project.manifest()) {
      entry.name = project.name();
      entry.created = project.created();
    }
    return entry;
  }

  // True: the user's configuration was changed, too.
  Result<bool> write_files(const Project& project) {
    const Path directory = project.root() / ".pale";
    PALE_TRY(info, sys::file_info(sys::kAbsolute, directory.c_str()));
    if (info.kind == sys::FileKind::Missing) {
      auto made = sys::make_directory(sys::kAbsolute, directory.c_str(), 0755);
      if (!made) return fail(unwritable(std::move(made).error(), project));
      made_directory_ = directory.text();
    } else if (info.kind != sys::FileKind::Directory) {
      return fail(ErrorKind::Usage, "this must be a directory for the manifest to lie in:", directory.text(),
                  "rm " + shell_word(directory.text()) + ", if nobody needs it");
    }
    const std::string file = project.manifest_place().text();
    auto written =
        sys::replace_file(file, project::manifest_text(project, request_.trust), 0644, sys::Durability::OfDisk);
    if (!written) return fail(unwritable(std::move(written).error(), project));
    made_manifest_ = file;
    if (!request_.trust || *request_.trust <= project::kMostUnasked) return false;
    PALE_CHECK(note_trust(project));
    return true;
  }

  Status note_trust(const Project& project) const {
    const std::string level(project::level_of(request_.trust.value_or(project::kUsualTrust)).name);
    return project::change_config(around_.pale_home, project::ConfigChange::Set, *project::find_config_key("trust"),
                                  std::span(&level, 1), &project.root());
  }

  static Error unwritable(Error error, const Project& project) {
    return std::move(error)
        .with_hint("choose a directory that you may write")
        .or_hint("pale project init --no-manifest " + shell_word(project.root().text()) + ", which only registers it");
  }

  void take_back() const {
    if (!made_manifest_.empty()) (void)sys::remove_file(sys::kAbsolute, made_manifest_.c_str());
    if (!made_directory_.empty()) (void)sys::remove_directory(sys::kAbsolute, made_directory_.c_str());
    if (!made_root_.empty()) (void)sys::remove_directory(sys::kAbsolute, made_root_.c_str());
  }

  const InitRequest& request_;
  project::Surroundings around_;
  std::string made_root_;
  std::string made_directory_;
  std::string made_manifest_;
};

// Only the id in it; nothing else of the file changes.
Status rename_in_manifest(const Path& root, const std::string& new_id) {
  const std::string file = (root / project::kManifestPlace).text();
  PALE_TRY(manifest, project::read_manifest(root));
  if (!manifest) return {};
  PALE_TRY(source, project::read_source(file, ""));
  if (!source) return {};
  PALE_TRY(changed, toml_set(source->text, std::array<std::string_view, 2>{"project", "id"}, toml_text(new_id)));
  PALE_TRY(info, sys::file_info(sys::kAbsolute, file.c_str()));
  return sys::replace_file(file, changed, info.mode, sys::Durability::OfDisk);
}

}  // namespace

Result<InitOutcome> init_project(const InitRequest& request, const Caller& caller) {
  if (!request.write_manifest && !request.enter_registry)
    return fail(ErrorKind::Usage, "with neither a manifest nor a registration", "nothing is left to do",
                "leave out --no-manifest or --no-register");
  if (!request.id.empty()) PALE_CHECK(project::check_id(request.id));
  PALE_TRY(around, surroundings_of(caller));
  return Initiation(request, std::move(around)).carry_out();
}

Result<std::vector<ListedProject>> list_projects(const Caller& caller) {
  PALE_TRY(pale_home, pale_home_of(caller));
  PALE_TRY(registry, Registry::load(pale_home));
  std::vector<ListedProject> projects;
  for (const Entry& entry : registry.entries())
    projects.push_back({entry, entry.id == registry.default_id(), is_directory(entry.root)});
  // Those used last come first.
  std::ranges::sort(projects, [](const ListedProject& one, const ListedProject& other) {
    return std::tie(other.entry.last_used, one.entry.id) < std::tie(one.entry.last_used, other.entry.id);
  });
  return projects;
}

Result<ShownProject> show_project(const project::Named& named, const Caller& caller) {
  PALE_TRY(around, surroundings_of(caller));
  PALE_TRY(resolved, project::resolve(named, around));
  PALE_TRY(registry, Registry::load(around.pale_home));
  ShownProject shown{std::move(resolved), std::nullopt};
  if (const Entry* entry = registry.find_root(shown.resolved.project.root()); entry != nullptr) {
    shown.entry = *entry;
    shown.is_default = entry->id == registry.default_id();
  }
  return shown;
}

Result<std::string> default_project(const Caller& caller) {
  PALE_TRY(pale_home, pale_home_of(caller));
  PALE_TRY(registry, Registry::load(pale_home));
  return registry.default_id();
}

Status set_default_project(const std::string& id, const Caller& caller) {
  PALE_TRY(pale_home, pale_home_of(caller));
  PALE_TRY(edit, RegistryEdit::begin(pale_home));
  PALE_CHECK(edit.registry.set_default(id));
  return edit.save();
}

Status remove_project(const std::string& id, const Caller& caller) {
  PALE_TRY(pale_home, pale_home_of(caller));
  PALE_TRY(edit, RegistryEdit::begin(pale_home));
  const Entry* entry = edit.registry.find(id);
  if (entry == nullptr) return project::no_such_project(id);
  const Path root = entry->root;
  PALE_CHECK(edit.registry.remove(id));
  PALE_CHECK(edit.save());
  return project::forget_grants(pale_home, root);
}

Status rename_project(const std::string& id, const std::string& new_id, const Caller& caller) {
  PALE_TRY(pale_home, pale_home_of(caller));
  PALE_TRY(edit, RegistryEdit::begin(pale_home));
  PALE_CHECK(check_not_managed(pale_home, new_id));
  PALE_CHECK(edit.registry.rename(id, new_id));
  const Path root = edit.registry.find(new_id)->root;
  PALE_CHECK(rename_in_manifest(root, new_id));
  auto saved = edit.save();
  if (!saved) (void)rename_in_manifest(root, id);
  return saved;
}

Result<Path> move_project(const std::string& id, const std::string& directory, const Caller& caller) {
  PALE_TRY(around, surroundings_of(caller));
  PALE_TRY(root, project::resolve_root(directory, around));
  PALE_TRY(edit, RegistryEdit::begin(around.pale_home));
  const Entry* entry = edit.registry.find(id);
  if (entry == nullptr) return project::no_such_project(id);
  const Path old = entry->root;
  PALE_TRY(manifest, project::read_manifest(root.path));
  if (entry->manifest && !manifest)
    return fail(ErrorKind::Usage, "there is no manifest in this directory, and '" + id + "' has one:", root.path.text(),
                "move its files there first: mv " + shell_word(old.text()) + " " + shell_word(root.path.text()));
  PALE_CHECK(edit.registry.move(id, root.path));
  PALE_CHECK(edit.save());
  PALE_CHECK(project::move_grants(around.pale_home, old, root.path));
  for (const auto& place_of : {private_home, stages_of}) {
    const Path from = place_of(around.pale_home, old);
    const Path to = place_of(around.pale_home, root.path);
    if (is_directory(from) && !is_directory(to))
      PALE_CHECK(sys::rename_to(sys::kAbsolute, from.c_str(), sys::kAbsolute, to.c_str()));
  }
  return root.path;
}

Result<CleanupOutcome> cleanup_projects(Changes changes, const Caller& caller) {
  PALE_TRY(pale_home, pale_home_of(caller));
  CleanupOutcome outcome;
  const auto readable = Registry::load(pale_home);
  if (!readable) {
    if (changes == Changes::Show) return std::unexpected(readable.error());
    PALE_TRY(kept, Registry::set_aside(pale_home, sys::wall_clock_seconds()));
    outcome.kept_aside = std::move(kept);
    return outcome;
  }
  PALE_TRY(edit, RegistryEdit::begin(pale_home));
  for (const Entry& entry : edit.registry.entries()) {
    if (!is_directory(entry.root)) outcome.removed.push_back(entry);
  }
  if (changes == Changes::Show || outcome.removed.empty()) return outcome;
  for (const Entry& entry : outcome.removed) PALE_CHECK(edit.registry.remove(entry.id));
  PALE_CHECK(edit.save());
  for (const Entry& entry : outcome.removed) PALE_CHECK(project::forget_grants(pale_home, entry.root));
  return outcome;
}

}  // namespace pale::service
