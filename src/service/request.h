// service/request.h: what a user asks of `run`, `shell`, `explain` and `agent run`, before anything is decided.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "boundary/boundary.h"
#include "plan/plan.h"
#include "project/resolver.h"

namespace pale::service {

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

// A workspace of a managed project.
struct TenantRequest {
  std::string project;
  std::string workspace;
};

struct Request {
  project::Named project;
  std::optional<TenantRequest> tenant;  // instead of it
  std::optional<Afterwards> temporary;  // a project made for this run, and what becomes of it
  std::optional<StageRequest> stage;
  std::string preset;
  std::optional<project::Trust> trust;
  std::vector<PathRequest> paths;
  std::optional<Network> network;
  std::vector<VariableRequest> environment;
  std::vector<std::string> home_files;  // of the user's home, copied into the private one where they are missing
  Limits limits;
  BackendChoice backend = BackendChoice::Automatic;
  plan::Weakening weakening = plan::Weakening::Refused;
  std::string receipt_path;
  Runs runs = Runs::Command;
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
