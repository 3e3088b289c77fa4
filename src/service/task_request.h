// service/task_request.h: a task for a local project that goes on by itself: an agent's, or a command. As the one argument of the
// process that hosts it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pale::service {

struct TaskRequest {
  std::string project;  // its id
  std::string task;
  std::string agent;                 // which; with a task alone: as the project and the user say
  std::vector<std::string> command;  // instead of an agent
  bool staged = false;
  std::vector<std::string> folders;  // that it is about
  std::string mode;                  // strict, permissive; empty: not said
  std::string title;
  bool operator==(const TaskRequest&) const = default;
};

std::string to_json(const TaskRequest& request);
Result<TaskRequest> parse_task_request(std::string_view text);

}  // namespace pale::service
