// service/settings.h: the use cases of `pale config`: what the user allows, and who decides what is not said.
#pragma once

#include "project/config_edit.h"
#include "service/request.h"

namespace pale::service {

struct ConfigLine {
  std::string project;  // the root of the one it is about; empty: all
  std::string key;
  std::string value;
  std::string origin;  // "config.toml:3", ".pale/project.toml:8", "PALE_AGENT", "default"
};

// What somebody would say of a run.
struct Wished {
  project::Named project;
  WorkspaceRequest workspace;
  std::string preset;
  std::string prd;  // as it was typed; empty: none
};
// What is set, and what counts where nothing is: flag, environment, project, user, default. With a project, or in one, what follows
// for it.
Result<std::vector<ConfigLine>> list_config(const Wished& wished, const Caller& caller);

// What the file says; empty if it says nothing.
Result<std::vector<std::string>> get_config(const std::string& name, const project::Named& named, const Caller& caller);
Status set_config(project::ConfigChange change, const std::string& name, const std::vector<std::string>& values,
                  const project::Named& named, const Caller& caller);

}  // namespace pale::service
