// cli/worker_view.h: a project's zones, its workers and their tree, for people and for programs.
#pragma once

#include "base/json.h"
#include "cli/console.h"
#include "service/workers.h"

namespace pale::cli {

std::string worker_list_lines(const service::ProjectWorkers& all);
std::string worker_show_lines(const service::ProjectWorkers& all, const worker::Node& node, const Palette& colours);
std::string worker_check_lines(const service::ProjectWorkers& all, const worker::Tree& tree,
                               const std::vector<Error>& problems, const Palette& colours);

std::string worker_list_json(const service::ProjectWorkers& all);
std::string worker_show_json(const service::ProjectWorkers& all, const worker::Node& node);
std::string worker_check_json(const service::ProjectWorkers& all, const worker::Tree& tree,
                              const std::vector<Error>& problems);

std::string_view to_text(project::SandboxMode mode) noexcept;
std::string_view to_text(project::ApprovalMode mode) noexcept;
std::string_view to_text(project::Approval approval) noexcept;

// Of a tree: how many of its nodes would not be called.
std::size_t refused_in(const worker::Tree& tree);

}  // namespace pale::cli
