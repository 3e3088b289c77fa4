// project/project.h: a project: a name for a directory that an agent may be let into. A value; every operation on files
// starts from one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/path.h"

namespace pale::project {

enum class WorkspaceType {
  Manifest,    // it has .pale/project.toml
  Registered,  // named by hand, on the command line or in the registry
  Temporary,   // made for one run
  Managed,     // made by Pale, under PALE_HOME (module tenant)
};
std::string_view to_text(WorkspaceType type) noexcept;
std::optional<WorkspaceType> parse_workspace_type(std::string_view text);

// Below the root.
inline constexpr std::string_view kManifestDirectory = ".pale";
inline constexpr std::string_view kManifestPlace = ".pale/project.toml";

struct ProjectParts {
  std::string id;
  std::string name;
  Path root = Path::root();
  WorkspaceType type = WorkspaceType::Registered;
  std::int64_t created = 0;      // seconds since 1970; 0: unknown
  std::optional<Path> manifest;  // its file
};

class Project {
 public:
  // Refuses an id that is none, and a root that is not absolute. Whether the root may be one, project/guard.h says.
  static Result<Project> make(ProjectParts parts);

  const std::string& id() const noexcept { return parts_.id; }
  const std::string& name() const noexcept { return parts_.name; }
  const Path& root() const noexcept { return parts_.root; }
  WorkspaceType type() const noexcept { return parts_.type; }
  std::int64_t created() const noexcept { return parts_.created; }
  const std::optional<Path>& manifest() const noexcept { return parts_.manifest; }
  // Where it would stand.
  Path manifest_place() const { return parts_.root / kManifestPlace; }

 private:
  explicit Project(ProjectParts parts) : parts_(std::move(parts)) {}
  ProjectParts parts_;
};

// Letters, digits, '.', '_' and '-', a letter or a digit first, 64 at most: a word on a command line, a name on disk.
Status check_id(std::string_view id);
// An id made from any name: "My FastAPI App" becomes "my-fastapi-app".
std::string id_from(std::string_view name);

}  // namespace pale::project
