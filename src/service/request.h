// service/request.h: what a user asks of `run`, `shell`, `explain` and `agent run`, before anything is decided.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "boundary/boundary.h"
#include "plan/plan.h"
#include "project/resolver.h"
#include "scope/prd.h"
#include "session/question.h"

namespace pale::service {

class VisitListener;

enum class PathRule { ReadWrite, ReadOnly, Protect, Hide };

struct PathRequest {
  PathRule rule;
  std::string path;    // absolute, or relative to the project's root
  std::string origin;  // who asks for it: "--rw", "agent claude"
};

struct VariableRequest {
  std::string text;  // NAME (the caller's value) or NAME=VALUE
  std::string origin;
  enum class IfUnset { Fail, LeaveOut } if_unset = IfUnset::Fail;
};

enum class BackendChoice { Automatic, Namespaces, Landlock };
enum class Afterwards { Remove, Keep };

// A stage to work in: by its name, or a new one; on the project, or on another stage.
struct StageRequest {
  std::string name;
  std::string on;
};

// What is executed inside: a command, or this program, which serves its tools there (service/tools.h).
enum class Runs { Command, Tools };

// Of tools: what is said of approvals beside what the project says.
struct ToolsRequest {
  std::string worker;  // in whose boundary they work; empty: in the project's
  std::optional<project::ApprovalMode> approval;
  std::uint64_t ask_seconds = 300;                              // how long a question waits
  void (*notice)(const session::Question& question) = nullptr;  // told of each that waits
};

// Whether somebody is told what a run does while it does it.
enum class Attention {
  Never,
  IfScoped,  // what it does outside the folders that it is about, if it has some
  Always,    // all that it does in the project, if it has no folders
  ToLearn,   // all that it does in the project; folders do not count
};

// Whether lines are written to a person's terminal even if a program has it for itself just now.
enum class Telling { IfItMay, Surely };

// A workspace of a managed project.
struct TenantRequest {
  std::string project;
  std::string workspace;
};

// The folders of the project that a run is about, and what becomes of the rest; each with who said so.
struct WorkspaceRequest {
  std::optional<project::Said<std::vector<std::string>>> folders;  // from the project's root
  std::optional<project::Said<project::Scope>> mode;
  // Whoever says this wants none of the folders that a manifest or a prd.json names.
  std::optional<project::Said<bool>> off;
  std::optional<project::Said<scope::Workspace>> of_stories;  // a prd.json's: committed, so it only narrows
};

struct Request {
  project::Named project;
  std::optional<TenantRequest> tenant;  // instead of it
  std::optional<Afterwards> temporary;  // a project made for this run, and what becomes of it
  std::optional<StageRequest> stage;
  std::string preset;
  WorkspaceRequest workspace;
  // The fileScope of a story: nothing else of the project can be written, as far as directories tell (scope/file_scope.h).
  std::optional<project::Said<std::vector<std::string>>> file_scope;
  std::optional<project::Trust> trust;
  std::vector<PathRequest> paths;
  std::optional<Network> network;
  std::vector<HostRule> hosts;  // with Network::Allow: by a flag
  std::vector<HostRule>
      agent_hosts;       // that the agent needs, as its adapter says; the user has to agree to network "allow"
  bool observe = false;  // with Network::Allow: every public host, to learn from
  std::vector<VariableRequest> environment;
  std::vector<std::string> home_files;  // of the user's home, copied into the private one where they are missing
  Limits limits;
  BackendChoice backend = BackendChoice::Automatic;
  plan::Weakening weakening = plan::Weakening::Refused;
  std::string receipt_path;
  Runs runs = Runs::Command;
  ToolsRequest tools;
  Attention attention = Attention::Never;
  bool (*tell)(const std::string& lines, Telling telling) = nullptr;  // of what the network's list blocks
  VisitListener* visits = nullptr;  // who writes down connections; nobody: they have a session of their own
  std::vector<std::string> command;
};

// Of the calling process.
struct Caller {
  char** argv = nullptr;
  char** envp = nullptr;

  const char* find(std::string_view name) const;      // null if unset
  std::string variable(std::string_view name) const;  // empty if unset
  bool has_variable(std::string_view name) const { return find(name) != nullptr; }
};

}  // namespace pale::service
