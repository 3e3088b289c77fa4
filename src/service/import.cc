#include "service/import.h"

#include "base/json_value.h"
#include "base/text.h"
#include "base/toml_edit.h"
#include "project/foreign.h"
#include "project/here.h"
#include "project/registry.h"
#include "project/root.h"
#include "service/prepare.h"
#include "sys/event.h"
#include "sys/file.h"

namespace pale::service {
namespace {

using project::Entry;
using project::Foreign;
using project::RegistryEdit;

constexpr std::string_view kTheirManifest = ".sunwell/project.toml";

class Import {
 public:
  explicit Import(project::Surroundings around) : around_(std::move(around)) {}

  // A manifest of theirs becomes one of Pale's, in a project at `root`.
  Status take_manifest(const Foreign& foreign, const std::string& root, const std::string& wanted_id,
                       std::int64_t used) {
    PALE_TRY(place, project::resolve_root(root, around_));
    PALE_TRY(edit, RegistryEdit::begin(around_.pale_home));
    PALE_TRY(project, project_of(foreign, place.path, wanted_id));
    const bool known = edit.registry.find_root(place.path) != nullptr;
    if (!known) PALE_CHECK(edit.registry.add(entry_of(project, used)));
    PALE_CHECK(write_manifest(foreign, project));
    if (!known) {
      if (auto saved = edit.save(); !saved) {
        (void)sys::remove_file(sys::kAbsolute, project.manifest_place().c_str());
        return saved;
      }
    }
    outcome.taken.push_back("project " + project.id() + ": " + project.manifest_place().text());
    outcome.taken.insert(outcome.taken.end(), foreign.taken.begin(), foreign.taken.end());
    outcome.left.insert(outcome.left.end(), foreign.left.begin(), foreign.left.end());
    return {};
  }

  Status take_registry(const project::Source& source) {
    auto json = JsonValue::parse(source.text, kDeepest);
    if (!json) {
      Error error = std::move(json).error();
      error.operation = source.file + ":";
      return fail(std::move(error).with_hint("mend that place; pale project list --json shows how such a file looks"));
    }
    const JsonValue* projects = json->find("projects");
    if (projects == nullptr || !projects->is_object())
      return fail(ErrorKind::Usage, source.file + ": this is not a list of projects:", "it has no object \"projects\"",
                  "pale help project import");
    for (const auto& [id, value] : projects->members()) {
      if (const auto done = take_entry(id, value); !done)
        outcome.left.push_back("project " + id + ": " + done.error().sentence());
    }
    for (const auto& [key, value] : json->members()) {
      if (key != "projects" && key != "default_project") outcome.left.push_back(key + ": Pale has no such thing");
    }
    return take_default(*json);
  }

  ImportOutcome outcome;

 private:
  static constexpr std::size_t kDeepest = 64;

  static Result<project::Project> project_of(const Foreign& foreign, const Path& root, const std::string& wanted_id) {
    const std::string own = foreign.id.empty() ? project::id_from(root.name()) : foreign.id;
    return project::Project::make(
        {wanted_id.empty() ? own : wanted_id, foreign.name, root, project::WorkspaceType::Manifest,
         foreign.created == 0 ? sys::wall_clock_seconds() : foreign.created, root / project::kManifestPlace});
  }

  static Status write_manifest(const Foreign& foreign, const project::Project& project) {
    const Path file = project.manifest_place();
    PALE_TRY(existing, project::read_manifest(project.root()));
    if (existing)
      return fail(ErrorKind::Usage, "there is a manifest already:", file.text(),
                  "pale project show --project-root " + shell_word(project.root().text()));
    const std::string text = project::manifest_head(project) + foreign.tables;
    PALE_CHECK(project::parse_manifest({file.text(), file.text(), text}, project.root()));
    PALE_CHECK(sys::make_directory(sys::kAbsolute, file.parent().c_str(), 0755));
    return sys::replace_file(file.text(), text, 0644, sys::Durability::OfDisk);
  }

