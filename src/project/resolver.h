// project/resolver.h: which project a command is about. In this order: --project-root, -p, .pale/project.toml here, the
// default project; else an error. What is broken on the way is an error too, never a reason to go on to the next.
#pragma once

#include "project/guard.h"
#include "project/manifest.h"
#include "project/registry.h"

namespace pale::project {

// What the user says of it.
struct Named {
  std::string root;  // --project-root; empty: not said
  std::string id;    // -p
};

enum class Reason { RootFlag, IdFlag, Here, Default, Temporary };
std::string_view to_text(Reason reason) noexcept;

struct Resolved {
  Project project;
  std::optional<Manifest> manifest;
  Reason reason;
  bool through_link = false;            // the path that was given led to the root through a symbolic link
  std::optional<TimePlace> time_place;  // for Registry::touch, if it was found in the registry
};

Result<Resolved> resolve(const Named& named, const Surroundings& surroundings);

// A directory as a project of its own, with what its manifest says.
Result<Resolved> open_project(const std::string& directory, const Surroundings& surroundings, Reason reason);

// Where a command starts: where the user stands if that lies in the project, else at its root. It widens nothing.
Path start_directory(const Path& root);

}  // namespace pale::project
