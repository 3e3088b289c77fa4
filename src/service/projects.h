// service/projects.h: the use cases of `pale project`: making, naming, listing and forgetting projects.
#pragma once

#include <string>
#include <vector>

#include "project/registry.h"
#include "project/resolver.h"
#include "service/request.h"

namespace pale::service {

struct InitRequest {
  std::string path;  // relative to where the user stands
  std::string id;    // empty: made from the name of the directory
  std::string name;
  std::optional<project::Trust> trust;
  bool write_manifest = true;
  bool enter_registry = true;
};

struct InitOutcome {
  project::Project project;
  bool wrote_manifest = false;  // false: one was there, or none was wanted
  bool registered = false;
  bool granted_trust = false;  // more than a manifest may ask for: noted in the user's configuration
};

// All of it or nothing: what was written is taken back if a later part fails.
Result<InitOutcome> init_project(const InitRequest& request, const Caller& caller);

struct ListedProject {
  project::Entry entry;
  bool is_default = false;
  bool is_there = true;  // its root is a directory
};
Result<std::vector<ListedProject>> list_projects(const Caller& caller);

// A project with all that is known of it.
struct ShownProject {
  project::Resolved resolved;
  std::optional<project::Entry> entry;
  bool is_default = false;
};
Result<ShownProject> show_project(const project::Named& named, const Caller& caller);

Result<std::string> default_project(const Caller& caller);  // empty: none
Status set_default_project(const std::string& id, const Caller& caller);
// From the registry, with what the user granted it. Touches none of its files.
Status remove_project(const std::string& id, const Caller& caller);
// In the registry and in the manifest.
Status rename_project(const std::string& id, const std::string& new_id, const Caller& caller);
// To where its directory lies now. Its private home and what the user granted it go along.
Result<Path> move_project(const std::string& id, const std::string& directory, const Caller& caller);

struct CleanupOutcome {
  std::vector<project::Entry> removed;
  std::string kept_aside;  // where a registry that could not be read is now; else empty
};
enum class Changes { Make, Show };
// Forgets projects whose root is gone.
Result<CleanupOutcome> cleanup_projects(Changes changes, const Caller& caller);

}  // namespace pale::service