  static Entry entry_of(const project::Project& project, std::int64_t used) {
    Entry entry;
    entry.id = project.id();
    entry.root = project.root();
    entry.manifest = project.manifest();
    entry.type = project.type();
    entry.last_used = used;
    return entry;
  }

  Status take_entry(const std::string& id, const JsonValue& json) {
    const JsonValue* place = json.find("root");
    if (place == nullptr || place->text() == nullptr) return fail(ErrorKind::Usage, "it has no root", "");
    PALE_TRY(root, project::resolve_root(*place->text(), around_));
    PALE_TRY(own, project::read_manifest(root.path));
    const std::string theirs = (root.path / kTheirManifest).text();
    PALE_TRY(source, project::read_source(theirs, std::string(kTheirManifest)));
    if (!own && source) {
      PALE_TRY(foreign, project::read_sunwell(*source));
      return take_manifest(foreign, root.path.text(), id, project::last_used_of(json, sys::wall_clock_seconds()));
    }
    const auto type = own ? project::WorkspaceType::Manifest : project::WorkspaceType::Registered;
    PALE_TRY(project,
             project::Project::make({id, "", root.path, type, 0, own ? std::optional(own->file) : std::nullopt}));
    PALE_TRY(edit, RegistryEdit::begin(around_.pale_home));
    PALE_CHECK(edit.registry.add(entry_of(project, project::last_used_of(json, sys::wall_clock_seconds()))));
    PALE_CHECK(edit.save());
    outcome.taken.push_back("project " + id + ": " + root.path.text());
    return {};
  }

  // The user's own choice stands.
  Status take_default(const JsonValue& json) {
    const JsonValue* theirs = json.find("default_project");
    if (theirs == nullptr || theirs->text() == nullptr) return {};
    PALE_TRY(edit, RegistryEdit::begin(around_.pale_home));
    if (!edit.registry.default_id().empty()) {
      outcome.left.push_back("default_project: it is " + edit.registry.default_id() + " here");
      return {};
    }
    if (edit.registry.find(*theirs->text()) == nullptr) {
      outcome.left.push_back("default_project: " + *theirs->text() + " is not registered here");
      return {};
    }
    PALE_CHECK(edit.registry.set_default(*theirs->text()));
    PALE_CHECK(edit.save());
    outcome.taken.push_back("default_project: " + *theirs->text());
    return {};
  }

  project::Surroundings around_;
};

// The directory that a manifest of theirs is about.
std::string root_of(const Path& file) {
  const Path directory = file.parent();
  return (directory.name() == ".sunwell" ? directory.parent() : directory).text();
}

}  // namespace

Result<ImportOutcome> import_file(const std::string& given, const Caller& caller) {
  PALE_TRY(full, project::from_here(given));
  PALE_TRY(source, project::read_source(full, given));
  if (!source) return fail(ErrorKind::NotFound, "there is no such file:", given, "ls -l " + shell_word(given));
  PALE_TRY(fd, sys::open_at(sys::kAbsolute, full.c_str(), O_PATH));
  PALE_TRY(text, sys::path_of(fd));
  PALE_TRY(file, Path::parse(text));
  PALE_TRY(around, surroundings_of(caller));
  Import import(std::move(around));
  if (given.ends_with(".json")) {
    PALE_CHECK(import.take_registry(*source));
  } else if (given.ends_with(".toml")) {
    PALE_TRY(foreign, project::read_sunwell(*source));
    PALE_CHECK(import.take_manifest(foreign, root_of(file), "", sys::wall_clock_seconds()));
  } else if (given.ends_with(".yaml") || given.ends_with(".yml")) {
    PALE_TRY(foreign, project::read_golem_forge(*source));
    PALE_CHECK(import.take_manifest(foreign, root_of(file), "", sys::wall_clock_seconds()));
  } else {
    return fail(ErrorKind::Usage, "Pale cannot tell what this is:", given,
                "a project.toml, a projects.json or a golem-forge.config.yaml");
  }
  return std::move(import.outcome);
}

}  // namespace pale::service
