// project/adapter.h: what Pale knows of a coding agent, as data: how it takes a task, what it needs of the user's, and which of
// its own sandboxes to switch off. Those that come with Pale are in project/agents; the user's own in PALE_HOME/agents.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/path.h"

namespace pale::project {

struct Adapter {
  std::string name;
  std::string about;
  std::string install;                   // a command that installs it
  std::vector<std::string> task;         // its command for a task; "{task}" in it stands for the task
  std::vector<std::string> chat;         // its command without one
  bool network = false;                  // it reaches its model over the network
  std::vector<std::string> hosts;        // where
  std::vector<std::string> environment;  // variables that are passed on where they are set
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::string> home;  // parts of the user's home that are copied into the private one
  std::string origin;             // "built in", or its file
  bool committed = false;         // it stands in a manifest, which grants nothing
};

// By name; the user's own come before those of the same name that are built in. A broken file of the user's is an error.
Result<std::vector<Adapter>> read_adapters(const Path& pale_home);

// Of a command that a manifest gives.
Adapter adapter_of(std::vector<std::string> command, std::string origin);

// The adapter's command with the task put in; without one for an empty task.
Result<std::vector<std::string>> command_for(const Adapter& adapter, const std::string& task);

struct BuiltInAdapter {
  std::string_view file;
  std::string_view text;
};
std::span<const BuiltInAdapter> built_in_adapters();

}  // namespace pale::project
