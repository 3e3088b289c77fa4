// project/config_edit.h: changes of PALE_HOME/config.toml, which keep its comments and order.
#pragma once

#include <span>
#include <string>

#include "project/config.h"

namespace pale::project {

// The keys that can be set: for all projects, and for one.
struct ConfigKey {
  std::string_view name;  // as the user writes it: "network"
  std::string_view path;  // where it stands for all projects: "allow.network"; empty: only for one project
  bool is_list = false;
};
inline constexpr ConfigKey kConfigKeys[] = {
    {"agent", "agent", false},
    {"history", "history", false},
    {"trust", "allow.trust", false},
    {"network", "allow.network", false},
    {"hosts", "allow.hosts", true},
    {"rw", "", true},
    {"ro", "", true},
    {"env", "", true},
};
const ConfigKey* find_config_key(std::string_view name);

enum class ConfigChange { Set, Add, Unset };

// `root`: of the project it is about; null: of all. Lists take several values. Values are checked before anything is written.
Status change_config(const Path& pale_home, ConfigChange change, const ConfigKey& key,
                     std::span<const std::string> values, const Path* root);

// All that was granted to a project.
Status forget_grants(const Path& pale_home, const Path& root);
Status move_grants(const Path& pale_home, const Path& from, const Path& to);

}  // namespace pale::project
