// service/request.h: what a user asks of `run`, `shell` and `explain`, before anything is decided.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "boundary/boundary.h"
#include "plan/plan.h"

namespace pale::service {

enum class PathRule { ReadWrite, ReadOnly, Protect, Hide };

struct PathRequest {
  PathRule rule;
  std::string path;  // absolute, or relative to the project's root
};

enum class BackendChoice { Automatic, Namespaces, Landlock };

struct Request {
  std::string project_root;
  std::vector<PathRequest> paths;
  Network network = Network::None;
  std::vector<std::string> environment;  // NAME (the caller's value) or NAME=VALUE
  Limits limits;
  BackendChoice backend = BackendChoice::Automatic;
  plan::Weakening weakening = plan::Weakening::Refused;
  std::string receipt_path;
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
