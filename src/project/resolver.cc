#include "project/resolver.h"

#include "base/text.h"
#include "project/here.h"
#include "project/root.h"
#include "sys/file.h"

namespace pale::project {
namespace {

constexpr std::string_view kSunwellPlace = "/.sunwell/project.toml";
constexpr std::string_view kReasons[] = {"--project-root", "-p", ".pale/project.toml in the current directory",
                                         "the default project", "--temporary"};

// Standing inside a project is not enough; but it is worth a word.
std::optional<Path> project_around(const Path& directory) {
  for (Path above = directory; !above.is_root(); above = above.parent()) {
    const auto info = sys::file_info(sys::kAbsolute, (above.parent() / kManifestPlace).c_str());
    if (info && info->kind == sys::FileKind::File) return above.parent();
  }
  return std::nullopt;
}

std::unexpected<Error> no_project(const Path& directory) {
  Error error{ErrorKind::Usage, 0, "no project context: nothing says which project this is about", "",
              "run from a directory with .pale/project.toml (pale init makes one)"};
  const auto around = project_around(directory);
  return fail(std::move(error)
                  .or_hint("use -p ID to name a registered project (pale project list)")
                  .or_hint("use --project-root DIR to name a directory" +
                           (around ? ", such as the project around this one: " + around->text() : "")));
}

Error of_project(Error error, const Entry& entry) {
  error.operation = "project '" + entry.id + "': " + error.operation;
  if (error.kind != ErrorKind::NotFound) return error;
  return std::move(error)
      .with_hint("pale project move " + entry.id + " DIR, if it is elsewhere now")
      .or_hint("pale project remove " + entry.id);
}

// The registry's word for it, and the manifest's for all else.
Result<Resolved> open_entry(const Entry& entry, const Surroundings& surroundings, Reason reason) {
  auto root = resolve_root(entry.root.text(), surroundings);
  if (!root) return fail(of_project(std::move(root).error(), entry));
  PALE_TRY(manifest, read_manifest(root->path));
  if (entry.manifest && !manifest && entry.manifest->text().ends_with(kSunwellPlace))
    return fail(ErrorKind::Refused, "project '" + entry.id + "': its manifest is Sunwell's:", entry.manifest->text(),
                "pale project import " + shell_word(entry.manifest->text()));
  if (entry.manifest && !manifest)
    return fail(Error{ErrorKind::Refused, 0,
                      "project '" + entry.id + "': its manifest is gone, and with it what it protects:",
                      entry.manifest->text(), "put it back"}
                    .or_hint("pale project remove " + entry.id + ", then pale init " + shell_word(root->path.text())));
  const bool has = manifest.has_value();
  PALE_TRY(project, Project::make({entry.id, has ? manifest->name : entry.name, root->path,
                                   has ? WorkspaceType::Manifest : entry.type, has ? manifest->created : entry.created,
                                   has ? std::optional(manifest->file) : std::nullopt}));
  return Resolved{std::move(project), std::move(manifest), reason, root->through_link, entry.time_place};
}

}  // namespace

std::string_view to_text(Reason reason) noexcept { return kReasons[static_cast<std::size_t>(reason)]; }

Result<Resolved> open_project(const std::string& directory, const Surroundings& surroundings, Reason reason) {
  PALE_TRY(root, resolve_root(directory, surroundings));
  PALE_TRY(manifest, read_manifest(root.path));
  ProjectParts parts;
  parts.root = root.path;
  parts.id = manifest ? manifest->id : id_from(root.path.name());
  parts.type = manifest                      ? WorkspaceType::Manifest
               : reason == Reason::Temporary ? WorkspaceType::Temporary
                                             : WorkspaceType::Registered;
  if (manifest) {
    parts.name = manifest->name;
    parts.created = manifest->created;
    parts.manifest = manifest->file;
  }
  PALE_TRY(project, Project::make(std::move(parts)));
  return Resolved{std::move(project), std::move(manifest), reason, root.through_link};
}

Result<Resolved> resolve(const Named& named, const Surroundings& surroundings) {
  if (!named.root.empty()) return open_project(named.root, surroundings, Reason::RootFlag);
  if (!named.id.empty()) {
    PALE_TRY(entry, Registry::find_in_file(surroundings.pale_home, named.id));
    return entry ? open_entry(*entry, surroundings, Reason::IdFlag) : no_such_project(named.id);
  }
  PALE_TRY(directory, here());
  PALE_TRY(holder, sys::file_info(sys::kAbsolute, (directory / kManifestDirectory).c_str()));
  PALE_TRY(file, sys::file_info(sys::kAbsolute, (directory / kManifestPlace).c_str()));
  // A link that leads nowhere is there all the same: what it stands for is unknown.
  if (file.kind != sys::FileKind::Missing || holder.kind == sys::FileKind::Symlink)
    return open_project(directory.text(), surroundings, Reason::Here);
  PALE_TRY(chosen, Registry::find_in_file(surroundings.pale_home, ""));
  return chosen ? open_entry(*chosen, surroundings, Reason::Default) : no_project(directory);
}

Path start_directory(const Path& root) {
  const auto directory = here();
  return directory && root.covers(*directory) ? *directory : root;
}

}  // namespace pale::project
